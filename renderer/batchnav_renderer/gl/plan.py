"""Which views are drawn together, and the work list of the culling shader; pure NumPy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..errors import CapacityError
from .mesh import DrawGroup

ITEM_WORDS = 5
COMMAND_BYTES = 20
_BATCH = 32  # chunks that a work group of cull.comp tests at once

Segments = Sequence[tuple[DrawGroup, int, int]]


@dataclass(frozen=True, slots=True)
class Batch:
    """Views drawn by one set of GL calls into one texture array."""

    start: int
    stop: int
    groups: tuple[DrawGroup, ...]
    """The indirect draws, in order."""
    items: NDArray[np.uint32]
    """(I, 5): view within the batch, first chunk, chunks, group, first command."""
    first_command: tuple[int, ...]
    """Where the commands of each group begin."""
    max_commands: tuple[int, ...]
    """Greatest number of commands of each group."""

    @property
    def num_views(self) -> int:
        """Number of views."""
        return self.stop - self.start


def plan_batches(
    scene_ids: NDArray[np.int64],
    segments: Mapping[int, Segments],
    start: int,
    stop: int,
    max_views: int,
    max_command_bytes: int,
) -> list[Batch]:
    """Split the views [start, stop) into batches of at most ``max_views`` whose commands fit.

    Raises:
        CapacityError: the commands of one view alone do not fit.
    """
    needs = {
        scene: sum(_max_runs(count) for _, _, count in segments[scene])
        for scene in set(scene_ids[start:stop].tolist())
    }
    largest = max([1, *needs.values()])
    room = max_command_bytes // COMMAND_BYTES // largest
    if room == 0:
        raise CapacityError(
            f"a scene needs {largest:,} draw commands a view and the driver's buffers hold "
            f"{max_command_bytes // COMMAND_BYTES:,}; raise chunk_triangles"
        )
    step = min(max_views, room)
    return [
        _plan(scene_ids[first : min(first + step, stop)], segments, first)
        for first in range(start, stop, step)
    ]


def _max_runs(chunks: int) -> int:
    """Runs of visible chunks: every other one of a batch of the shader, at worst."""
    return chunks // _BATCH * (_BATCH // 2) + (chunks % _BATCH + 1) // 2


def _plan(scene_ids: NDArray[np.int64], segments: Mapping[int, Segments], start: int) -> Batch:
    scenes, scene_of_view = np.unique(scene_ids, return_inverse=True)
    tables = [segments[int(scene)] for scene in scenes]
    groups = tuple(sorted({group for table in tables for group, _, _ in table}))
    number = {group: place for place, group in enumerate(groups)}
    rows = np.array(
        [
            (first, count, number[group], _max_runs(count))
            for table in tables
            for group, first, count in table
        ],
        np.int64,
    ).reshape(-1, 4)
    lengths = np.array([len(table) for table in tables], np.int64)
    begins = np.cumsum(lengths) - lengths
    per_view = lengths[scene_of_view]
    views = np.repeat(np.arange(len(scene_ids)), per_view)
    within = np.arange(len(views)) - np.repeat(np.cumsum(per_view) - per_view, per_view)
    chosen = rows[begins[scene_of_view[views]] + within]
    capacity = np.bincount(chosen[:, 2], weights=chosen[:, 3], minlength=len(groups)).astype(np.int64)
    first_command = np.cumsum(capacity) - capacity
    items = np.column_stack([views, chosen[:, :3], first_command[chosen[:, 2]]]).astype(np.uint32)
    return Batch(
        start=start,
        stop=start + len(scene_ids),
        groups=groups,
        items=items,
        first_command=tuple(first_command.tolist()),
        max_commands=tuple(capacity.tolist()),
    )
