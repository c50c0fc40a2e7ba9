"""Rugs and mats: thin enough to walk over."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from ..brush import Brush
from ..shapes import Shape, cuboid, join, sheet, tilted
from .decor import Decor

THICK = 9


def rug(brush: Brush, decor: Decor, x: tuple[int, int], z: tuple[int, int]) -> None:
    """Draw a rug on the floor, as a thing of its own."""
    _lie(brush.part("misc"), decor.style.rug(decor.dice), x, z)


def mat(brush: Brush, decor: Decor, x: tuple[int, int], z: tuple[int, int]) -> None:
    """Draw a plain mat on the floor, as a thing of its own."""
    own, size = brush.part("misc"), (x[1] - x[0], z[1] - z[0])
    finish = decor.style.towel_of(decor.dice)
    own.put(cuboid(size[0], THICK + 4, size[1], "lrubf"), finish, (x[0] + x[1]) // 2, 0, (z[0] + z[1]) // 2)


def _lie(brush: Brush, finish: int, x: tuple[int, int], z: tuple[int, int]) -> None:
    brush.put(_shape(x[1] - x[0], z[1] - z[0]), finish, (x[0] + x[1]) // 2, 0, (z[0] + z[1]) // 2)


@lru_cache(maxsize=64)
def _shape(width: int, depth: int) -> Shape:
    """The pattern once over a rug about x = z = 0, with plain edges."""
    flat = tilted(sheet(width, depth, max(width // 350, 1), max(depth // 350, 1)), 0, -1, 1)
    face = flat._replace(corners=flat.corners + np.array([0, THICK, depth // 2]))
    rim = cuboid(width, THICK, depth, "lrbf")
    plain = rim._replace(texture=np.full_like(rim.texture, 20))
    return join(face, plain)
