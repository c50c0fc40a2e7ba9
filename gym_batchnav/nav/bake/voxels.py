"""Triangles to solid spans of voxels: every voxel that a triangle touches is solid.

The grid lies over the x-z plane; a column holds spans from low to high. Arithmetic is float32 as in Recast,
so that both find the same voxels.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gym_batchnav.errors import NavMeshError
from gym_batchnav.nav._jit import Real, Whole, kernel
from gym_batchnav.nav.agent import AgentSettings

MAX_COLUMNS = 1 << 25
"""Most columns of a grid: 290 x 290 m of Habitat's cells."""
MAX_HEIGHT = 0xFFFF
"""Voxels; also the ceiling over the highest span."""

_LOW, _HIGH, _WALK, _NEXT = 0, 1, 2, 3
_X = np.int64(0)
_Z = np.int64(2)
_ZERO = np.float32(0.0)
_SPARE = 1024


class Voxels(NamedTuple):
    """Columns in rows along z, x fastest; S spans, each column's from low to high."""

    columns: NDArray[np.int32]
    """(width * depth + 1,) first span of each column."""
    low: NDArray[np.int32]
    """(S,) lowest voxel."""
    high: NDArray[np.int32]
    """(S,) one above the highest voxel: the height of the ground in voxels."""
    walk: NDArray[np.bool_]
    """(S,) whether the top may be walked on."""


class Grid(NamedTuple):
    """Where the voxels are."""

    low: NDArray[np.float32]
    """(3,) lower corner of the scene's box, metres."""
    high: NDArray[np.float32]
    """(3,) upper corner."""
    width: int
    """Columns along x."""
    depth: int
    """Columns along z."""


def make_grid(positions: NDArray[np.float32], settings: AgentSettings, source: str) -> Grid:
    """The grid over the box of the points.

    Raises:
        NavMeshError: The grid would be too large.
    """
    low, high = positions.min(axis=0), positions.max(axis=0)
    span = (high - low).astype(np.float32)
    width, depth = (int(span[axis] / np.float32(settings.cell_size) + np.float32(0.5)) for axis in (0, 2))
    if width * depth > MAX_COLUMNS or span[1] / settings.cell_height >= MAX_HEIGHT - settings.height_voxels:
        raise NavMeshError(
            f"{source}: the scene is {span[0]:g} x {span[1]:g} x {span[2]:g} m large, which makes {width} x "
            f"{depth} columns of cell_size {settings.cell_size:g} m (at most {MAX_COLUMNS} in all) and "
            f"{span[1] / settings.cell_height:.0f} voxels of cell_height {settings.cell_height:g} m in "
            f"height (at most {MAX_HEIGHT}); scale the scene to metres or take larger cells"
        )
    return Grid(low, high, max(width, 1), max(depth, 1))


def walkable_triangles(corners: NDArray[np.float32], max_slope_deg: float) -> NDArray[np.bool_]:
    """(F,) which triangles (F, 3, 3), counter-clockwise seen from above, are no steeper than the slope."""
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    length = np.linalg.norm(normal, axis=1)
    limit = np.cos(np.float32(max_slope_deg) / np.float32(180) * np.float32(np.pi))
    # As Recast rounds it: exactly 45 degrees is common, and must fall on the same side.
    with np.errstate(divide="ignore", invalid="ignore"):
        walk: NDArray[np.bool_] = normal[:, 1] * (np.float32(1) / length) > limit
    return walk


def voxelise(corners: NDArray[np.float32], grid: Grid, settings: AgentSettings) -> Voxels:
    """Voxels of the triangles (F, 3, 3) float32.

    Where spans overlap they become one; it is walkable if the walkable one's top is within the height that
    the agent climbs of the new top.
    """
    walk = walkable_triangles(corners, settings.agent_max_slope)
    cell = np.array([settings.cell_size, settings.cell_height], np.float32)
    box = np.stack([grid.low, grid.high])
    head = np.full(grid.width * grid.depth, -1, np.int32)
    pool = np.empty((grid.width * grid.depth + _SPARE, 4), np.int32)
    rooms, free = np.empty((4, 8, 3), np.float32), np.array([-1, 0])
    done = 0
    while True:
        done = _voxelise(
            corners,
            walk,
            box,
            cell,
            grid.width,
            grid.depth,
            settings.climb_voxels,
            done,
            head,
            pool,
            free,
            rooms,
        )
        if done == len(corners):
            break
        pool = np.concatenate([pool, np.empty_like(pool)])
    columns = np.zeros(len(head) + 1, np.int32)
    _count_spans(head, pool, columns)
    low, high = np.empty(columns[-1], np.int32), np.empty(columns[-1], np.int32)
    flags = np.empty(columns[-1], np.bool_)
    _gather_spans(head, pool, low, high, flags)
    return Voxels(columns, low, high, flags)


