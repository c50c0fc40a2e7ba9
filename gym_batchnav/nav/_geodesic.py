"""Shortest paths over the ground: from a point over corners that see each other to a point.

The length is measured in 3-D along the chords between corners, as habitat-sim measures Detour's path. A path
that is shortest seen from above bends only at corners, and there only around the walls: lines that could not
bend so are left out of the graph.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from gym_batchnav.nav._jit import Flag, Real, Whole, kernel
from gym_batchnav.nav._sight import (
    Spot,
    corner_sees_corner,
    may_bend,
    spot_sees,
    spot_sees_corner,
)
from gym_batchnav.nav._visibility import PART, WHOLE, Flood, corners_met
from gym_batchnav.nav.triangles import SightMesh

_NONE = np.int64(-1)


@kernel
def corner_graph(
    m: SightMesh, f: Flood, met: NDArray[np.bool_], pairs: NDArray[np.int32], length: NDArray[np.float64]
) -> Whole:
    """Finds the pairs of corners that see each other and may bend at both ends; returns their number.

    Fills `pairs` (C (C - 1) / 2, 2) and their distances `length` in metres as far as that number; `f` and
    `met` (C,) are scratch.
    """
    count = 0
    for a in range(len(m.corner_xz)):
        corners_met(m, f, a, met)
        for b in range(a):
            if (
                met[b]
                and may_bend(m, b, m.corner_xz[a, 0], m.corner_xz[a, 1])
                and may_bend(m, a, m.corner_xz[b, 0], m.corner_xz[b, 1])
                and corner_sees_corner(m, a, b)
            ):
                pairs[count, 0], pairs[count, 1] = a, b
                length[count] = _apart(m.corner_xyz[a], m.corner_xyz[b])
                count += 1
    return count


@kernel
def _apart(p: Real, q: Real) -> Real:
    """Distance of two points in 3-D, in float64."""
    x = np.float64(p[0]) - np.float64(q[0])
    y = np.float64(p[1]) - np.float64(q[1])
    z = np.float64(p[2]) - np.float64(q[2])
    return math.sqrt(x * x + y * y + z * z)


@kernel
def _sees_bend(m: SightMesh, spot: Spot, k: Whole) -> Flag:
    """Whether a placed point sees corner `m.bend[k]` of its triangle's list."""
    return m.bend_clear[k] or spot_sees_corner(m, spot, m.bend[k])


@kernel
def _fill_row(
    m: SightMesh,
    between: NDArray[np.float32],
    spot: Spot,
    point: NDArray[np.float32],
    row: NDArray[np.float32],
) -> None:
    """Writes for each corner the length of the shortest way on to the goal, inf where there is none."""
    row[:] = np.inf
    for k in range(m.bend_start[spot[0]], m.bend_start[spot[0] + 1]):
        corner = m.bend[k]
        if may_bend(m, corner, spot[1], spot[2]) and _sees_bend(m, spot, k):
            direct = np.float32(_apart(point, m.corner_xyz[corner]))
            for other in range(len(row)):
                way = direct + between[corner, other]
                if way < row[other]:
                    row[other] = way


@kernel
def bends_seen(m: SightMesh, spot: Spot, seen: NDArray[np.bool_]) -> None:
    """Fills (C,) `seen`: the corners that a placed point sees and at which a path from it may bend."""
    seen[:] = False
    for k in range(m.bend_start[spot[0]], m.bend_start[spot[0] + 1]):
        seen[m.bend[k]] = may_bend(m, m.bend[k], spot[1], spot[2]) and _sees_bend(m, spot, k)


@kernel
def goal_rows(
    m: SightMesh,
    between: NDArray[np.float32],
    spots: NDArray[np.int64],
    points: NDArray[np.float32],
    rows: NDArray[np.float32],
) -> None:
    """Fills (B, C) `rows`: from each corner to each of the (B, 3) goals; inf for a goal off the ground."""
    for k in range(len(spots)):
        rows[k, :] = np.inf
        if spots[k, 0] >= 0:
            _fill_row(m, between, spots[k], points[k], rows[k])


