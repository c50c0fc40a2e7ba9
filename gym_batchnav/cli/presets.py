"""Sizes of runs, and what a command's arguments make of them."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch

from ..config import EnvConfig, EpisodeSet
from ..errors import ConfigError
from ..rl import TrainConfig
from .args import TrainArgs
from .devices import output_on

MAX_EVAL_ENVS = 256
DEFAULT_VALIDATION_EPISODES = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Preset:
    """Defaults of ``batchnav train``."""

    frames: int
    """Frames of the training."""
    time_limit_min: float | None
    """Minutes of the training."""
    num_envs: int
    """Environments side by side."""
    eval_episodes: int
    """Episodes of the evaluation."""
    validation_episodes: int | None = None
    """Episodes of each validation during the training; None where the preset does not validate."""
    learner: Mapping[str, Any]
    """Settings of the learner by dotted name."""
    env: Mapping[str, Any]
    """Settings of the environment that is trained in; evaluations keep the task's own rewards."""


# The slack penalty teaches a beginner to give up at the first wall, since stopping is free: train without.
_REWARDS = {"slack_reward": 0.0, "success_reward": 5.0}
_NAVIGATOR = {
    "policy.hidden": 192,
    "policy.stem_planes": 16,
    "policy.planes": (16, 32),
    "policy.vector_embedding": 64,
    # Stopping ends all exploration, so an untrained policy does it rarely.
    "policy.initial_action_probabilities": (0.002, 0.6, 0.199, 0.199),
    "ppo.gamma": 0.98,
}
PRESETS = {
    "quick": Preset(
        frames=20_000_000,
        time_limit_min=9.0,
        num_envs=128,
        eval_episodes=200,
        learner={
            **_NAVIGATOR,
            "ppo.rollout_length": 16,
            "ppo.epochs": 3,
            "ppo.learning_rate": 7e-4,
            "ppo.entropy_coefficient": 0.02,
            "ppo.entropy_final_factor": 0.2,
        },
        env={**_REWARDS, "num_resident_scenes": 32, "swap_episodes": 32},
    ),
    # The network of quick with a wider memory, on more frames, and with a checkpoint chosen by validation.
    "cpu": Preset(
        frames=10_000_000,
        time_limit_min=None,
        num_envs=128,
        eval_episodes=1000,
        validation_episodes=200,
        learner={
            **_NAVIGATOR,
            "policy.hidden": 256,
            "ppo.gamma": 0.99,
            "ppo.rollout_length": 32,
            "ppo.epochs": 2,
            "ppo.minibatches": 4,
            "ppo.learning_rate": 7e-4,
            "ppo.entropy_coefficient": 0.02,
            "ppo.entropy_final_factor": 0.2,
            "best_metric": "spl",
            "keep_every_frames": 500_000,
            "validate_every_frames": 500_000,
        },
        env={**_REWARDS, "num_resident_scenes": 32, "swap_episodes": 32},
    ),
    "long": Preset(
        frames=50_000_000,
        time_limit_min=None,
        num_envs=256,
        eval_episodes=1000,
        learner={**_NAVIGATOR, "checkpoint_every_s": 300.0},
        env=_REWARDS,
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainPlan:
    """All settings of a run."""

    run_dir: Path
    """Its folder."""
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

    def record(self) -> dict[str, Any]:
        """The settings as plain values, as ``runs.decide`` compares them."""
        evaluation = {**self.eval_env.to_dict(), "deterministic": self.deterministic}
        # Sizes written out are the same settings as sizes left to the encoder.
        learner = replace(self.learner, policy=self.learner.policy.filled())
        return {
            "env": {**self.env.to_dict(), "num_envs": self.num_envs},
            "learner": learner.to_dict(),
            "evaluation": evaluation,
        }


def plan_training(args: TrainArgs) -> TrainPlan:
    """Fill in the defaults of a preset; raises ``ConfigError`` where a value is not allowed."""
    preset = PRESETS[args.preset]
    device = choose_device(args.device)
    minutes = preset.time_limit_min if args.time_limit is None else args.time_limit
    settings = {
        **preset.learner,
        "total_frames": preset.frames if args.frames is None else args.frames,
        "time_limit_s": None if minutes is None else 60.0 * minutes,
        "seed": args.seed,
        "device": device,
        **parse_settings(args.set),
    }
    env = EnvConfig(
        scenes=args.scenes,
        navmesh=args.navmesh,
        sensors=args.sensors,
        resolution=(args.resolution, args.resolution),
        device=args.device,
    )
    own = not all(scene.startswith("houses:") for scene in args.scenes)
    val_scenes = args.val_scenes or (args.scenes if own else ("houses:val",))
    episodes = preset.eval_episodes if args.eval_episodes is None else args.eval_episodes
    navmesh = args.navmesh if val_scenes == args.scenes else None
    val_episodes = args.validation_episodes or preset.validation_episodes or DEFAULT_VALIDATION_EPISODES
    # Other episodes than those of the evaluation, which the choice of a checkpoint must not know.
    val_set = EpisodeSet(_at_least_one("validation_episodes", val_episodes), args.eval_seed + 1)
    return TrainPlan(
        run_dir=args.run_dir or default_run_dir(args.preset, args.scenes),
        num_envs=_at_least_one("num_envs", preset.num_envs if args.num_envs is None else args.num_envs),
        # On a GPU that was asked for, images reach the learner without a detour by the host.
        env=EnvConfig.from_kwargs({**preset.env, "output": output_on(args.device)}, env),
        learner=learner_config(settings),
        eval_env=evaluation_env(env, val_scenes, navmesh, EpisodeSet(episodes, args.eval_seed)),
        num_episodes=episodes,
        val_env=evaluation_env(env, val_scenes, navmesh, val_set),
        val_episodes=val_episodes,
        deterministic=args.greedy,
    )


def evaluation_env(
    base: EnvConfig, scenes: Sequence[str], navmesh: Path | None, episodes: EpisodeSet | Path
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


def default_run_dir(preset: str, scenes: Sequence[str]) -> Path:
    """``runs/<preset>``, with the scenes' name where they are not the default ones."""
    if tuple(scenes) == ("houses:train",):
        return Path("runs") / preset
    first = scenes[0] if scenes[0].startswith("houses:") else Path(scenes[0]).stem
    name = re.sub(r"[^\w-]+", "-", first).strip("-")
    return Path("runs") / f"{preset}-{name}{'-and-more' if len(scenes) > 1 else ''}"


def choose_device(device: str | None) -> str:
    """The device asked for, else the first CUDA device, else the CPU."""
    if device is not None:
        return device
    return "cuda:0" if torch.cuda.is_available() else "cpu"


def learner_config(settings: Mapping[str, Any]) -> TrainConfig:
    """A learner's configuration from settings by dotted name.

    Raises:
        ConfigError: a name is unknown (the message lists the known ones), or a value is not allowed.
    """
    nested = TrainConfig().to_dict()
    for name, value in settings.items():
        *groups, key = name.split(".")
        target: Any = nested
        for group in groups:
            target = target.get(group) if isinstance(target, dict) else None
        if not isinstance(target, dict) or key not in target or isinstance(target[key], dict):
            known = ", ".join(_names(TrainConfig().to_dict()))
            raise ConfigError(f"the learner has no setting {name!r}; known are {known}")
        target[key] = _fitting(name, value, target[key])
    return TrainConfig.from_dict(nested)


def parse_settings(pairs: Sequence[str]) -> dict[str, Any]:
    """``("ppo.epochs=3", ...)`` to names and values; raises ``ConfigError`` where a pair is no KEY=VALUE."""
    settings = {}
    for pair in pairs:
        name, equals, text = pair.partition("=")
        if not equals or not name:
            raise ConfigError(
                f"--set {pair!r} is not allowed; expected KEY=VALUE, e.g. ppo.learning_rate=5e-4"
            )
        try:
            settings[name.strip()] = json.loads(text)
        except ValueError:
            settings[name.strip()] = {"none": None, "true": True, "false": False}.get(text.lower(), text)
    return settings


def _fitting(name: str, value: object, default: object) -> object:
    """The value in the type of the default; raises ``ConfigError`` where it has another one."""
    if isinstance(value, list):
        value = tuple(value)
    # A choice such as policy.recurrence has "none" among its words.
    if isinstance(default, str) and value is None:
        value = "none"
    if isinstance(default, float) and isinstance(value, int) and not isinstance(value, bool):
        value = float(value)
    if default is not None and value is not None and type(value) is not type(default):
        raise ConfigError(
            f"the learner's setting {name}={value!r} is a {type(value).__name__}; expected a "
            f"{type(default).__name__} such as {default!r}"
        )
    return value


def _names(nested: Mapping[str, Any], prefix: str = "") -> list[str]:
    names: list[str] = []
    for key, value in nested.items():
        names += _names(value, f"{prefix}{key}.") if isinstance(value, Mapping) else [prefix + key]
    return names


def _at_least_one(name: str, value: int) -> int:
    if value < 1:
        raise ConfigError(f"{name}={value} is not allowed; expected at least 1")
    return value
