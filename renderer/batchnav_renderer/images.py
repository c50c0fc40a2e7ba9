"""Brings texture images to a square power-of-two size; pure Pillow and NumPy."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from .types import SceneArrays, Texture, Wrap

_MARGIN = 4


def size_class(texture: Texture, limit: int) -> int:
    """Side of the square that holds an image: the power of two above its longer side, at most ``limit``."""
    longest = int(max(texture.pixels.shape[:2]))
    return min(1 << (max(longest, 1) - 1).bit_length(), limit)


def texture_sizes(arrays: SceneArrays, rgb: bool, limit: int) -> dict[int, int]:
    """Texture number to size class of all in use; without ``rgb`` only cut-out materials use theirs."""
    used = np.bincount(arrays.material_ids, minlength=len(arrays.materials)) > 0
    return {
        material.texture: size_class(arrays.textures[material.texture], limit)
        for number, material in enumerate(arrays.materials)
        if used[number] and material.texture >= 0 and (rgb or material.alpha_cutoff > 0.0)
    }


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
