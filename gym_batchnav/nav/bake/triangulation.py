"""Triangulation of a convex polygon with points on its rim and inside.

Sources: behaviour of Recast Navigation, triangulateHull; Lawson 1977, Software for C1 surface interpolation
(insertion with edge flips).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_FLAT = 1e-9
"""Square metres: triangles with less are none."""

_Triangle = tuple[int, int, int]


def triangulate_hull(points: NDArray[np.float64], hull: list[int], corners: int) -> list[_Triangle]:
    """Triangles between points of the rim.

    The first one is the corner with the shortest way around; from there they go on to the left or to the
    right, wherever the new sides are shorter, but never so that what is left is a line.

    Args:
        points: (n, 2) x and z.
        hull: Points in order around a convex polygon; runs of them may lie on one line.
        corners: How many points, the first ones, are corners of the polygon.

    Returns:
        Triangles wound as the hull, none of them flat.
    """
    count = len(hull)
    if count == 3:
        return [(hull[0], hull[1], hull[2])]
    xz = points[hull]
    before, after = np.roll(xz, 1, axis=0), np.roll(xz, -1, axis=0)
    around = _length(xz - before) + _length(after - xz) + _length(before - after)
    rest = abs(_ring_area(xz)) - np.abs(_doubled_area(before, xz, after))
    start = int(np.where((np.array(hull) < corners) & (rest > _FLAT), around, np.inf).argmin())
    # What is left between both ends, from left to right.
    chain = [(start + 1 + k) % count for k in range(count - 1)]
    triangles = [(hull[start], hull[chain[0]], hull[chain[-1]])]
    while len(chain) > 2:
        left, right = xz[chain[0]], xz[chain[-1]]
        to_left = _length(xz[chain[1]] - left) + _length(xz[chain[1]] - right)
        to_right = _length(xz[chain[-2]] - right) + _length(xz[chain[-2]] - left)
        take_left = bool(to_left < to_right)
        if len(chain) > 3 and abs(_ring_area(xz[chain[1:] if take_left else chain[:-1]])) <= _FLAT:
            take_left = not take_left
        middle = chain[1] if take_left else chain[-2]
        triangles.append((hull[chain[0]], hull[middle], hull[chain[-1]]))
        del chain[0 if take_left else -1]
    return triangles


def insert(points: NDArray[np.float64], triangles: list[_Triangle], new: int) -> None:
    """Puts point `new`, which lies strictly inside, into the triangulation (changed in place)."""
    corners = points[np.array(triangles)]
    sides = np.stack(
        [_doubled_area(corners[:, k], corners[:, (k + 1) % 3], points[new]) for k in range(3)], axis=1
    )
    whole = _doubled_area(corners[:, 0], corners[:, 1], corners[:, 2])
    home = int((sides / whole[:, None]).min(axis=1).argmax())
    a, b, c = triangles.pop(home)
    triangles += [(a, b, new), (b, c, new), (c, a, new)]
    waiting = [(a, b), (b, c), (c, a)]
    while waiting:
        waiting += _flip(points, triangles, waiting.pop(), new)


def _flip(
    points: NDArray[np.float64], triangles: list[_Triangle], edge: tuple[int, int], new: int
) -> list[tuple[int, int]]:
    """Turns the edge opposite to the new point if the triangle beyond calls for it; edges to look at next."""
    a, b = edge
    own = _with_edge(triangles, a, b)
    other = _with_edge(triangles, b, a)
    if own is None or other is None:
        return []
    far = next(k for k in triangles[other] if k not in edge)
    if not _in_circle(points[a], points[b], points[new], points[far]):
        return []
    sign = np.sign(_doubled_area(points[a], points[b], points[new]))
    one, two = (
        _doubled_area(points[a], points[far], points[new]),
        _doubled_area(points[far], points[b], points[new]),
    )
    if sign == 0:
        sign = np.sign(one + two)
    if one * sign <= _FLAT or two * sign <= _FLAT:
        return []
    triangles[own], triangles[other] = (a, far, new), (far, b, new)
    return [(a, far), (far, b)]


def _with_edge(triangles: list[_Triangle], a: int, b: int) -> int | None:
    for k, (p, q, r) in enumerate(triangles):
        if (a, b) in ((p, q), (q, r), (r, p)):
            return k
    return None


def _doubled_area(
    a: NDArray[np.float64], b: NDArray[np.float64], c: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Twice the signed area of the triangles abc."""
    area: NDArray[np.float64] = (b[..., 0] - a[..., 0]) * (c[..., 1] - a[..., 1]) - (
        c[..., 0] - a[..., 0]
    ) * (b[..., 1] - a[..., 1])
    return area


def _ring_area(ring: NDArray[np.float64]) -> float:
    """Twice the signed area of a ring."""
    after = np.roll(ring, -1, axis=0)
    return float((ring[:, 0] * after[:, 1] - after[:, 0] * ring[:, 1]).sum())


def _length(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.hypot(vectors[..., 0], vectors[..., 1])


def _in_circle(
    a: NDArray[np.float64], b: NDArray[np.float64], c: NDArray[np.float64], d: NDArray[np.float64]
) -> bool:
    """Whether d lies inside the circle through a, b and c, whichever way these are wound."""
    rows = np.stack([a, b, c]) - d
    matrix = np.column_stack([rows, (rows**2).sum(axis=1)])
    return bool(np.linalg.det(matrix) * np.sign(_doubled_area(a, b, c)) > _FLAT)
