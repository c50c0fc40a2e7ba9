"""``batchnav eval``: a checkpoint on fixed episodes, with a report."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..config import SENSORS, EnvConfig, EpisodeSet
from ..errors import ConfigError
from ..rl import load_checkpoint, load_policy, resolve_checkpoint
from ..rl.spec import EnvSpec
from .args import EvalArgs
from .contest import Contestant, baselines, run_contest, summary
from .machine import machine_facts
from .pages import report_data
from .presets import choose_device, evaluation_env
from .report import write_report
from .runs import read_json, write_json
from .show import console, results_table

TASK_FIELDS = (
    "hfov_deg",
    "camera_height",
    "camera_pitch_deg",
    "cameras",
    "shading",
    "min_depth",
    "max_depth",
    "normalize_depth",
    "max_episode_steps",
    "success_distance",
    "goal_sensor",
    "actions",
    "tilt_angle_deg",
    "velocity",
    "actuation_noise",
    "depth_noise",
    "rgb_noise",
    "pose_noise",
    "forward_step",
    "turn_angle_deg",
    "sliding",
    "goal_format",
    "obs_keys",
)
"""Fields of the environment that a policy was trained for."""


def run_eval(args: EvalArgs) -> int:
    """Evaluate a checkpoint; returns the exit status."""
    if args.greedy and args.sampled:
        raise ConfigError("--greedy and --sampled exclude each other; give one of them")
    if args.episodes < 1:
        raise ConfigError(f"--episodes {args.episodes} is not allowed; expected at least 1")
    out, checkpoint = console(), resolve_checkpoint(args.checkpoint)
    device = choose_device(args.device)
    policy = load_policy(checkpoint, device, args.seed)
    episodes = args.episode_file or EpisodeSet(args.episodes, args.seed)
    config = evaluation_env(_trained_env(checkpoint, args.device), args.scenes, args.navmesh, episodes)
    sees = bool(config.image_sensors)
    contestants = [
        Contestant(name="trained", label="trained policy", agent=policy, sees=sees, deterministic=args.greedy)
    ]
    if args.baselines:
        contestants += baselines(config, args.seed)
    outcome = run_contest(contestants, config, args.episodes, num_envs=args.num_envs, say=out.print)
    result = {
        **summary(outcome.results[0]),
        "agents": {agent.name: summary(agent) for agent in outcome.results},
        "checkpoint": str(checkpoint),
        "deterministic": args.greedy,
        "config": config.to_dict(),
        "machine": machine_facts(outcome.renderer),
    }
    if args.json is not None:
        write_json(args.json, result)
    page = (args.report or checkpoint.parent / f"eval-{checkpoint.stem}") / "report.html"
    data = report_data(
        outcome,
        config,
        title="Evaluation",
        subtitle=f"{checkpoint} on {', '.join(args.scenes)}",
        facts={"Episodes": str(args.episodes)},
        tables={"Environment": config.to_dict(), "Machine": result["machine"]},
    )
    write_report(data, page)
    title = f"{args.episodes} episodes on {', '.join(args.scenes)}, 95% intervals"
    out.print(results_table(result["agents"], title))
    out.print(f"report: {page.resolve()}", soft_wrap=True)
    return 0


def _trained_env(checkpoint: Path, device: str | None) -> EnvConfig:
    """The environment that the policy was trained in, as far as its run's folder or its spec tell."""
    spec = EnvSpec.from_dict(load_checkpoint(checkpoint)["env_spec"])
    # Images are named after their sensor, those of several cameras with the camera's name before it.
    images = {key: key.rpartition("_")[2] for key, field in spec.fields.items() if field.is_image}
    sensors = tuple(sensor for sensor in SENSORS if sensor in images.values() or sensor in spec.fields)
    known: dict[str, Any] = {"sensors": sensors, "device": device}
    if images:
        known["resolution"] = spec.fields[next(iter(images))].shape[:2]
    stored = checkpoint.parent.parent / "config.json"
    if stored.is_file():
        known.update({name: v for name, v in read_json(stored).get("env", {}).items() if name in TASK_FIELDS})
    return EnvConfig.from_kwargs(known)
