"""Mipmaps of sRGB images, averaged in linear light; pure NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .srgb import DECODE, ENCODE, ENCODE_STEPS


def mipmaps(image: NDArray[np.uint8]) -> list[NDArray[np.uint8]]:
    """The image, (s, s, 4) sRGB colours and linear alpha with s a power of two, and each half of it."""
    levels = [image]
    while len(levels[-1]) > 1:
        levels.append(_halved(levels[-1]))
    return levels


def _halved(image: NDArray[np.uint8]) -> NDArray[np.uint8]:
    half = np.empty((len(image) // 2, len(image) // 2, 4), np.uint8)
    light = _four(DECODE[image[..., :3]])
    half[..., :3] = ENCODE[(light * np.float32(ENCODE_STEPS / 4) + np.float32(0.5)).astype(np.intp)]
    half[..., 3:] = (_four(image[..., 3:].astype(np.uint16)) + 2) // 4
    return half


def _four(values: NDArray[Any]) -> NDArray[Any]:
    """Sums over squares of 2 x 2 neighbours."""
    rows = values[0::2] + values[1::2]
    total: NDArray[Any] = rows[:, 0::2] + rows[:, 1::2]
    return total
