"""Books, in rows and in piles."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from ..brush import Brush
from ..mesh import Turn
from ..shapes import Shape, cuboid, join, moved
from ..shapes.shape import Ints, flat
from .decor import Decor

SLIGHT = (Turn(1, 0), Turn(60, 11, 61), Turn(60, -11, 61), Turn(24, 7, 25), Turn(24, -7, 25))
"""Turns of things that were put down straight, more or less."""


@lru_cache(maxsize=512)
def _book(wide: int, thick: int, deep: int) -> Shape:
    """A lying book: two covers, a back and the pages between them."""
    return join(
        cuboid(wide, 3, deep),
        moved(cuboid(wide, 3, deep), 0, thick - 3, 0),
        moved(cuboid(3, thick - 6, deep, "lrbf"), -wide // 2 + 2, 3, 0),
        moved(cuboid(wide - 14, thick - 6, deep - 10, "rbf"), -2, 3, 0),
    )


def _covered(decor: Decor) -> Ints:
    """Finishes of a lying book's quads: 6 + 6 + 4 of the cover, then the pages."""
    return np.array([decor.dice.pick(decor.books)] * 16 + [decor.style.paper] * 3, np.int64)


def pile(brush: Brush, decor: Decor, count: int = 3) -> None:
    """Draw books lying on each other."""
    own, y, dice = brush.part("objects"), 0, decor.dice
    for _ in range(count):
        wide, deep, thick = dice.between(140, 200, 10), dice.between(190, 230, 10), dice.between(18, 42, 3)
        turn = dice.pick(SLIGHT)
        own.put(_book(wide, thick, deep), _covered(decor), 0, y, 0, turn)
        y += thick


def upright_books(brush: Brush, decor: Decor, width: int, *, tall: int = 280, deep: int = 200) -> None:
    """Draw a row of books about x = 0, their backs towards +z at z = ``deep / 2``; one thing in all."""
    dice, x, rows, finishes = decor.dice, -(width // 2), [], []
    while x < width // 2 - 14:
        thick = min(dice.between(16, 52, 2), width // 2 - x)
        height = tall * dice.between(62, 98) // 100
        rows.append((x, thick, height, deep * dice.between(74, 100) // 100))
        finishes.append(dice.pick(decor.books))
        x += thick + 1
        if dice.chance(4):
            x += 30
    if rows:
        table = np.array(rows, np.int64)
        brush.part("objects").put(_row_of_books(table, deep), np.tile(np.array(finishes, np.int64), 4))


def _row_of_books(table: Ints, deep: int) -> Shape:
    """Fronts, tops and both sides of upright books."""
    x0, x1, top = table[:, 0], table[:, 0] + table[:, 1], table[:, 2]
    z1 = deep // 2 - (np.arange(len(table)) * 7 % 5) * 3
    z0, low = z1 - table[:, 3], np.zeros_like(x0)

    def corners(*points: tuple[Ints, Ints, Ints]) -> Ints:
        return np.stack([np.stack(point, axis=1) for point in points], axis=1)

    faces = [
        corners((x0, low, z1), (x1, low, z1), (x1, top, z1), (x0, top, z1)),
        corners((x0, top, z1), (x1, top, z1), (x1, top, z0), (x0, top, z0)),
        corners((x0, low, z0), (x0, low, z1), (x0, top, z1), (x0, top, z0)),
        corners((x1, low, z1), (x1, low, z0), (x1, top, z0), (x1, top, z1)),
    ]
    quads = np.concatenate(faces)
    return flat(quads, quads[..., :2])


def magazine(brush: Brush, decor: Decor) -> None:
    """Draw magazines lying on each other."""
    own = brush.part("objects")
    for y in (0, 6, 12)[: decor.dice.between(1, 3)]:
        own.put(
            cuboid(210, 6, 280, "lrubf"), decor.style.accent(decor.dice), 0, y, 0, decor.dice.pick(SLIGHT)
        )
