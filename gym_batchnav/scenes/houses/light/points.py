"""Where light is to be computed: every position and direction once, lifted off its own surface."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ._jit import Whole, kernel
from .grid import PER_MM, UNIT, Grid, Ints, place

_LIFT = 60
"""Millimetres from a surface that is parallel to the grid: more than a voxel."""
_SLANTED_LIFT = 26
"""Millimetres more on the most slanted ones."""
_PROBE = 55
"""Millimetres to the side at which walls in the way are looked for."""
_RINGS = 2
"""How often the search for free space widens."""

# Eight directions, UNIT long.
_AROUND = np.array(
    [[1024, 0], [724, 724], [0, 1024], [-724, 724], [-1024, 0], [-724, -724], [0, -1024], [724, -724]]
)


class Points(NamedTuple):
    """P points that take light."""

    unit: Ints
    """(P, 3) where they face, ``UNIT`` long."""
    start: Ints
    """(P, 3) grid positions off the surface, from which rays start."""
    free: NDArray[np.bool_]
    """(P,) False where there is no room for that: inside something."""


def unit_normals(normals: Ints) -> Ints:
    """(..., 3) directions, ``UNIT`` long and rounded."""
    x, y, z = (normals[..., axis].astype(np.float64) for axis in range(3))
    length = np.maximum(np.sqrt(x * x + y * y + z * z), 1.0)
    return np.stack([np.rint(part * UNIT / length).astype(np.int64) for part in (x, y, z)], axis=-1)


def distinct(corners: Ints, unit: Ints) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """The distinct pairs of a position and a direction.

    Args:
        corners: (C, 3) millimetres.
        unit: (C, 3) directions of length ``UNIT``.

    Returns:
        (P,) a corner of each pair, and (C,) the pair of each corner.
    """
    slots = 1 << (2 * len(corners) - 1).bit_length()
    table = np.full(slots, -1, np.int32)
    first, pair = np.empty(len(corners), np.int32), np.empty(len(corners), np.int32)
    count = _distinct(corners, unit, table, first, pair)
    return first[:count], pair


@kernel
def _distinct(
    corners: NDArray[np.int64],
    unit: NDArray[np.int64],
    table: NDArray[np.int32],
    first: NDArray[np.int32],
    pair: NDArray[np.int32],
) -> Whole:
    """Open addressing in a table of a power of two slots."""
    count = 0
    mask = np.uint64(len(table) - 1)
    for corner in range(len(corners)):
        word = np.uint64(0)
        for axis in range(3):
            word = (word ^ np.uint64(corners[corner, axis] + 65536)) * np.uint64(0x9E3779B97F4A7C15)
            word = (word ^ np.uint64(unit[corner, axis] + 65536)) * np.uint64(0xC2B2AE3D27D4EB4F)
            word ^= word >> np.uint64(29)
        slot = word & mask
        while True:
            known = table[slot]
            if known < 0:
                table[slot] = count
                first[count] = corner
                pair[corner] = count
                count += 1
                break
            other = first[known]
            same = True
            for axis in range(3):
                same &= corners[corner, axis] == corners[other, axis]
                same &= unit[corner, axis] == unit[other, axis]
            if same:
                pair[corner] = known
                break
            slot = slot + np.uint64(1) & mask
    return count


def make_points(corners: Ints, unit: Ints, grid: Grid) -> Points:
    """Points at (P, 3) millimetres that face to (P, 3) directions."""
    start = np.empty_like(corners)
    free = np.empty(len(corners), np.bool_)
    _lift(corners, unit, grid.origin, grid.shape, grid.masks, _AROUND, start, free)
    return Points(unit, start, free)


@kernel
def frame(unit: Whole, point: Whole) -> tuple[Whole, Whole, Whole, Whole, Whole, Whole]:
    """Two directions across that of a point, ``UNIT`` long; the first is level."""
    x, y, z = unit[point, 0], unit[point, 1], unit[point, 2]
    level = x * x + z * z
    if level < 64 * 64:
        return 1024, 0, 0, 0, 0, 1024
    length = np.sqrt(np.float64(level))
    tx, tz = np.int64(np.rint(z * 1024 / length)), np.int64(np.rint(-x * 1024 / length))
    return tx, 0, tz, y * tz >> 10, (z * tx - x * tz) >> 10, -y * tx >> 10


@kernel
def _is_free(shape: Whole, masks: Whole, x: Whole, y: Whole, z: Whole) -> Whole:
    block, bit = place(shape, x, y, z)
    return masks[block] >> np.uint64(bit) & np.uint64(1) == 0


@kernel
def _lift(
    corners: NDArray[np.int64],
    unit: NDArray[np.int64],
    origin: NDArray[np.int64],
    shape: NDArray[np.int64],
    masks: NDArray[np.uint64],
    around: NDArray[np.int64],
    start: NDArray[np.int64],
    free: NDArray[np.bool_],
) -> None:
    """Off the surface, and to the side of whatever stands on it."""
    for point in range(len(corners)):
        largest = max(abs(unit[point, 0]), abs(unit[point, 1]), abs(unit[point, 2]))
        lift = (_LIFT * 1024 + _SLANTED_LIFT * (1024 - largest) * 1024 // 433) * PER_MM >> 10
        x = (corners[point, 0] - origin[0]) * PER_MM + (unit[point, 0] * lift >> 10)
        y = (corners[point, 1] - origin[1]) * PER_MM + (unit[point, 1] * lift >> 10)
        z = (corners[point, 2] - origin[2]) * PER_MM + (unit[point, 2] * lift >> 10)
        done = False
        for ring in range(1, _RINGS + 1):
            sx, sy, sz, found = _aside(unit, point, shape, masks, around, ring * _PROBE * PER_MM, x, y, z)
            if found:
                x, y, z, done = sx, sy, sz, True
                break
        start[point, 0], start[point, 1], start[point, 2] = x, y, z
        free[point] = done


@kernel
def _aside(
    unit: Whole,
    point: Whole,
    shape: Whole,
    masks: Whole,
    around: Whole,
    reach: Whole,
    x: Whole,
    y: Whole,
    z: Whole,
) -> tuple[Whole, Whole, Whole, Whole]:
    """Free space near (x, y, z): toward the middle of the free directions, else in any of them."""
    tx, ty, tz, bx, by, bz = frame(unit, point)
    right = up = np.int64(0)
    any_x, any_y, any_z, found = x, y, z, False
    for k in range(8):
        a, b = around[k, 0] * reach >> 10, around[k, 1] * reach >> 10
        px, py, pz = x + (tx * a + bx * b >> 10), y + (ty * a + by * b >> 10), z + (tz * a + bz * b >> 10)
        if _is_free(shape, masks, px, py, pz):
            right, up = right + around[k, 0], up + around[k, 1]
            if not found:
                any_x, any_y, any_z, found = px, py, pz, True
    length = np.sqrt(np.float64(right * right + up * up))
    sx, sy, sz = x, y, z
    if length > 256.0:
        a, b = np.int64(np.rint(right * reach / length)), np.int64(np.rint(up * reach / length))
        sx, sy, sz = x + (tx * a + bx * b >> 10), y + (ty * a + by * b >> 10), z + (tz * a + bz * b >> 10)
    if _is_free(shape, masks, sx, sy, sz):
        return sx, sy, sz, True
    return any_x, any_y, any_z, found
