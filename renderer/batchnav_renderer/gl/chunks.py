"""Cuts triangles into chunks, small spatial clusters with bounds; pure NumPy."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Chunks:
    """Clusters of triangles in the order in which they are to be stored."""

    order: NDArray[np.int64]
    """(F,) triangle numbers, chunk after chunk."""
    starts: NDArray[np.int64]
    """(C + 1,) place in ``order`` where each chunk begins, and F."""
    groups: NDArray[np.int64]
    """(C,) the group of each chunk; ascending."""


def build_chunks(centers: NDArray[np.float32], groups: NDArray[np.int64], size: int) -> Chunks:
    """Split the triangles of each group by medians along the longest axis until a chunk has at most ``size``.

    Splits fall on multiples of ``size``, so all chunks but one a group are full; neighbours in the order are
    neighbours in space, so visible chunks come in long runs.

    Args:
        centers: (F, 3) centroid of each triangle.
        groups: (F,) group of each triangle; a chunk never spans two.
        size: triangles of a full chunk.
    """
    order = np.argsort(groups, kind="stable")
    starts = np.flatnonzero(np.diff(groups[order], prepend=-1, append=-1))
    if not len(order):
        return Chunks(order, np.zeros(1, np.int64), np.zeros(0, np.int64))
    while True:
        lengths = np.diff(starts)
        pieces = -(-lengths // size)
        if pieces.max() <= 1:
            return Chunks(order, starts, groups[order[starts[:-1]]])
        order = _sort_segments(centers, order, starts)
        middles = (starts[:-1] + (pieces + 1) // 2 * size)[pieces > 1]
        starts = np.sort(np.concatenate([starts, middles]))


def _sort_segments(
    centers: NDArray[np.float32], order: NDArray[np.int64], starts: NDArray[np.int64]
) -> NDArray[np.int64]:
    points = centers[order]
    low = np.minimum.reduceat(points, starts[:-1])
    high = np.maximum.reduceat(points, starts[:-1])
    axes = np.argmax(high - low, axis=1)
    segments = np.repeat(np.arange(len(axes)), np.diff(starts))
    keys = np.take_along_axis(points, axes[segments][:, None], axis=1)[:, 0]
    return order[np.lexsort((keys, segments))]
