"""Quaternions to matrices."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .fields import Fields


def rotation_matrices(quaternions: NDArray[np.float64], fields: Fields, key: str) -> NDArray[np.float64]:
    """(n, 3, 3) rotation matrices of (n, 4) quaternions (x, y, z, w) of any length.

    Raises:
        SceneError: a quaternion is zero; the message names field ``key``.
    """
    largest = np.abs(quaternions).max(axis=1, initial=0.0)
    if (largest < 1e-6).any():
        row = int(np.argmax(largest < 1e-6))
        raise fields.error(key, f"is {quaternions[row].tolist()}, which is no rotation")
    scaled = quaternions / largest[:, None]
    x, y, z, w = (scaled / np.linalg.norm(scaled, axis=1, keepdims=True)).T
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), 2, 0)
