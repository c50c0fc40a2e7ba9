"""Rays through the grid: light straight from the sources, and light that surfaces pass on."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ._jit import Whole, kernel
from .grid import BLOCK_BITS, PER_MM, VOXEL_BITS, Grid, Ints, place, sample, samples
from .points import Points, frame
from .sources import Floats, Sources

_STRIDE = 3900
"""Grid units of a step: less than a voxel."""
_SPACING = 60
"""Millimetres between samples of what a surface passes on."""
_NEAR_SOURCE = 2
"""Steps before the end of a ray to a source that are not looked at: its own casing."""
_REACH = 7.5
"""Metres to which the light of a source fades out; rooms are smaller."""
_RADIUS = 0.5
"""Metres; no source comes nearer, so that its surroundings are not dazzling."""
_SCALE = 4096.0
"""Radiance is summed in whole numbers, so that the order does not count."""
AMBIENT = 0.16
"""Light that has been reflected often; it is the same everywhere but for what is near."""
_CREVICE = 0.55
"""Share of a ray's light that is left where it hits something at once."""
_OPEN = 0.6
"""Metres from which on a hit takes nothing off."""
_DARK = 0.3
"""Radiance of the space outside, and of cells without a sample."""


def _directions() -> Ints:
    """(24, 3) directions of equal weight under a cosine, ``UNIT`` long, z along the surface's normal.

    Three rings of a disc (squared radii 1/6, 3/6, 5/6), one direction of an eighth of a turn in each (at 14,
    32 and 9 degrees), turned and mirrored eight times.
    """
    base = [(406, 101, 935), (614, 384, 724), (923, 146, 418)]
    rows = []
    for a, b, c in base:
        rows += [(x * s, y * t, c) for x, y in ((a, b), (b, a)) for s in (1, -1) for t in (1, -1)]
    return np.array(rows, np.int64)


_DIRECTIONS = _directions()


def direct_light(points: Points, sources: Sources, grid: Grid) -> Floats:
    """(P, 3) irradiance straight from the sources, with soft shadows."""
    light = np.zeros((len(points.start), 3))
    if len(sources.unit):
        seen = visible_cells(sources, grid)
        _direct(
            points.start,
            points.unit,
            points.free,
            sources.samples,
            sources.unit,
            sources.color,
            grid.shape,
            grid.masks,
            grid.distance,
            seen,
            light,
        )
    return light


def visible_cells(sources: Sources, grid: Grid) -> NDArray[np.uint8]:
    """(S, cells) whether a source is seen from the middle of a cell of 2 x 2 x 2 blocks or of a neighbour."""
    cells = (grid.shape + 1) // 2
    seen = np.zeros((len(sources.unit), *cells.tolist()), np.uint8)
    _see(sources.samples, grid.shape, grid.masks, grid.distance, seen)
    for axis in (1, 2, 3):
        low, high = np.roll(seen, 1, axis), np.roll(seen, -1, axis)
        seen = seen | low | high
    return seen.reshape(len(seen), -1)


def passed_on(
    corners: Ints, unit: Ints, solid: NDArray[np.bool_], colors: Floats, light: Floats, grid: Grid
) -> Floats:
    """(cells, 3) radiance of what is in each eighth of a block.

    Args:
        corners: (Q, 4, 3).
        unit: (Q, 3) where the quads face.
        solid: (Q,) which count.
        colors: (Q, 3) share of the light that they reflect.
        light: (Q, 3) light on them.
        grid: the grid.
    """
    count = int(grid.cells.max(initial=-8)) + 8
    sums, hits = np.zeros((count, 3), np.int64), np.zeros(count, np.int64)
    radiance = np.rint(colors * (light + AMBIENT) * _SCALE).astype(np.int64)
    _pass_on(corners, unit, solid, radiance, grid.origin, grid.shape, grid.cells, sums, hits)
    mean = sums / (np.maximum(hits, 1) * _SCALE)[:, None]
    return np.where((hits == 0)[:, None], _DARK * AMBIENT, mean)


def gathered_light(points: Points, radiance: Floats, grid: Grid) -> Floats:
    """(P, 3) light from the surroundings; near surfaces give less, so that crevices are darker."""
    light = np.zeros((len(points.start), 3))
    _gather(
        points.start,
        points.unit,
        points.free,
        _DIRECTIONS,
        radiance,
        grid.shape,
        grid.masks,
        grid.distance,
        grid.cells,
        light,
    )
    return light


