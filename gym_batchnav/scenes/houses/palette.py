"""Materials of one house: textures with tints."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from batchnav_renderer.types import Material, Texture

from .dice import Dice
from .textures import texture_pixels

Rgb = tuple[int, int, int]

FIT = 0
"""Repeat of a finish whose texture covers each face once."""


class Palette:
    """Collects the finishes that a house uses; a finish is a number of a material."""

    def __init__(self) -> None:
        self._finishes: dict[tuple[str, Rgb, int, bool], int] = {}
        self._materials: list[Material] = []
        self._textures: dict[str, int] = {}

    def finish(
        self, texture: str, rgb: Rgb = (255, 255, 255), repeat: int = 1000, *, glow: bool = False
    ) -> int:
        """Number of a finish.

        Args:
            texture: name of its texture; "" for none.
            rgb: sRGB tint.
            repeat: repeats of the texture per km; ``FIT`` for once a face.
            glow: whether it shines by itself, as lamps, screens and the view out of a window do.
        """
        key = (texture, rgb, repeat, glow)
        if key not in self._finishes:
            image = self._textures.setdefault(texture, len(self._textures)) if texture else -1
            r, g, b = (_linear(channel) for channel in rgb)
            self._materials.append(Material(base_color=(r, g, b, 1.0), texture=image))
            self._finishes[key] = len(self._materials) - 1
        return self._finishes[key]

    @property
    def materials(self) -> tuple[Material, ...]:
        """All materials, in the order of their numbers."""
        return tuple(self._materials)

    @property
    def textures(self) -> tuple[Texture, ...]:
        """All textures in use."""
        return tuple(Texture(pixels=texture_pixels(name)) for name in self._textures)

    @property
    def repeats(self) -> NDArray[np.int64]:
        """(M,) texture repeats per kilometre of each material; 0 where it fits the face."""
        return np.array([repeat for _, _, repeat, _ in self._finishes], np.int64)

    @property
    def glowing(self) -> NDArray[np.bool_]:
        """(M,) whether the material shines by itself."""
        return np.array([glow for *_, glow in self._finishes], np.bool_)

    @property
    def grained(self) -> NDArray[np.bool_]:
        """(M,) whether the texture has a grain that follows the longer side of a face."""
        return np.array([texture == "wood" for texture, *_ in self._finishes], np.bool_)


def _linear(channel: int) -> float:
    """Linear light of an sRGB byte: a cubic fit of the sRGB curve, free of library powers."""
    c = channel / 255.0
    return c * (c * (c * 0.305306011 + 0.682171111) + 0.012522878)


_WOODS: tuple[Rgb, ...] = ((214, 170, 118), (168, 116, 70), (112, 74, 48), (226, 200, 160), (148, 98, 64))
_FABRICS: tuple[Rgb, ...] = (
    (96, 116, 146),
    (150, 86, 78),
    (116, 132, 104),
    (176, 160, 138),
    (84, 84, 92),
    (196, 150, 88),
    (120, 96, 130),
    (206, 200, 190),
    (52, 94, 104),
)
_WALLS: tuple[Rgb, ...] = (
    (242, 238, 228),
    (232, 226, 210),
    (216, 226, 222),
    (226, 216, 202),
    (204, 214, 226),
    (238, 222, 206),
    (210, 218, 196),
    (236, 228, 236),
    (196, 206, 204),
)
_STONES: tuple[Rgb, ...] = ((222, 220, 216), (150, 150, 152), (96, 94, 92), (206, 190, 170))
_FRONTS: tuple[Rgb, ...] = (
    (238, 238, 234),
    (150, 168, 166),
    (206, 196, 176),
    (92, 106, 120),
    (226, 222, 206),
)


@dataclass(frozen=True, slots=True)
class Style:
    """Finishes that run through one house."""

    palette: Palette
    wood: int
    dark_wood: int
    white: int
    front: int
    """Doors of kitchen units."""
    stone: int
    metal: int
    black: int
    fabric: int
    second_fabric: int
    linen: int
    ceramic: int
    glass: int
    leaf: int
    pot: int
    lamp: int
    books: int
    screen: int
    mirror: int
    trim: int
    """Skirting boards and door frames."""
    door: int

    def fabric_of(self, dice: Dice) -> int:
        """Some other fabric."""
        return self.palette.finish("fabric", dice.pick(_FABRICS), 3000)

    def picture(self, dice: Dice) -> int:
        """Some picture."""
        return self.palette.finish(f"picture{dice.below(4)}", repeat=FIT)

    def rug(self, dice: Dice) -> int:
        """Some rug."""
        return self.palette.finish(f"rug{dice.below(3)}", repeat=FIT)


def make_style(dice: Dice) -> Style:
    """Draw the finishes of a house."""
    palette = Palette()
    woods, fabrics = dice.shuffled(_WOODS), dice.shuffled(_FABRICS)
    return Style(
        palette=palette,
        wood=palette.finish("wood", woods[0], 1500),
        dark_wood=palette.finish("wood", woods[1], 1500),
        white=palette.finish("", (240, 240, 238)),
        front=palette.finish("", dice.pick(_FRONTS)),
        stone=palette.finish("stone", dice.pick(_STONES), 1500),
        metal=palette.finish("", (176, 180, 184)),
        black=palette.finish("", (40, 40, 44)),
        fabric=palette.finish("fabric", fabrics[0], 3000),
        second_fabric=palette.finish("fabric", fabrics[1], 3000),
        linen=palette.finish("fabric", (240, 238, 232), 3000),
        ceramic=palette.finish("", (250, 250, 250)),
        glass=palette.finish("", (176, 206, 212)),
        leaf=palette.finish("leaves", (110, 176, 84), 2500),
        pot=palette.finish("", dice.pick(((172, 96, 66), (90, 92, 96), (226, 222, 214)))),
        lamp=palette.finish("", (255, 244, 214), glow=True),
        books=palette.finish("books", repeat=1600),
        screen=palette.finish("screen", repeat=FIT, glow=True),
        mirror=palette.finish("mirror", repeat=FIT),
        trim=palette.finish("", dice.pick(((246, 246, 242), (222, 216, 204), (150, 110, 76)))),
        door=palette.finish("wood", dice.pick(((236, 232, 224), woods[0], woods[1])), 1000),
    )


def floor_finish(dice: Dice, palette: Palette, kind: str, woods: str) -> int:
    """A floor that suits the kind of room; ``woods`` is the house's wooden floor."""
    if kind in ("bath", "kitchen", "storage"):
        texture = dice.pick(("tiles", "slabs", "checker") if kind != "storage" else ("slabs", "tiles"))
        tint = dice.pick(
            ((236, 232, 224), (196, 206, 210), (214, 196, 172), (172, 178, 176), (226, 226, 230))
        )
        return palette.finish(texture, tint, 1000 if texture != "checker" else 800)
    if kind in ("bedroom", "study") and dice.chance(50):
        tint = dice.pick(
            ((196, 184, 166), (150, 160, 172), (176, 150, 140), (146, 156, 132), (206, 202, 196))
        )
        return palette.finish("carpet", tint, 1200)
    return palette.finish(woods, dice.pick(_WOODS), 1000)


def wall_finish(dice: Dice, palette: Palette, kind: str) -> int:
    """A wall that suits the kind of room."""
    if kind == "bath":
        return palette.finish("tiles", dice.pick(((238, 242, 244), (206, 222, 226), (232, 224, 206))), 1250)
    texture = dice.pick(("plaster", "plaster", "plaster", "stripes", "brick"))
    return palette.finish(texture, dice.pick(_WALLS), 800)
