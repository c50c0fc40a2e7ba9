"""Takes the walkable mark off spans that an agent cannot stand on, and gives it to low steps."""

from __future__ import annotations

from gym_batchnav.nav._jit import Flag, Whole, kernel
from gym_batchnav.nav.agent import AgentSettings
from gym_batchnav.nav.bake.voxels import MAX_HEIGHT, Grid, Voxels


def filter_voxels(voxels: Voxels, grid: Grid, settings: AgentSettings) -> None:
    """Changes `voxels.walk` as the settings ask for."""
    height, climb = settings.height_voxels, settings.climb_voxels
    if settings.filter_low_hanging_obstacles:
        _allow_low_steps(voxels, climb)
    if settings.filter_ledge_spans:
        # Ledges are told by heights alone, so marks may be changed on the way.
        _forbid_ledges(voxels, grid.width, grid.depth, height, climb)
    if settings.filter_walkable_low_height_spans:
        _forbid_low_ceilings(voxels, height)


@kernel
def _ceiling(v: Voxels, span: Whole, column: Whole) -> Whole:
    """The first solid voxel over a span."""
    return v.low[span + 1] if span + 1 < v.columns[column + 1] else MAX_HEIGHT


@kernel
def _allow_low_steps(v: Voxels, climb: Whole) -> None:
    """A span little higher than the walkable one under it is walkable; what lies on such a step is not."""
    for column in range(len(v.columns) - 1):
        below = False
        for span in range(v.columns[column], v.columns[column + 1]):
            walk = v.walk[span]
            if below and not walk and v.high[span] - v.high[span - 1] <= climb:
                v.walk[span] = True
            below = walk


@kernel
def _forbid_low_ceilings(v: Voxels, height: Whole) -> None:
    for column in range(len(v.columns) - 1):
        for span in range(v.columns[column], v.columns[column + 1]):
            if _ceiling(v, span, column) - v.high[span] < height:
                v.walk[span] = False


@kernel
def _forbid_ledges(v: Voxels, width: Whole, depth: Whole, height: Whole, climb: Whole) -> None:
    """Takes out ground beside a deep drop, or between neighbours that differ by more than the climb."""
    for z in range(depth):
        for x in range(width):
            column = x + z * width
            for span in range(v.columns[column], v.columns[column + 1]):
                if v.walk[span]:
                    v.walk[span] = not _is_ledge(v, width, depth, x, z, span, height, climb)


@kernel
def _is_ledge(
    v: Voxels, width: Whole, depth: Whole, x: Whole, z: Whole, span: Whole, height: Whole, climb: Whole
) -> Flag:
    floor, ceiling = v.high[span], _ceiling(v, span, x + z * width)
    lowest = highest = floor
    for side in range(4):
        nx = x + (side == 2) - (side == 0)
        nz = z + (side == 1) - (side == 3)
        if nx < 0 or nz < 0 or nx >= width or nz >= depth:
            return True
        column = nx + nz * width
        first, end = v.columns[column], v.columns[column + 1]
        under = v.low[first] if first < end else MAX_HEIGHT
        if min(ceiling, under) - floor >= height:
            return True
        for other in range(first, end):
            level = v.high[other]
            if min(ceiling, _ceiling(v, other, column)) - max(floor, level) < height:
                continue
            if level < floor - climb:
                return True
            if level <= floor + climb:
                lowest, highest = min(lowest, level), max(highest, level)
    return highest - lowest > climb
