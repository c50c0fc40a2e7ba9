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
    # As "CMYK", four channels apart: Pillow weights RGBA colours by alpha, which opaque materials ignore.
    image = Image.frombuffer(
        "CMYK", (width + 2 * _MARGIN, height + 2 * _MARGIN), _padded(texture), "raw", "CMYK", 0, 1
    )
    box = (_MARGIN, _MARGIN, _MARGIN + width, _MARGIN + height)
    return np.asarray(image.resize((size, size), Image.Resampling.BILINEAR, box=box))


def _padded(texture: Texture) -> NDArray[np.uint8]:
    """The image with ``_MARGIN`` texels more on each side, as its wrap modes repeat it."""
    height, width = texture.pixels.shape[:2]
    padded = np.empty((height + 2 * _MARGIN, width + 2 * _MARGIN, 4), np.uint8)
    padded[_MARGIN:-_MARGIN, _MARGIN:-_MARGIN] = texture.pixels
    ends = np.r_[:_MARGIN, -_MARGIN:0]
    columns, rows = _repeated(width, texture.wrap[0]), _repeated(height, texture.wrap[1])
    padded[_MARGIN:-_MARGIN, ends] = texture.pixels[:, columns[ends]]
    padded[ends] = padded[_MARGIN + rows[ends]]
    return padded


def _repeated(length: int, wrap: Wrap) -> NDArray[np.int64]:
    """Texel numbers from ``-_MARGIN`` to ``length + _MARGIN``, brought into the image by the wrap mode."""
    places = np.arange(-_MARGIN, length + _MARGIN)
    if wrap == "repeat":
        return places % length
    if wrap == "clamp":
        return places.clip(0, length - 1)
    return np.minimum(places % (2 * length), 2 * length - 1 - places % (2 * length))
