"""Materials, reduced to what an unlit renderer draws: base colour, emission, texture and cut-out."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from batchnav_renderer.types import Material

from ..scene import SceneWarning
from .document import Document
from .fields import Fields
from .textures import Textures

_BLEND_CUTOFF = 0.5
"""Blended surfaces are drawn as cut-outs: depth has one surface a pixel, and glass is seen through."""
_Coordinates = tuple[int | None, NDArray[np.float64] | None]
_ALPHA_MODES = ("OPAQUE", "MASK", "BLEND")


@dataclass(frozen=True, slots=True)
class SurfaceMaterial:
    """A material, how it reads texture coordinates, and what it emits."""

    material: Material
    uv_set: int | None = None
    """Texture coordinate set of its textures; None where it has none."""
    uv_from_mesh: NDArray[np.float64] | None = None
    """(2, 3) affine map of KHR_texture_transform; None for the identity."""
    emission: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """Linear RGB that is added to the base colour, times its texture."""
    emission_texture: int = -1
    """Texture of the emission, read at the same coordinates; -1 for none."""


@dataclass(frozen=True, slots=True)
class _Layer:
    """A factor with its texture."""

    factor: tuple[float, ...]
    info: Fields | None


def read_material(document: Document, textures: Textures, index: int | None, place: str) -> SurfaceMaterial:
    """Read material ``index``; None gives glTF's default material (white).

    What a surface emits is added to its base colour, as if it were seen in white light of strength 1, and
    clipped at 1. KHR_materials_unlit leaves emission out.

    Raises:
        SceneError: the material or what it names is broken.
    """
    if index is None:
        return SurfaceMaterial(Material())
    fields = document.item("materials", index, place)
    base, emission, cutoff = _base(fields), _emission(fields), _cutoff(fields)
    if max(base.factor[:3]) <= 0.0 and emission is not None and not cutoff:
        base, emission = _Layer((*emission.factor, base.factor[3]), emission.info), None
    r, g, b, a = (min(max(value, 0.0), 1.0) for value in base.factor)
    if cutoff > 1.0:  # nothing is that opaque, so all of it is a hole
        a, cutoff = 0.0, 1.0
    material = Material(base_color=(r, g, b, a), texture=_texture(textures, base.info), alpha_cutoff=cutoff)
    coordinates = _coordinates(base.info)
    if emission is None:
        return SurfaceMaterial(material, *coordinates)
    if base.info is None:
        coordinates = _coordinates(emission.info)
    elif emission.info is not None and not _same(coordinates, _coordinates(emission.info)):
        _warn_of_coordinates(document, fields)
        return SurfaceMaterial(material, *coordinates)
    r, g, b = emission.factor
    return SurfaceMaterial(material, *coordinates, (r, g, b), _texture(textures, emission.info))


def _base(fields: Fields) -> _Layer:
    """Linear RGBA factor and texture of the base colour."""
    glossiness = fields.child_or_empty("extensions").child("KHR_materials_pbrSpecularGlossiness")
    pbr = fields.child_or_empty("pbrMetallicRoughness")
    if glossiness is not None and not (pbr.has("baseColorFactor") or pbr.has("baseColorTexture")):
        factor = glossiness.numbers("diffuseFactor", (1.0, 1.0, 1.0, 1.0))
        return _Layer(factor, glossiness.child("diffuseTexture"))
    return _Layer(pbr.numbers("baseColorFactor", (1.0, 1.0, 1.0, 1.0)), pbr.child("baseColorTexture"))


def _emission(fields: Fields) -> _Layer | None:
    """Linear RGB factor and texture of what a lit material emits, or None where that is nothing."""
    extensions = fields.child_or_empty("extensions")
    strength = extensions.child_or_empty("KHR_materials_emissive_strength").number("emissiveStrength", 1.0)
    factor = fields.numbers("emissiveFactor", (0.0, 0.0, 0.0))
    factor = tuple(min(max(value * max(strength, 0.0), 0.0), 1.0) for value in factor)
    if extensions.has("KHR_materials_unlit") or max(factor) <= 0.0:
        return None
    return _Layer(factor, fields.child("emissiveTexture"))


def _texture(textures: Textures, info: Fields | None) -> int:
    return -1 if info is None else textures.number(info.integer("index"), info.place)


def _same(left: _Coordinates, right: _Coordinates) -> bool:
    left_map, right_map = (np.eye(2, 3) if one[1] is None else one[1] for one in (left, right))
    return left[0] == right[0] and np.array_equal(left_map, right_map)


def _warn_of_coordinates(document: Document, fields: Fields) -> None:
    warnings.warn(
        f"{document.path}: {fields.place}.emissiveTexture is read at other coordinates than the "
        "base colour's texture; what it emits is left out",
        SceneWarning,
        stacklevel=4,
    )


def _coordinates(info: Fields | None) -> _Coordinates:
    """Texture coordinate set and the (2, 3) map of KHR_texture_transform."""
    if info is None:
        return None, None
    uv_set = info.integer("texCoord", 0, high=15)
    transform = info.child_or_empty("extensions").child("KHR_texture_transform")
    if transform is None:
        return uv_set, None
    angle = transform.number("rotation", 0.0)
    (sx, sy), (ox, oy) = transform.numbers("scale", (1.0, 1.0)), transform.numbers("offset", (0.0, 0.0))
    c, s = math.cos(angle), math.sin(angle)
    # Counter-clockwise with v pointing down, as Khronos' test model asks.
    matrix = np.array([[c * sx, s * sy, ox], [-s * sx, c * sy, oy]])
    return transform.integer("texCoord", uv_set, high=15), matrix


def _cutoff(fields: Fields) -> float:
    mode = fields.text("alphaMode", "OPAQUE")
    if mode not in _ALPHA_MODES:
        raise fields.error("alphaMode", f"is {mode!r:.20}; expected one of {_ALPHA_MODES}")
    if mode == "OPAQUE":
        return 0.0
    if mode == "BLEND":
        return _BLEND_CUTOFF
    return max(fields.number("alphaCutoff", 0.5), 0.0)