@kernel
def _by_corner(
    m: SightMesh,
    spot: Spot,
    point: NDArray[np.float32],
    row: NDArray[np.float32],
    bound: NDArray[np.float64],
) -> tuple[Real, Whole]:
    """Least distance to the goal over a first corner, and that corner (-1: none).

    Candidates come in ascending order of their bound, so the first one that is seen is the answer.
    """
    first, last = m.bend_start[spot[0]], m.bend_start[spot[0] + 1]
    for k in range(first, last):
        corner = m.bend[k]
        bound[k - first] = np.inf
        if row[corner] < np.inf and may_bend(m, corner, spot[1], spot[2]):
            bound[k - first] = _apart(point, m.corner_xyz[corner]) + np.float64(row[corner])
    while True:
        best: Whole = _NONE
        least = np.inf
        for k in range(last - first):
            if bound[k] < least:
                best, least = k, bound[k]
        if best < 0:
            return least, best
        if _sees_bend(m, spot, first + best):
            return least, np.int64(m.bend[first + best])
        bound[best] = np.inf


@kernel
def distances(
    m: SightMesh,
    between: NDArray[np.float32],
    starts: NDArray[np.int64],
    goals: NDArray[np.int64],
    start_points: NDArray[np.float32],
    goal_points: NDArray[np.float32],
    rows: NDArray[np.float32],
    have_rows: Flag,
    bound: NDArray[np.float64],
    length: NDArray[np.float64],
    first: NDArray[np.int32],
) -> None:
    """Fills (B,) lengths of the shortest paths, and their first corners (-1: straight, or no path).

    With `have_rows`, `rows` (B, C) are the goals' rows; else a (1, C) scratch, and
    each row is made here where it is needed: the numbers are the same. `bound` is (C,) scratch.
    """
    for k in range(len(starts)):
        length[k], first[k] = np.inf, -1
        if starts[k, 0] < 0 or goals[k, 0] < 0:
            continue
        if spot_sees(m, starts[k], goals[k, 1], goals[k, 2], goals[k, 0], _NONE):
            length[k] = _apart(start_points[k], goal_points[k])
            continue
        at = k if have_rows else 0
        if not have_rows:
            _fill_row(m, between, goals[k], goal_points[k], rows[0])
        length[k], first[k] = _by_corner(m, starts[k], start_points[k], rows[at], bound)


@kernel
def lines_of_sight(
    m: SightMesh, starts: NDArray[np.int64], goals: NDArray[np.int64], clear: NDArray[np.bool_]
) -> None:
    """Fills (B,) `clear`: the straight line between two places, seen from above, stays on the ground."""
    for k in range(len(starts)):
        on_ground = starts[k, 0] >= 0 and goals[k, 0] >= 0
        clear[k] = on_ground and spot_sees(m, starts[k], goals[k, 1], goals[k, 2], goals[k, 0], _NONE)


@kernel
def closest_goals(
    m: SightMesh,
    starts: NDArray[np.int64],
    goals: NDArray[np.int64],
    start_points: NDArray[np.float32],
    goal_points: NDArray[np.float32],
    row: NDArray[np.float32],
    goal_of_corner: NDArray[np.int64],
    bound: NDArray[np.float64],
    length: NDArray[np.float64],
    index: NDArray[np.int64],
) -> None:
    """Fills (B,) lengths of the shortest paths to the closest of the goals, and its index (-1: none).

    `row` (C,) is the least of the goals' rows and `goal_of_corner` (C,) says whose; `bound` is (C,) scratch.
    """
    for k in range(len(starts)):
        length[k], index[k] = np.inf, -1
        if starts[k, 0] < 0:
            continue
        for goal in range(len(goals)):
            direct = _apart(start_points[k], goal_points[goal])
            near = direct < length[k] and goals[goal, 0] >= 0
            if near and spot_sees(m, starts[k], goals[goal, 1], goals[goal, 2], goals[goal, 0], _NONE):
                length[k], index[k] = direct, goal
        around, corner = _by_corner(m, starts[k], start_points[k], row, bound)
        if around < length[k]:
            length[k], index[k] = around, goal_of_corner[corner]


@kernel
def distance(
    m: SightMesh,
    start: Spot,
    goal: Spot,
    start_point: NDArray[np.float32],
    goal_point: NDArray[np.float32],
    row: NDArray[np.float32],
    view: NDArray[np.uint8],
    bound: NDArray[np.float64],
) -> Real:
    """Length of one shortest path, the number that `distances` fills in.

    Given are the goal's (C,) `row` and what it sees of each triangle, (T,) `view` of `see_from_spot`.
    """
    if start[0] < 0 or goal[0] < 0:
        return np.inf
    seen = view[start[0]]
    if seen == WHOLE or (seen == PART and spot_sees(m, start, goal[1], goal[2], goal[0], _NONE)):
        return _apart(start_point, goal_point)
    return _by_corner(m, start, start_point, row, bound)[0]
