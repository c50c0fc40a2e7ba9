"""Plants, lamps and small things."""

from __future__ import annotations

from ..brush import Brush
from ..dice import Dice
from ..palette import Style
from .piece import Piece


def plant(dice: Dice, style: Style) -> Piece:
    """A plant in a pot: a bush or a small tree."""
    height, tree = dice.between(900, 1600, 100), dice.chance(50)

    def draw(brush: Brush) -> None:
        brush.drum(style.pot, (0, 250), (130, 170), (0, 320), sides=8)
        if tree:
            brush.drum(style.dark_wood, (0, 250), (25, 20), (320, height - 350), sides=6, cap=False)
        low = height - 500 if tree else 320
        rise = (height - low) // 3
        radii = (60, 220, 250, 60) if tree else (90, 200, 240, 40)
        for part in range(3):
            y = (low + part * rise, low + (part + 1) * rise)
            brush.drum(style.leaf, (0, 250), (radii[part], radii[part + 1]), y, sides=8, cap=part == 2)

    return Piece(500, 500, height, draw)


def floor_lamp(dice: Dice, style: Style) -> Piece:
    """A standing lamp."""
    height = dice.between(1450, 1750, 50)

    def draw(brush: Brush) -> None:
        brush.drum(style.metal, (0, 200), (150, 140), (0, 30), sides=8)
        brush.drum(style.metal, (0, 200), (18, 18), (30, height - 260), sides=6, cap=False)
        brush.drum(style.lamp, (0, 200), (190, 130), (height - 260, height), sides=8)

    return Piece(400, 400, height, draw)


def toys(dice: Dice, style: Style) -> Piece:
    """A toy chest and a ball."""
    finish, ball = style.fabric_of(dice), style.palette.finish("", (206, 84, 66))

    def draw(brush: Brush) -> None:
        brush.box(finish, (-350, 150), (0, 420), (0, 400))
        brush.drum(ball, (280, 200), (60, 110), (0, 90), sides=8, cap=False)
        brush.drum(ball, (280, 200), (110, 50), (90, 200), sides=8)

    return Piece(780, 420, 420, draw)


def ceiling_lamp(brush: Brush, style: Style, ceiling: int) -> None:
    """Draw a lamp that hangs at the local origin."""
    brush.drum(style.metal, (0, 0), (12, 12), (ceiling - 300, ceiling), sides=6, cap=False)
    brush.drum(style.lamp, (0, 0), (200, 120), (ceiling - 450, ceiling - 300), sides=8)
