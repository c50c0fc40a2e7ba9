"""Shortest paths over the ground: from a point over corners that see each other to a point.

The length is measured in 3-D along the chords between corners, as habitat-sim measures Detour's path. A path that is
shortest seen from above bends only at corners, and there only around the walls: lines that could not bend so are left
out of the graph.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from gym_batchnav.nav._jit import kernel
from gym_batchnav.nav._sight import (
    Spot,
    corner_sees_corner,
    may_bend,
    place,
    spot_sees_corner,
    spot_sees_spot,
)
from gym_batchnav.nav.ground import Ground
from gym_batchnav.nav.triangles import SightMesh


@kernel
def corner_graph(m: SightMesh) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float64]]:
    """Pairs of corners that see each other and may bend at both ends, with their distances in metres."""
    first = np.empty(1024, np.int32)
    second = np.empty(1024, np.int32)
    count = 0
    for a in range(len(m.corner_xz)):
        for b in range(a):
            if m.corner_island[a] != m.corner_island[b]:
                continue
            if not may_bend(m, b, m.corner_xz[a, 0], m.corner_xz[a, 1]):
                continue
            if not may_bend(m, a, m.corner_xz[b, 0], m.corner_xz[b, 1]) or not corner_sees_corner(m, a, b):
                continue
            if count == len(first):
                first = np.append(first, np.empty(count, np.int32))
                second = np.append(second, np.empty(count, np.int32))
            first[count], second[count] = a, b
            count += 1
    length = np.empty(count, np.float64)
    for k in range(count):
        p, q = m.corner_xyz[first[k]], m.corner_xyz[second[k]]
        length[k] = math.sqrt((p[0] - q[0]) ** 2 + (p[1] - q[1]) ** 2 + (p[2] - q[2]) ** 2)
    return first[:count], second[:count], length


@kernel
def _to_corner(m: SightMesh, s: Spot, corner: int) -> float:
    c = m.corner_xyz[corner]
    return math.sqrt((s[3] - c[0]) ** 2 + (s[4] - c[1]) ** 2 + (s[5] - c[2]) ** 2)


@kernel
def _fill_row(
    m: SightMesh, between: NDArray[np.float32], e: Spot, row: NDArray[np.float32], island: int
) -> None:
    """Writes for each corner the length of the shortest way on to the goal `e`, inf where there is none."""
    row[:] = np.inf
    for corner in range(len(row)):
        if m.corner_island[corner] != island or not may_bend(m, corner, e[1], e[2]):
            continue
        if not spot_sees_corner(m, e, corner):
            continue
        direct = np.float32(_to_corner(m, e, corner))
        for other in range(len(row)):
            row[other] = min(row[other], direct + between[corner, other])


@kernel
def _island_of(g: Ground, m: SightMesh, s: Spot) -> int:
    poly = np.searchsorted(m.tri_start, s[0], side="right") - 1
    return int(g.poly_island[poly])


@kernel
def goal_rows(
    g: Ground, m: SightMesh, between: NDArray[np.float32], goals: NDArray[np.float32]
) -> NDArray[np.float32]:
    """(B, C) float32: from each corner to each of the (B, 3) goals."""
    rows = np.empty((len(goals), len(m.corner_xz)), np.float32)
    for k in range(len(goals)):
        e = place(g, m, goals[k, 0], goals[k, 1], goals[k, 2])
        if e[0] < 0:
            rows[k] = np.inf
        else:
            _fill_row(m, between, e, rows[k], _island_of(g, m, e))
    return rows


@kernel
def _by_corner(
    m: SightMesh, s: Spot, row: NDArray[np.float32], bound: NDArray[np.float64]
) -> tuple[float, int]:
    """Least distance to the goal over a first corner, and that corner (-1: none): the nearest candidate that is seen."""
    for corner in range(len(row)):
        if np.isfinite(row[corner]) and may_bend(m, corner, s[1], s[2]):
            bound[corner] = _to_corner(m, s, corner) + np.float64(row[corner])
        else:
            bound[corner] = np.inf
    while True:
        best = -1
        least = np.inf
        for corner in range(len(row)):
            if bound[corner] < least:
                best, least = corner, bound[corner]
        if best < 0 or spot_sees_corner(m, s, best):
            return least, best
        bound[best] = np.inf


@kernel
def _straight(s: Spot, e: Spot) -> float:
    return math.sqrt((s[3] - e[3]) ** 2 + (s[4] - e[4]) ** 2 + (s[5] - e[5]) ** 2)


@kernel
def distances_by_rows(
    g: Ground,
    m: SightMesh,
    positions: NDArray[np.float32],
    goals: NDArray[np.float32],
    rows: NDArray[np.float32],
) -> NDArray[np.float64]:
    """(B,) distances in metres, given the goals' rows of `goal_rows`."""
    result = np.empty(len(positions), np.float64)
    bound = np.empty(len(m.corner_xz), np.float64)
    for k in range(len(positions)):
        s = place(g, m, positions[k, 0], positions[k, 1], positions[k, 2])
        e = place(g, m, goals[k, 0], goals[k, 1], goals[k, 2])
        if s[0] < 0 or e[0] < 0:
            result[k] = np.inf
        elif spot_sees_spot(m, s, e):
            result[k] = _straight(s, e)
        else:
            result[k] = _by_corner(m, s, rows[k], bound)[0]
    return result


