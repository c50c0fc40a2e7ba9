"""What a preset, a plan file and the command's flags make of a run."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch

from ...config import DEFAULT_SCENES, EnvConfig, EpisodeSet
from ...envs import BatchPointNavEnv
from ...errors import ConfigError
from ...rl import TrainConfig
from ..args import TrainArgs
from ..devices import output_on
from .factories import TASKS
from .planfile import Sheet, read_plan
from .presets import PRESETS, Preset
from .runs import flatten
from .settings import env_settings, hint, learner_config, parse_settings

MAX_EVAL_ENVS = 256
_HABITAT_GOAL = "pointgoal_with_gps_compass"


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainPlan:
    """All settings of a run."""

    run_dir: Path
    """Its folder."""
    preset: str
    """Name of the preset that it began from."""
    task: str
    """What is asked of the agent, a key of ``TASKS``."""
    num_envs: int
    """Environments of the training."""
    env: EnvConfig
    """The environment of the training."""
    learner: TrainConfig
    """The learner."""
    eval_env: EnvConfig
    """The environment of the evaluation, with its fixed episodes in sequence."""
    num_episodes: int
    """Episodes of the evaluation."""
    val_env: EnvConfig
    """The environment of the validations: that of the evaluation, with other episodes."""
    val_episodes: int
    """Episodes of a validation."""
    deterministic: bool
    """Whether evaluation and validations take the most likely actions."""
    sheet: Sheet
    """The same settings as ``run.yaml`` has them, see ``planfile``."""

    def make_rows(self, num_envs: int, config: EnvConfig) -> BatchPointNavEnv:
        """Environments of the task."""
        return TASKS[self.task](num_envs, config)

    def record(self) -> dict[str, Any]:
        """The settings as plain values, as ``runs.decide`` compares them."""
        evaluation = {**self.eval_env.to_dict(), "deterministic": self.deterministic}
        # Sizes written out are the same settings as sizes left to the encoder.
        learner = replace(self.learner, policy=self.learner.policy.filled())
        # Runs of earlier versions know no tasks.
        task = {} if self.task == "pointnav" else {"task": self.task}
        return {
            "env": {**self.env.to_dict(), "num_envs": self.num_envs, **task},
            "learner": learner.to_dict(),
            "evaluation": evaluation,
        }


def plan_training(args: TrainArgs) -> TrainPlan:
    """Flags over the plan file over the preset; raises ``ConfigError`` where a value is not allowed."""
    file = {} if args.config is None else read_plan(args.config)
    name = args.preset or file.get("preset", "quick")
    if not isinstance(name, str) or name not in PRESETS:
        raise ConfigError(f"there is no preset {name!r}; {hint(str(name), tuple(PRESETS))}")
    flags = _flags(args)
    sheet = _merged(_merged(_preset_sheet(PRESETS[name]), file), flags)
    sheet["preset"] = name
    # What is set by a flag counts in the training too.
    sheet["training_env"].update({k: v for k, v in flags["env"].items() if k in sheet["training_env"]})
    env = EnvConfig.from_kwargs(sheet["env"])
    evaluation = _evaluation(sheet, env)
    learner = learner_config(_learner_settings(sheet, env))
    episodes, seed = _at_least_one("evaluation.episodes", evaluation["episodes"]), evaluation["seed"]
    num_envs = _at_least_one("num_envs", sheet["num_envs"])
    if num_envs < (parts := learner.ppo.minibatches):
        raise ConfigError(
            f"num_envs={num_envs} is not allowed with {parts} minibatches, among which they are split; "
            f"expected at least {parts}, or --set ppo.minibatches={num_envs}"
        )
    val_episodes = _at_least_one("validation.episodes", sheet["validation"]["episodes"])
    walked = (evaluation["scenes"], evaluation["navmesh"])
    sheet.update(env=_shared(sheet["env"], env), evaluation=evaluation, learner=_plain(learner.to_dict()))
    return TrainPlan(
        run_dir=args.run_dir or _run_dir(name, args.config, scene_names(env)),
        preset=name,
        task=_task(sheet["task"]),
        num_envs=num_envs,
        # On a GPU that was asked for, images reach the learner without a detour by the host.
        env=EnvConfig.from_kwargs({"output": output_on(env.device), **sheet["training_env"]}, env),
        learner=learner,
        eval_env=evaluation_env(env, *walked, EpisodeSet(episodes, seed)),
        num_episodes=episodes,
        # Other episodes than those of the evaluation, which the choice of a checkpoint must not know.
        val_env=evaluation_env(env, *walked, EpisodeSet(val_episodes, seed + 1)),
        val_episodes=val_episodes,
        deterministic=evaluation["deterministic"],
        sheet=sheet,
    )


def evaluation_env(
    base: EnvConfig, scenes: Sequence[str], navmesh: Path | str | None, episodes: EpisodeSet | Path
) -> EnvConfig:
    """The environment that evaluates: like ``base``, on fixed episodes in sequence."""
    changes = {
        "scenes": tuple(scenes),
        "navmesh": navmesh,
        "episodes": episodes,
        "episode_order": "sequential",
        "autoreset_mode": "SameStep",
        # Each agent walks through all scenes; what is held need not be made again for the next one.
        "num_resident_scenes": MAX_EVAL_ENVS,
    }
    return EnvConfig.from_kwargs(changes, base)


def scene_names(env: EnvConfig) -> tuple[str, ...]:
    """The scenes of an environment, one or several, as text."""
    several = isinstance(env.scenes, list | tuple)
    return tuple(map(str, env.scenes)) if several else (str(env.scenes),)


def default_run_dir(preset: str, scenes: Sequence[str]) -> Path:
    """``runs/<preset>``, with the scenes' name where they are not the default ones."""
    if tuple(scenes) == (DEFAULT_SCENES,):
        return Path("runs") / preset
    first = scenes[0] if scenes[0].startswith("houses:") else Path(scenes[0]).stem
    name = re.sub(r"[^\w-]+", "-", first).strip("-")
    return Path("runs") / f"{preset}-{name}{'-and-more' if len(scenes) > 1 else ''}"


