"""sRGB bytes and linear light (IEC 61966-2-1)."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

_STEPS = 65535


def linear_from_srgb(encoded: NDArray[np.float64]) -> NDArray[np.float64]:
    """Linear light of sRGB values, which are clipped to [0, 1]; any shape."""
    value = np.clip(encoded, 0.0, 1.0)
    return np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)


@lru_cache(maxsize=1)
def linear_from_srgb_bytes() -> NDArray[np.float32]:
    """(256,) float32 linear light of each sRGB byte."""
    return linear_from_srgb(np.arange(256) / 255.0).astype(np.float32)


def srgb_bytes_from_linear(light: NDArray[np.floating]) -> NDArray[np.uint8]:
    """Nearest sRGB bytes of linear light, which is clipped to [0, 1]; any shape."""
    steps = np.rint(np.clip(light, 0.0, 1.0) * _STEPS).astype(np.uint16)
    encoded: NDArray[np.uint8] = _encoded()[steps]
    return encoded


@lru_cache(maxsize=1)
def _encoded() -> NDArray[np.uint8]:
    linear = np.arange(_STEPS + 1) / _STEPS
    encoded = np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)
    return np.rint(encoded * 255.0).astype(np.uint8)
