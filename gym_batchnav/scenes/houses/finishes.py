"""Finishes: textures with tints, and the materials that they become."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from batchnav_renderer.types import Material, Texture

from .textures import GRAINED, linear, linear_mean, texture_pixels
from .themes import Rgb

FIT = 0
"""Repeat of a finish whose texture covers each face once."""

_DAYLIGHT = (0.90, 0.97, 1.08)
_SCREEN = (0.10, 0.12, 0.15)


class Finish(NamedTuple):
    """What a surface is made of."""

    texture: str
    """Name; "" for none."""
    tint: Rgb
    """sRGB; the mean colour of the surface where the texture is a grey one."""
    repeat: int
    """Repeats of the texture per km; ``FIT`` for once a face."""
    glow: bool
    """Whether it shines by itself."""
    cutoff: int
    """Texels with a smaller alpha, in [0, 255], are holes."""


class Palette:
    """Collects the finishes that a house uses; a finish is a number of a material."""

    def __init__(self) -> None:
        self._numbers: dict[Finish, int] = {}

    def finish(
        self,
        texture: str,
        rgb: Rgb = (255, 255, 255),
        repeat: int = 1000,
        *,
        glow: bool = False,
        cutoff: int = 0,
    ) -> int:
        """Number of a finish.

        Args:
            texture: name of its texture; "" for none.
            rgb: sRGB tint: of a texture without colours of its own the mean colour of the surface.
            repeat: repeats of the texture per km; ``FIT`` for once a face.
            glow: whether it shines by itself, as lamps, screens and the view out of a window do.
            cutoff: texels with a smaller alpha, in [0, 255], are holes.
        """
        key = Finish(texture, rgb, repeat, glow, cutoff)
        return self._numbers.setdefault(key, len(self._numbers))

    @property
    def finishes(self) -> tuple[Finish, ...]:
        """All finishes, in the order of their numbers."""
        return tuple(self._numbers)

    def pack(self, used: NDArray[np.bool_]) -> tuple[tuple[Material, ...], tuple[Texture, ...]]:
        """Materials of the used finishes, in the order of their numbers, and the textures they name."""
        images: dict[str, int] = {}
        materials = []
        for finish, kept in zip(self._numbers, used, strict=True):
            if kept:
                image = images.setdefault(finish.texture, len(images)) if finish.texture else -1
                red, green, blue = _factor(finish)
                materials.append(
                    Material(
                        base_color=(red, green, blue, 1.0), texture=image, alpha_cutoff=finish.cutoff / 255
                    )
                )
        return tuple(materials), tuple(Texture(pixels=texture_pixels(name)) for name in images)

    @property
    def repeats(self) -> NDArray[np.int64]:
        """(M,) texture repeats per kilometre of each finish; 0 where it fits the face."""
        return np.array([finish.repeat for finish in self._numbers], np.int64)

    @property
    def glowing(self) -> NDArray[np.bool_]:
        """(M,) whether the finish shines by itself."""
        return np.array([finish.glow for finish in self._numbers], np.bool_)

    @property
    def grained(self) -> NDArray[np.bool_]:
        """(M,) whether the texture has a grain that follows the longer side of a face."""
        return np.array([finish.texture in GRAINED for finish in self._numbers], np.bool_)

    @property
    def colors(self) -> NDArray[np.float64]:
        """(M, 3) mean colours of the finishes, linear."""
        rows = [_mean_color(finish) for finish in self._numbers]
        return np.array(rows, np.float64).reshape(-1, 3)

    @property
    def emission(self) -> NDArray[np.float64]:
        """(M, 3) light that each finish gives, linear; 0 for those that do not glow."""
        rows = [_emission(finish) for finish in self._numbers]
        return np.array(rows, np.float64).reshape(-1, 3)


def _factor(finish: Finish) -> tuple[float, ...]:
    """Linear factor of a material: brings the mean of a tintable texture to the tint."""
    means = (1.0, 1.0, 1.0) if not finish.texture else linear_mean(finish.texture)[1]
    return tuple(min(linear(channel) / mean, 1.0) for channel, mean in zip(finish.tint, means, strict=True))


def _mean_color(finish: Finish) -> tuple[float, ...]:
    own = (1.0, 1.0, 1.0) if not finish.texture else linear_mean(finish.texture)[0]
    return tuple(factor * mean for factor, mean in zip(_factor(finish), own, strict=True))


def _emission(finish: Finish) -> tuple[float, ...]:
    if not finish.glow:
        return (0.0, 0.0, 0.0)
    if finish.texture.startswith("view"):
        return _DAYLIGHT
    return _SCREEN if finish.texture else tuple(linear(channel) for channel in finish.tint)
