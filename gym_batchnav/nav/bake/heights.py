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
    """Looks heights up in the spans of one region, and in others where that has none."""

    def __init__(
        self, surface: Surface, region: NDArray[np.int32], grid: Grid, reach: int, near: int
    ) -> None:
        self._arrays = surface, region, grid.width, grid.depth, reach, near

    def at(self, region: int, places: NDArray[np.float64]) -> NDArray[np.float64]:
        """(n,) heights in voxels at places (n, 3): x and z in cells, y a guess in voxels.

        Of the spans of the region in the place's cell the one nearest to the guess counts; where it has none,
        of all spans, if within `near` voxels; where there is none, of the cells around, up to the reach in
        cells. Beyond it the guess stays.
        """
        surface, regions, width, depth, reach, near = self._arrays
        result = np.empty(len(places))
        _heights(surface, regions, width, depth, reach, near, region, places, result)
        return result


@kernel
def _heights(
    s: Surface,
    regions: NDArray[np.int32],
    width: Whole,
    depth: Whole,
    reach: Whole,
    near: Whole,
    region: Whole,
    places: NDArray[np.float64],
    result: NDArray[np.float64],
) -> None:
    for k in range(len(places)):
        x = min(max(int(np.floor(places[k, 0] + _NUDGE)), 0), width - 1)
        z = min(max(int(np.floor(places[k, 2] + _NUDGE)), 0), depth - 1)
        guess = places[k, 1]
        result[k] = guess
        for step in range(2 * (reach + 1)):
            # First the region's spans, then all, in each ring of cells.
            ring, own = step >> 1, region if step & 1 == 0 else -1
            gap = _FAR if own >= 0 else near + 0.5
            found = False
            for cz in range(max(z - ring, 0), min(z + ring, depth - 1) + 1):
                for cx in range(max(x - ring, 0), min(x + ring, width - 1) + 1):
                    if max(abs(cx - x), abs(cz - z)) == ring:
                        floor = _nearest(s, regions, own, cx + cz * width, guess)
                        if abs(floor - guess) < gap:
                            gap, result[k], found = abs(floor - guess), floor, True
            if found:
                break


@kernel
def _nearest(s: Surface, regions: Real, region: Whole, column: Whole, guess: Real) -> Real:
    """Height of the column's span nearest to the guess, of one region or (-1) of any."""
    best = 2 * _FAR
    for span in range(s.columns[column], s.columns[column + 1]):
        if (region < 0 or regions[span] == region) and abs(s.floor[span] - guess) < abs(best - guess):
            best = float(s.floor[span])
    return best
