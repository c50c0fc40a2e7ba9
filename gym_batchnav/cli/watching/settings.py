"""Which environment is watched, and who acts in it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...config import EnvConfig, EpisodeSet
from ...envs import BatchExploreEnv, BatchFleeEnv, BatchPointNavEnv
from ...errors import ConfigError
from ...rl import Agent, PolicyAgent, load_policy
from ..evaluation.checkpoints import chosen_checkpoint
from ..evaluation.contestants import Expert, Trained
from ..training.factories import TASKS
from ..training.plan import choose_device, chosen_sensors, evaluation_env
from ..training.settings import env_settings
from .args import PlayArgs, RecordArgs

ALL_TASKS: dict[str, type[BatchPointNavEnv]] = {**TASKS, "flee": BatchFleeEnv, "explore": BatchExploreEnv}
KEYBOARD_RESOLUTION = 256
LARGEST_SIZE = 1080


@dataclass(frozen=True, slots=True)
class Watched:
    """An environment and who acts in it."""

    make_envs: Callable[[int], BatchPointNavEnv]
    """Makes so many environments."""
    make_agent: Callable[[BatchPointNavEnv], Agent] | None
    """None for somebody at the keyboard."""


def played(args: PlayArgs) -> Watched:
    """What ``batchnav play`` is asked for.

    Raises:
        ConfigError: arguments exclude each other, or have values that are not allowed.
    """
    if args.scene and args.scenes:
        raise ConfigError("scenes are given twice; name them either after 'play' or with --scenes")
    checked_size(args.size)
    trained = _trained(args)
    scenes = args.scene or args.scenes or ("houses:val",)
    base = EnvConfig(resolution=(KEYBOARD_RESOLUTION,) * 2) if trained is None else trained.environment(None)
    side = args.resolution
    changes: dict[str, Any] = {
        # Each episode in another scene; the next one is made ready meanwhile.
        "swap_episodes": 1,
        "num_resident_scenes": 1,
        **({} if args.sensors is None else {"sensors": chosen_sensors(args.sensors)}),
        **({} if side is None else {"resolution": (side, side)}),
        **env_settings(args.env),
        "scenes": tuple(scenes),
        "navmesh": args.navmesh,
    }
    config = watched_config(base, changes, args.size, args.device, args.backend)
    task = args.task or (trained.task_name if trained is not None else "pointnav")
    return Watched(lambda count: _make(task, count, config), _agent(trained, args.expert, args))


def filmed(args: RecordArgs, size: int) -> Watched:
    """What ``batchnav record`` is asked for, with views of ``size`` pixels."""
    checked_size(size)
    if args.expert and (args.checkpoint is not None or args.pretrained or args.best):
        raise ConfigError(
            "--expert is an agent of its own; leave out the checkpoint, --best and --pretrained"
        )
    trained = None
    if not args.expert:
        trained = Trained.read(chosen_checkpoint(args.checkpoint, best=args.best, pretrained=args.pretrained))
    base = EnvConfig() if trained is None else trained.environment(None)
    episodes = EpisodeSet(args.episodes, args.seed)
    config = evaluation_env(base, args.scenes, args.navmesh, episodes)
    config = watched_config(config, env_settings(args.env), size, args.device, args.backend)
    task = "pointnav" if trained is None else trained.task_name
    return Watched(lambda count: _make(task, count, config), _agent(trained, args.expert, args))


def watched_config(
    base: EnvConfig, changes: dict[str, Any], size: int, device: str | None, backend: str
) -> EnvConfig:
    """An environment whose frames are drawn twice as large as they are shown, so that edges are smooth."""
    changed = EnvConfig.from_kwargs(changes, base)
    height, width = changed.resolution
    side = 2 * size
    more = {
        "autoreset_mode": "Disabled",
        "render_resolution": (side, min(4096, max(1, round(side * width / height)))),
        "render_backend": backend if backend != "auto" else changed.render_backend,
        "device": device,
        "output": "numpy",
    }
    return EnvConfig.from_kwargs(more, changed)


def checked_size(size: int) -> None:
    """Raise ``ConfigError`` where views of so many pixels cannot be drawn."""
    if not 32 <= size <= LARGEST_SIZE:
        raise ConfigError(f"--size {size} is not allowed; expected 32 to {LARGEST_SIZE}")


def _trained(args: PlayArgs) -> Trained | None:
    given = [name for name in ("policy", "pretrained", "expert") if getattr(args, name)]
    if len(given) > 1:
        raise ConfigError(f"--{given[0]} and --{given[1]} exclude each other; one agent can be watched")
    if args.policy is None and not args.pretrained:
        return None
    return Trained.read(chosen_checkpoint(args.policy, pretrained=args.pretrained))


def _make(task: str, count: int, config: EnvConfig) -> BatchPointNavEnv:
    return ALL_TASKS[task](count, config, render_mode="rgb_array")


def _agent(
    trained: Trained | None, expert: bool, args: PlayArgs | RecordArgs
) -> Callable[[BatchPointNavEnv], Agent] | None:
    if expert:
        return Expert
    if trained is None:
        return None
    path: Path = trained.path
    policy = load_policy(path, choose_device(args.device)).policy
    return lambda _: PolicyAgent(policy, args.seed)
