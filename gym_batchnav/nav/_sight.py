"""Lines of sight over the ground, by walking the triangles that the line crosses.

A line that passes exactly through vertices is taken as passing just left of all of them, and if that is blocked, as
passing just right of all of them: a wall that is only touched does not block, and each triangle that the line enters
has exactly one way out. The walk follows adjacency, so storeys above each other do not see each other.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gym_batchnav.nav._jit import kernel
from gym_batchnav.nav._locate import nearest_polygon
from gym_batchnav.nav.ground import Ground
from gym_batchnav.nav.triangles import SightMesh, orient

_BLOCKED = 0
_SEEN = 1
_TOUCHED = 2

Spot = Any
"""(triangle, grid x, grid z, x, y, z): a point put on the ground; the triangle is -1 if there is no ground near it."""


@kernel
def _least_side(xz: NDArray[np.int64], x: int, z: int) -> int:
    """The least of the three areas between a point and the edges of a triangle; above 0 strictly inside."""
    least = orient(xz[0, 0], xz[0, 1], xz[1, 0], xz[1, 1], x, z)
    least = min(least, orient(xz[1, 0], xz[1, 1], xz[2, 0], xz[2, 1], x, z))
    return min(least, orient(xz[2, 0], xz[2, 1], xz[0, 0], xz[0, 1], x, z))


@kernel
def place(g: Ground, m: SightMesh, x: float, y: float, z: float) -> Spot:
    """Snaps a float32 point to the ground and moves it strictly into a triangle, by a micrometre at most as a rule."""
    poly, sx, sy, sz = nearest_polygon(g, x, y, z)
    if poly < 0:
        return -1, 0, 0, 0.0, 0.0, 0.0
    gx = np.int64(round((np.float64(sx) - m.grid[0]) * m.grid[2]))
    gz = np.int64(round((np.float64(sz) - m.grid[1]) * m.grid[2]))
    best = m.tri_start[poly]
    best_side = _least_side(m.tri_xz[best], gx, gz)
    for t in range(best + 1, m.tri_start[poly + 1]):
        side = _least_side(m.tri_xz[t], gx, gz)
        if side > best_side:
            best, best_side = t, side
    xz = m.tri_xz[best]
    middle_x = (xz[0, 0] + xz[1, 0] + xz[2, 0]) // 3 - gx
    middle_z = (xz[0, 1] + xz[1, 1] + xz[2, 1]) // 3 - gz
    ix, iz = gx, gz
    shift = 30
    while best_side <= 0 and shift >= 0:
        ix, iz = gx + (middle_x >> shift), gz + (middle_z >> shift)
        best_side = _least_side(xz, ix, iz)
        shift -= 1
    return best, ix, iz, np.float64(sx), np.float64(sy), np.float64(sz)


@kernel
def _left(m: SightMesh, t: int, k: int, sx: int, sz: int, tx: int, tz: int, zero: int) -> int:
    """1 if vertex k of triangle t lies left of the line from s to t, 0 if right; 2 is added if it lies on it."""
    side = orient(sx, sz, tx, tz, m.tri_xz[t, k, 0], m.tri_xz[t, k, 1])
    if side == 0:
        return 2 + zero
    return 1 if side > 0 else 0


@kernel
def _walk(
    m: SightMesh,
    t: int,
    edge: int,
    sx: int,
    sz: int,
    tx: int,
    tz: int,
    goal_tri: int,
    goal_corner: int,
    zero: int,
) -> int:
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
    m: SightMesh, t: int, sx: int, sz: int, tx: int, tz: int, goal_tri: int, goal_corner: int, zero: int
) -> int:
    """As `_walk`, from a point strictly inside triangle t."""
    a = _left(m, t, 0, sx, sz, tx, tz, zero)
    b = _left(m, t, 1, sx, sz, tx, tz, zero)
    c = _left(m, t, 2, sx, sz, tx, tz, zero)
    if not a & 1 and b & 1:
        edge = 0
    elif not b & 1 and c & 1:
        edge = 1
    else:
        edge = 2
    result = _walk(m, t, edge, sx, sz, tx, tz, goal_tri, goal_corner, zero)
    if result == _BLOCKED and (a >= 2 or b >= 2 or c >= 2):
        return _TOUCHED
    return result


@kernel
def _from_corner(m: SightMesh, corner: int, goal_corner: int, zero: int) -> int:
    """As `_walk`, from a corner, through the triangle of its fan that the line enters."""
    sx, sz = m.corner_xz[corner, 0], m.corner_xz[corner, 1]
    tx, tz = m.corner_xz[goal_corner, 0], m.corner_xz[goal_corner, 1]
    touched = False
    result = _BLOCKED
    for entry in range(m.fan_start[corner], m.fan_start[corner + 1]):
        t, k = m.fan[entry] >> 2, m.fan[entry] & 3
        a = _left(m, t, (k + 1) % 3, sx, sz, tx, tz, zero)
        b = _left(m, t, (k + 2) % 3, sx, sz, tx, tz, zero)
        touched = touched or a >= 2 or b >= 2
        if not a & 1 and b & 1:
            # A line that enters between the two neighbours leads to them, not away from them.
            result = max(result, _walk(m, t, (k + 1) % 3, sx, sz, tx, tz, -1, goal_corner, zero))
            if result == _SEEN:
                return result
    return _TOUCHED if touched else result


@kernel
def spot_sees_spot(m: SightMesh, s: Spot, e: Spot) -> bool:
    """Whether two placed points see each other."""
    if s[0] == e[0]:
        return True
    seen = _from_spot(m, s[0], s[1], s[2], e[1], e[2], e[0], -1, 1)
    if seen == _TOUCHED:
        seen = _from_spot(m, s[0], s[1], s[2], e[1], e[2], e[0], -1, 0)
    return bool(seen == _SEEN)


@kernel
def spot_sees_corner(m: SightMesh, s: Spot, corner: int) -> bool:
    """Whether a placed point sees a corner."""
    cx, cz = m.corner_xz[corner, 0], m.corner_xz[corner, 1]
    seen = _from_spot(m, s[0], s[1], s[2], cx, cz, -1, corner, 1)
    if seen == _TOUCHED:
        seen = _from_spot(m, s[0], s[1], s[2], cx, cz, -1, corner, 0)
    return bool(seen == _SEEN)


@kernel
def corner_sees_corner(m: SightMesh, a: int, b: int) -> bool:
    """Whether two corners see each other."""
    seen = _from_corner(m, a, b, 1)
    if seen == _TOUCHED:
        seen = _from_corner(m, a, b, 0)
    return bool(seen == _SEEN)


@kernel
def may_bend(m: SightMesh, corner: int, x: int, z: int) -> bool:
    """Whether a taut path that comes from grid point (x, z) can bend at the corner: its walls lie on one side."""
    cx, cz = m.corner_xz[corner, 0], m.corner_xz[corner, 1]
    a = orient(x, z, cx, cz, m.corner_walls[corner, 0, 0], m.corner_walls[corner, 0, 1])
    b = orient(x, z, cx, cz, m.corner_walls[corner, 1, 0], m.corner_walls[corner, 1, 1])
    return bool((a >= 0 and b >= 0) or (a <= 0 and b <= 0))