@kernel
def _march(
    shape: Whole,
    masks: Whole,
    distance: Whole,
    x: Whole,
    y: Whole,
    z: Whole,
    dx: Whole,
    dy: Whole,
    dz: Whole,
    most: Whole,
) -> Whole:
    """Steps until something solid; `most` where there is nothing so near."""
    step = np.int64(0)
    tall, deep = shape[1], shape[2]
    per_block = (np.int64(1) << BLOCK_BITS + 8) // max(max(abs(dx), abs(dy)), max(abs(dz), np.int64(1)))
    while step < most:
        block = ((x >> BLOCK_BITS) * tall + (y >> BLOCK_BITS)) * deep + (z >> BLOCK_BITS)
        away = np.int64(distance[block])
        if away > 1:
            skip = (away - 1) * per_block >> 8
            x, y, z, step = x + skip * dx, y + skip * dy, z + skip * dz, step + skip
        elif away == 0:
            bit = (x >> VOXEL_BITS & 3) << 4 | (y >> VOXEL_BITS & 3) << 2 | z >> VOXEL_BITS & 3
            if masks[block] >> np.uint64(bit) & np.uint64(1):
                return step
        x, y, z, step = x + dx, y + dy, z + dz, step + 1
    return most


@kernel
def _direct(
    start: NDArray[np.int64],
    unit: NDArray[np.int64],
    free: NDArray[np.bool_],
    spots: NDArray[np.int64],
    facing: NDArray[np.int64],
    color: NDArray[np.float64],
    shape: NDArray[np.int64],
    masks: NDArray[np.uint64],
    distance: NDArray[np.uint8],
    seen: NDArray[np.uint8],
    light: NDArray[np.float64],
) -> None:
    half = BLOCK_BITS + 1
    tall, deep = (shape[1] + 1) // 2, (shape[2] + 1) // 2
    per_metre = 1.0 / (1000.0 * PER_MM)
    many = spots.shape[1]
    for point in range(len(start)):
        if not free[point]:
            continue
        cell = ((start[point, 0] >> half) * tall + (start[point, 1] >> half)) * deep
        cell += start[point, 2] >> half
        for source in range(len(spots)):
            if not seen[source, cell]:
                continue
            total = 0.0
            for k in range(many):
                vx = spots[source, k, 0] - start[point, 0]
                vy = spots[source, k, 1] - start[point, 1]
                vz = spots[source, k, 2] - start[point, 2]
                toward = np.float64(vx * unit[point, 0] + vy * unit[point, 1] + vz * unit[point, 2]) / 1024.0
                square = np.float64(vx) * vx + np.float64(vy) * vy + np.float64(vz) * vz
                length = np.sqrt(square)
                metres2 = square * per_metre * per_metre
                fade = 1.0 - metres2 / (_REACH * _REACH)
                if toward <= 0.0 or length < 1.0 or fade <= 0.0:
                    continue
                gain = fade * fade * toward / length / (metres2 + _RADIUS * _RADIUS)
                back = facing[source, 0] * vx + facing[source, 1] * vy + facing[source, 2] * vz
                if facing[source, 0] != 0 or facing[source, 1] != 0 or facing[source, 2] != 0:
                    if back >= 0:
                        continue
                    gain *= np.float64(-back) / 1024.0 / length
                # More light falls down than up: the sky is brighter than the ground, and lamps have shades.
                gain *= 0.7 + 0.5 * (np.float64(vy) / length)
                if _reaches(
                    shape, masks, distance, start[point, 0], start[point, 1], start[point, 2], vx, vy, vz
                ):
                    total += gain
            total /= many
            for channel in range(3):
                light[point, channel] += total * color[source, channel]


