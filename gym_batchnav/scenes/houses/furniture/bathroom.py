"""Bathroom furniture."""

from __future__ import annotations

from ..brush import Brush
from ..dice import Dice
from ..palette import Style
from .piece import Piece


def bathtub(dice: Dice, style: Style) -> Piece:
    """A tub along the wall."""
    half = dice.pick((800, 850))

    def draw(brush: Brush) -> None:
        for x, z in (
            ((-half, half), (0, 70)),
            ((-half, half), (630, 700)),
            ((-half, -half + 80), (70, 630)),
            ((half - 80, half), (70, 630)),
        ):
            brush.box(style.ceramic, x, (0, 560), z)
        brush.box(style.ceramic, (-half + 80, half - 80), (0, 180), (70, 630))
        brush.box(style.glass, (-half + 80, half - 80), (180, 330), (70, 630))
        brush.box(style.metal, (half - 60, half - 20), (560, 720), (330, 370))

    return Piece(2 * half, 700, 560, draw, front=500)


def shower(dice: Dice, style: Style) -> Piece:
    """A shower tray with two tall panes and a shower head."""

    def draw(brush: Brush) -> None:
        brush.box(style.ceramic, (-450, 450), (0, 60), (0, 900))
        brush.box(style.glass, (-450, -440), (60, 1950), (0, 900))
        brush.box(style.glass, (440, 450), (60, 1950), (0, 500))
        brush.box(style.metal, (-20, 20), (60, 2050), (20, 50))
        brush.box(style.metal, (-100, 100), (2030, 2050), (50, 300))

    return Piece(900, 900, 2050, draw, front=500)


def toilet(dice: Dice, style: Style) -> Piece:
    """A toilet with its cistern."""

    def draw(brush: Brush) -> None:
        brush.box(style.ceramic, (-200, 200), (400, 820), (0, 180))
        brush.drum(style.ceramic, (0, 430), (130, 200), (0, 400), sides=8)
        brush.box(style.ceramic, (-120, 120), (0, 400), (0, 420))
        brush.drum(style.white, (0, 420), (210, 210), (400, 430), sides=8)

    return Piece(420, 650, 820, draw, front=500)


def vanity(dice: Dice, style: Style) -> Piece:
    """A wash-basin on a cupboard below a mirror."""
    half = dice.pick((300, 400, 500))

    def draw(brush: Brush) -> None:
        brush.box(style.front, (-half, half), (250, 800), (0, 440))
        brush.box(style.ceramic, (-half - 10, half + 10), (800, 860), (0, 470))
        brush.box(style.black, (-180, 180), (860, 863), (130, 400), solid=False)
        brush.box(style.metal, (-12, 12), (860, 980), (50, 75))
        brush.box(style.metal, (-10, 10), (965, 980), (75, 190))
        brush.box(style.mirror, (-half + 20, half - 20), (1150, 1900), (0, 20), solid=False)

    return Piece(2 * half + 20, 470, 1900, draw, front=600)


def washer(dice: Dice, style: Style) -> Piece:
    """A washing machine."""

    def draw(brush: Brush) -> None:
        brush.box(style.white, (-300, 300), (0, 850), (20, 600))
        brush.box(style.black, (-170, 170), (220, 560), (600, 615), solid=False)
        brush.box(style.metal, (-280, 280), (740, 830), (600, 606), solid=False)

    return Piece(600, 620, 850, draw, front=500)


def laundry_basket(dice: Dice, style: Style) -> Piece:
    """A basket."""
    finish = style.palette.finish("fabric", (196, 172, 134), 2500)

    def draw(brush: Brush) -> None:
        brush.drum(finish, (0, 220), (170, 220), (0, 560), sides=8)

    return Piece(440, 440, 560, draw)
