"""Merges the triangles of a triangulation into convex polygons (Hertel and Mehlhorn 1983)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

MAX_CORNERS = 6

Ring = list[int]
Point = tuple[int, int]


def merge_convex(points: NDArray[np.int64], triangles: NDArray[np.int64]) -> tuple[tuple[int, ...], ...]:
    """Leave out inner edges, longest first, as long as the polygons stay strictly convex.

    Args:
        points: (V, 2) whole-number coordinates.
        triangles: (F, 3) corners of a triangulation without T-junctions.

    Returns:
        Polygons of at most ``MAX_CORNERS`` corners with positive area in (x, z), each beginning with its
        smallest corner, sorted.
    """
    where: list[Point] = [(int(x), int(z)) for x, z in points]
    rings: list[Ring | None] = [_counted(where, [int(corner) for corner in row]) for row in triangles]
    owner: dict[tuple[int, int], int] = {}
    for number, ring in enumerate(rings):
        assert ring is not None
        for edge in zip(ring, ring[1:] + ring[:1], strict=True):
            owner[edge] = number
    inner = [edge for edge in owner if edge[0] < edge[1] and edge[::-1] in owner]
    inner.sort(key=lambda edge: (-_squared(where[edge[0]], where[edge[1]]), edge))
    for edge in inner:
        first, second = owner[edge], owner[edge[::-1]]
        merged = _merged(where, rings[first], rings[second], edge)
        if merged is not None:
            rings[first], rings[second] = merged, None
            for part in zip(merged, merged[1:] + merged[:1], strict=True):
                owner[part] = first
    return tuple(sorted(_rotated(ring) for ring in rings if ring is not None))


def _merged(
    where: list[Point], first: Ring | None, second: Ring | None, edge: tuple[int, int]
) -> Ring | None:
    """The union of two rings across an edge; None where it is not convex or has too many corners."""
    assert first is not None
    assert second is not None
    if len(first) + len(second) - 2 > MAX_CORNERS:
        return None
    start, end = first.index(edge[1]), second.index(edge[0])
    ring = first[start:] + first[:start] + (second[end:] + second[:end])[1:-1]
    count = len(ring)
    for number in range(count):
        a, b, c = (where[ring[(number + step) % count]] for step in range(3))
        if _cross(a, b, c) <= 0:
            return None
    return ring


def _counted(where: list[Point], ring: Ring) -> Ring:
    """The triangle with positive area."""
    a, b, c = (where[corner] for corner in ring)
    return ring if _cross(a, b, c) > 0 else ring[::-1]


def _cross(a: Point, b: Point, c: Point) -> int:
    return (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0])


def _squared(a: Point, b: Point) -> int:
    return (a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2


def _rotated(ring: Ring) -> tuple[int, ...]:
    start = ring.index(min(ring))
    return tuple(ring[start:] + ring[:start])
