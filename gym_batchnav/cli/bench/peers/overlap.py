"""Our own learner with the environments in two halves, of which one is stepped beside the policy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .peer import THE_SAME, Peer
from .task import Task


def setup(task: Task) -> Callable[[], int]:
    """Updates of the run."""
    return updates(task, overlap="on")


def updates(task: Task, **changes: Any) -> Callable[[], int]:
    """Updates of the run with other settings."""
    from gym_batchnav.cli.bench.updates import Updates
    from gym_batchnav.config import EnvConfig
    from gym_batchnav.rl import TrainConfig

    learner = TrainConfig.from_dict({**task.learner, **changes})
    return Updates(learner, task.num_envs, EnvConfig.from_kwargs(task.env, None))


PEER = Peer(
    name="overlap",
    file=__file__,
    distribution="gym-batchnav",
    benchmark="train",
    outputs=("depth", "rgb", "semantic", "normals"),
    scene=THE_SAME,
    setup=setup,
    threads=None,
    equal={"overlap": "off"},
)
