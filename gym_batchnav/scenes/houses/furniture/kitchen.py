"""Kitchen units."""

from __future__ import annotations

from ..brush import Brush
from ..dice import Dice
from ..palette import Style
from .piece import Piece


def counter(dice: Dice, style: Style, units: int) -> Piece:
    """A run of 600 mm units with sink and stove, wall units above, a refrigerator at one end."""
    width = units * 600
    half = width // 2
    fridge_left = dice.chance(50)
    sink, stove = dice.pick(((1, units - 2), (units - 2, 1))) if units > 3 else (1, 2)
    sink, stove = (
        (max(sink, 1), max(stove, 1)) if fridge_left else (min(sink, units - 2), min(stove, units - 2))
    )

    def draw(brush: Brush) -> None:
        left, right = (-half + 600, half) if fridge_left else (-half, half - 600)
        _fridge(brush.moved(-half + 300 if fridge_left else half - 300, 0), style)
        brush.box(style.black, (left, right), (0, 100), (0, 540))
        brush.box(style.front, (left, right), (100, 870), (0, 580))
        brush.box(style.stone, (left, right), (870, 910), (0, 620))
        brush.box(style.stone, (left, right), (910, 1400), (0, 12), solid=False)
        for unit in range(units):
            x = -half + unit * 600
            if (unit == 0 and fridge_left) or (unit == units - 1 and not fridge_left):
                continue
            brush.box(style.white, (x + 8, x + 592), (130, 860), (580, 598), solid=False)
            brush.box(style.metal, (x + 200, x + 400), (790, 805), (598, 615), solid=False)
            if unit == stove:
                _stove(brush.moved(x + 300, 0), style)
            else:
                brush.box(style.front, (x + 4, x + 596), (1420, 2120), (0, 340), solid=False)
                brush.box(style.metal, (x + 540, x + 555), (1450, 1600), (340, 355), solid=False)
            if unit == sink:
                _sink(brush.moved(x + 300, 0), style)

    return Piece(width, 640, 2150, draw, front=900)


def _fridge(brush: Brush, style: Style) -> None:
    brush.box(style.white, (-295, 295), (0, 1850), (20, 620))
    brush.box(style.metal, (-285, 285), (700, 1840), (620, 636), solid=False)
    brush.box(style.metal, (-285, 285), (60, 690), (620, 636), solid=False)
    for y in ((500, 660), (730, 1100)):
        brush.box(style.black, (220, 245), y, (636, 650), solid=False)


def _stove(brush: Brush, style: Style) -> None:
    brush.box(style.black, (-280, 280), (910, 918), (60, 560), solid=False)
    brush.box(style.black, (-270, 270), (200, 720), (598, 608), solid=False)
    brush.box(style.metal, (-290, 290), (1600, 1680), (0, 480), solid=False)
    brush.box(style.metal, (-120, 120), (1680, 2120), (0, 280), solid=False)


def _sink(brush: Brush, style: Style) -> None:
    brush.box(style.metal, (-240, 240), (910, 916), (120, 520), solid=False)
    brush.box(style.black, (-200, 200), (916, 919), (160, 480), solid=False)
    brush.box(style.metal, (-15, 15), (916, 1180), (70, 100))
    brush.box(style.metal, (-12, 12), (1160, 1180), (100, 260))


def island(dice: Dice, style: Style) -> Piece:
    """A kitchen island with two stools."""
    half = dice.between(600, 900, 100)

    def draw(brush: Brush) -> None:
        brush.box(style.front, (-half + 30, half - 30), (0, 880), (330, 900))
        brush.box(style.stone, (-half, half), (880, 920), (150, 930))
        for x in (-half // 2, half // 2):
            brush.drum(style.wood, (x, 100), (170, 170), (610, 650))
            brush.drum(style.metal, (x, 100), (170, 60), (0, 610), sides=6, cap=False)

    return Piece(2 * half, 930, 920, draw)
