"""Materials, reduced to what an unlit renderer draws: base colour, texture and cut-out."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from batchnav_renderer.types import Material

from .document import Document
from .fields import Fields
from .textures import Textures

_BLEND_CUTOFF = 0.5
"""Blended surfaces are drawn as cut-outs: depth has one surface a pixel, and glass is seen through."""
_ALPHA_MODES = ("OPAQUE", "MASK", "BLEND")


@dataclass(frozen=True, slots=True)
class SurfaceMaterial:
    """A material and how it reads texture coordinates."""

    material: Material
    uv_set: int | None = None
    """Texture coordinate set of its texture; None where it has no texture."""
    uv_from_mesh: NDArray[np.float64] | None = None
    """(2, 3) affine map of KHR_texture_transform; None for the identity."""


def read_material(document: Document, textures: Textures, index: int | None, place: str) -> SurfaceMaterial:
    """Read material ``index``; None gives glTF's default material (white).

    Raises:
        SceneError: the material or what it names is broken.
    """
    if index is None:
        return SurfaceMaterial(Material())
    fields = document.item("materials", index, place)
    factor, info = _base_color(fields)
    texture, uv_set, transform = -1, None, None
    if info is not None:
        texture = textures.number(info.integer("index"), info.place)
        uv_set, transform = _texture_coordinates(info)
    cutoff = _cutoff(fields)
    if cutoff > 1.0:  # nothing is that opaque, so all of it is a hole
        factor, cutoff = (*factor[:3], 0.0), 1.0
    return SurfaceMaterial(
        Material(base_color=factor, texture=texture, alpha_cutoff=cutoff), uv_set, transform
    )


def _base_color(fields: Fields) -> tuple[tuple[float, float, float, float], Fields | None]:
    """Linear RGBA factor and texture; what shines stands in for a black base colour."""
    pbr = fields.child_or_empty("pbrMetallicRoughness")
    glossiness = fields.child_or_empty("extensions").child("KHR_materials_pbrSpecularGlossiness")
    if glossiness is not None and not fields.has("pbrMetallicRoughness"):
        r, g, b, a = glossiness.numbers("diffuseFactor", (1.0, 1.0, 1.0, 1.0))
        info = glossiness.child("diffuseTexture")
    else:
        r, g, b, a = pbr.numbers("baseColorFactor", (1.0, 1.0, 1.0, 1.0))
        info = pbr.child("baseColorTexture")
    if max(r, g, b) <= 0.0:
        emissive = fields.numbers("emissiveFactor", (0.0, 0.0, 0.0))
        if max(emissive) > 0.0:
            (r, g, b), info = emissive, fields.child("emissiveTexture")
    r, g, b, a = (min(max(value, 0.0), 1.0) for value in (r, g, b, a))
    return (r, g, b, a), info


def _texture_coordinates(info: Fields) -> tuple[int, NDArray[np.float64] | None]:
    """Texture coordinate set and the (2, 3) map of KHR_texture_transform."""
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
