"""Brings texture images to a square power-of-two size; pure Pillow and NumPy."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from ..types import Texture, Wrap

_MARGIN = 4


def size_class(texture: Texture, limit: int) -> int:
    """Side of the square that holds an image: the power of two above its longer side, at most ``limit``."""
    longest = int(max(texture.pixels.shape[:2]))
    return min(1 << (max(longest, 1) - 1).bit_length(), limit)


def fit(texture: Texture, size: int) -> NDArray[np.uint8]:
    """The image resampled to (size, size, 4) uint8, its borders filtered as its wrap modes repeat it."""
    height, width = texture.pixels.shape[:2]
    if (height, width) == (size, size):
        return np.ascontiguousarray(texture.pixels)
    rows = _repeated(height, texture.wrap[1])
    columns = _repeated(width, texture.wrap[0])
    padded = texture.pixels[rows[:, None], columns[None, :]]
    box = (_MARGIN, _MARGIN, _MARGIN + width, _MARGIN + height)
    # Colour and alpha apart: Pillow weights RGBA colours by alpha, which opaque materials ignore.
    parts = [
        Image.fromarray(np.ascontiguousarray(part)).resize((size, size), Image.Resampling.BILINEAR, box=box)
        for part in (padded[..., :3], padded[..., 3])
    ]
    return np.dstack([np.asarray(part) for part in parts])


def _repeated(length: int, wrap: Wrap) -> NDArray[np.int64]:
    """Texel numbers from ``-_MARGIN`` to ``length + _MARGIN``, brought into the image by the wrap mode."""
    places = np.arange(-_MARGIN, length + _MARGIN)
    if wrap == "repeat":
        return places % length
    if wrap == "clamp":
        return places.clip(0, length - 1)
    return np.minimum(places % (2 * length), 2 * length - 1 - places % (2 * length))
