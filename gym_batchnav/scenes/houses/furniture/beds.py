"""Beds with bedside tables."""

from __future__ import annotations

from functools import lru_cache

from ..brush import Brush
from ..mesh import QUARTER_TURNS
from ..shapes import Shape, cloth, cushion, join, moved, rounded_box, soft_box, tilted, tipped
from .cases import bedside
from .decor import Decor
from .parts import board, legs
from .piece import Piece

LENGTH = 2080
LYING = 520
"""Height of the mattress's upper side."""


def bed(decor: Decor, width: int, tables: tuple[int, ...]) -> Piece:
    """A bed with its head to the wall.

    Args:
        decor: of the house.
        width: of the mattress, 900 to 1800.
        tables: sides that have a bedside table, out of -1 and 1.
    """
    dice = decor.dice
    kind, lamps = dice.below(4), dice.chance(80)
    half, room = width // 2 + 56, 460
    left, right = (half + room if side in tables else half for side in (-1, 1))
    shift = (left - right) // 2

    def draw(brush: Brush) -> None:
        inner = brush.moved(shift, 0)
        _frame(inner, decor, half, kind)
        _bedding(inner, decor, width)
        inner.block((-half, half), (0, LENGTH), 20)
        for side in tables:
            bedside(inner.moved(side * (half + 235), 0), decor, lamp=lamps)

    return Piece(left + right, LENGTH, 1100, draw, front=450, sill=850, class_name="bed")


def daybed(decor: Decor) -> Piece:
    """A single bed with its long side to the wall."""
    kind, half = decor.dice.between(1, 3), 506

    def draw(brush: Brush) -> None:
        inner = brush.moved(-LENGTH // 2, half, QUARTER_TURNS[3])
        _frame(inner, decor, half, kind)
        _bedding(inner, decor, 900)
        inner.block((-half, half), (0, LENGTH), 20)

    return Piece(LENGTH, 2 * half, 1060, draw, front=400, sill=600, class_name="bed")


def _frame(brush: Brush, decor: Decor, half: int, kind: int) -> None:
    """Rails, legs and one of four head boards."""
    wood = decor.top
    fabric = decor.style.second_fabric
    soft = kind == 0
    finish = fabric if soft else wood
    width = 2 * half
    for x in (-half + 16, half - 16):
        brush.put(rounded_box(32, 190, LENGTH - 90, 8, bottom=True), finish, x, 120, 90 + (LENGTH - 90) // 2)
    brush.put(rounded_box(width, 190, 34, 8, bottom=True), finish, 0, 120, LENGTH - 18)
    board(brush, decor.style.linen, (-half + 32, half - 32), (250, 290), (80, LENGTH - 40), "du")
    legs(brush, decor, (-half + 20, half - 20), (120, LENGTH - 30), 122, 60, wood)
    brush.put(_head(width, kind), finish, 0, 0, 45)


@lru_cache(maxsize=32)
def _head(width: int, kind: int) -> Shape:
    """A head board about z = 0: padded in columns, plain, with slats, or a low frame."""
    if kind == 0:
        step = width // (width // 220)
        pads = [
            moved(soft_box(step, 700, 60, 26, bottom=True), -width // 2 + step // 2 + k * step, 390, 8)
            for k in range(width // step)
        ]
        return join(moved(rounded_box(width, 1060, 40, 10), 0, 0, -20), *pads)
    if kind == 1:
        return rounded_box(width, 1000, 60, 18, 2)
    posts = [moved(rounded_box(60, 1050, 60, 12), x, 0, 0) for x in (-width // 2 + 30, width // 2 - 30)]
    rails = [moved(rounded_box(width - 120, 80, 30, 8, bottom=True), 0, y, 0) for y in (500, 950)]
    if kind == 2:
        count = width // 130
        slats = [
            moved(
                rounded_box(34, 376, 16, 4),
                -width // 2 + 60 + (width - 120) * (2 * k + 1) // (2 * count),
                577,
                0,
            )
            for k in range(count)
        ]
        return join(*posts, *rails, *slats)
    return join(*posts, *rails, moved(rounded_box(width - 124, 374, 18, 4), 0, 578, 0))


def _bedding(brush: Brush, decor: Decor, width: int) -> None:
    """Mattress, duvet, pillows; more pillows and a blanket with clutter."""
    dice, style = decor.dice, decor.style
    cover = dice.pick((style.linen, style.fabric_of(dice), style.second_fabric))
    long = LENGTH - 130
    brush.put(soft_box(width, LYING - 290, long, 50, 8), style.linen, 0, 288, 90 + long // 2)
    start = dice.between(560, 760, 50)
    duvet = cloth(width, 80 + long - start, 45, dice.between(150, 210, 20))
    brush.put(duvet, cover, 0, LYING + 6, start)
    if dice.chance(60):
        fold = cloth(width + 26, 260, 62, 140, foot=False)
        brush.put(
            fold, style.linen if cover != style.linen else style.second_fabric, 0, LYING + 7, start - 40
        )
    double = width > 1200
    places = (-width // 4, width // 4) if double else (0,)
    wide = min(width // len(places) - 60, 740)
    for x in places:
        brush.part("cushion").put(cushion(wide, 460, 160), style.linen, x, LYING - 4, 325)
        if double and dice.chance(60):
            brush.part("cushion").put(cushion(wide - 60, 430, 140), cover, x, LYING + 112, 320)
    if decor.lucky(50):
        small = tilted(moved(tipped(cushion(400, 400, 130), "z"), 0, 200, 0), 4, -3, 5)
        brush.part("cushion").put(small, style.fabric_of(dice), 0, LYING + 70, 640)
    if decor.lucky(50):
        throw = cloth(width + 30, dice.between(420, 620, 50), 70, dice.between(200, 240, 20), foot=False)
        at = LENGTH - 760
        brush.part("clothes").put(throw, style.fabric_of(dice), 0, LYING + 14, at)
