"""Predicates on whole-numbered points (..., 2) of the x-z plane; every one takes and gives arrays.

"Left" is towards the inside of an outline as `contours` walks it.
Source: O'Rourke 1998, Computational Geometry in C, chapter 1.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.int64]
Truth = NDArray[np.bool_]


def turn(a: Points, b: Points, c: Points) -> Any:
    """Twice the signed area of the triangle abc: below 0 where c lies left of a to b."""
    return (b[..., 0] - a[..., 0]) * (c[..., 1] - a[..., 1]) - (c[..., 0] - a[..., 0]) * (
        b[..., 1] - a[..., 1]
    )


def between(a: Points, b: Points, c: Points) -> Truth:
    """Whether c lies on the segment ab."""
    low, high = np.minimum(a, b), np.maximum(a, b)
    inside: Truth = (turn(a, b, c) == 0) & (low <= c).all(axis=-1) & (c <= high).all(axis=-1)
    return inside


def cross_properly(a: Points, b: Points, c: Points, d: Points) -> Truth:
    """Whether the segments ab and cd cross in a point that is an end of neither."""
    crossing: Truth = (turn(a, b, c) * turn(a, b, d) < 0) & (turn(c, d, a) * turn(c, d, b) < 0)
    return crossing


def meet(a: Points, b: Points, c: Points, d: Points) -> Truth:
    """Whether the segments ab and cd have a point in common."""
    touch = between(a, b, c) | between(a, b, d) | between(c, d, a) | between(c, d, b)
    return touch | cross_properly(a, b, c, d)


def in_cone(before: Points, at: Points, after: Points, to: Points, loose: bool = False) -> Truth:
    """Whether the way from corner `at` to a point begins inside the outline; `loose`: or along its rim."""
    one, two = turn(at, to, before), turn(to, at, after)
    convex = (one <= 0) & (two <= 0) if loose else (one < 0) & (two < 0)
    reflex = ~((turn(at, to, after) <= 0) & (turn(to, at, before) <= 0))
    inside: Truth = np.where(turn(before, at, after) <= 0, convex, reflex)
    return inside


def blocked(a: Points, b: Points, ring: Points, loose: bool = False) -> Truth:
    """Whether the segment ab meets an edge of the closed ring; edges that end in a or b do not count."""
    start, end = ring, np.roll(ring, -1, axis=0)
    ends = (start == a).all(axis=-1) | (end == a).all(axis=-1)
    ends |= (start == b).all(axis=-1) | (end == b).all(axis=-1)
    hit = cross_properly(a, b, start, end) if loose else meet(a, b, start, end)
    return np.asarray((hit & ~ends).any())


def doubled_area(ring: Points) -> int:
    """Twice the signed area of a ring, above 0 for an outline and below 0 for a hole."""
    after = np.roll(ring, -1, axis=0)
    return int((after[:, 0] * ring[:, 1] - ring[:, 0] * after[:, 1]).sum())