@kernel
def _voxelise(
    corners: NDArray[np.float32],
    walk: NDArray[np.bool_],
    box: NDArray[np.float32],
    cell: NDArray[np.float32],
    width: Whole,
    depth: Whole,
    climb: Whole,
    done: Whole,
    head: NDArray[np.int32],
    pool: NDArray[np.int32],
    free: NDArray[np.int64],
    rooms: NDArray[np.float32],
) -> Whole:
    """Fills the columns' linked lists from triangle `done` on; returns where it stopped for want of spans."""
    per_cell = np.float32(1.0) / cell[0]
    per_voxel = np.float32(1.0) / cell[1]
    tall = box[1, 1] - box[0, 1]
    rest, row, left, part = rooms[0], rooms[1], rooms[2], rooms[3]
    for tri in range(done, len(corners)):
        for k in range(3):
            _copy(corners[tri], k, rest, k)
        count = np.int64(3)
        z0, z1 = _cells(rest, count, _Z, box[0, 2], per_cell, depth)
        x0, x1 = _cells(rest, count, _X, box[0, 0], per_cell, width)
        if free[1] + (z1 - z0 + 1) * (x1 - x0 + 1) > len(pool):
            return tri
        for z in range(z0, z1 + 1):
            edge = box[0, 2] + np.float32(z) * cell[0]
            in_row, count = _cut(rest, count, edge + cell[0], _Z, row, left)
            rest, left = left, rest
            if in_row < 3 or z < 0:
                continue
            x0, x1 = _cells(row, in_row, _X, box[0, 0], per_cell, width)
            for x in range(x0, x1 + 1):
                edge = box[0, 0] + np.float32(x) * cell[0]
                in_cell, in_row = _cut(row, in_row, edge + cell[0], _X, part, left)
                row, left = left, row
                if in_cell < 3 or x < 0:
                    continue
                low = high = part[0, 1]
                for k in range(1, in_cell):
                    low, high = min(low, part[k, 1]), max(high, part[k, 1])
                low, high = max(low - box[0, 1], _ZERO), min(high - box[0, 1], tall)
                if high < _ZERO or low > tall:
                    continue
                first = np.int64(np.floor(low * per_voxel))
                last = max(np.int64(np.ceil(high * per_voxel)), first + 1)
                _insert(head, pool, free, x + z * width, first, last, walk[tri], climb)
    return len(corners)


@kernel
def _cells(points: Real, count: Whole, axis: Whole, low: Real, per_cell: Real, cells: Whole) -> Whole:
    """First and last cell along the axis; -1 stands for all before the grid."""
    least = most = points[0, axis]
    for k in range(1, count):
        least, most = min(least, points[k, axis]), max(most, points[k, axis])
    first = np.int64((least - low) * per_cell)
    last = np.int64((most - low) * per_cell)
    return max(min(first, cells - 1), np.int64(-1)), min(max(last, np.int64(0)), cells - 1)


@kernel
def _copy(source: Real, at: Whole, target: Real, to: Whole) -> None:
    for axis in range(3):
        target[to, axis] = source[at, axis]


@kernel
def _cut(points: Real, count: Whole, at: Real, axis: Whole, below: Real, above: Real) -> tuple[Whole, Whole]:
    """Cuts a convex polygon where the coordinate is `at`; fills both parts and returns their sizes."""
    lower = upper = np.int64(0)
    before = count - 1
    for k in range(count):
        room_before = at - points[before, axis]
        room = at - points[k, axis]
        if (room_before >= _ZERO) != (room >= _ZERO):
            share = room_before / (room_before - room)
            for j in range(3):
                below[lower, j] = points[before, j] + (points[k, j] - points[before, j]) * share
                above[upper, j] = below[lower, j]
            lower, upper = lower + 1, upper + 1
            if room > _ZERO:
                _copy(points, k, below, lower)
                lower += 1
            elif room < _ZERO:
                _copy(points, k, above, upper)
                upper += 1
        else:
            if room >= _ZERO:
                _copy(points, k, below, lower)
                lower += 1
            if room <= _ZERO:
                _copy(points, k, above, upper)
                upper += 1
        before = k
    return lower, upper


@kernel
def _insert(
    head: Real, pool: Real, free: Real, column: Whole, low: Whole, high: Whole, walk: Whole, climb: Whole
) -> None:
    """Puts a span into its column, with all that it touches; `free`: first free span, spans in use."""
    before, span = -1, head[column]
    while span >= 0 and pool[span, _LOW] <= high:
        after = pool[span, _NEXT]
        if pool[span, _HIGH] < low:
            before = span
        else:
            low, high = min(low, pool[span, _LOW]), max(high, pool[span, _HIGH])
            if high - pool[span, _HIGH] <= climb:
                walk = walk or pool[span, _WALK] != 0
            if before < 0:
                head[column] = after
            else:
                pool[before, _NEXT] = after
            pool[span, _NEXT] = free[0]
            free[0] = span
        span = after
    new = free[0]
    if new >= 0:
        free[0] = pool[new, _NEXT]
    else:
        new = free[1]
        free[1] += 1
    pool[new, _LOW], pool[new, _HIGH], pool[new, _WALK] = low, high, walk
    if before < 0:
        pool[new, _NEXT] = head[column]
        head[column] = new
    else:
        pool[new, _NEXT] = pool[before, _NEXT]
        pool[before, _NEXT] = new


@kernel
def _count_spans(head: NDArray[np.int32], pool: NDArray[np.int32], columns: NDArray[np.int32]) -> None:
    for column in range(len(head)):
        span, count = head[column], 0
        while span >= 0:
            count += 1
            span = pool[span, _NEXT]
        columns[column + 1] = columns[column] + count


@kernel
def _gather_spans(
    head: NDArray[np.int32],
    pool: NDArray[np.int32],
    low: NDArray[np.int32],
    high: NDArray[np.int32],
    walk: NDArray[np.bool_],
) -> None:
    k = 0
    for column in range(len(head)):
        span = head[column]
        while span >= 0:
            low[k], high[k], walk[k] = pool[span, _LOW], pool[span, _HIGH], pool[span, _WALK] != 0
            span = pool[span, _NEXT]
            k += 1
