"""sRGB by table (IEC 61966-2-1); pure NumPy."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

ENCODE_STEPS = 8192  # fine enough that a step is never more than 0.4 of a byte, at black


def _decode(code: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.where(code <= 0.04045, code / 12.92, ((code + 0.055) / 1.055) ** 2.4)


def _encode(light: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.where(light <= 0.0031308, light * 12.92, 1.055 * light ** (1 / 2.4) - 0.055)


DECODE = _decode(np.arange(256) / 255.0).astype(np.float32)
"""(256,) float32 light in [0, 1] of a byte."""
ENCODE = np.rint(_encode(np.arange(ENCODE_STEPS + 1) / ENCODE_STEPS) * 255.0).astype(np.uint8)
"""(8193,) uint8 of light in steps of 1/8192."""
