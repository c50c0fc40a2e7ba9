"""A simple baked light: how bright a surface is by where it faces and how near to floor and corners it is."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]

# Light in [0, 256] that falls on faces towards -x, +x, -y, +y, -z, +z.
_CUBE = np.array([176, 226, 110, 256, 150, 204], np.int64)


def face_light(normals: Ints, turns: Ints) -> Ints:
    """Light in [0, 256] of faces with local ``normals`` (Q, 3) turned by ``turns`` (Q, 3: c, s, d)."""
    c, s, d = turns.T
    x = c * normals[:, 0] - s * normals[:, 2]
    z = s * normals[:, 0] + c * normals[:, 2]
    across = x * x * np.where(x > 0, _CUBE[1], _CUBE[0]) + z * z * np.where(z > 0, _CUBE[5], _CUBE[4])
    upright = np.where(normals[:, 1] > 0, _CUBE[3], _CUBE[2])
    return np.asarray(np.where(normals[:, 1] == 0, across // (d * d), upright), np.int64)


def height_light(y: Any) -> Ints:
    """Light in [0, 256] by height in millimetres: dim at the floor, full from 0.7 m on."""
    return np.asarray(150 + np.clip(y, 0, 700) * 106 // 700, np.int64)


def corner_light(distance: Any, reach: int, dim: int) -> Ints:
    """Light in [0, 256] by the distance (mm) to a corner: ``dim`` there, full from ``reach`` on."""
    return np.asarray(dim + np.clip(distance, 0, reach) * (256 - dim) // reach, np.int64)
