"""The last step of materials: emission is added to base colours, and what is not needed is dropped."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from batchnav_renderer.types import Material, Texture

from ..color import linear_from_srgb_bytes, srgb_bytes_from_linear
from .document import Document
from .materials import SurfaceMaterial


def finish_materials(
    entries: list[SurfaceMaterial], textures: tuple[Texture, ...], document: Document
) -> tuple[tuple[Material, ...], tuple[Texture, ...]]:
    """Materials and textures as the renderer takes them.

    Args:
        entries: the materials; their textures are numbers in ``textures``.
        textures: all decoded textures.
        document: the opened asset, which counts the memory of new textures.
    """
    baker = _Baker(list(textures), document)
    materials = [baker.with_emission(entry) for entry in entries]
    used = sorted({material.texture for material in materials if material.texture >= 0})
    places = {number: place for place, number in enumerate(used)} | {-1: -1}
    return (
        tuple(replace(material, texture=places[material.texture]) for material in materials),
        tuple(baker.textures[number] for number in used),
    )


@dataclass(slots=True)
class _Baker:
    textures: list[Texture]
    document: Document
    _baked: dict[tuple[object, ...], int] = field(default_factory=dict)

    def with_emission(self, entry: SurfaceMaterial) -> Material:
        """The material with its emission in its base colour or in a new texture."""
        material, emission = entry.material, np.array(entry.emission)
        if not emission.any():
            return material
        factor = np.array(material.base_color[:3])
        if material.texture < 0 and entry.emission_texture < 0:
            r, g, b = np.minimum(factor + emission, 1.0).tolist()
            return replace(material, base_color=(r, g, b, material.base_color[3]))
        key = (material.texture, entry.emission_texture, material.base_color[:3], entry.emission)
        if key not in self._baked:
            self.textures.append(self._sum(material.texture, factor, entry.emission_texture, emission))
            self._baked[key] = len(self.textures) - 1
        return replace(material, texture=self._baked[key], base_color=(1.0, 1.0, 1.0, material.base_color[3]))

    def _sum(
        self, base: int, factor: NDArray[np.float64], shine: int, emission: NDArray[np.float64]
    ) -> Texture:
        """Base colour plus emission, texel by texel; alpha and wrap modes are the base colour's."""
        like = self.textures[base if base >= 0 else shine]
        self.document.budget.spend(like.pixels.nbytes * 4, "materials with emission")
        pixels = np.empty_like(like.pixels)
        pixels[..., 3] = like.pixels[..., 3] if base >= 0 else 255
        layers = [(self._pixels(base, like), factor), (self._pixels(shine, like), emission)]
        for channel in range(3):
            light = sum(
                (linear_from_srgb_bytes() * np.float32(scale[channel]))[texels[..., channel]]
                for texels, scale in layers
            )
            pixels[..., channel] = srgb_bytes_from_linear(np.asarray(light))
        return Texture(pixels=pixels, wrap=like.wrap)

    def _pixels(self, number: int, like: Texture) -> NDArray[np.uint8]:
        """Texels of a texture (white for none) in the size of another."""
        if number < 0:
            return np.full((1, 1, 4), 255, np.uint8)
        pixels, (height, width) = self.textures[number].pixels, like.pixels.shape[:2]
        if pixels.shape[:2] == (height, width):
            return pixels
        resized = Image.fromarray(pixels).resize((width, height), Image.Resampling.BILINEAR)
        return np.asarray(resized)
