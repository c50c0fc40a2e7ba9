"""Random points near given ones."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from gym_batchnav.nav._jit import Flag, Real, Whole, kernel
from gym_batchnav.nav.ground import Ground


@kernel
def _area(g: Ground, d: Whole) -> Real:
    """Area of a detail triangle, m2."""
    a, b, c = g.detail_tri[d, 0], g.detail_tri[d, 1], g.detail_tri[d, 2]
    ux, uy, uz = b[0] - a[0], b[1] - a[1], b[2] - a[2]
    vx, vy, vz = c[0] - a[0], c[1] - a[1], c[2] - a[2]
    x, y, z = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    return 0.5 * math.sqrt(np.float64(x) * x + np.float64(y) * y + np.float64(z) * z)


@kernel
def _in_reach(g: Ground, poly: Whole, island: Whole, centre: NDArray[np.float32], radius: Real) -> Flag:
    box = g.poly_box[poly]
    return (
        g.poly_island[poly] == island
        and box[0] - radius <= centre[0]
        and centre[0] <= box[2] + radius
        and box[1] - radius <= centre[2]
        and centre[2] <= box[3] + radius
    )


@kernel
def _pick(
    g: Ground, island: Whole, centre: NDArray[np.float32], radius: Real, wanted: Real
) -> tuple[Whole, Real]:
    """The detail triangle in reach at which the areas up to it pass `wanted` (-1: none), and their sum."""
    total = 0.0
    for poly in range(len(g.poly_count)):
        if _in_reach(g, poly, island, centre, radius):
            for d in range(g.detail_start[poly], g.detail_start[poly + 1]):
                total += _area(g, d)
                if total > wanted:
                    return d, total
    return -1, total


@kernel
def points_near(
    g: Ground,
    centres: NDArray[np.float32],
    islands: NDArray[np.int32],
    radius: Real,
    draws: NDArray[np.float64],
    points: NDArray[np.float32],
) -> None:
    """Fills (B, 3) `points` within `radius` (3-D) of the centres, on their islands; NaN where no try hits.

    Uniform by rejection: (B, T, 3) random numbers make T tries each, uniform over the polygons in reach
    (uniform in a triangle: Osada et al. 2002, Shape Distributions, equation 1).
    """
    for row in range(len(centres)):
        points[row] = np.nan
        if islands[row] < 0:
            continue
        centre = centres[row]
        total = _pick(g, islands[row], centre, radius, np.inf)[1]
        for k in range(draws.shape[1]):
            d = _pick(g, islands[row], centre, radius, draws[row, k, 0] * total)[0]
            if d < 0:
                continue
            root, share = math.sqrt(draws[row, k, 1]), draws[row, k, 2]
            far = 0.0
            for axis in range(3):
                a, b, c = g.detail_tri[d, 0, axis], g.detail_tri[d, 1, axis], g.detail_tri[d, 2, axis]
                points[row, axis] = (1 - root) * a + root * (1 - share) * b + root * share * c
                off = np.float64(points[row, axis]) - centre[axis]
                far += off * off
            if far <= radius * radius:
                break
            points[row] = np.nan
