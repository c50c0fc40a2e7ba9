"""Pictures for people."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..errors import ConfigError


def mosaic(frames: Sequence[NDArray[np.uint8]], columns: int | None = None) -> NDArray[np.uint8]:
    """Frames (H, W, 3) laid out row by row in one image; empty places are black.

    Args:
        frames: at least one frame, all of one shape.
        columns: frames in a row; None makes the mosaic nearly square.
    """
    count = len(frames)
    columns = math.ceil(math.sqrt(count)) if columns is None else columns
    if columns < 1:
        raise ConfigError(f"columns={columns} is not allowed; expected at least 1")
    rows = -(-count // columns)
    height, width, channels = frames[0].shape
    grid = np.zeros((rows, columns, height, width, channels), dtype=np.uint8)
    for number, frame in enumerate(frames):
        grid[divmod(number, columns)] = frame
    return grid.swapaxes(1, 2).reshape(rows * height, columns * width, channels)


def beside(left: NDArray[np.uint8], right: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Two pictures (H, W, 3) of one height side by side, framed by a dark line of two pixels."""
    framed = [np.pad(picture, ((2, 2), (2, 2), (0, 0))) for picture in (left, right)]
    return np.concatenate(framed, axis=1)
