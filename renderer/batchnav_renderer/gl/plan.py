"""Which views are drawn together, and the work list of the culling shader; pure NumPy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..errors import CapacityError
from .mesh import DrawGroup

ITEM_WORDS = 6
COMMAND_BYTES = 20

Segments = Sequence[tuple[DrawGroup, NDArray[np.int64]]]


@dataclass(frozen=True, slots=True)
class Batch:
    """Views drawn by one set of GL calls into one texture array."""

    start: int
    stop: int
    groups: tuple[DrawGroup, ...]
    """The indirect draws, in order."""
    items: NDArray[np.uint32]
    """(I, 6): view within the batch, first entry of ``pages``, pages, group, first command, first mask."""
    pages: NDArray[np.uint32]
    """(E,) the pages of the scenes of the batch."""
    first_command: tuple[int, ...]
    """Where the commands of each group begin."""
    max_commands: tuple[int, ...]
    """Greatest number of commands of each group."""

    @property
    def num_views(self) -> int:
        """Number of views."""
        return self.stop - self.start

    @property
    def num_masks(self) -> int:
        """Pairs of a view and a page of its scene."""
        return int(self.items[:, 2].sum())


def plan_batches(
    scene_ids: NDArray[np.int64],
    segments: Mapping[int, Segments],
    start: int,
    stop: int,
    max_views: int,
    max_command_bytes: int,
    page_chunks: int,
) -> list[Batch]:
    """Split the views [start, stop) into batches of at most ``max_views`` whose commands fit.

    Raises:
        CapacityError: the commands of one view alone do not fit.
    """
    page_runs = (page_chunks + 1) // 2  # of visible chunks: every other one, at worst
    needs = {
        scene: page_runs * sum(len(pages) for _, pages in segments[scene])
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
        _plan(scene_ids[first : min(first + step, stop)], segments, first, page_runs)
        for first in range(start, stop, step)
    ]


def _plan(
    scene_ids: NDArray[np.int64], segments: Mapping[int, Segments], start: int, page_runs: int
) -> Batch:
    scenes, scene_of_view = np.unique(scene_ids, return_inverse=True)
    tables = [segments[int(scene)] for scene in scenes]
    groups = tuple(sorted({group for table in tables for group, _ in table}))
    number = {group: place for place, group in enumerate(groups)}
    rows = np.array(
        [(len(pages), number[group]) for table in tables for group, pages in table], np.int64
    ).reshape(-1, 2)
    first_entry = np.cumsum(rows[:, 0]) - rows[:, 0]
    lengths = np.array([len(table) for table in tables], np.int64)
    begins = np.cumsum(lengths) - lengths
    per_view = lengths[scene_of_view]
    views = np.repeat(np.arange(len(scene_ids)), per_view)
    within = np.arange(len(views)) - np.repeat(np.cumsum(per_view) - per_view, per_view)
    row = begins[scene_of_view[views]] + within
    counts, group = rows[row].T
    capacity = np.bincount(group, weights=counts * page_runs, minlength=len(groups)).astype(np.int64)
    first_command = np.cumsum(capacity) - capacity
    items = [views, first_entry[row], counts, group, first_command[group], np.cumsum(counts) - counts]
    entries = [pages for table in tables for _, pages in table]
    return Batch(
        start=start,
        stop=start + len(scene_ids),
        groups=groups,
        items=np.column_stack(items).astype(np.uint32),
        pages=np.concatenate([np.zeros(0, np.int64), *entries]).astype(np.uint32),
        first_command=tuple(first_command.tolist()),
        max_commands=tuple(capacity.tolist()),
    )