@kernel
def _see(
    spots: NDArray[np.int64],
    shape: NDArray[np.int64],
    masks: NDArray[np.uint64],
    distance: NDArray[np.uint8],
    seen: NDArray[np.uint8],
) -> None:
    """Marks the cells in reach from whose middles some sample of a source is to be seen."""
    reach = np.int64(_REACH * 1000.0 * PER_MM)
    half = BLOCK_BITS + 1
    for source in range(len(spots)):
        for i in range(1, shape[0] // 2):
            for j in range(1, shape[1] // 2):
                for k in range(1, shape[2] // 2):
                    x, y, z = (2 * i + 1) << half - 1, (2 * j + 1) << half - 1, (2 * k + 1) << half - 1
                    for n in range(spots.shape[1]):
                        vx, vy, vz = spots[source, n, 0] - x, spots[source, n, 1] - y, spots[source, n, 2] - z
                        if max(max(abs(vx), abs(vy)), abs(vz)) > reach:
                            break
                        if _reaches(shape, masks, distance, x, y, z, vx, vy, vz):
                            seen[source, i, j, k] = 1
                            break


@kernel
def _reaches(
    shape: Whole,
    masks: Whole,
    distance: Whole,
    x: Whole,
    y: Whole,
    z: Whole,
    vx: Whole,
    vy: Whole,
    vz: Whole,
) -> Whole:
    """Whether nothing solid lies between (x, y, z) and the sample of a source that is (vx, vy, vz) away."""
    length = np.sqrt(np.float64(vx) * vx + np.float64(vy) * vy + np.float64(vz) * vz)
    steps = np.int64(length / _STRIDE) + 1
    dx = np.int64(np.rint(vx / np.float64(steps)))
    dy = np.int64(np.rint(vy / np.float64(steps)))
    dz = np.int64(np.rint(vz / np.float64(steps)))
    last = max(steps - _NEAR_SOURCE, np.int64(0))
    return _march(shape, masks, distance, x, y, z, dx, dy, dz, last) >= last


@kernel
def _pass_on(
    corners: NDArray[np.int64],
    unit: NDArray[np.int64],
    solid: NDArray[np.bool_],
    radiance: NDArray[np.int64],
    origin: NDArray[np.int64],
    shape: NDArray[np.int64],
    cells: NDArray[np.int32],
    sums: NDArray[np.int64],
    hits: NDArray[np.int64],
) -> None:
    for quad in range(len(corners)):
        if not solid[quad]:
            continue
        across, down = samples(corners, quad, _SPACING)
        for i in range(across):
            for j in range(down):
                x, y, z = sample(corners, unit, quad, origin, i, j, across, down)
                cell = _cell(shape, cells, x, y, z)
                if cell >= 0:
                    hits[cell] += 1
                    for channel in range(3):
                        sums[cell, channel] += radiance[quad, channel]


@kernel
def _cell(shape: Whole, cells: Whole, x: Whole, y: Whole, z: Whole) -> Whole:
    """Cell of radiance at a grid position; -1 outside."""
    block, _bit = place(shape, x, y, z)
    first = np.int64(cells[block])
    if first < 0:
        return first
    half = BLOCK_BITS - 1
    return first + ((x >> half & 1) << 2 | (y >> half & 1) << 1 | z >> half & 1)


@kernel
def _gather(
    start: NDArray[np.int64],
    unit: NDArray[np.int64],
    free: NDArray[np.bool_],
    directions: NDArray[np.int64],
    radiance: NDArray[np.float64],
    shape: NDArray[np.int64],
    masks: NDArray[np.uint64],
    distance: NDArray[np.uint8],
    cells: NDArray[np.int32],
    light: NDArray[np.float64],
) -> None:
    open_steps = _OPEN * 1000.0 * PER_MM / _STRIDE
    limit = np.int64(1) << 40
    for point in range(len(start)):
        if not free[point]:
            continue
        tx, ty, tz, bx, by, bz = frame(unit, point)
        nx, ny, nz = unit[point, 0], unit[point, 1], unit[point, 2]
        x, y, z = start[point, 0], start[point, 1], start[point, 2]
        for k in range(len(directions)):
            a, b, c = directions[k, 0], directions[k, 1], directions[k, 2]
            dx = (tx * a + bx * b + nx * c) * _STRIDE >> 20
            dy = (ty * a + by * b + ny * c) * _STRIDE >> 20
            dz = (tz * a + bz * b + nz * c) * _STRIDE >> 20
            steps = _march(shape, masks, distance, x, y, z, dx, dy, dz, limit)
            cell = _cell(shape, cells, x + steps * dx, y + steps * dy, z + steps * dz)
            if cell < 0:
                for channel in range(3):
                    light[point, channel] += _DARK
                continue
            share = _CREVICE + (1.0 - _CREVICE) * min(steps / open_steps, 1.0)
            for channel in range(3):
                light[point, channel] += share * radiance[cell, channel]
        for channel in range(3):
            light[point, channel] /= len(directions)
