"""Tables with chairs, and desks."""

from __future__ import annotations

from ..brush import Brush
from ..dice import Dice
from ..mesh import QUARTER_TURNS, Turn
from ..palette import Style
from .piece import Piece
from .sitting import chair, office_chair

_OBLIQUE = (Turn(24, 7, 25), Turn(24, -7, 25), Turn(12, 5, 13), Turn(12, -5, 13), Turn(4, 3, 5))


def dining_set(dice: Dice, style: Style) -> Piece:
    """A table with four to six chairs around it, one of them left askew."""
    if dice.chance(35):
        return _round_set(dice, style)
    half = dice.pick((600, 700, 800, 900))
    wood = dice.pick((style.wood, style.dark_wood))
    seat = dice.pick((style.fabric, style.second_fabric, wood))
    ends = half >= 800 and dice.chance(70)
    pulled = dice.pick((0, 0, 40, 180))
    rug = style.rug(dice) if dice.chance(40) else None

    def draw(brush: Brush) -> None:
        middle = brush.moved(0, 950)
        middle.box(wood, (-half, half), (715, 750), (-430, 430))
        middle.legs(wood, (-half + 30, half - 30), (-400, 400), 715, 70)
        middle.drum(style.pot, (0, 0), (60, 90), (750, 900), sides=6)
        if rug is not None:
            middle.sheet(rug, (-half - 500, half + 500), (-900, 900), 10)
        for number, x in enumerate((-half // 2, half // 2)):
            for turn, side in ((QUARTER_TURNS[0], -1), (QUARTER_TURNS[2], 1)):
                z = side * (640 + (pulled if number == 0 else 0))
                chair(middle.moved(x, z, turn), style, wood, seat)
        if ends:
            for turn, side in ((QUARTER_TURNS[3], -1), (QUARTER_TURNS[1], 1)):
                chair(middle.moved(side * (half + 260), 0, turn), style, wood, seat)

    width = 2 * half + (2 * 280 if ends else 0)
    return Piece(width, 1900, 900, draw)


def _round_set(dice: Dice, style: Style) -> Piece:
    wood = dice.pick((style.wood, style.white))
    seat = dice.pick((style.fabric, style.second_fabric))
    oblique = dice.pick(_OBLIQUE)

    def draw(brush: Brush) -> None:
        middle = brush.moved(0, 950, oblique)
        middle.drum(wood, (0, 0), (520, 520), (715, 750), sides=12)
        middle.drum(wood, (0, 0), (300, 60), (0, 715), sides=8, cap=False)
        for turn in QUARTER_TURNS:
            inner = middle.moved(0, 0, turn)
            chair(inner.moved(0, -760), style, wood, seat)

    return Piece(1900, 1900, 900, draw)


def desk(dice: Dice, style: Style) -> Piece:
    """A desk at the wall with a screen and an office chair before it."""
    width = dice.between(1200, 1600, 100)
    finish = dice.pick((style.wood, style.dark_wood, style.white))
    turn, shift = dice.pick(_OBLIQUE), dice.between(-200, 200, 50)
    half = width // 2

    def draw(brush: Brush) -> None:
        brush.box(finish, (-half, half), (710, 740), (0, 680))
        brush.box(finish, (-half, -half + 400), (0, 710), (40, 640))
        brush.box(finish, (half - 40, half), (0, 710), (40, 640))
        brush.box(style.black, (-150, 150), (740, 755), (140, 330))
        brush.box(style.black, (-30, 30), (755, 860), (180, 210))
        brush.box(style.screen, (-300, 300), (860, 1220), (200, 225))
        brush.box(style.white, (-220, 220), (740, 752), (420, 560))
        office_chair(brush.moved(shift, 960, Turn(-turn.c, -turn.s, turn.d)), style)

    return Piece(width, 1240, 1220, draw, front=300)
