"""Block compression (BC1, also called DXT1) of opaque images: four bits a texel; pure NumPy.

The format is that of the OpenGL extension EXT_texture_compression_s3tc. A block of 4 x 4 texels stores two
colours of 5, 6 and 5 bits and, for each texel, two bits that choose one of them or a mixture at a third.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

BLOCK_BYTES = 8
_STRIP = 1 << 13  # blocks worked on at once, so that they stay in the cache
_CODE_OF_THIRDS = np.array([1, 3, 2, 0], np.uint32)  # of 0, 1, 2 and 3 thirds of the first colour
_TEXEL_SHIFTS = (2 * np.arange(16, dtype=np.uint32))[:, None]


def compress(pixels: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Compress an image; its alpha is ignored.

    Args:
        pixels: (h, w, 3 or 4) uint8; a side that is no multiple of 4 is continued with its last texels.

    Returns:
        (blocks down, blocks across, 8) uint8.
    """
    rows, columns = (-(-length // 4) for length in pixels.shape[:2])
    wanted = (4 * rows - pixels.shape[0], 4 * columns - pixels.shape[1])
    if any(wanted):
        pixels = np.pad(pixels, ((0, wanted[0]), (0, wanted[1]), (0, 0)), mode="edge")
    planes = pixels[..., :3].reshape(rows, 4, columns, 4, 3).transpose(4, 1, 3, 0, 2).reshape(3, 16, -1)
    parts = [_strip(planes[..., first : first + _STRIP]) for first in range(0, rows * columns, _STRIP)]
    return np.concatenate(parts).view(np.uint8).reshape(rows, columns, BLOCK_BYTES)


def _strip(texels: NDArray[np.uint8]) -> NDArray[np.uint32]:
    """Blocks (3, 16, B) to words (B, 2)."""
    colors = texels.astype(np.float32)
    low, high = _diagonal(colors)
    shares = _shares(colors, low, high)
    low, high = _refined(colors, shares, low, high)
    first, second = _to_565(high), _to_565(low)
    swap = first < second  # a first colour below the second would mean the mode with transparent texels
    first, second = np.where(swap, second, first), np.where(swap, first, second)
    thirds = np.rint(3.0 * _shares(colors, _from_565(second), _from_565(first))).astype(np.intp)
    codes = np.bitwise_or.reduce(_CODE_OF_THIRDS[thirds] << _TEXEL_SHIFTS, axis=0)
    return np.stack([first | second << np.uint32(16), codes], axis=1)


def _diagonal(colors: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Ends (3, B) of the diagonal of each block's colour box that its colours lie along."""
    low, high = colors.min(axis=1), colors.max(axis=1)
    centered = colors - colors.mean(axis=1, keepdims=True)
    main = centered[np.argmax(high - low, axis=0), :, np.arange(colors.shape[2])].T
    against = (centered * main).sum(axis=1) < 0.0
    return np.where(against, high, low), np.where(against, low, high)


def _shares(
    colors: NDArray[np.float32], low: NDArray[np.float32], high: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Place (16, B) of each texel on the line from ``low`` (0) to ``high`` (1)."""
    along = high - low
    length = (along * along).sum(axis=0)
    along /= np.maximum(length, 1.0)
    start = (low * along).sum(axis=0)
    places: NDArray[np.float32] = colors[0] * along[0]
    places += colors[1] * along[1]
    places += colors[2] * along[2]
    places -= start
    return np.clip(places, 0.0, 1.0, out=places)


def _refined(
    colors: NDArray[np.float32],
    shares: NDArray[np.float32],
    low: NDArray[np.float32],
    high: NDArray[np.float32],
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """The ends that fit the colours best, in least squares, given each texel's share in thirds."""
    upper = np.rint(3.0 * shares) / np.float32(3.0)
    lower = 1.0 - upper
    a, b, c = (upper * upper).sum(0), (upper * lower).sum(0), (lower * lower).sum(0)
    determinant = a * c - b * b
    certain = determinant > 1e-3
    scale = np.where(certain, 1.0 / np.where(certain, determinant, 1.0), 0.0)
    x, y = (colors * upper).sum(axis=1), (colors * lower).sum(axis=1)
    best_high = ((x * c - y * b) * scale).clip(0.0, 255.0)
    best_low = ((y * a - x * b) * scale).clip(0.0, 255.0)
    return np.where(certain, best_low, low), np.where(certain, best_high, high)


def _to_565(color: NDArray[np.float32]) -> NDArray[np.uint32]:
    red, green, blue = (
        np.rint(color[channel] * np.float32(top / 255.0)).astype(np.uint32)
        for channel, top in enumerate((31, 63, 31))
    )
    word: NDArray[np.uint32] = red << np.uint32(11) | green << np.uint32(5) | blue
    return word


def _from_565(word: NDArray[np.uint32]) -> NDArray[np.float32]:
    red, green, blue = word >> np.uint32(11), word >> np.uint32(5) & np.uint32(63), word & np.uint32(31)
    wide = [red << 3 | red >> 2, green << 2 | green >> 4, blue << 3 | blue >> 2]
    return np.stack(wide).astype(np.float32)
