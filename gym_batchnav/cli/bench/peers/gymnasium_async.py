"""Gymnasium's ``AsyncVectorEnv`` over simulators of one environment each, in a process each."""

from __future__ import annotations

from collections.abc import Callable

from .gymnasium_sync import steps
from .peer import THE_SAME, Peer
from .task import Task


def setup(task: Task) -> Callable[[], int]:
    """Environments of this library, a process each."""
    return steps(task, "async")


PEER = Peer(
    name="async",
    file=__file__,
    distribution="gymnasium",
    benchmark="step",
    outputs=("depth", "rgb", "semantic", "normals"),
    scene=THE_SAME,
    setup=setup,
    spawns=True,
)
