"""Checks of the arrays that callers give."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gym_batchnav.errors import ConfigError


def points(name: str, value: ArrayLike) -> NDArray[np.float32]:
    """A fresh, contiguous (B, 3) float32 array."""
    try:
        array = np.array(value, np.float32, order="C")
    except (TypeError, ValueError) as error:
        raise ConfigError(f"{name} is not an array of numbers: {error}") from error
    if array.ndim != 2 or array.shape[1] != 3:
        raise ConfigError(f"{name} has the shape {array.shape}; (B, 3) is needed")
    return array


def finite(name: str, array: NDArray[np.float32]) -> NDArray[np.float32]:
    """Passes the array on if it has no NaN and no infinity."""
    if not np.isfinite(array).all():
        row = int(np.flatnonzero(~np.isfinite(array).all(axis=1))[0])
        raise ConfigError(f"{name}[{row}] is {array[row].tolist()}; positions must be finite")
    return array


def pair(
    first_name: str, first: ArrayLike, second_name: str, second: ArrayLike
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Two finite (B, 3) float32 arrays of one length."""
    a = finite(first_name, points(first_name, first))
    b = finite(second_name, points(second_name, second))
    if len(a) != len(b):
        raise ConfigError(
            f"{first_name} has {len(a)} rows and {second_name} has {len(b)}; they must be as many"
        )
    return a, b