@kernel
def distances(
    g: Ground,
    m: SightMesh,
    between: NDArray[np.float32],
    starts: NDArray[np.float32],
    goals: NDArray[np.float32],
) -> NDArray[np.float64]:
    """(B,) distances in metres between (B, 3) starts and goals; the same numbers as `distances_by_rows`."""
    result = np.empty(len(starts), np.float64)
    bound = np.empty(len(m.corner_xz), np.float64)
    row = np.empty(len(m.corner_xz), np.float32)
    for k in range(len(starts)):
        s = place(g, m, starts[k, 0], starts[k, 1], starts[k, 2])
        e = place(g, m, goals[k, 0], goals[k, 1], goals[k, 2])
        if s[0] < 0 or e[0] < 0:
            result[k] = np.inf
        elif spot_sees_spot(m, s, e):
            result[k] = _straight(s, e)
        else:
            _fill_row(m, between, e, row, _island_of(g, m, e))
            result[k] = _by_corner(m, s, row, bound)[0]
    return result


@kernel
def path_corners(
    g: Ground,
    m: SightMesh,
    between: NDArray[np.float32],
    near_start: NDArray[np.int32],
    near: NDArray[np.int32],
    start: NDArray[np.float32],
    goal: NDArray[np.float32],
) -> tuple[bool, NDArray[np.int32]]:
    """Whether the goal can be reached, and the corners on the shortest way; `near` lists each corner's neighbours."""
    count = len(m.corner_xz)
    chain = np.empty(count, np.int32)
    s = place(g, m, start[0], start[1], start[2])
    e = place(g, m, goal[0], goal[1], goal[2])
    if s[0] < 0 or e[0] < 0:
        return False, chain[:0]
    if spot_sees_spot(m, s, e):
        return True, chain[:0]
    row = np.empty(count, np.float32)
    _fill_row(m, between, e, row, _island_of(g, m, e))
    corner = _by_corner(m, s, row, np.empty(count, np.float64))[1]
    length = 0
    while corner >= 0 and length < count:
        chain[length] = corner
        length += 1
        least = np.inf
        if may_bend(m, corner, e[1], e[2]) and spot_sees_corner(m, e, corner):
            least = _to_corner(m, e, corner)
        here = corner
        corner = -1
        p = m.corner_xyz[here]
        for k in range(near_start[here], near_start[here + 1]):
            q = m.corner_xyz[near[k]]
            way = math.sqrt((p[0] - q[0]) ** 2 + (p[1] - q[1]) ** 2 + (p[2] - q[2]) ** 2) + row[near[k]]
            # The goal itself wins a tie, within the rounding of the float32 table.
            if way < least - 1e-5:
                corner, least = near[k], way
    return length > 0, chain[:length]
