"""Whether triangles lie between pairs of points."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gym_batchnav.nav._jit import Flag, Whole, kernel


@kernel
def blocked(
    starts: NDArray[np.float64],
    ends: NDArray[np.float64],
    triangles: NDArray[np.float64],
    found: NDArray[np.bool_],
) -> None:
    """Fills (P,): whether one of the triangles (T, 3, 3) meets the segment between two points (P, 3)."""
    for k in range(len(starts)):
        found[k] = False
        for t in range(len(triangles)):
            if _near(starts, ends, k, triangles, t) and _meets(starts, ends, k, triangles, t):
                found[k] = True
                break


@kernel
def _near(
    starts: NDArray[np.float64],
    ends: NDArray[np.float64],
    k: Whole,
    triangles: NDArray[np.float64],
    t: Whole,
) -> Flag:
    """Whether the boxes of segment and triangle overlap."""
    for axis in range(3):
        low = min(starts[k, axis], ends[k, axis])
        high = max(starts[k, axis], ends[k, axis])
        a, b, c = triangles[t, 0, axis], triangles[t, 1, axis], triangles[t, 2, axis]
        if min(a, b, c) > high or max(a, b, c) < low:
            return False
    return True


@kernel
def _meets(
    starts: NDArray[np.float64],
    ends: NDArray[np.float64],
    k: Whole,
    triangles: NDArray[np.float64],
    t: Whole,
) -> Flag:
    """Moeller and Trumbore 1997, for a segment; parallel ones do not meet."""
    ox, oy, oz = (
        starts[k, 0] - triangles[t, 0, 0],
        starts[k, 1] - triangles[t, 0, 1],
        starts[k, 2] - triangles[t, 0, 2],
    )
    dx, dy, dz = ends[k, 0] - starts[k, 0], ends[k, 1] - starts[k, 1], ends[k, 2] - starts[k, 2]
    ax, ay, az = (
        triangles[t, 1, 0] - triangles[t, 0, 0],
        triangles[t, 1, 1] - triangles[t, 0, 1],
        triangles[t, 1, 2] - triangles[t, 0, 2],
    )
    bx, by, bz = (
        triangles[t, 2, 0] - triangles[t, 0, 0],
        triangles[t, 2, 1] - triangles[t, 0, 1],
        triangles[t, 2, 2] - triangles[t, 0, 2],
    )
    px, py, pz = dy * bz - dz * by, dz * bx - dx * bz, dx * by - dy * bx
    det = ax * px + ay * py + az * pz
    if abs(det) < 1e-12:
        return False
    u = (ox * px + oy * py + oz * pz) / det
    qx, qy, qz = oy * az - oz * ay, oz * ax - ox * az, ox * ay - oy * ax
    v = (dx * qx + dy * qy + dz * qz) / det
    along = (bx * qx + by * qy + bz * qz) / det
    return u >= 0.0 and v >= 0.0 and u + v <= 1.0 and 0.0 <= along <= 1.0
