"""Input types of the renderer; NumPy only.

Right-handed coordinates, +Y up, metres. Matrices are named ``target_from_source`` and act on column vectors.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from .errors import RenderConfigError

Wrap = Literal["repeat", "clamp", "mirror"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Texture:
    """One image and how it repeats outside [0, 1]."""

    pixels: NDArray[np.uint8]
    """(h, w, 4) uint8, sRGB colour and linear alpha; row 0 is the top of the image (v = 0, as in glTF)."""
    wrap: tuple[Wrap, Wrap] = ("repeat", "repeat")
    """Wrap modes along u and v."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """Unlit surface colour: texture times factor times vertex colour."""

    base_color: tuple[float, float, float, float] = (1.0, 1.0, 1.0, 1.0)
    """Linear RGBA factor."""
    texture: int = -1
    """Index into ``SceneArrays.textures``; -1 for none."""
    alpha_cutoff: float = 0.0
    """Texels with alpha below this are holes (glTF alpha mode MASK); 0 draws everything."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SceneArrays:
    """Triangles, materials and textures of one scene, in world coordinates.

    Shapes and index ranges are checked when it is made.
    """

    positions: NDArray[np.float32]
    """(V, 3) float32, metres."""
    triangles: NDArray[np.uint32]
    """(F, 3) uint32 indices into the vertices."""
    material_ids: NDArray[np.int32]
    """(F,) int32 indices into ``materials``."""
    uvs: NDArray[np.float32] | None = None
    """(V, 2) float32 texture coordinates; None for none."""
    colors: NDArray[np.uint8] | None = None
    """(V, 4) uint8 linear vertex colours; None for white."""
    object_ids: NDArray[np.int32] | None = None
    """(F,) int32 instance id of each triangle; None for 0."""
    materials: tuple[Material, ...] = (Material(),)
    textures: tuple[Texture, ...] = field(default=())

    def __post_init__(self) -> None:
        """Check shapes, dtypes and index ranges; raises ``RenderConfigError`` naming the field."""
        vertices, faces = len(self.positions), len(self.triangles)
        _check(self.positions, "positions", (vertices, 3), np.float32)
        _check(self.triangles, "triangles", (faces, 3), np.uint32)
        _check(self.material_ids, "material_ids", (faces,), np.int32)
        if self.uvs is not None:
            _check(self.uvs, "uvs", (vertices, 2), np.float32)
        if self.colors is not None:
            _check(self.colors, "colors", (vertices, 4), np.uint8)
        if self.object_ids is not None:
            _check(self.object_ids, "object_ids", (faces,), np.int32)
        if not np.isfinite(self.positions).all():
            raise RenderConfigError("SceneArrays.positions holds NaN or infinite values; remove them")
        if faces and int(self.triangles.max()) >= vertices:
            raise RenderConfigError(
                f"SceneArrays.triangles names vertex {int(self.triangles.max())}, but there are {vertices}"
            )
        _check_range(self.material_ids, "material_ids", len(self.materials))
        for number, texture in enumerate(self.textures):
            _check(texture.pixels, f"textures[{number}].pixels", (*texture.pixels.shape[:2], 4), np.uint8)
        for number, material in enumerate(self.materials):
            if not -1 <= material.texture < len(self.textures):
                raise RenderConfigError(
                    f"materials[{number}].texture is {material.texture}; allowed: -1 to "
                    f"{len(self.textures) - 1}"
                )

    @property
    def num_triangles(self) -> int:
        """Number of triangles F."""
        return len(self.triangles)


def _check(array: NDArray[np.generic], name: str, shape: tuple[int, ...], dtype: type[np.generic]) -> None:
    if array.shape != shape or array.dtype != dtype:
        raise RenderConfigError(
            f"SceneArrays.{name} has shape {array.shape} and dtype {array.dtype}; "
            f"expected {shape} {np.dtype(dtype)}"
        )


def _check_range(ids: NDArray[np.int32], name: str, count: int) -> None:
    if len(ids) and not 0 <= int(ids.min()) <= int(ids.max()) < count:
        raise RenderConfigError(
            f"SceneArrays.{name} ranges over [{ids.min()}, {ids.max()}]; allowed: 0 to {count - 1}"
        )
