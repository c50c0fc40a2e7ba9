"""The polygon nearest to a point, as Detour's findNearestPoly with habitat-sim's search box.

Detour walks a BV tree; the same answer comes here from a uniform grid, so the cost does not grow with the
mesh. Of equally near polygons Detour takes the first one of the tree, hence the rank.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from gym_batchnav.nav._detour import closest_on_polygon
from gym_batchnav.nav._jit import Flag, Real, Whole, kernel
from gym_batchnav.nav.ground import Ground

_HALF_X = np.float32(2.0)
_HALF_Y = np.float32(4.0)
_X = np.int64(0)
_Z = np.int64(1)
_ZERO = np.float32(0.0)
_ONE = np.float32(1.0)
_HUGE = np.float32(3.4e38)
_NAN = np.float32(np.nan)
_KEEP = np.float32(1.0 - 1e-5)
_RIM = np.float32(1e-4)
_WIDER = np.float32(1.01)
_SLACK = np.float32(0.01)
_RELATIVE = np.float32(1e-6)


@kernel
def _clamp(value: Real, low: Real, high: Real) -> Real:
    return low if value < low else (high if value > high else value)


@kernel
def _steps(g: Ground, tile: Whole, axis: Whole, value: Real, half: Real) -> tuple[Whole, Whole]:
    """The search box along one axis in quantisation steps, widened as Detour does."""
    low = g.tile_low[tile, axis]
    high = g.tile_high[tile, axis]
    factor = g.tile_quant[tile]
    first = int(factor * (_clamp(value - half, low, high) - low)) & 0xFFFE
    last = (int(factor * (_clamp(value + half, low, high) - low) + _ONE) & 0xFFFF) | 1
    return first, last


@kernel
def _tile_hit(g: Ground, tile: Whole, x: Real, z: Real) -> Flag:
    """Whether the search box touches the tile in the grid of tiles."""
    tx = g.tile_xz[tile, 0]
    tz = g.tile_xz[tile, 1]
    return (
        math.floor((x - _HALF_X - g.tile_grid[0]) / g.tile_grid[2]) <= tx
        and tx <= math.floor((x + _HALF_X - g.tile_grid[0]) / g.tile_grid[2])
        and math.floor((z - _HALF_X - g.tile_grid[1]) / g.tile_grid[3]) <= tz
        and tz <= math.floor((z + _HALF_X - g.tile_grid[1]) / g.tile_grid[3])
    )


@kernel
def in_search_box(g: Ground, poly: Whole, x: Real, y: Real, z: Real) -> Flag:
    """Whether the polygon's box touches the search box around a point: then the point has a nearest one."""
    tile = g.poly_tile[poly]
    if not _tile_hit(g, tile, x, z):
        return False
    quant = g.poly_quant[poly]
    for axis in range(3):
        value = x if axis == 0 else (y if axis == 1 else z)
        half = _HALF_Y if axis == 1 else _HALF_X
        first, last = _steps(g, tile, axis, value, half)
        if first > quant[axis + 3] or last < quant[axis]:
            return False
    return True


@kernel
def _box_distance(g: Ground, poly: Whole, x: Real, z: Real) -> Real:
    """A lower bound of the squared distance to the polygon seen from above."""
    box = g.poly_box[poly]
    dx = x - _clamp(x, box[0] - _RIM, box[2] + _RIM)
    dz = z - _clamp(z, box[1] - _RIM, box[3] + _RIM)
    return dx * dx + dz * dz


@kernel
def _score(g: Ground, poly: Whole, x: Real, y: Real, z: Real) -> tuple[Real, Real, Real, Real]:
    """Detour's measure of nearness, and the point: over a polygon, the height an agent climbs is free."""
    over, cx, cy, cz = closest_on_polygon(g, poly, x, z)
    dy = y - cy
    if over:
        rest = abs(dy) - g.tile_climb[g.poly_tile[poly]]
        return (rest * rest if rest > _ZERO else _ZERO), cx, cy, cz
    dx = x - cx
    dz = z - cz
    return dx * dx + dy * dy + dz * dz, cx, cy, cz


@kernel
def _cell(g: Ground, axis: Whole, value: Real) -> Whole:
    cell = np.int64((value - g.cell_origin[axis]) / g.cell_origin[2])
    last = np.int64(g.cell_count[axis] - 1)
    return last if cell > last else (_X if cell < 0 else cell)


