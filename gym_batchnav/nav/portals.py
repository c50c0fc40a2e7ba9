"""Joins tiles: edges on the border between two tiles that lie on each other become ways through.

Detour lets an edge on a border lead to several polygons. Here such an edge is cut where a neighbour begins or
ends, so that each piece leads to one polygon or is a wall.
Source of the matching rule: behaviour of Detour, findConnectingPolys.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_SIDE = 0xF
_OPPOSITE = ((0, 4), (2, 6))
"""Sides of a tile that face each other: +x and -x, +z and -z."""
_TOUCH = 0.01
"""Metres by which borders may be apart, and by which edges must overlap at each end."""


@dataclass(slots=True)
class Rings:
    """Polygons whose rings may grow: vertices, and what lies across the edge that starts at each, or -1."""

    vertices: list[list[int]]
    across: list[list[int]]


def portal_edges(neis: NDArray[np.uint16], count: NDArray[np.int32], external: int) -> NDArray[np.int64]:
    """(E, 3) polygon, edge and side of the edges on a border, from Detour's neighbour words (P, M)."""
    used = np.arange(neis.shape[1]) < count[:, None]
    poly, edge = np.nonzero(used & ((neis & external) != 0))
    return np.stack([poly, edge, neis[poly, edge] & _SIDE], axis=1).astype(np.int64)


def join_portals(
    verts: NDArray[np.float32],
    rings: Rings,
    edges: NDArray[np.int64],
    tile: NDArray[np.int32],
    climb: NDArray[np.float32],
) -> None:
    """Cuts the rings at the ends of their neighbours and links them, in place.

    Args:
        verts: (V, 3) metres, of all tiles.
        rings: Polygons of all tiles.
        edges: (E, 3) polygon, edge and side of the edges on borders.
        tile: (P,) tile of each polygon.
        climb: (P,) height that an agent climbs, metres.
    """
    weld = np.arange(len(verts))
    cuts: dict[tuple[int, int], list[tuple[float, float, int, int, int]]] = {}
    for one, two in _OPPOSITE:
        axis = 2 if one == 0 else 0
        left, right = (_Side(verts, rings, edges[edges[:, 2] == side], axis) for side in (one, two))
        for a, b in zip(*np.nonzero(_touching(left, right, tile, climb)), strict=True):
            low = _end(left.low[a], right.low[b], left.first[a], right.first[b], weld, max)
            high = _end(left.high[a], right.high[b], left.last[a], right.last[b], weld, min)
            for mine, k, other, j in ((left, a, right, b), (right, b, left, a)):
                piece = (low[0], high[0], low[1], high[1], int(other.edges[j, 0]))
                cuts.setdefault((int(mine.edges[k, 0]), int(mine.edges[k, 1])), []).append(piece)
    _cut(verts, rings, cuts)
    _merge(rings, weld)


class _Side:
    """Edges on one side of their tiles, as intervals along the border."""

    def __init__(self, verts: NDArray[np.float32], rings: Rings, edges: NDArray[np.int64], axis: int) -> None:
        ends = np.array(
            [
                [rings.vertices[p][e], rings.vertices[p][(e + 1) % len(rings.vertices[p])]]
                for p, e, _ in edges
            ],
            np.int64,
        ).reshape(-1, 2)
        along = verts[ends, axis].astype(np.float64)
        order = along.argsort(axis=1, kind="stable")
        ends, along = np.take_along_axis(ends, order, 1), np.take_along_axis(along, order, 1)
        self.edges = edges
        self.first, self.last = ends[:, 0], ends[:, 1]
        self.low, self.high = along[:, 0], along[:, 1]
        self.place = verts[self.first, 2 - axis].astype(np.float64)
        self.level = verts[ends, 1].astype(np.float64)

    def height(self, at: NDArray[np.float64]) -> NDArray[np.float64]:
        """(n, ...) heights of the edges at places along the border (n, ...)."""
        shape = (-1,) + (1,) * (at.ndim - 1)
        span = np.maximum(self.high - self.low, 1e-9).reshape(shape)
        share = (at - self.low.reshape(shape)) / span
        low, high = self.level[:, 0].reshape(shape), self.level[:, 1].reshape(shape)
        result: NDArray[np.float64] = low + share * (high - low)
        return result


def _touching(
    left: _Side, right: _Side, tile: NDArray[np.int32], climb: NDArray[np.float32]
) -> NDArray[np.bool_]:
    """(L, R) which edges lie on each other and are not too far apart in height."""
    low = np.maximum(left.low[:, None], right.low) + _TOUCH
    high = np.minimum(left.high[:, None], right.high) - _TOUCH
    result = (np.abs(left.place[:, None] - right.place) <= _TOUCH) & (low <= high)
    own, other = left.edges[:, 0], right.edges[:, 0]
    result &= tile[own][:, None] != tile[other]
    gaps = [right.height(at.T).T - left.height(at) for at in (low, high)]
    reach = 2 * climb[own][:, None]
    near = (np.abs(gaps[0]) <= reach) | (np.abs(gaps[1]) <= reach) | (gaps[0] * gaps[1] < 0)
    return np.asarray(result & near)


def _end(
    a: float, b: float, vertex_a: int, vertex_b: int, weld: NDArray[np.int64], inner: Callable[..., float]
) -> tuple[float, int]:
    """Place and vertex where two edges cease to lie on each other; vertices at one place become one."""
    if abs(a - b) <= _TOUCH:
        keep, drop = _root(weld, vertex_a), _root(weld, vertex_b)
        weld[drop] = keep
        return float(a), int(keep)
    return (float(a), int(vertex_a)) if inner(a, b) == a else (float(b), int(vertex_b))


def _root(weld: NDArray[np.int64], vertex: int) -> int:
    while weld[vertex] != vertex:
        vertex = int(weld[vertex])
    return vertex


def _cut(
    verts: NDArray[np.float32],
    rings: Rings,
    cuts: dict[tuple[int, int], list[tuple[float, float, int, int, int]]],
) -> None:
    """Puts the ends of the pieces into the rings, from each ring's last edge to its first."""
    for (poly, edge), pieces in sorted(cuts.items(), reverse=True):
        ring = rings.vertices[poly]
        start, end = verts[ring[edge]], verts[ring[(edge + 1) % len(ring)]]
        axis = 2 if abs(end[2] - start[2]) > abs(end[0] - start[0]) else 0
        forward = bool(end[axis] > start[axis])
        vertices, across = [ring[edge]], [-1]
        place = float(start[axis])
        for low, high, first, last, other in sorted(pieces, reverse=not forward):
            if not forward:
                low, high, first, last = high, low, last, first
            if abs(low - place) > _TOUCH:
                vertices.append(first)
                across.append(-1)
            across[-1], place = other, high
            if abs(high - float(end[axis])) > _TOUCH:
                vertices.append(last)
                across.append(-1)
        ring[edge : edge + 1] = vertices
        rings.across[poly][edge : edge + 1] = across


def _merge(rings: Rings, weld: NDArray[np.int64]) -> None:
    """Renumbers welded vertices and drops edges that have shrunk to a point."""
    for ring, across in zip(rings.vertices, rings.across, strict=True):
        ring[:] = [_root(weld, vertex) for vertex in ring]
        for k in reversed(range(len(ring))):
            if ring[k] == ring[(k + 1) % len(ring)] and len(ring) > 3:
                del ring[k], across[k]