def choose_device(device: str | None) -> str:
    """The device asked for, else the first CUDA device, else the CPU."""
    if device is not None:
        return device
    return "cuda:0" if torch.cuda.is_available() else "cpu"


def _preset_sheet(preset: Preset) -> Sheet:
    minutes = preset.time_limit_min
    learner = {
        **preset.learner,
        "total_frames": preset.frames,
        "time_limit_s": None if minutes is None else 60.0 * minutes,
    }
    return {
        "task": "pointnav",
        "num_envs": preset.num_envs,
        "env": {
            "preset": preset.env_preset,
            "scenes": [DEFAULT_SCENES],
            "sensors": list(preset.sensors),
            "resolution": [preset.resolution, preset.resolution],
        },
        "training_env": _plain(preset.env),
        "evaluation": {"episodes": preset.eval_episodes, "seed": 7, "deterministic": False},
        "validation": {"episodes": preset.validation_episodes},
        "learner": learner,
    }


def _flags(args: TrainArgs) -> Sheet:
    """What was asked for explicitly."""
    side = args.resolution
    given = {
        "task": args.task,
        "num_envs": args.num_envs,
        "env": {
            "preset": args.env_preset,
            "scenes": args.scenes,
            "navmesh": args.navmesh,
            "sensors": chosen_sensors(args.sensors),
            "resolution": None if side is None else (side, side),
            "device": args.device,
        },
        "evaluation": {
            "scenes": args.val_scenes,
            "episodes": args.eval_episodes,
            "seed": args.eval_seed,
            "deterministic": args.greedy or None,
        },
        "validation": {"episodes": args.validation_episodes},
        "learner": {
            "total_frames": args.frames,
            "time_limit_s": None if args.time_limit is None else 60.0 * args.time_limit,
            "seed": args.seed,
            "device": args.device,
        },
    }
    sheet: Sheet = _plain(_without_none(given))
    sheet["env"].update(_plain(env_settings(args.env)))
    sheet["learner"].update(parse_settings(args.set))
    return sheet


def chosen_sensors(given: tuple[str, ...] | None) -> tuple[str, ...] | None:
    """The images of ``--sensors``, of which "none" is no image; raises ``ConfigError`` for both together."""
    if given is None or "none" not in given:
        return given
    if len(given) > 1:
        raise ConfigError(f"--sensors {' '.join(given)} is not allowed; give none, or images")
    return ()


def _merged(base: Sheet, over: Sheet) -> Sheet:
    """Sections of ``over`` laid over those of ``base``; the learner's settings become dotted names."""
    merged = {**base, **over}
    for section in ("env", "training_env", "evaluation", "validation"):
        merged[section] = {**base.get(section, {}), **over.get(section, {})}
    merged["learner"] = {**flatten(base["learner"]), **flatten(over.get("learner", {}))}
    return merged


def _learner_settings(sheet: Sheet, env: EnvConfig) -> dict[str, Any]:
    learner: dict[str, Any] = sheet["learner"]
    derived = {"device": choose_device(env.device)}
    if env.obs_keys == "habitat":
        derived["policy.goal_key"] = _HABITAT_GOAL
    return {**derived, **learner}


def _evaluation(sheet: Sheet, env: EnvConfig) -> dict[str, Any]:
    """The evaluation's settings; scenes of one's own are evaluated on themselves, with other episodes."""
    given, trained_on = sheet["evaluation"], scene_names(env)
    own = not all(scene.startswith("houses:") for scene in trained_on)
    scenes = given.get("scenes")
    if scenes is None:
        scenes = trained_on if own else ("houses:val",)
    # A single one may stand there without brackets, as for the training.
    scenes = [scenes] if isinstance(scenes, str) else scenes
    if not isinstance(scenes, list | tuple):
        raise ConfigError(f"evaluation.scenes={scenes!r} is not allowed; expected scenes such as houses:val")
    if not isinstance(given["deterministic"], bool):
        raise ConfigError(
            f"evaluation.deterministic={given['deterministic']!r} is not allowed; expected true or false"
        )
    navmesh = sheet["env"].get("navmesh") if tuple(scenes) == trained_on else None
    return {"navmesh": navmesh, **given, "scenes": list(scenes)}


def _shared(given: Mapping[str, Any], env: EnvConfig) -> dict[str, Any]:
    """The values of ``given`` as the checked configuration has them."""
    values = _plain(env.to_dict())
    return {name: given[name] if name == "preset" else values[name] for name in given}


def _run_dir(preset: str, file: Path | None, scenes: Sequence[str]) -> Path:
    if file is not None and file.stem != "run":
        return Path("runs") / file.stem
    return default_run_dir(preset, scenes)


def _task(name: object) -> str:
    if not isinstance(name, str) or name not in TASKS:
        raise ConfigError(f"there is no task {name!r} to train; {hint(str(name), tuple(TASKS))}")
    return str(name)


def _without_none(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _without_none(item) for key, item in value.items() if item is not None}
    return value


def _plain(value: Any) -> Any:
    """Lists for tuples, text for paths."""
    return json.loads(json.dumps(value, default=str))


def _at_least_one(name: str, value: Any) -> int:
    if isinstance(value, float) and value.is_integer():
        value = int(value)  # 1e3
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise ConfigError(f"{name}={value!r} is not allowed; expected an integer of at least 1")
    return value
