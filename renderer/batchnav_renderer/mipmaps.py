"""Mipmaps of sRGB images, averaged in linear light (IEC 61966-2-1); pure NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

_STEPS = 8192  # fine enough that a step is never more than 0.4 of a byte, at black
_BYTES = np.arange(256) / 255.0
_LIGHT = np.arange(_STEPS + 1) / _STEPS
_DECODE = np.where(_BYTES <= 0.04045, _BYTES / 12.92, ((_BYTES + 0.055) / 1.055) ** 2.4).astype(np.float32)
_CODES = np.where(_LIGHT <= 0.0031308, _LIGHT * 12.92, 1.055 * _LIGHT ** (1 / 2.4) - 0.055)
_ENCODE = np.rint(_CODES * 255.0).astype(np.uint8)


def mipmaps(image: NDArray[np.uint8]) -> list[NDArray[np.uint8]]:
    """The image, (s, s, 4) sRGB colours and linear alpha with s a power of two, and each half of it."""
    levels = [image]
    while len(levels[-1]) > 1:
        levels.append(_halved(levels[-1]))
    return levels


def _halved(image: NDArray[np.uint8]) -> NDArray[np.uint8]:
    half = np.empty((len(image) // 2, len(image) // 2, 4), np.uint8)
    light = _four(_DECODE[image[..., :3]])
    half[..., :3] = _ENCODE[(light * np.float32(_STEPS / 4) + np.float32(0.5)).astype(np.intp)]
    half[..., 3:] = (_four(image[..., 3:].astype(np.uint16)) + 2) // 4
    return half


def _four(values: NDArray[Any]) -> NDArray[Any]:
    """Sums over squares of 2 x 2 neighbours."""
    rows = values[0::2] + values[1::2]
    total: NDArray[Any] = rows[:, 0::2] + rows[:, 1::2]
    return total
