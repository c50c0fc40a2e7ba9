"""Input types of the renderer; NumPy only.

Right-handed coordinates, +Y up, metres. Matrices are named ``target_from_source`` and act on column vectors.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeGuard

import numpy as np
from numpy.typing import NDArray

from .errors import RenderConfigError as RenderConfigError

Wrap = Literal["repeat", "clamp", "mirror"]
WRAP_MODES: tuple[Wrap, ...] = ("repeat", "clamp", "mirror")
_LARGEST = float(np.finfo(np.float32).max)


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
        vertices, faces = _rows(self.positions, "positions"), _rows(self.triangles, "triangles")
        _check(self.positions, "positions", (vertices, 3), np.float32)
        _check(self.triangles, "triangles", (faces, 3), np.uint32)
        _check(self.material_ids, "material_ids", (faces,), np.int32)
        if self.uvs is not None:
            _check(self.uvs, "uvs", (vertices, 2), np.float32)
            _check_finite(self.uvs, "uvs")
        if self.colors is not None:
            _check(self.colors, "colors", (vertices, 4), np.uint8)
        if self.object_ids is not None:
            _check(self.object_ids, "object_ids", (faces,), np.int32)
        _check_finite(self.positions, "positions")
        if faces and int(self.triangles.max()) >= vertices:
            raise RenderConfigError(
                f"SceneArrays.triangles names vertex {int(self.triangles.max())}, but there are {vertices}"
            )
        _check_items(self.materials, "materials", Material)
        _check_items(self.textures, "textures", Texture)
        _check_range(self.material_ids, "material_ids", len(self.materials))
        for number, texture in enumerate(self.textures):
            _check_texture(texture, f"textures[{number}]")
        for number, material in enumerate(self.materials):
            _check_material(material, f"materials[{number}]", len(self.textures))

    @property
    def num_triangles(self) -> int:
        """Number of triangles F."""
        return len(self.triangles)


def _rows(array: object, name: str) -> int:
    """Length of what must be an array."""
    if not isinstance(array, np.ndarray) or not array.ndim:
        raise RenderConfigError(f"SceneArrays.{name} is {array!r:.80}; expected a NumPy array")
    return len(array)


def _check(array: object, name: str, shape: tuple[int, ...], dtype: type[np.generic]) -> None:
    if not isinstance(array, np.ndarray):
        raise RenderConfigError(f"SceneArrays.{name} is {array!r:.80}; expected a NumPy array")
    if array.shape != shape or array.dtype != dtype:
        raise RenderConfigError(
            f"SceneArrays.{name} has shape {array.shape} and dtype {array.dtype}; "
            f"expected {shape} {np.dtype(dtype)}"
        )


def _check_finite(array: NDArray[np.float32], name: str) -> None:
    if not np.isfinite(array).all():
        row = int(np.argmin(np.isfinite(array).all(axis=1)))
        raise RenderConfigError(
            f"SceneArrays.{name} holds NaN or infinite values: row {row} is {array[row].tolist()}; allowed: "
            "finite values"
        )


def _check_items(items: object, name: str, kind: type[Material] | type[Texture]) -> None:
    if not isinstance(items, (tuple, list)) or not all(isinstance(item, kind) for item in items):
        raise RenderConfigError(f"SceneArrays.{name} is {items!r:.80}; expected a tuple of {kind.__name__}")


def _check_texture(texture: Texture, name: str) -> None:
    pixels, wrap = texture.pixels, texture.wrap
    _check(pixels, f"{name}.pixels", (*getattr(pixels, "shape", ())[:2], 4), np.uint8)
    if pixels.ndim != 3 or not pixels.size:
        raise RenderConfigError(
            f"SceneArrays.{name}.pixels has shape {pixels.shape}; expected (h, w, 4) with h and w at least 1"
        )
    known = isinstance(wrap, (tuple, list)) and len(wrap) == 2 and all(mode in WRAP_MODES for mode in wrap)
    if not known:
        raise RenderConfigError(f"SceneArrays.{name}.wrap is {wrap!r:.80}; allowed: two of {WRAP_MODES}")


def _check_material(material: Material, name: str, num_textures: int) -> None:
    color, texture, cutoff = material.base_color, material.texture, material.alpha_cutoff
    if (
        not isinstance(color, (tuple, list, np.ndarray))
        or len(color) != 4
        or not all(is_number(value) and abs(value) <= _LARGEST for value in color)
    ):
        raise RenderConfigError(
            f"SceneArrays.{name}.base_color is {color!r:.80}; allowed: four finite float32 numbers"
        )
    if not is_number(cutoff) or not 0.0 <= cutoff <= 1.0:
        raise RenderConfigError(f"SceneArrays.{name}.alpha_cutoff is {cutoff!r:.80}; allowed: 0 to 1")
    if not hasattr(texture, "__index__") or not -1 <= texture < num_textures:
        raise RenderConfigError(
            f"SceneArrays.{name}.texture is {texture!r:.80}; allowed: -1 to {num_textures - 1}"
        )


def is_number(value: object) -> TypeGuard[float]:
    """Whether ``value`` is one real number, of Python or NumPy, and no bool."""
    return isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)


def _check_range(ids: NDArray[np.int32], name: str, count: int) -> None:
    if len(ids) and not 0 <= int(ids.min()) <= int(ids.max()) < count:
        raise RenderConfigError(
            f"SceneArrays.{name} ranges over [{ids.min()}, {ids.max()}]; allowed: 0 to {count - 1}"
        )