@kernel
def _reach(score: Real, x: Real, z: Real) -> Real:
    """Metres along x and z around (x, z) within which all polygons of at most this score lie; generous."""
    if score >= _HALF_X * _HALF_X:
        return _HALF_X
    rounding = (abs(x) + abs(z)) * _RELATIVE
    return min(_HALF_X, np.float32(math.sqrt(score)) * _WIDER + _SLACK + rounding)


@kernel
def nearest_polygon(g: Ground, x: Real, y: Real, z: Real) -> tuple[Whole, Real, Real, Real]:
    """The nearest polygon (-1: none) and the nearest point on it; x, y and z are float32."""
    best = -1
    best_score = _HUGE
    bx = by = bz = _NAN
    if not (math.isfinite(x) and math.isfinite(y) and math.isfinite(z)):
        return best, bx, by, bz
    own_x = _cell(g, _X, x)
    own_z = _cell(g, _Z, z)
    for stage in range(2):
        # First the point's own cell, which nearly always holds a polygon under it; then all that the box
        # touches and that can be nearer than what was found.
        x0, x1, z0, z1 = own_x, own_x, own_z, own_z
        if stage == 1:
            reach = _reach(best_score, x, z)
            x0, x1 = _cell(g, _X, x - reach), _cell(g, _X, x + reach)
            z0, z1 = _cell(g, _Z, z - reach), _cell(g, _Z, z + reach)
        for cz in range(z0, z1 + 1):
            for cx in range(x0, x1 + 1):
                cell = cz * g.cell_count[0] + cx
                for entry in range(g.cell_start[cell], g.cell_start[cell + 1]):
                    poly = g.cell_polys[entry]
                    if poly == best or _box_distance(g, poly, x, z) * _KEEP > best_score:
                        continue
                    if not in_search_box(g, poly, x, y, z):
                        continue
                    score, px, py, pz = _score(g, poly, x, y, z)
                    if score < best_score or (
                        score == best_score and best >= 0 and g.poly_rank[poly] < g.poly_rank[best]
                    ):
                        best, best_score, bx, by, bz = poly, score, px, py, pz
        if best_score == _ZERO:
            break
    return best, bx, by, bz


def nearest_polygons(g: Ground, points: NDArray[np.float32]) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    """(B, 3) float32 points to (B,) polygons (-1: none near) and (B, 3) float32 points on them (NaN)."""
    polys = np.empty(len(points), np.int32)
    snapped = np.empty((len(points), 3), np.float32)
    _nearest_polygons(g, points, polys, snapped)
    return polys, snapped


@kernel
def _nearest_polygons(
    g: Ground, points: NDArray[np.float32], polys: NDArray[np.int32], snapped: NDArray[np.float32]
) -> None:
    for row in range(len(points)):
        poly, x, y, z = nearest_polygon(g, points[row, 0], points[row, 1], points[row, 2])
        polys[row] = poly
        snapped[row, 0] = x
        snapped[row, 1] = y
        snapped[row, 2] = z


@kernel
def covered(
    g: Ground, xs: NDArray[np.float32], zs: NDArray[np.float32], reach: Real, mask: NDArray[np.bool_]
) -> None:
    """Fills (h, w): some walkable polygon of any storey is within `reach` of (xs[w], zs[h]) from above."""
    limit = np.float32(reach) * np.float32(reach)
    for h in range(len(zs)):
        for w in range(len(xs)):
            x, z = xs[w], zs[h]
            mask[h, w] = _covered(g, x, z, np.float32(reach), limit)


@kernel
def _covered(g: Ground, x: Real, z: Real, reach: Real, limit: Real) -> Flag:
    for cz in range(_cell(g, _Z, z - reach), _cell(g, _Z, z + reach) + 1):
        for cx in range(_cell(g, _X, x - reach), _cell(g, _X, x + reach) + 1):
            cell = cz * g.cell_count[0] + cx
            for entry in range(g.cell_start[cell], g.cell_start[cell + 1]):
                poly = g.cell_polys[entry]
                if _box_distance(g, poly, x, z) > limit:
                    continue
                over, px, _, pz = closest_on_polygon(g, poly, x, z)
                if over or (px - x) * (px - x) + (pz - z) * (pz - z) <= limit:
                    return True
    return False
