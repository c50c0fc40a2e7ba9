"""Lines of sight over the ground, by walking the triangles that the line crosses.

A line that passes exactly through vertices is taken as passing just left of all of them, and if that is
blocked, as passing just right of all of them: a wall that is only touched does not block, and each triangle
that the line enters has exactly one way out. The walk follows adjacency, so storeys above each other do not
see each other.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gym_batchnav.nav._jit import Flag, Whole, kernel
from gym_batchnav.nav.triangles import GRID_BITS, SightMesh, orient

# Typed, so that they do not make a version of a kernel for each value.
_BLOCKED = np.int64(0)
_SEEN = np.int64(1)
_TOUCHED = np.int64(2)
_NONE = np.int64(-1)
_FIRST = np.int64(0)

Spot = NDArray[np.int64]
"""(3,) triangle, grid x, grid z: a point put strictly into a triangle."""


@kernel
def _least_side(xz: NDArray[np.int64], x: Whole, z: Whole) -> Whole:
    """The least of the three areas between a point and the edges of a triangle; above 0 strictly inside."""
    least = orient(xz[2, 0], xz[2, 1], xz[0, 0], xz[0, 1], x, z)
    for k in range(2):
        side = orient(xz[k, 0], xz[k, 1], xz[k + 1, 0], xz[k + 1, 1], x, z)
        if side < least:
            least = side
    return least


@kernel
def place_all(
    m: SightMesh, polys: NDArray[np.int32], snapped: NDArray[np.float32], spots: NDArray[np.int64]
) -> None:
    """Puts (B, 3) points on polygons `polys` strictly into triangles, moving them by a micrometre at most.

    Fills (B, 3) `spots`: triangle, grid x, grid z; the triangle is -1 where the polygon is.
    """
    for row in range(len(polys)):
        place(m, polys[row], snapped[row], spots[row])


@kernel
def place(m: SightMesh, poly: Whole, point: NDArray[np.float32], spot: NDArray[np.int64]) -> None:
    """As `place_all` for one point (3,) and its `spot` (3,)."""
    spot[0] = -1
    if poly >= 0:
        x = np.int64((np.float64(point[0]) - m.grid[0]) * m.grid[2])
        z = np.int64((np.float64(point[2]) - m.grid[1]) * m.grid[2])
        _place(m, poly, x, z, spot)


@kernel
def _place(m: SightMesh, poly: Whole, x: Whole, z: Whole, spot: NDArray[np.int64]) -> None:
    best: Whole = m.tri_start[poly]
    best_side = _least_side(m.tri_xz[best], x, z)
    for t in range(best + 1, m.tri_start[poly + 1]):
        side = _least_side(m.tri_xz[t], x, z)
        if side > best_side:
            best, best_side = t, side
    xz = m.tri_xz[best]
    to_middle_x = (xz[0, 0] + xz[1, 0] + xz[2, 0]) // 3 - x
    to_middle_z = (xz[0, 1] + xz[1, 1] + xz[2, 1]) // 3 - z
    spot[0], spot[1], spot[2] = best, x, z
    shift = GRID_BITS
    while best_side <= 0 and shift >= 0:
        spot[1], spot[2] = x + (to_middle_x >> shift), z + (to_middle_z >> shift)
        best_side = _least_side(xz, spot[1], spot[2])
        shift -= 1


@kernel
def _left(m: SightMesh, t: Whole, k: Whole, sx: Whole, sz: Whole, tx: Whole, tz: Whole, zero: Whole) -> Whole:
    """1 if vertex k of triangle t lies left of the line from s to t, else 0; 2 is added if it lies on it."""
    side = orient(sx, sz, tx, tz, m.tri_xz[t, k, 0], m.tri_xz[t, k, 1])
    if side == 0:
        return 2 + zero
    return 1 if side > 0 else 0


@kernel
def _walk(
    m: SightMesh,
    t: Whole,
    edge: Whole,
    sx: Whole,
    sz: Whole,
    tx: Whole,
    tz: Whole,
    goal_tri: Whole,
    goal_corner: Whole,
    zero: Whole,
) -> Whole:
    """Follows the line from s to t out of triangle t over `edge`, until it meets the goal or a wall."""
    touched = False
    while True:
        if t == goal_tri:
            return _SEEN
        if goal_corner >= 0 and (
            m.tri_corner[t, 0] == goal_corner
            or m.tri_corner[t, 1] == goal_corner
            or m.tri_corner[t, 2] == goal_corner
        ):
            return _SEEN
        u = m.tri_xz[t, edge]
        v = m.tri_xz[t, (edge + 1) % 3]
        link = m.tri_link[t, edge]
        # Either a wall, or the goal's place is reached but on another storey.
        if link < 0 or orient(u[0], u[1], v[0], v[1], tx, tz) >= 0:
            return _TOUCHED if touched else _BLOCKED
        t = link >> 2
        entry = link & 3
        left = _left(m, t, (entry + 2) % 3, sx, sz, tx, tz, zero)
        touched = touched or left >= 2
        edge = (entry + 1) % 3 if left & 1 else (entry + 2) % 3


@kernel
def _from_spot(
    m: SightMesh, spot: Spot, tx: Whole, tz: Whole, goal_tri: Whole, goal_corner: Whole, zero: Whole
) -> Whole:
    """As `_walk`, from a placed point: out of its triangle over the edge from right to left of the line."""
    t, sx, sz = spot[0], spot[1], spot[2]
    edge: Whole = np.int64(2)
    touched = False
    left = _left(m, t, _FIRST, sx, sz, tx, tz, zero)
    for k in range(3):
        after = _left(m, t, (k + 1) % 3, sx, sz, tx, tz, zero)
        touched = touched or after >= 2
        if not left & 1 and after & 1:
            edge = k
        left = after
    result = _walk(m, t, edge, sx, sz, tx, tz, goal_tri, goal_corner, zero)
    return _TOUCHED if touched and result == _BLOCKED else result


@kernel
def _from_corner(m: SightMesh, corner: Whole, goal_corner: Whole, zero: Whole) -> Whole:
    """As `_walk`, from a corner, through the triangle of its fan that the line enters."""
    sx, sz = m.corner_xz[corner, 0], m.corner_xz[corner, 1]
    tx, tz = m.corner_xz[goal_corner, 0], m.corner_xz[goal_corner, 1]
    result = _BLOCKED
    for entry in range(m.fan_start[corner], m.fan_start[corner + 1]):
        t, k = m.fan[entry] >> 2, m.fan[entry] & 3
        a = _left(m, t, (k + 1) % 3, sx, sz, tx, tz, zero)
        b = _left(m, t, (k + 2) % 3, sx, sz, tx, tz, zero)
        if not a & 1 and b & 1:
            # A line that enters between the two neighbours leads to them, not away from them.
            found = _walk(m, t, (k + 1) % 3, sx, sz, tx, tz, _NONE, goal_corner, zero)
            if found == _SEEN:
                return found
            result = found if found == _TOUCHED else result
        if a >= 2 or b >= 2:
            result = _TOUCHED
    return result


@kernel
def spot_sees(m: SightMesh, spot: Spot, tx: Whole, tz: Whole, goal_tri: Whole, goal_corner: Whole) -> Flag:
    """Whether a placed point sees grid point (tx, tz), strictly inside `goal_tri` or at `goal_corner`."""
    if spot[0] == goal_tri:
        return True
    for zero in range(1, -1, -1):
        seen = _from_spot(m, spot, tx, tz, goal_tri, goal_corner, zero)
        if seen != _TOUCHED:
            return seen == _SEEN
    return False


@kernel
def spot_sees_corner(m: SightMesh, spot: Spot, corner: Whole) -> Flag:
    """Whether a placed point sees a corner."""
    return spot_sees(m, spot, m.corner_xz[corner, 0], m.corner_xz[corner, 1], _NONE, corner)


@kernel
def corner_sees_corner(m: SightMesh, a: Whole, b: Whole) -> Flag:
    """Whether two corners see each other."""
    for zero in range(1, -1, -1):
        seen = _from_corner(m, a, b, zero)
        if seen != _TOUCHED:
            return seen == _SEEN
    return False


@kernel
def may_bend(m: SightMesh, corner: Whole, x: Whole, z: Whole) -> Flag:
    """Whether a taut path from grid point (x, z) can bend at the corner: its walls lie on one side."""
    cx, cz = m.corner_xz[corner, 0], m.corner_xz[corner, 1]
    a = orient(x, z, cx, cz, m.corner_walls[corner, 0, 0], m.corner_walls[corner, 0, 1])
    b = orient(x, z, cx, cz, m.corner_walls[corner, 1, 0], m.corner_walls[corner, 1, 1])
    return (a >= 0 and b >= 0) or (a <= 0 and b <= 0)
