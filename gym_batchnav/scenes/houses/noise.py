"""Whole-number noise that repeats at its borders."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

SIZE = 256
"""Width and height of the made-up textures, pixels."""

Grey = NDArray[np.int64]


def words(key: int, count: int) -> NDArray[np.int64]:
    """``count`` whole numbers in [0, 256) that depend on the key alone."""
    raw = np.atleast_1d(np.random.Philox(key=np.array([key, 0x7E57], np.uint64)).random_raw(count))
    return (raw >> np.uint64(56)).astype(np.int64)


def noise(key: int, across: int, down: int) -> Grey:
    """Smooth noise in [0, 255], (SIZE, SIZE), with ``across`` x ``down`` knots; tiles without a seam."""
    knots = words(key, across * down).reshape(down, across)
    row, row_part = np.divmod(np.arange(SIZE) * down, SIZE)
    column, column_part = np.divmod(np.arange(SIZE) * across, SIZE)
    upper, lower = knots[row], knots[(row + 1) % down]
    rows = upper * (SIZE - row_part)[:, None] + lower * row_part[:, None]
    left, right = rows[:, column], rows[:, (column + 1) % across]
    return np.asarray((left * (SIZE - column_part) + right * column_part) // (SIZE * SIZE), np.int64)


def grid() -> tuple[Grey, Grey]:
    """Pixel coordinates (x, y), each (SIZE, SIZE)."""
    y, x = np.divmod(np.arange(SIZE * SIZE), SIZE)
    return x.reshape(SIZE, SIZE), y.reshape(SIZE, SIZE)
