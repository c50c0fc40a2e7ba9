"""Our own learner with the rows to act on shared among all cores."""

from __future__ import annotations

from collections.abc import Callable

from gym_batchnav.cores import usable_cores

from .overlap import updates
from .peer import THE_SAME, Peer
from .task import Task


def setup(task: Task) -> Callable[[], int]:
    """Updates of the run."""
    return updates(task, act_threads=usable_cores())


PEER = Peer(
    name="act-threads",
    file=__file__,
    distribution="gym-batchnav",
    benchmark="train",
    outputs=("depth", "rgb", "semantic", "normals"),
    scene=THE_SAME,
    setup=setup,
    threads=None,
    equal={"overlap": "off", "act_threads": 1},
)
