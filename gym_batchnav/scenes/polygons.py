"""Polygons to triangles, also those that are not convex."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

# Tests of a point against a triangle that one file may take, and more for each corner that it has: seconds.
_MOST_TESTS = 5_000_000
_TESTS_PER_CORNER = 20
# By this share of the polygon's area a triangle of a fan may point backwards and count as rounding.
_ROUNDING = 1e-6

_Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Triangulation:
    """Triangles of polygons."""

    triangles: NDArray[np.int64]
    """(F, 3) int64 numbers of corners, wound as their polygons are."""
    polygons: NDArray[np.int64]
    """(F,) int64, the polygon of each; increasing."""
    num_left: int
    """Polygons that are not convex and were cut as if they were, because they are too many or too large."""


def triangulate(points: NDArray[np.float64], sizes: NDArray[np.int64]) -> Triangulation:
    """Cut polygons into triangles: convex ones as fans, others by clipping ears.

    Args:
        points: (C, 3) positions of the corners of all polygons, one polygon after the other.
        sizes: (P,) corners of each polygon; those under 3 give no triangle.
    """
    per_polygon = np.maximum(sizes - 2, 0)
    owners = np.repeat(np.arange(len(sizes)), per_polygon)
    first = (np.cumsum(sizes) - sizes)[owners]
    starts = np.cumsum(per_polygon) - per_polygon
    step = np.arange(len(owners)) - starts[owners]
    triangles = np.stack([first, first + step + 1, first + step + 2], axis=1)
    if not (sizes > 3).any():
        return Triangulation(triangles, owners, 0)
    # Quadrangles are cut along their other diagonal.
    turned = (_folded(points, triangles, owners, sizes) & (sizes == 4))[owners]
    triangles[turned] = first[turned, None] + np.array([[1, 2, 3], [3, 0, 1]])[step[turned]]
    clipper = _EarClipper(_MOST_TESTS + _TESTS_PER_CORNER * len(points))
    for polygon in np.nonzero(_folded(points, triangles, owners, sizes) & (sizes > 4))[0].tolist():
        begin, count = int(starts[polygon]), int(per_polygon[polygon])
        corner = int(first[begin])
        cut = clipper.cut(points[corner : corner + count + 2])
        if cut is not None:
            triangles[begin : begin + count] = corner + cut
    return Triangulation(triangles, owners, clipper.num_left)


def _area_vectors(points: NDArray[np.float64], triangles: NDArray[np.int64]) -> NDArray[np.float64]:
    a, b, c = (points[triangles[:, corner]] for corner in range(3))
    with np.errstate(over="ignore", invalid="ignore"):
        return np.cross(b - a, c - a)


def _worst(
    points: NDArray[np.float64], triangles: NDArray[np.int64], owners: NDArray[np.int64], count: int
) -> NDArray[np.float64]:
    """(P,) how far forward the most backward triangle of each polygon points, as a share of its area."""
    areas = _area_vectors(points, triangles)
    total = np.stack([np.bincount(owners, areas[:, axis], count) for axis in range(3)], axis=1)
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        shares = (areas * total[owners]).sum(axis=1) / (total**2).sum(axis=1)[owners]
    worst = np.full(count, np.inf)
    np.minimum.at(worst, owners, np.nan_to_num(shares, nan=0.0, posinf=0.0, neginf=0.0))
    return worst


def _folded(
    points: NDArray[np.float64],
    triangles: NDArray[np.int64],
    owners: NDArray[np.int64],
    sizes: NDArray[np.int64],
) -> NDArray[np.bool_]:
    """(P,) whether some triangle points backwards, so that a fan leaves the polygon."""
    folded: NDArray[np.bool_] = _worst(points, triangles, owners, len(sizes)) < -_ROUNDING
    return folded


class _EarClipper:
    """Cuts polygons by clipping ears until the file has cost enough."""

    def __init__(self, tests: int) -> None:
        self.num_left = 0
        self._tests_left = tests

    def cut(self, corners: NDArray[np.float64]) -> NDArray[np.int64] | None:
        """(n - 2, 3) numbers of the (n, 3) corners of a polygon; None where it cost too much."""
        if self._tests_left < 0:
            self.num_left += 1
            return None
        flat = _flattened(corners)
        left, ears, place, misses = list(range(len(flat))), [], 0, 0
        # Only corners where the outline turns right can lie in an ear, and clipping makes no new ones.
        bent = {corner for corner in left if not _turns_left_at(flat, left, corner)}
        while len(left) > 3:
            place %= len(left)
            a, b, c = left[place - 1], left[place], left[(place + 1) % len(left)]
            # After a round without an ear the polygon crosses itself, and any corner must do.
            if misses > len(left) or self._is_ear([flat[a], flat[b], flat[c]], [flat[one] for one in bent]):
                ears.append((a, b, c))
                del left[place]
                bent.discard(b)
                place, misses = place - 1, 0
                for number in (place, place + 1):
                    if _turns_left_at(flat, left, number % len(left)):
                        bent.discard(left[number % len(left)])
            elif self._tests_left < 0:
                self.num_left += 1
                return None
            else:
                place, misses = place + 1, misses + 1
        return np.array([*ears, tuple(left)])

    def _is_ear(self, ear: list[_Point], bent: list[_Point]) -> bool:
        """Whether a triangle turns to the left and no other corner of the outline lies in it."""
        a, b, c = ear
        self._tests_left -= 4
        if _turn(a, b, c) < 0.0:
            return False
        self._tests_left -= len(bent)
        for point in bent:
            if (
                _turn(a, b, point) >= 0.0
                and _turn(b, c, point) >= 0.0
                and _turn(c, a, point) >= 0.0
                and point not in ear
            ):
                return False
        return True


def _turns_left_at(flat: list[_Point], left: list[int], place: int) -> bool:
    """Whether the outline turns to the left at its corner ``place``."""
    return _turn(flat[left[place - 1]], flat[left[place]], flat[left[(place + 1) % len(left)]]) > 0.0


def _flattened(corners: NDArray[np.float64]) -> list[_Point]:
    """Corners in the coordinate plane that the polygon lies flattest in, turning to the left."""
    total = np.cross(corners, np.roll(corners, -1, axis=0)).sum(axis=0)
    axis = int(np.argmax(np.abs(total)))
    u, v = corners[:, (axis + 1) % 3], corners[:, (axis + 2) % 3]
    u, v = (u, v) if total[axis] >= 0.0 else (v, u)
    return list(zip(u.tolist(), v.tolist(), strict=True))


def _turn(a: _Point, b: _Point, c: _Point) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
