"""Materials of COLLADA files, reduced to what an unlit renderer draws."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from batchnav_renderer.types import Material, Texture

from .color import linear_from_srgb
from .files import SceneFolder
from .images import image_or_standin

_CUTOFF = 0.5


@dataclass(slots=True)
class ColladaMaterials:
    """Materials of pycollada by number; number 0 is white."""

    folder: SceneFolder
    _materials: list[Material] = field(default_factory=lambda: [Material()])
    _numbers: dict[int, int] = field(default_factory=dict)
    _textures: dict[str, int] = field(default_factory=dict)

    def number(self, material: Any) -> int:
        """Number of a material, or 0 for None."""
        if material is None or material.effect is None:
            return 0
        effect = material.effect
        if id(effect) not in self._numbers:
            self._numbers[id(effect)] = len(self._materials)
            self._materials.append(self._material(effect))
        return self._numbers[id(effect)]

    def uv_set(self, primitive: Any) -> int:
        """Place of the texture coordinates that the diffuse texture reads among those of a primitive."""
        diffuse = getattr(getattr(primitive.material, "effect", None), "diffuse", None)
        _, number = (primitive.inputmap or {}).get(getattr(diffuse, "texcoord", None), (None, None))
        sets = [str(entry[3]) for entry in primitive.original.sources.get("TEXCOORD") or []]
        return sets.index(str(number)) if str(number) in sets else 0

    def finish(self) -> tuple[tuple[Material, ...], tuple[Texture, ...]]:
        """The materials by number, and their textures; broken images give a warning and a stand-in."""
        textures = (
            Texture(pixels=image_or_standin(self.folder, name, "an image")) for name in self._textures
        )
        return tuple(self._materials), tuple(textures)

    def _material(self, effect: Any) -> Material:
        texture, emission = -1, _color(effect.emission)
        image = _image(effect.diffuse)
        if image is not None:
            texture = self._textures.setdefault(image, len(self._textures))
            r, g, b = 1.0, 1.0, 1.0
        else:
            diffuse = _color(effect.diffuse)
            if diffuse is None and emission is None:
                diffuse = (1.0, 1.0, 1.0)
            linear = [linear_from_srgb(np.array(one)) for one in (diffuse, emission) if one is not None]
            r, g, b = np.minimum(sum(linear), 1.0).tolist()
        return Material(base_color=(r, g, b, _opacity(effect)), texture=texture, alpha_cutoff=_CUTOFF)


def _color(value: Any) -> tuple[float, ...] | None:
    """RGB of a colour; None where there is none, or a texture."""
    if not isinstance(value, tuple | list | np.ndarray) or len(value) < 3:
        return None
    return tuple(float(channel) if np.isfinite(channel) else 0.0 for channel in value[:3])


def _image(value: Any) -> str | None:
    """Name of the image of a texture; None for a colour."""
    surface = getattr(getattr(value, "sampler", None), "surface", None)
    name = getattr(getattr(surface, "image", None), "path", None)
    return name if isinstance(name, str) and name else None


def _opacity(effect: Any) -> float:
    """Opacity by COLLADA 1.4.1's rules (chapter 7); the alpha of the diffuse colour has no part in it."""
    transparent, share = effect.transparent, effect.transparency
    if not isinstance(transparent, tuple | list | np.ndarray) or not isinstance(share, int | float):
        return 1.0
    red, green, blue, alpha = (*(float(value) for value in transparent), 1.0, 1.0, 1.0, 1.0)[:4]
    if effect.opaque_mode == "RGB_ZERO":
        opacity = 1.0 - share * (0.212671 * red + 0.715160 * green + 0.072169 * blue)
    else:
        opacity = share * alpha
    # What nobody could see is an exporter that mixed up the two conventions.
    return min(opacity, 1.0) if opacity > 0.0 else 1.0
