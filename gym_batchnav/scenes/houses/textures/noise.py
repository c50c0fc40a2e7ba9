"""Whole-number images that repeat without a seam: noise, waves, cells, shapes."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

SIZE = 256
"""Width and height of the made-up textures, pixels."""

Image = NDArray[np.int32]
"""(SIZE, SIZE) grey or (SIZE, SIZE, 3) colours, about 0 to 255."""


def words(key: int, count: int) -> NDArray[np.int32]:
    """``count`` whole numbers in [0, 256) that depend on the key alone."""
    raw = np.atleast_1d(np.random.Philox(key=np.array([key, 0x7E57], np.uint64)).random_raw(-(-count // 8)))
    return raw.astype("<u8").view(np.uint8)[:count].astype(np.int32)


def grid() -> tuple[Image, Image]:
    """Pixel coordinates (x, y), each (SIZE, SIZE)."""
    y, x = np.divmod(np.arange(SIZE * SIZE, dtype=np.int32), np.int32(SIZE))
    return x.reshape(SIZE, SIZE), y.reshape(SIZE, SIZE)


def white(key: int) -> Image:
    """A number in [0, 256) for each pixel."""
    return words(key, SIZE * SIZE).reshape(SIZE, SIZE)


def noise(key: int, across: int, down: int) -> Image:
    """Smooth noise in [0, 255] with ``across`` x ``down`` knots."""
    knots = words(key, across * down).reshape(down, across)
    row, row_part = np.divmod(np.arange(SIZE, dtype=np.int32) * down, np.int32(SIZE))
    column, column_part = np.divmod(np.arange(SIZE, dtype=np.int32) * across, np.int32(SIZE))
    row_part, column_part = _ease(row_part), _ease(column_part)
    upper, lower = knots[row], knots[(row + 1) % down]
    rows = upper * (SIZE - row_part)[:, None] + lower * row_part[:, None]
    left, right = rows[:, column], rows[:, (column + 1) % across]
    return np.asarray((left * (SIZE - column_part) + right * column_part) // (SIZE * SIZE), np.int32)


def _ease(part: NDArray[np.int32]) -> NDArray[np.int32]:
    """[0, 256) to [0, 256) with slope 0 at both ends."""
    return part * part * (3 * SIZE - 2 * part) // (SIZE * SIZE)


def clouds(key: int, across: int, down: int, octaves: int = 4) -> Image:
    """Noise in [0, 255] of several sizes, each half as strong as the one before."""
    total, weight = np.zeros((SIZE, SIZE), np.int32), 0
    for octave in range(octaves):
        share = 1 << (octaves - octave)
        size = min(across << octave, SIZE), min(down << octave, SIZE)
        total += share * noise(key + 1000 * octave, *size)
        weight += share
    return total // weight


def wave(phase: Image) -> Image:
    """A smooth wave: 0 at multiples of 256, 255 half-way."""
    part = phase % 256
    rise = np.minimum(2 * part, 511 - 2 * part)
    shown: Image = rise * rise * (768 - 2 * rise) // (256 * 256)
    return shown


class Cells(NamedTuple):
    """Regions around scattered points."""

    near: Image
    """Distance to the nearest point, pixels x 16."""
    edge: Image
    """By how much the second nearest is farther, pixels x 16; 0 on borders."""
    number: Image
    """Number of the nearest point."""


def cells(key: int, across: int) -> Cells:
    """Cells around one point in each square of an ``across`` x ``across`` grid."""
    x, y = grid()
    size = SIZE // across
    row, column = np.divmod(np.arange(across * across, dtype=np.int32).reshape(across, across), across)
    at_x, at_y = words(key, 2 * across * across).reshape(2, across, across) * size // 256
    near = second = np.full((SIZE, SIZE), 1 << 20, np.int32)
    number = np.zeros((SIZE, SIZE), np.int32)
    for up in (-1, 0, 1):
        for left in (-1, 0, 1):
            source = (row + up) % across, (column + left) % across
            dx = _spread((column + left) * size + at_x[source], size) - x
            dy = _spread((row + up) * size + at_y[source], size) - y
            away = dx * dx + dy * dy
            second = np.minimum(second, np.maximum(near, away))
            number = np.where(away < near, _spread(source[0] * across + source[1], size), number)
            near = np.minimum(near, away)
    root, other = np.sqrt(near * 256.0).astype(np.int32), np.sqrt(second * 256.0).astype(np.int32)
    return Cells(root, other - root, number)


def _spread(values: Image, size: int) -> Image:
    """Each value over a square of pixels."""
    return np.repeat(np.repeat(values, size, axis=0), size, axis=1)


def mix(a: Any, b: Any, share: Any) -> Image:
    """``a`` where ``share`` is 0, ``b`` where it is 255; grey shares apply to colours."""
    a, b, share = np.asarray(a, np.int32), np.asarray(b, np.int32), np.asarray(share, np.int32)
    if share.ndim == 2 and 3 in (a.shape[-1:] + b.shape[-1:]):
        share = share[..., None]
    share = share + (share >> 7)
    return np.asarray(a + ((b - a) * share >> 8), np.int32)


def toned(image: Image, red: int = 100, green: int = 100, blue: int = 100) -> Image:
    """Colours whose distance from mid-grey is the given percentage of the grey image's."""
    return np.stack([128 + (image - 128) * percent // 100 for percent in (red, green, blue)], axis=2)


def stamp(image: Image, centre: tuple[int, int], half: int) -> tuple[Any, Image, Image]:
    """A square window that wraps around the borders.

    Returns:
        An index of the window in the image, and the offsets from ``centre`` (x, y) in it.
    """
    around = np.arange(-half, half + 1, dtype=np.int32)
    index = np.ix_((centre[1] + around) % image.shape[0], (centre[0] + around) % image.shape[1])
    return index, np.broadcast_to(around, (len(around), len(around))), around[:, None] + 0 * around


def leaf_shape(dx: Image, dy: Image, way: tuple[int, int], long: int, wide: int) -> Image:
    """Height of a leaf along ``way`` (of length 64), 255 on its spine, 0 outside."""
    along = (dx * way[0] + dy * way[1]) // 64
    aside = np.abs(-dx * way[1] + dy * way[0]) // 64
    reach = np.maximum(long * long - along * along, 0) * wide // (long * long)
    return np.where(aside < reach, 255 - 255 * aside // np.maximum(reach, 1), 0)


WAYS = ((64, 0), (59, 24), (45, 45), (24, 59), (0, 64), (-24, 59), (-45, 45), (-59, 24))
"""Eight directions of half a turn, 64 long."""
