"""Where stages and objects stand: frames, scales and rotations as the files of a data set give them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..gltf.fields import Fields
from ..gltf.rotations import rotation_matrices

Vector = tuple[float, float, float]
Y_UP: tuple[Vector, Vector] = ((0.0, 1.0, 0.0), (0.0, 0.0, -1.0))
Z_UP: tuple[Vector, Vector] = ((0.0, 0.0, 1.0), (0.0, 1.0, 0.0))
_ORTHOGONAL = 1e-3
_LARGEST_SCALE = 1e9


@dataclass(frozen=True, slots=True)
class Pose:
    """Rotation and translation of an instance, float64."""

    rotation: NDArray[np.float64]
    """(3, 3)."""
    translation: NDArray[np.float64]
    """(3,) metres."""
    scale: NDArray[np.float64]
    """(3,) factors along the world's axes before the rotation."""


def frame_rotation(fields: Fields, usual: tuple[Vector, Vector]) -> NDArray[np.float64]:
    """(3, 3) rotation that brings the file's ``up`` to +Y and its ``front`` to -Z.

    Args:
        fields: attributes of a stage or an object.
        usual: up and front where both are absent. With up alone, front is what is usual for that axis.

    Raises:
        SceneError: they are no directions, or not at right angles to each other.
    """
    up = np.array(fields.numbers("up", usual[0]))
    fallback = usual[1]
    if fields.has("up"):
        fallback = next((front for known, front in (Y_UP, Z_UP) if np.allclose(up, known)), usual[1])
    front = np.array(fields.numbers("front", fallback))
    lengths = np.linalg.norm([up, front], axis=1)
    if not (lengths > 1e-6).all():
        raise fields.error("up", f"is {up.tolist()} and front is {front.tolist()}; expected two directions")
    up, front = up / lengths[0], front / lengths[1]
    if abs(float(up @ front)) > _ORTHOGONAL:
        raise fields.error(
            "front", f"is {front.tolist()}, at no right angle to up, which is {up.tolist()}; give both"
        )
    front = front - (front @ up) * up
    front /= np.linalg.norm(front)
    return np.stack([np.cross(front, up), up, -front])


def scales(fields: Fields) -> NDArray[np.float64]:
    """(3,) metres for each unit of the file along the turned axes: ``scale`` times ``units_to_meters``."""
    units = fields.number("units_to_meters", 1.0)
    return _checked(fields, "scale", np.array(fields.numbers("scale", (1.0, 1.0, 1.0))) * units)


def instance_pose(fields: Fields) -> Pose:
    """Pose of an instance: scaled first, then turned (w, x, y, z), then moved.

    Raises:
        SceneError: a number is not finite, the quaternion is zero, or a scale is zero.
    """
    w, x, y, z = fields.numbers("rotation", (1.0, 0.0, 0.0, 0.0))
    scale = np.array(fields.numbers("non_uniform_scale", (1.0, 1.0, 1.0)))
    scale = _checked(fields, "uniform_scale", scale * fields.number("uniform_scale", 1.0))
    return Pose(
        rotation=rotation_matrices(np.array([[x, y, z, w]]), fields, "rotation")[0],
        translation=np.array(fields.numbers("translation", (0.0, 0.0, 0.0))),
        scale=scale,
    )


def _checked(fields: Fields, key: str, scale: NDArray[np.float64]) -> NDArray[np.float64]:
    size = np.abs(scale)
    if not ((size > 1.0 / _LARGEST_SCALE) & (size < _LARGEST_SCALE)).all():
        raise fields.error(key, f"makes a scale of {scale.tolist()}; expected factors that are not 0")
    return scale
