"""``batchnav eval``: a checkpoint on fixed episodes, with a report."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rich.console import Console

from ...config import EnvConfig, EpisodeSet
from ...errors import ConfigError
from ..args import EvalArgs
from ..report import write_report
from ..show import console, differences_table, results_table, strata_tables
from ..training.plan import choose_device, evaluation_env
from ..training.runs import write_json
from .checkpoints import chosen_checkpoint
from .contest import Contestant, Outcome, run_contest, write_episodes
from .contestants import Trained, baselines, policy_contestants, rival, same_task
from .pages import report_data
from .protocol import evaluation_record


def run_eval(args: EvalArgs) -> int:
    """Evaluate a checkpoint; returns the exit status."""
    if args.greedy and args.sampled:
        raise ConfigError("--greedy and --sampled exclude each other; give one of them, or none for both")
    if args.episodes < 1:
        raise ConfigError(f"--episodes {args.episodes} is not allowed; expected at least 1")
    if args.num_envs is not None and args.num_envs < 1:
        raise ConfigError(f"--num-envs {args.num_envs} is not allowed; expected at least 1")
    out = console(markup=False)
    trained = Trained.read(chosen_checkpoint(args.checkpoint, best=args.best, pretrained=args.pretrained))
    if not trained.knows_environment:
        out.print(f"WARNING: {trained.path} does not say in what task it was trained; the defaults are taken")
    config = _environment(args, trained)
    contestants = _contestants(args, trained, config)
    outcome = run_contest(
        contestants,
        config,
        args.episodes,
        num_envs=args.num_envs,
        say=out.print,
        make_rows=trained.make_rows,
    )
    result = {
        **evaluation_record(outcome, config),
        "checkpoint": trained.record(),
        "config": config.to_dict(),
    }
    if args.json is not None:
        write_json(args.json, result)
    if args.episodes_json is not None:
        write_episodes(args.episodes_json, outcome.results)
    page = (args.report or _report_folder(args, trained.path)) / "report.html"
    _write_page(page, args, trained, config, outcome, result)
    _show(out, result, page, f"{args.episodes} episodes on {', '.join(args.scenes)}, 95% intervals")
    return 0


def _report_folder(args: EvalArgs, checkpoint: Path) -> Path:
    """Beside the checkpoint, but not within the package."""
    return Path("runs/eval-pretrained") if args.pretrained else checkpoint.parent / f"eval-{checkpoint.stem}"


def _environment(args: EvalArgs, trained: Trained) -> EnvConfig:
    """The environment of a policy with the episodes that are asked for."""
    episodes = args.episode_file or EpisodeSet(args.episodes, args.seed)
    return evaluation_env(trained.environment(args.device), args.scenes, args.navmesh, episodes)


def _contestants(args: EvalArgs, trained: Trained, config: EnvConfig) -> list[Contestant]:
    """The policy, its rivals, and the plain agents."""
    modes = tuple(mode for mode, other in (("sampled", args.greedy), ("greedy", args.sampled)) if not other)
    device = choose_device(args.device)
    contestants = policy_contestants(
        trained, config, modes, name="trained", label="trained policy", device=device, seed=args.seed
    )
    taken = {"trained", "trained-greedy", "straight", "random", "expert"}
    for name, path in map(rival, args.versus):
        if name in taken or f"{name}-greedy" in taken:
            raise ConfigError(f"--versus {name}=... is not allowed; {name!r} is taken, choose another name")
        taken.add(name)
        other = Trained.read(chosen_checkpoint(path))
        env = _environment(args, other)
        if other.task_name != trained.task_name:
            raise ConfigError(
                f"--versus {name} was trained for {other.task_name}, not {trained.task_name}; "
                "compare it with a policy of its own task"
            )
        same_task(name, env, config)
        contestants += policy_contestants(
            other, env, modes, name=name, label=f"{name} policy", device=device, seed=args.seed
        )
    return [*contestants, *(baselines(config, args.seed, trained.task_name) if args.baselines else ())]


def _write_page(
    page: Path,
    args: EvalArgs,
    trained: Trained,
    config: EnvConfig,
    outcome: Outcome,
    result: Mapping[str, Any],
) -> None:
    record = result["checkpoint"]
    data = report_data(
        outcome,
        config,
        title="Evaluation",
        subtitle=f"{record['path']} on {', '.join(args.scenes)}",
        facts={"Episodes": str(args.episodes), "Frames seen": f"{record['frames'] / 1e6:.2f} M"},
        tables={
            "Protocol": result["protocol"],
            "Checkpoint": record,
            "Environment": config.to_dict(),
            "Machine": result["machine"],
        },
    )
    write_report(data, page)


def _show(out: Console, result: Mapping[str, Any], page: Path, title: str) -> None:
    out.print(results_table(result["agents"], title))
    if result["differences"]:
        out.print(differences_table(result["differences"]))
    for table in strata_tables(result["strata"], result["agents"]):
        out.print(table)
    out.print(f"report: {page.resolve()}", soft_wrap=True)
