"""Brings texture images to a square power-of-two size; pure Pillow and NumPy."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from ..types import Texture, Wrap

_PAD: dict[Wrap, str] = {"repeat": "wrap", "clamp": "edge", "mirror": "symmetric"}
_MARGIN = 4


def size_class(texture: Texture, limit: int) -> int:
    """Side of the square that holds an image: the power of two nearest above its longer side, at most ``limit``."""
    longest = max(texture.pixels.shape[:2])
    return min(1 << (max(longest, 1) - 1).bit_length(), limit)


def fit(texture: Texture, size: int) -> NDArray[np.uint8]:
    """The image resampled to (size, size, 4) uint8, its borders filtered as its wrap modes repeat it."""
    height, width = texture.pixels.shape[:2]
    if (height, width) == (size, size):
        return np.ascontiguousarray(texture.pixels)
    padded = np.pad(texture.pixels, ((_MARGIN, _MARGIN), (0, 0), (0, 0)), _PAD[texture.wrap[1]])  # type: ignore[call-overload]
    padded = np.pad(padded, ((0, 0), (_MARGIN, _MARGIN), (0, 0)), _PAD[texture.wrap[0]])
    box = (_MARGIN, _MARGIN, _MARGIN + width, _MARGIN + height)
    image = Image.fromarray(np.ascontiguousarray(padded), "RGBA")
    return np.asarray(image.resize((size, size), Image.Resampling.BILINEAR, box=box))
