"""Camera maths, and the one place where the conventions are said.

World and camera space are right-handed with +Y up; a camera looks down its -Z axis, +X is to its right.
Matrices are named ``target_from_source`` and act on column vectors, so
``clip_from_world = clip_from_camera @ camera_from_world``. Clip space is OpenGL's with a zero-to-one depth
range and reversed Z: the near plane maps to 1 and infinity to 0. Its Y axis points down, so that the first
row of memory is the top of the image. A heading of 0 looks down -Z; a positive heading turns left,
counter-clockwise seen from above; a positive pitch looks up. Metres and radians.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray


def clip_from_camera(hfov: ArrayLike, aspect: float, near: float) -> NDArray[np.float64]:
    """Projection with an infinite far plane, reversed Z and Y pointing down.

    The clip depth is ``near`` and the clip w is the planar distance, so the window depth is exactly
    ``near / distance``: a float depth buffer keeps millimetres at any range (Reed, "Depth Precision
    Visualized").

    Args:
        hfov: (...) horizontal fields of view, radians, in (0, pi).
        aspect: width divided by height; pixels are square.
        near: distance of the near plane, metres.

    Returns:
        (..., 4, 4) float64.
    """
    scale = 1.0 / np.tan(np.asarray(hfov, np.float64) / 2.0)
    matrix = np.zeros((*scale.shape, 4, 4))
    matrix[..., 0, 0] = scale
    matrix[..., 1, 1] = -scale * aspect
    matrix[..., 2, 3] = near
    matrix[..., 3, 2] = -1.0
    return matrix


def world_from_camera(position: ArrayLike, heading: ArrayLike, pitch: ArrayLike = 0.0) -> NDArray[np.float64]:
    """Poses of cameras without roll.

    Args:
        position: (..., 3) metres.
        heading: (...) radians; 0 looks down -Z, positive turns left.
        pitch: (...) radians, positive looks up.

    Returns:
        (..., 4, 4) float64 rigid transforms, heading applied after pitch.
    """
    where = np.asarray(position, np.float64)
    turn, tilt = np.broadcast_arrays(np.asarray(heading, np.float64), np.asarray(pitch, np.float64))
    shape = np.broadcast_shapes(where.shape[:-1], turn.shape)
    cos_turn, sin_turn, cos_tilt, sin_tilt = np.cos(turn), np.sin(turn), np.cos(tilt), np.sin(tilt)
    matrix = np.zeros((*shape, 4, 4))
    matrix[..., 0, 0], matrix[..., 0, 1], matrix[..., 0, 2] = (
        cos_turn,
        sin_turn * sin_tilt,
        sin_turn * cos_tilt,
    )
    matrix[..., 1, 1], matrix[..., 1, 2] = cos_tilt, -sin_tilt
    matrix[..., 2, 0], matrix[..., 2, 1], matrix[..., 2, 2] = (
        -sin_turn,
        cos_turn * sin_tilt,
        cos_turn * cos_tilt,
    )
    matrix[..., :3, 3] = where
    matrix[..., 3, 3] = 1.0
    return matrix


def rigid_inverse(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """Inverses of affine transforms whose last row is (0, 0, 0, 1); (..., 4, 4) to (..., 4, 4)."""
    inverse = np.zeros_like(matrix)
    inverse[..., :3, :3] = np.linalg.inv(matrix[..., :3, :3])
    inverse[..., :3, 3] = -np.einsum("...ij,...j->...i", inverse[..., :3, :3], matrix[..., :3, 3])
    inverse[..., 3, 3] = 1.0
    return inverse
