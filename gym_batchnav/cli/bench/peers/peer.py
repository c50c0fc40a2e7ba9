"""What a peer is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from .task import Task

THE_SAME = "the same"
"""``Peer.scene`` of those that are given our scenes and views, or our environments."""


def as_asked(height: int, width: int) -> tuple[int, int]:
    """The resolution of a peer that draws any."""
    return height, width


@dataclass(frozen=True, kw_only=True)
class Peer:
    """One library, and how it is used at its best."""

    name: str
    """As ``--compare`` takes it."""
    file: str
    """The module that defines it."""
    distribution: str
    """Name of the distribution to install; its version goes into the record."""
    benchmark: str
    """What it can be compared in: "render", "step" or "train"."""
    outputs: tuple[str, ...]
    """Images that it draws."""
    scene: str
    """What it draws: ``THE_SAME``, or the name of a scene of its own."""
    setup: Callable[[Task], Callable[[], int]]
    """Makes everything ready; returns what draws (or steps) once and returns the number of images."""
    images_per_call: int | None = None
    """Images of one call of the library; None for the whole batch."""
    processes: int | None = 1
    """Processes that run side by side; None for one per core."""
    spawns: bool = False
    """Whether it starts a process for each environment by itself."""
    threads: int | None = 1
    """Threads of each process that draw; None for one per core."""
    resolution: Callable[[int, int], tuple[int, int]] = as_asked
    """From the (height, width) that is asked for to the one that it draws."""
    equal: dict[str, Any] = field(default_factory=dict)
    """Of a learner: settings by dotted name with which ours does the same."""
    environment: dict[str, str] = field(default_factory=dict)
    """Variables of its process."""
