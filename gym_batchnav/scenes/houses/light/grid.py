"""Which parts of space are solid: a grid of voxels in blocks, with the distance to the next solid block."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ._jit import Whole, kernel

Ints = NDArray[np.int64]

PER_MM = 84
"""Grid units per millimetre."""
VOXEL_BITS = 12
"""A voxel is 2**12 units wide, 48.8 mm."""
BLOCK_BITS = VOXEL_BITS + 2
"""A block is 4 x 4 x 4 voxels, 195 mm wide; the bits of one word."""
UNIT = 1024
"""Length of directions."""

_MARGIN = 2
"""Empty blocks around the scene; the outermost are walls, so that no ray leaves the grid."""
_SAMPLE = 40
"""Millimetres between samples of a quad, at most: less than a voxel."""
_SINK = 10
"""Millimetres by which surfaces lie behind their faces, so that both faces of a thin wall have voxels."""
_FAR = 250


class Grid(NamedTuple):
    """Solid voxels of a scene; blocks are numbered x slowest, z fastest."""

    origin: Ints
    """(3,) lower corner, millimetres."""
    shape: Ints
    """(3,) blocks."""
    masks: NDArray[np.uint64]
    """(B,) solid voxels of each block: bit 16 x + 4 y + z."""
    distance: NDArray[np.uint8]
    """(B,) blocks to the next one that holds something, diagonals counting 1; 0 for such a block itself."""
    cells: NDArray[np.int32]
    """(B,) number of the first of the eight cells of radiance of each block; -1 where it is empty."""


def make_grid(corners: Ints, unit: Ints, solid: NDArray[np.bool_]) -> Grid:
    """Voxels of the quads (Q, 4, 3) that are solid (Q,); ``unit`` (Q, 3) says where they face."""
    flat = corners.reshape(-1, 3)
    size = 1 << BLOCK_BITS
    origin = flat.min(axis=0) - _MARGIN * (size // PER_MM + 1)
    shape = (flat.max(axis=0) - origin) * PER_MM // size + 1 + _MARGIN
    count = int(shape.prod())
    masks, distance = np.zeros(count, np.uint64), np.empty(count, np.uint8)
    _fill(corners, unit, solid, origin, shape, masks)
    _measure(masks, shape, distance)
    held = masks != 0
    cells = np.where(held, 8 * (np.cumsum(held) - 1), -1).astype(np.int32)
    _close(shape, masks)
    return Grid(origin, shape, masks, distance, cells)


@kernel
def _fill(
    corners: NDArray[np.int64],
    unit: NDArray[np.int64],
    solid: NDArray[np.bool_],
    origin: NDArray[np.int64],
    shape: NDArray[np.int64],
    masks: NDArray[np.uint64],
) -> None:
    """Marks the voxels just behind the faces."""
    for quad in range(len(corners)):
        if not solid[quad]:
            continue
        across, down = samples(corners, quad, _SAMPLE)
        for i in range(across):
            for j in range(down):
                x, y, z = sample(corners, unit, quad, origin, i, j, across, down)
                block, bit = place(shape, x, y, z)
                masks[block] |= np.uint64(1) << np.uint64(bit)


@kernel
def samples(corners: Whole, quad: Whole, spacing: Whole) -> tuple[Whole, Whole]:
    """How many samples a quad takes along its two directions."""
    across = down = 0
    for axis in range(3):
        c0, c1, c2, c3 = (
            corners[quad, 0, axis],
            corners[quad, 1, axis],
            corners[quad, 2, axis],
            corners[quad, 3, axis],
        )
        across = max(across, abs(c1 - c0), abs(c2 - c3))
        down = max(down, abs(c3 - c0), abs(c2 - c1))
    return across // spacing + 1, down // spacing + 1


@kernel
def sample(
    corners: Whole,
    unit: Whole,
    quad: Whole,
    origin: Whole,
    i: Whole,
    j: Whole,
    across: Whole,
    down: Whole,
) -> tuple[Whole, Whole, Whole]:
    """Grid position of sample (i, j) of a quad, just behind its face."""
    u, v = ((2 * i + 1) << 11) // across, ((2 * j + 1) << 11) // down
    x = _blend(corners, unit, quad, origin, u, v, 0)
    y = _blend(corners, unit, quad, origin, u, v, 1)
    return x, y, _blend(corners, unit, quad, origin, u, v, 2)


@kernel
def _blend(corners: Whole, unit: Whole, quad: Whole, origin: Whole, u: Whole, v: Whole, axis: Whole) -> Whole:
    upper = corners[quad, 0, axis] * (4096 - u) + corners[quad, 1, axis] * u
    lower = corners[quad, 3, axis] * (4096 - u) + corners[quad, 2, axis] * u
    at = (upper * (4096 - v) + lower * v - (origin[axis] << 24)) * PER_MM >> 24
    return at - (unit[quad, axis] * (_SINK * PER_MM) >> 10)


@kernel
def place(shape: Whole, x: Whole, y: Whole, z: Whole) -> tuple[Whole, Whole]:
    """Block and bit of a grid position."""
    block = ((x >> BLOCK_BITS) * shape[1] + (y >> BLOCK_BITS)) * shape[2] + (z >> BLOCK_BITS)
    bit = (x >> VOXEL_BITS & 3) << 4 | (y >> VOXEL_BITS & 3) << 2 | z >> VOXEL_BITS & 3
    return block, bit


@kernel
def _measure(masks: NDArray[np.uint64], shape: NDArray[np.int64], distance: NDArray[np.uint8]) -> None:
    """Distance of every block to the next one that holds something or lies on the border."""
    wide, tall, deep = shape
    for x in range(wide):
        for y in range(tall):
            for z in range(deep):
                block = (x * tall + y) * deep + z
                edge = min(min(x, wide - 1 - x), min(y, tall - 1 - y), min(z, deep - 1 - z)) == 0
                distance[block] = 0 if edge or masks[block] != 0 else _FAR
    for turn in range(2):
        sign = 1 - 2 * turn
        for a in range(1, wide - 1):
            x = a if turn == 0 else wide - 1 - a
            for b in range(1, tall - 1):
                y = b if turn == 0 else tall - 1 - b
                for c in range(1, deep - 1):
                    z = c if turn == 0 else deep - 1 - c
                    _relax(distance, x, y, z, tall, deep, sign)


@kernel
def _relax(distance: Whole, x: Whole, y: Whole, z: Whole, tall: Whole, deep: Whole, sign: Whole) -> None:
    """One more than the least of the 13 neighbours that come earlier."""
    block = (x * tall + y) * deep + z
    least = np.int64(distance[block])
    if least == 0:
        return
    for dy in range(-1, 2):
        for dz in range(-1, 2):
            least = min(least, np.int64(distance[block - sign * (tall * deep) + dy * deep + dz]) + 1)
    for dz in range(-1, 2):
        least = min(least, np.int64(distance[block - sign * deep + dz]) + 1)
    distance[block] = min(least, np.int64(distance[block - sign]) + 1)


@kernel
def _close(shape: NDArray[np.int64], masks: NDArray[np.uint64]) -> None:
    """Fill the outermost blocks."""
    wide, tall, deep = shape
    full = ~np.uint64(0)
    for x in range(wide):
        for y in range(tall):
            for z in range(deep):
                if min(min(x, wide - 1 - x), min(y, tall - 1 - y), min(z, deep - 1 - z)) == 0:
                    masks[(x * tall + y) * deep + z] = full
