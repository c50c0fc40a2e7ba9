"""The nearest wall, as Detour's findDistanceToWall: over the polygons that lie within reach of a point."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gym_batchnav.nav._detour import segment_distance
from gym_batchnav.nav._jit import Real, Whole, kernel
from gym_batchnav.nav.ground import Ground


@kernel
def _nearest_wall(
    g: Ground, start: Whole, x: Real, z: Real, row: Whole, limit: Real, queue: Real, seen: Real, wall: Real
) -> Real:
    """Squared distance to the nearest wall, at most `limit`; fills (3,) `wall` where one is nearer."""
    queue[0], seen[start] = start, row
    head, tail = 0, 1
    while head < tail:
        poly = queue[head]
        head += 1
        for k in range(g.poly_count[poly]):
            a = g.verts[g.poly_verts[poly, k]]
            b = g.verts[g.poly_verts[poly, (k + 1) % g.poly_count[poly]]]
            distance, t = segment_distance(x, z, a[0], a[2], b[0], b[2])
            if distance > limit:
                continue
            other = g.poly_next[poly, k]
            if other < 0:
                limit = distance
                for axis in range(3):
                    wall[axis] = a[axis] + (b[axis] - a[axis]) * t
            elif seen[other] != row:
                queue[tail], seen[other] = other, row
                tail += 1
    return limit


@kernel
def nearest_walls(
    g: Ground,
    polys: NDArray[np.int32],
    points: NDArray[np.float32],
    radius: Real,
    queue: NDArray[np.int32],
    seen: NDArray[np.int64],
    distances: NDArray[np.float32],
    walls: NDArray[np.float32],
) -> None:
    """Fills (B,) `distances` to the nearest walls, at most `radius`, and their points (B, 3) `walls`.

    `points` (B, 3) lie on `polys`, where that is -1 the distance is inf; (P,) `queue` and `seen` (all -1) are
    scratch. The point of a wall that is not within the radius is NaN.
    """
    for row in range(len(polys)):
        walls[row] = np.nan
        distances[row] = np.inf
        if polys[row] >= 0:
            x, z = points[row, 0], points[row, 2]
            limit = np.float32(radius) * np.float32(radius)
            distances[row] = np.sqrt(_nearest_wall(g, polys[row], x, z, row, limit, queue, seen, walls[row]))
