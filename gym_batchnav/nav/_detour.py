"""Plane and height queries on one polygon, in float32 and in Detour 1.6's order of operations.

Source of the rules: Recast Navigation, Detour/Source/DetourCommon.cpp and DetourNavMesh.cpp (behaviour, not
code).
"""

from __future__ import annotations

import numpy as np

from gym_batchnav.nav._jit import Flag, Real, Whole, kernel
from gym_batchnav.nav.ground import Ground

_ZERO = np.float32(0.0)
_ONE = np.float32(1.0)
_FLAT = np.float32(1e-6)
_HUGE = np.float32(3.4e38)
_BOUNDARY = np.int64(0)
_FULL = np.int64(3)
"""Place of the first of the three bits of `Ground.detail_edge`."""


@kernel
def segment_distance(px: Real, pz: Real, ax: Real, az: Real, bx: Real, bz: Real) -> tuple[Real, Real]:
    """Squared distance of p to segment ab seen from above, and the place of the nearest point, 0 to 1."""
    ux = bx - ax
    uz = bz - az
    length = ux * ux + uz * uz
    t = ux * (px - ax) + uz * (pz - az)
    if length > _ZERO:
        t = t / length
    if t < _ZERO:
        t = _ZERO
    elif t > _ONE:
        t = _ONE
    dx = ax + t * ux - px
    dz = az + t * uz - pz
    return dx * dx + dz * dz, t


@kernel
def inside(g: Ground, poly: Whole, x: Real, z: Real) -> Flag:
    """Whether (x, z) lies in the polygon, by the crossing rule: a point of a tiling lies in one polygon."""
    count = g.poly_count[poly]
    result = False
    j = g.poly_verts[poly, count - 1]
    for k in range(count):
        i = g.poly_verts[poly, k]
        zi = g.verts[i, 2]
        zj = g.verts[j, 2]
        if (zi > z) != (zj > z):
            xi = g.verts[i, 0]
            if x < (g.verts[j, 0] - xi) * (z - zi) / (zj - zi) + xi:
                result = not result
        j = i
    return result


@kernel
def nearest_on_detail(g: Ground, poly: Whole, x: Real, z: Real, shift: Whole) -> tuple[Real, Real, Real]:
    """The point nearest to (x, z), seen from above, of the detail edges marked above bit `shift`."""
    best = _HUGE
    best_t = _ZERO
    best_d: Whole = g.detail_start[poly]
    best_j = 0
    for d in range(g.detail_start[poly], g.detail_start[poly + 1]):
        bits = (g.detail_edge[d] >> shift) & 7
        if bits == 0:
            continue
        for step in range(3):
            j = (step + 2) % 3
            if (bits >> j) & 1 == 0:
                continue
            a = g.detail_tri[d, j]
            b = g.detail_tri[d, step]
            distance, t = segment_distance(x, z, a[0], a[2], b[0], b[2])
            if distance < best:
                best, best_t, best_d, best_j = distance, t, d, j
    a = g.detail_tri[best_d, best_j]
    b = g.detail_tri[best_d, (best_j + 1) % 3]
    return (
        a[0] + (b[0] - a[0]) * best_t,
        a[1] + (b[1] - a[1]) * best_t,
        a[2] + (b[2] - a[2]) * best_t,
    )


@kernel
def triangle_height(g: Ground, d: Whole, x: Real, z: Real) -> tuple[Flag, Real]:
    """Height of detail triangle `d` at (x, z), if it covers the point."""
    a = g.detail_tri[d, 0]
    b = g.detail_tri[d, 1]
    c = g.detail_tri[d, 2]
    e0x, e0z = c[0] - a[0], c[2] - a[2]
    e1x, e1z = b[0] - a[0], b[2] - a[2]
    px, pz = x - a[0], z - a[2]
    denominator = e0x * e1z - e0z * e1x
    if abs(denominator) < _FLAT:
        return False, _ZERO
    u = e1z * px - e1x * pz
    v = e0x * pz - e0z * px
    if denominator < _ZERO:
        denominator, u, v = -denominator, -u, -v
    if u >= _ZERO and v >= _ZERO and u + v <= denominator:
        return True, a[1] + ((c[1] - a[1]) * u + (b[1] - a[1]) * v) / denominator
    return False, _ZERO


@kernel
def height(g: Ground, poly: Whole, x: Real, z: Real) -> tuple[Flag, Real]:
    """Height of the polygon at (x, z), if the point lies in it."""
    if not inside(g, poly, x, z):
        return False, _ZERO
    for d in range(g.detail_start[poly], g.detail_start[poly + 1]):
        found, y = triangle_height(g, d, x, z)
        if found:
            return True, y
    # Rounding left the point on an edge between triangles.
    return True, nearest_on_detail(g, poly, x, z, _FULL)[1]


@kernel
def closest_on_polygon(g: Ground, poly: Whole, x: Real, z: Real) -> tuple[Flag, Real, Real, Real]:
    """Whether (x, z) lies over the polygon, and the polygon's point nearest to it seen from above."""
    over, y = height(g, poly, x, z)
    if over:
        return True, x, y, z
    cx, cy, cz = nearest_on_detail(g, poly, x, z, _BOUNDARY)
    return False, cx, cy, cz
