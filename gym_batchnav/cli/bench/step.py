"""Speed of ``step``: motion, distances, images, episode changes and scene swaps."""

from __future__ import annotations

import os
from contextlib import ExitStack
from typing import Any

import numpy as np

from ...config import EnvConfig
from ...cores import usable_cores
from ...envs import BatchPointNavEnv
from ...envs.choosing import scene_refs
from ..args import BenchArgs
from ..show import console
from ..waiting import waiting
from .comparison import comparison
from .peers.task import Task
from .rivals import choose, start_all
from .windows import Measurement, measure

ACTION_PROBABILITIES = (0.0, 0.6, 0.2, 0.2)
"""Of stop, forward, left, right."""
SCENES_LOOKED_AT = 8
SINGLE_ENVS_PER_CORE = 2
"""Environments of a vector of single simulators, at which it is fastest: more processes are slower, and more
environments in one process not faster."""


class _Walk:
    """Random actions in all rows; counts the lengths of the episodes that end."""

    def __init__(self, envs: BatchPointNavEnv, seed: int) -> None:
        self.envs = envs
        self.generator = np.random.default_rng(seed)
        self.lengths: list[float] = []
        self.timings_before: dict[str, float] = {}

    def step(self) -> int:
        """One vector step; returns its frames."""
        rows = self.envs.num_envs
        actions = self.generator.choice(4, size=rows, p=ACTION_PROBABILITIES)
        *_, infos = self.envs.step(actions)
        if "_final_info" in infos:
            ended = infos["_final_info"]
            self.lengths += infos["final_info"]["steps"][ended].tolist()
        return rows

    def start(self) -> None:
        """The measurement begins."""
        self.timings_before = self.envs.timings
        self.lengths.clear()


def bench_step(args: BenchArgs, config: EnvConfig) -> dict[str, Any]:
    """Step with random actions in five windows, between those of the peers."""
    choices = choose(args.compare, args.peer_python, "step", args.sensors)
    with ExitStack() as stack:
        with waiting("loading scenes and starting episodes"):
            envs = BatchPointNavEnv(args.num_envs, config)
            stack.callback(envs.close)
            envs.reset(seed=args.seed)
        spread_ages(envs)
        walk = _Walk(envs, args.seed)
        rivals = start_all(choices, lambda _: _task(args, config), stack, console().print)
        measured, *rest = measure(walk.step, args.seconds, rivals=rivals, started=walk.start)
        return {
            **figures(measured),
            "stages_ms": stages(walk.timings_before, envs.timings, measured),
            "mean_episode_length": float(np.mean(walk.lengths)) if walk.lengths else None,
            "episodes_ended": len(walk.lengths),
            "action_probabilities": ACTION_PROBABILITIES,
            "resident_scenes": envs.num_loaded_scenes,
            "triangles_per_scene": triangles_per_scene(config),
            "comparisons": [
                comparison(rival, theirs, measured) for rival, theirs in zip(rivals, rest, strict=True)
            ],
            "renderer": envs.render_info,
        }


def _task(args: BenchArgs, config: EnvConfig) -> Task:
    """What others are to step: the same environments, but fewer."""
    env = environment_arguments(config)
    del env["autoreset_mode"]  # which single environments do not have
    return Task(
        outputs=args.sensors,
        height=config.resolution[0],
        width=config.resolution[1],
        seed=args.seed,
        num_envs=min(args.num_envs, SINGLE_ENVS_PER_CORE * usable_cores()),
        env=env,
        action_probabilities=ACTION_PROBABILITIES,
    )


def environment_arguments(config: EnvConfig) -> dict[str, Any]:
    """Keyword arguments that make the same environment in another folder."""
    env = config.to_dict()
    env["scenes"] = [os.path.abspath(name) if os.path.exists(name) else name for name in env["scenes"]]
    env["navmesh"] = env["navmesh"] and os.path.abspath(env["navmesh"])
    return env


def spread_ages(envs: BatchPointNavEnv) -> None:
    """Set the step counters apart, so that episodes end all the time and not all at once."""
    limit = envs.config.max_episode_steps
    if limit is not None:
        state = envs.get_state()
        steps = state["simulator"]["steps"]
        steps[:] = np.arange(len(steps)) * limit // len(steps)
        envs.set_state(state)


def figures(measured: Measurement) -> dict[str, Any]:
    """Frames per second and how steady the calls were."""
    return {
        "frames_per_second": measured.frames_per_second,
        "windows": measured.windows,
        "frames": measured.frames,
        "batch_ms": {
            "median": measured.quantile_ms(0.5),
            "p99": measured.quantile_ms(0.99),
            "worst": max(measured.call_ms),
        },
    }


def stages(before: dict[str, float], after: dict[str, float], measured: Measurement) -> dict[str, float]:
    """Milliseconds per batch by stage, and what no stage accounts for."""
    calls = len(measured.call_ms)
    spent = {name: 1000 * (seconds - before.get(name, 0.0)) / calls for name, seconds in after.items()}
    total = sum(measured.call_ms) / calls
    return {**spent, "outside": max(0.0, total - sum(spent.values())), "total": total}


def triangles_per_scene(config: EnvConfig) -> dict[str, float]:
    """Least, mean and most triangles over the first scenes of the set."""
    refs = scene_refs(config)[:SCENES_LOOKED_AT]
    with waiting("counting triangles"):
        return triangle_summary([len(ref.load().triangles) for ref in refs])


def triangle_summary(counts: list[int]) -> dict[str, float]:
    """Number of scenes, and least, mean and most triangles."""
    return {
        "scenes": len(counts),
        "least": min(counts),
        "mean": sum(counts) / len(counts),
        "most": max(counts),
    }
