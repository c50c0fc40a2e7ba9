"""The open surface: walkable spans, each linked to at most one span on each of its four sides."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gym_batchnav.nav._jit import Real, Whole, kernel
from gym_batchnav.nav.agent import AgentSettings
from gym_batchnav.nav.bake.voxels import MAX_HEIGHT, Grid, Voxels

_STRAIGHT, _DIAGONAL = 2, 3
"""Chamfer distances of cells that share a side and a corner, in half cells (Borgefors 1986)."""
_FAR = 0xFFFF


class Surface(NamedTuple):
    """N spans in the order of the columns (x fastest), from low to high in each column."""

    columns: NDArray[np.int32]
    """(width * depth + 1,) first span of each column."""
    cell: NDArray[np.int32]
    """(N, 2) column along x and along z."""
    floor: NDArray[np.int32]
    """(N,) height in voxels."""
    links: NDArray[np.int32]
    """(N, 4) span towards -x, +z, +x, -z; -1 for none."""
    open: NDArray[np.bool_]
    """(N,) whether the agent's middle may be there."""


def open_surface(voxels: Voxels, grid: Grid, settings: AgentSettings) -> Surface:
    """Links the walkable spans and keeps the agent's radius from their rim."""
    taken = np.flatnonzero(voxels.walk)
    columns = np.searchsorted(taken, voxels.columns).astype(np.int32)
    owner = np.repeat(np.arange(len(columns) - 1, dtype=np.int32), np.diff(columns))
    above = np.append(voxels.low[1:], np.int32(MAX_HEIGHT))
    above[voxels.columns[1:] - 1] = MAX_HEIGHT
    floor = voxels.high[taken]
    surface = Surface(
        columns=columns,
        cell=np.stack([owner % grid.width, owner // grid.width], axis=1).astype(np.int32),
        floor=floor,
        links=np.full((len(taken), 4), -1, np.int32),
        open=np.ones(len(taken), np.bool_),
    )
    ceiling = np.minimum(above[taken], floor + 0xFF)
    _link(surface, ceiling, grid.width, grid.depth, settings.height_voxels, settings.climb_voxels)
    rim = rim_distance(surface)
    surface.open[:] = rim >= min(2 * settings.radius_cells, _FAR)
    return surface


def rim_distance(surface: Surface) -> NDArray[np.int32]:
    """(N,) distance of each span from the rim of its kind (open or not), in half cells."""
    distance = np.empty(len(surface.floor), np.int32)
    _chamfer(surface, distance)
    return distance


def smooth_distance(surface: Surface, distance: NDArray[np.int32]) -> NDArray[np.int32]:
    """(N,) mean of `distance` over 3 x 3 spans; what is next to the rim stays."""
    result = distance.copy()
    _box_mean(surface, distance, result)
    return result


@kernel
def _link(
    s: Surface, ceiling: NDArray[np.int32], width: Whole, depth: Whole, height: Whole, climb: Whole
) -> None:
    for span in range(len(s.floor)):
        for side in range(4):
            x = s.cell[span, 0] + (side == 2) - (side == 0)
            z = s.cell[span, 1] + (side == 1) - (side == 3)
            if x < 0 or z < 0 or x >= width or z >= depth:
                continue
            column = x + z * width
            for other in range(s.columns[column], s.columns[column + 1]):
                room = min(ceiling[span], ceiling[other]) - max(s.floor[span], s.floor[other])
                if room >= height and abs(s.floor[other] - s.floor[span]) <= climb:
                    s.links[span, side] = other
                    break


@kernel
def _chamfer(s: Surface, distance: NDArray[np.int32]) -> None:
    """Two passes, each over the sides and corners that the pass has seen."""
    count = len(s.floor)
    for span in range(count):
        distance[span] = _FAR
        for side in range(4):
            other = s.links[span, side]
            if other < 0 or s.open[other] != s.open[span]:
                distance[span] = 0
    for span in range(count):
        _relax(s, distance, span, 0, 3)
        _relax(s, distance, span, 3, 2)
    for step in range(count):
        _relax(s, distance, count - 1 - step, 2, 1)
        _relax(s, distance, count - 1 - step, 1, 0)


@kernel
def _relax(s: Surface, distance: Real, span: Whole, side: Whole, turn: Whole) -> None:
    other = s.links[span, side]
    if other < 0:
        return
    distance[span] = min(distance[span], distance[other] + _STRAIGHT)
    corner = s.links[other, turn]
    if corner >= 0:
        distance[span] = min(distance[span], distance[corner] + _DIAGONAL)


@kernel
def _box_mean(s: Surface, distance: NDArray[np.int32], result: NDArray[np.int32]) -> None:
    for span in range(len(s.floor)):
        own = distance[span]
        if own <= _STRAIGHT:
            continue
        total = own
        for side in range(4):
            other = s.links[span, side]
            if other < 0:
                total += 2 * own
                continue
            corner = s.links[other, (side + 1) & 3]
            total += distance[other] + (distance[corner] if corner >= 0 else own)
        result[span] = (total + 5) // 9
