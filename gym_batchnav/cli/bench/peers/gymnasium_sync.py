"""Gymnasium's ``SyncVectorEnv`` over simulators of one environment each."""

from __future__ import annotations

from collections.abc import Callable

from .peer import THE_SAME, Peer
from .task import Task

_ID = "BatchPointNav-v0"


def setup(task: Task) -> Callable[[], int]:
    """Environments of this library, stepped one after the other."""
    return steps(task, "sync")


def steps(task: Task, mode: str) -> Callable[[], int]:
    """What steps ``task.num_envs`` environments once with random actions."""
    import gymnasium as gym
    import numpy as np

    import gym_batchnav  # noqa: F401  (makes its environments known)

    envs = gym.make_vec(_ID, task.num_envs, vectorization_mode=mode, **task.env)
    envs.reset(seed=task.seed)
    generator = np.random.default_rng(task.seed)

    def step() -> int:
        envs.step(generator.choice(4, size=task.num_envs, p=task.action_probabilities))
        return task.num_envs

    return step


PEER = Peer(
    name="sync",
    file=__file__,
    distribution="gymnasium",
    benchmark="step",
    outputs=("depth", "rgb", "semantic", "normals"),
    scene=THE_SAME,
    setup=setup,
)
