"""Heights of the open surface at given places."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gym_batchnav.nav._jit import Real, Whole, kernel
from gym_batchnav.nav.bake.surface import Surface
from gym_batchnav.nav.bake.voxels import Grid

_NUDGE = 0.01
"""Cells: a place on the border of two cells belongs to the upper one."""
_FAR = 1e9


class HeightField:
    """Looks heights up in the spans of one region."""

    def __init__(self, surface: Surface, region: NDArray[np.int32], grid: Grid, reach: int) -> None:
        self._arrays = surface, region, grid.width, grid.depth, reach

    def at(self, region: int, places: NDArray[np.float64]) -> NDArray[np.float64]:
        """(n,) heights in voxels at places (n, 3): x and z in cells, y a guess in voxels.

        Of spans over each other the one nearest to the guess counts; where the region has no span, the
        nearest in the ring of cells around the place does, up to the reach; beyond it the guess stays.
        """
        surface, regions, width, depth, reach = self._arrays
        result = np.empty(len(places))
        _heights(surface, regions, width, depth, reach, region, places, result)
        return result


@kernel
def _heights(
    s: Surface,
    regions: NDArray[np.int32],
    width: Whole,
    depth: Whole,
    reach: Whole,
    region: Whole,
    places: NDArray[np.float64],
    result: NDArray[np.float64],
) -> None:
    for k in range(len(places)):
        x = min(max(int(np.floor(places[k, 0] + _NUDGE)), 0), width - 1)
        z = min(max(int(np.floor(places[k, 2] + _NUDGE)), 0), depth - 1)
        guess = places[k, 1]
        result[k] = guess
        for ring in range(reach + 1):
            gap = _FAR
            for cz in range(max(z - ring, 0), min(z + ring, depth - 1) + 1):
                for cx in range(max(x - ring, 0), min(x + ring, width - 1) + 1):
                    if max(abs(cx - x), abs(cz - z)) == ring:
                        floor = _nearest(s, regions, region, cx + cz * width, guess)
                        if abs(floor - guess) < gap:
                            gap, result[k] = abs(floor - guess), floor
            if gap < _FAR:
                break


@kernel
def _nearest(s: Surface, regions: Real, region: Whole, column: Whole, guess: Real) -> Real:
    best = 2 * _FAR
    for span in range(s.columns[column], s.columns[column + 1]):
        if regions[span] == region and abs(s.floor[span] - guess) < abs(best - guess):
            best = float(s.floor[span])
    return best
