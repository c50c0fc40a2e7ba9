"""Outlines to convex polygons that share their vertices and edges.

Ears are cut off, the one with the shortest cut first; then triangles, and what has come of them, are joined
over the longest edge that may go.
Sources: behaviour of Recast Navigation, rcBuildPolyMesh; O'Rourke 1998, chapter 1.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gym_batchnav.nav.agent import AgentSettings
from gym_batchnav.nav.bake.contours import Contour
from gym_batchnav.nav.bake.plane import blocked, in_cone, turn

_WELD_HEIGHT = 2
"""Voxels by which vertices at one place may differ in height."""

_Ring = tuple[int, ...]


class PolygonSet(NamedTuple):
    """Convex polygons, clockwise seen from above."""

    vertices: NDArray[np.int64]
    """(V, 3) x and z in cells, y in voxels."""
    rings: list[_Ring]
    """Vertices of each."""
    region: list[int]
    """Region of each."""


def make_polygons(contours: list[Contour], settings: AgentSettings) -> PolygonSet:
    """Cuts the outlines up; an outline that cannot be cut whole is cut as far as it can be."""
    weld = _Weld()
    rings: list[_Ring] = []
    regions: list[int] = []
    for contour in contours:
        index = [weld.add(point) for point in contour.points.tolist()]
        triangles = [tuple(index[k] for k in triangle) for triangle in _ears(contour.points[:, ::2])]
        proper = [ring for ring in triangles if len(set(ring)) == 3]
        joined = _join(proper, np.array(weld.points)[:, ::2], settings.verts_per_poly)
        rings += joined
        regions += [contour.region] * len(joined)
    return PolygonSet(np.array(weld.points, np.int64).reshape(-1, 3), rings, regions)


class _Weld:
    """Gives points at one place, and about one height, one number."""

    def __init__(self) -> None:
        self.points: list[list[int]] = []
        self._at: dict[tuple[int, int], list[int]] = {}

    def add(self, point: list[int]) -> int:
        here = self._at.setdefault((point[0], point[2]), [])
        for number in reversed(here):
            if abs(self.points[number][1] - point[1]) <= _WELD_HEIGHT:
                return number
        here.append(len(self.points))
        self.points.append(point)
        return here[-1]


def _ears(ring: NDArray[np.int64]) -> list[_Ring]:
    """Triangles, as indices into the ring."""
    index = list(range(len(ring)))
    cuts = [_is_cut(ring, index, k, False) for k in range(len(index))]
    triangles: list[_Ring] = []
    while len(index) > 3:
        ear = _best_ear(ring, index, cuts)
        if ear is None:
            return triangles
        count = len(index)
        triangles.append((index[ear - 1], index[ear], index[(ear + 1) % count]))
        del index[ear], cuts[ear]
        count -= 1
        before, after = (ear - 1) % count, ear % count
        cuts[before] = _is_cut(ring, index, before, False)
        cuts[after] = _is_cut(ring, index, after, False)
    triangles.append((index[0], index[1], index[2]))
    return triangles


def _best_ear(ring: NDArray[np.int64], index: list[int], cuts: list[bool]) -> int | None:
    """The place of the ear with the shortest cut; where there is none, cuts along rims count too."""
    for allowed in (cuts, None):
        if allowed is None:
            allowed = [_is_cut(ring, index, k, True) for k in range(len(index))]
        places = np.flatnonzero(allowed)
        if len(places):
            points = ring[index]
            cut = np.roll(points, 1, axis=0)[places] - np.roll(points, -1, axis=0)[places]
            # Recast starts its search at the vertex before the ear.
            order = np.argsort((places - 1) % len(index), kind="stable")
            return int(places[order[np.argmin((cut[order] ** 2).sum(axis=1))]])
    return None


def _is_cut(ring: NDArray[np.int64], index: list[int], ear: int, loose: bool) -> bool:
    """Whether the segment between the neighbours of a vertex lies inside the outline."""
    points = ring[index]
    count = len(points)
    a, b = points[ear - 1], points[(ear + 1) % count]
    if not in_cone(points[ear - 2], a, points[ear], b, loose):
        return False
    if not in_cone(points[ear], b, points[(ear + 2) % count], a, loose):
        return False
    return not blocked(a, b, points, loose)


def _join(rings: list[_Ring], points: NDArray[np.int64], most: int) -> list[_Ring]:
    """Joins two polygons at a time, over the longest edge between any, while they stay convex and small."""
    if most <= 3:
        return rings
    rings = list(rings)
    known: dict[tuple[_Ring, _Ring], tuple[int, _Ring]] = {}
    while True:
        best, longest = None, 0
        for a, b in _neighbours(rings):
            pair = (rings[a], rings[b])
            if pair not in known:
                known[pair] = _joined(*pair, points, most)
            if known[pair][0] > longest:
                best, longest = (a, b), known[pair][0]
        if best is None:
            return rings
        a, b = best
        rings[a] = known[rings[a], rings[b]][1]
        last = rings.pop()
        if b < len(rings):
            rings[b] = last


def _neighbours(rings: list[_Ring]) -> list[tuple[int, int]]:
    owner: dict[tuple[int, int], int] = {}
    for k, ring in enumerate(rings):
        for edge in zip(ring, ring[1:] + ring[:1], strict=True):
            owner[edge] = k
    pairs = {(k, owner[b, a]) for (a, b), k in owner.items() if (b, a) in owner}
    return sorted((a, b) for a, b in pairs if a < b)


def _joined(one: _Ring, two: _Ring, points: NDArray[np.int64], most: int) -> tuple[int, _Ring]:
    """Squared length of the edge between two polygons, and what they make; 0 where they must stay apart."""
    if len(one) + len(two) - 2 > most:
        return 0, ()
    shared = [k for k in range(len(one)) if one[k] in two and one[(k + 1) % len(one)] in two]
    if len(shared) != 1:
        return 0, ()
    at = shared[0]
    start, end = one[at], one[(at + 1) % len(one)]
    other = two.index(end)
    if two[(other + 1) % len(two)] != start:
        return 0, ()
    ring = one[at + 1 :] + one[: at + 1]
    ring += tuple(two[(other + 2 + k) % len(two)] for k in range(len(two) - 2))
    corners = points[list(ring)]
    for place in (0, len(one) - 1):
        if turn(corners[place - 1], corners[place], corners[(place + 1) % len(ring)]) >= 0:
            return 0, ()
    return int(((points[start] - points[end]) ** 2).sum()), ring
