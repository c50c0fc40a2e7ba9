"""Speed of the bundled learner: rollouts and updates together."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from typing import Any

from ...config import EnvConfig
from ...rl import TrainConfig
from ..args import BenchArgs
from ..show import console
from ..training.plan import choose_device
from ..training.presets import PRESETS
from ..training.settings import learner_config, parse_settings
from ..waiting import waiting
from .comparison import comparison
from .peers.peer import Peer
from .peers.task import Task
from .peers.window import run_window
from .rivals import Rival, choose, start_all
from .step import environment_arguments, triangles_per_scene
from .updates import Updates
from .windows import measure


def bench_train(args: BenchArgs, config: EnvConfig) -> dict[str, Any]:
    """Train as a preset does, in five windows of whole updates, between those of the peers."""
    choices = choose(args.compare, args.peer_python, "train", args.sensors)
    preset = PRESETS[args.preset]
    given = {} if args.num_resident_scenes is None else {"num_resident_scenes": args.num_resident_scenes}
    config = EnvConfig.from_kwargs({"preset": preset.env_preset, **preset.env, **given}, config)
    learner = _learner(args, {})
    with ExitStack() as stack:
        with waiting("loading scenes and making the first updates"):
            ours = stack.enter_context(Updates(learner, args.num_envs, config))
        rivals = start_all(choices, lambda peer: _task(args, config, peer), stack, console().print)
        equals = {id(rival): _equal(args, config, rival, ours, stack) for rival in rivals}
        others = [equal for equal in equals.values() if equal is not ours]
        windows = [partial(run_window, equal) for equal in others]
        measured, *rest = measure(ours, args.seconds, rivals=[*windows, *rivals], started=ours.clear)
        speeds = {id(equal): found for equal, found in zip([ours, *others], [measured, *rest], strict=False)}
        return {
            "frames_per_second": measured.frames_per_second,
            "windows": measured.windows,
            "frames": measured.frames,
            "updates": len(ours.records),
            "stages_ms": ours.stages_ms(),
            "learner": learner.to_dict(),
            "triangles_per_scene": triangles_per_scene(config),
            "comparisons": [
                {
                    **comparison(rival, theirs, speeds[id(equals[id(rival)])]),
                    "ours_with": dict(rival.peer.equal),
                    "our_stages_ms": equals[id(rival)].stages_ms(),
                }
                for rival, theirs in zip(rivals, rest[len(others) :], strict=True)
            ],
            "renderer": ours.renderer,
        }


def _learner(args: BenchArgs, equal: Mapping[str, Any]) -> TrainConfig:
    """The learner that is measured, or the one that does what a peer does."""
    settings = {
        **PRESETS[args.preset].learner,
        "total_frames": 10**12,
        "seed": args.seed,
        "device": choose_device(args.device),
        "checkpoint_every_s": 1e9,
        "validate_every_frames": None,
        "tensorboard": False,
        **parse_settings(args.set),
        **equal,
    }
    learner = learner_config(settings)
    # By its own name, so that equal learners are known to be equal.
    return replace(learner, overlap="on" if learner.env_parts > 1 else "off")


def _equal(args: BenchArgs, config: EnvConfig, rival: Rival, ours: Updates, stack: ExitStack) -> Updates:
    """Our own run that a peer is compared with: the one that is measured, unless that does something else."""
    learner = _learner(args, rival.peer.equal)
    return ours if learner == ours.learner else stack.enter_context(Updates(learner, args.num_envs, config))


def _task(args: BenchArgs, config: EnvConfig, peer: Peer) -> Task:
    """The environment and the learner of a peer."""
    return Task(
        outputs=args.sensors,
        height=config.resolution[0],
        width=config.resolution[1],
        seed=args.seed,
        num_envs=args.num_envs,
        env={**environment_arguments(config), "output": "numpy"},
        learner={**_learner(args, peer.equal).to_dict()},
    )
