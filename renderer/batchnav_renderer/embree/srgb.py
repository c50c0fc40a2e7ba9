"""sRGB by table (IEC 61966-2-1), and the mipmaps that are averaged in linear light."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ._jit import Array, Real, kernel, part

ENCODE_STEPS = 8192  # fine enough that a step is never more than 0.4 of a byte, at black


def _decode(code: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.where(code <= 0.04045, code / 12.92, ((code + 0.055) / 1.055) ** 2.4)


def _encode(light: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.where(light <= 0.0031308, light * 12.92, 1.055 * light ** (1 / 2.4) - 0.055)


DECODE = _decode(np.arange(256) / 255.0).astype(np.float32)
"""(256,) float32 light in [0, 1] of a byte."""
ENCODE = np.rint(_encode(np.arange(ENCODE_STEPS + 1) / ENCODE_STEPS) * 255.0).astype(np.uint8)
"""(8193,) uint8 of light in steps of 1/8192."""
_ZERO, _HALF, _ONE, _STEPS = np.float32(0.0), np.float32(0.5), np.float32(1.0), np.float32(ENCODE_STEPS)


@part
def encode(light: Real) -> int:
    """The byte of light; what is outside [0, 1] is clipped, and NaN is black."""
    # Compared so that NaN fails: min and max would let it through, to an index outside the table.
    within = light if light > _ZERO else _ZERO
    code: int = ENCODE[int((within if within < _ONE else _ONE) * _STEPS + _HALF)]
    return code


@kernel
def _halve(image: Array, half: Array) -> None:
    """Average 2 x 2 texels of (2s, 2s, 4) uint8 into (s, s, 4): colours in linear light, alpha as it is."""
    quarter = np.float32(0.25)
    for y in range(len(half)):
        for x in range(len(half)):
            texels = image[2 * y : 2 * y + 2, 2 * x : 2 * x + 2]
            for channel in range(3):
                light = DECODE[texels[0, 0, channel]] + DECODE[texels[0, 1, channel]]
                light += DECODE[texels[1, 0, channel]] + DECODE[texels[1, 1, channel]]
                half[y, x, channel] = encode(light * quarter)
            alpha = int(texels[0, 0, 3]) + int(texels[0, 1, 3]) + int(texels[1, 0, 3]) + int(texels[1, 1, 3])
            half[y, x, 3] = (alpha + 2) // 4


def pyramid(image: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """All mipmaps of a (s, s, 4) image, s a power of two, one after another: (about 4/3 s^2, 4) uint8."""
    levels = [np.ascontiguousarray(image)]
    while len(levels[-1]) > 1:
        half = np.empty((len(levels[-1]) // 2, len(levels[-1]) // 2, 4), np.uint8)
        _halve(levels[-1], half)
        levels.append(half)
    return np.concatenate([level.reshape(-1, 4) for level in levels])
