"""Sofas, chairs and what stands before them."""

from __future__ import annotations

from ..brush import Brush
from ..dice import Dice
from ..palette import Style
from .piece import Piece


def sofa(brush: Brush, style: Style, width: int, fabric: int, accent: int) -> None:
    """Draw a sofa with its back at z = 0."""
    half = width // 2
    brush.box(fabric, (-half, half), (60, 420), (0, 880))
    brush.box(fabric, (-half, half), (420, 820), (0, 220))
    for left in (-half, half - 180):
        brush.box(fabric, (left, left + 180), (420, 620), (220, 880))
    seats = 3 if width > 1800 else 2
    step = (width - 360) // seats
    for seat in range(seats):
        x = -half + 180 + seat * step
        brush.box(fabric, (x + 8, x + step - 8), (420, 500), (220, 890))
    brush.box(accent, (-half + 200, -half + 560), (500, 800), (230, 340))


def armchair(dice: Dice, style: Style) -> Piece:
    """An armchair."""
    fabric = dice.pick((style.fabric, style.second_fabric))

    def draw(brush: Brush) -> None:
        brush.box(fabric, (-400, 400), (100, 420), (0, 780))
        brush.box(fabric, (-400, 400), (420, 860), (0, 180))
        for left in (-400, 270):
            brush.box(fabric, (left, left + 130), (420, 600), (180, 780))
        brush.box(style.linen, (-262, 262), (420, 480), (180, 790))
        brush.legs(style.dark_wood, (-390, 390), (20, 760), 100)

    return Piece(800, 790, 860, draw, front=400)


def sofa_group(dice: Dice, style: Style, *, free: bool) -> Piece:
    """A sofa with a coffee table and a rug before it; ``free`` ones have a sideboard behind the back."""
    width, accent = dice.pick((1700, 2000, 2300)), style.fabric_of(dice)
    rug, table, round_table = style.rug(dice), dice.pick((style.wood, style.dark_wood)), dice.chance(35)
    back = 350 if free else 0
    long = dice.between(900, 1200, 100) // 2
    corner = dice.pick((0, 0, 0, 0, -1, 1))

    def draw(brush: Brush) -> None:
        if free:
            brush.box(style.wood, (-width // 2 + 100, width // 2 - 100), (0, 780), (0, 320))
            brush.box(style.pot, (-100, 60), (780, 980), (90, 240))
        inner = brush.moved(0, back)
        sofa(inner, style, width, style.fabric, accent)
        if corner:
            x = corner * (width // 2 - 400)
            inner.box(style.fabric, (x - 400, x + 400), (60, 460), (880, 1500))
        inner.sheet(rug, (-width // 2, width // 2), (500, 2200), 12)
        z = 1650 if corner else 1550
        x = -corner * 250
        if round_table:
            inner.drum(table, (x, z), (420, 420), (380, 420), sides=12)
            inner.drum(style.metal, (x, z), (200, 40), (0, 380), sides=6)
        else:
            inner.box(table, (x - long, x + long), (360, 410), (z - 280, z + 280))
            inner.legs(table, (x - long, x + long), (z - 280, z + 280), 360, 60)

    return Piece(width, back + 2000, 860, draw, front=500)


def chair(brush: Brush, style: Style, wood: int, seat: int) -> None:
    """Draw a dining chair with its back at z = 0, 420 wide and 460 deep."""
    brush.box(seat, (-210, 210), (430, 475), (20, 460))
    brush.box(wood, (-205, 205), (560, 900), (0, 28))
    brush.legs(wood, (-210, 210), (0, 455), 430, 40)
    for left in (-210, 170):
        brush.box(wood, (left, left + 40), (475, 600), (0, 28))


def office_chair(brush: Brush, style: Style) -> None:
    """Draw an office chair around the local origin."""
    brush.drum(style.black, (0, 0), (300, 60), (30, 110), sides=6)
    brush.drum(style.metal, (0, 0), (30, 30), (110, 440), sides=6, cap=False)
    brush.box(style.black, (-240, 240), (440, 510), (-230, 240))
    brush.box(style.black, (-220, 220), (560, 1050), (-250, -190))
