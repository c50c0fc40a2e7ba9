"""Light that is baked into vertex colours."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]

# Light in [0, 255] that falls on faces towards -x, +x, -y, +y, -z, +z.
_CUBE = np.array([[176, 110, 150], [226, 255, 204]], np.int64)


def bake_light(corners: Ints, normals: Ints, glowing: NDArray[np.bool_]) -> NDArray[np.uint8]:
    """Light that reaches the corners of quads.

    Args:
        corners: (Q, 4, 3) millimetres.
        normals: (Q, 4, 3) directions of any length.
        glowing: (Q,) surfaces that shine and take no light.

    Returns:
        (Q, 4, 3) linear RGB.
    """
    squares = normals * normals
    light = np.where(normals > 0, _CUBE[1], _CUBE[0]) * squares
    shade = light.sum(axis=2) // np.maximum(squares.sum(axis=2), 1)
    shade = np.where(glowing[:, None], 255, shade)
    return np.repeat(shade[..., None], 3, axis=2).astype(np.uint8)
