"""Encoding sRGB in compiled code, and mipmaps that are averaged in linear light."""

from __future__ import annotations

import numpy as np

from ..srgb import DECODE, ENCODE, ENCODE_STEPS
from ._jit import Array, Real, kernel, part

_ZERO, _HALF, _ONE, _STEPS = np.float32(0.0), np.float32(0.5), np.float32(1.0), np.float32(ENCODE_STEPS)
_QUARTER = np.float32(0.25)


@part
def encode(light: Real) -> int:
    """The byte of light; what is outside [0, 1] is clipped, and NaN is black."""
    # Compared so that NaN fails: min and max would let it through, to an index outside the table.
    within = light if light > _ZERO else _ZERO
    code: int = ENCODE[int((within if within < _ONE else _ONE) * _STEPS + _HALF)]
    return code


def num_texels(size: int) -> int:
    """Texels of an image of ``size`` (a power of two) a side and its mipmaps, the last of one texel."""
    return (4 * size * size - 1) // 3


@part
def _average(a: int, b: int, c: int, d: int) -> int:
    """One texel of four: colours in linear light, alpha as it is."""
    texel = 0
    for shift in range(0, 24, 8):
        light = DECODE[(a >> shift) & 255] + DECODE[(b >> shift) & 255]
        light += DECODE[(c >> shift) & 255] + DECODE[(d >> shift) & 255]
        texel |= int(encode(light * _QUARTER)) << shift
    return texel | (((a >> 24) + (b >> 24) + (c >> 24) + (d >> 24) + 2) >> 2 << 24)


@kernel
def fill_mipmaps(texels: Array, first: int, size: int) -> None:
    """Write the mipmaps of an image behind it, each half as large.

    Args:
        texels: (T,) uint32, red in the lowest byte; read and written.
        first: where the image of ``size`` x ``size`` texels begins.
        size: a power of two.
    """
    while size > 1:
        half, target = size >> 1, first + size * size
        for y in range(half):
            for x in range(half):
                above = first + 2 * y * size + 2 * x
                below = above + size
                texels[target + y * half + x] = _average(
                    np.int64(texels[above]), np.int64(texels[above + 1]),
                    np.int64(texels[below]), np.int64(texels[below + 1]),
                )  # fmt: skip
        first, size = target, half
