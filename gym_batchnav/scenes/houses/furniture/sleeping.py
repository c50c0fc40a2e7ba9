"""Bedroom furniture."""

from __future__ import annotations

from ..brush import Brush
from ..dice import Dice
from ..palette import Style
from .piece import Piece


def bed(dice: Dice, style: Style, *, double: bool) -> Piece:
    """A bed with its head to the wall, a night table on each side (double) or on one."""
    width = dice.pick((1400, 1600, 1800)) if double else dice.pick((900, 1000))
    length, frame = 2060, dice.pick((style.wood, style.dark_wood, style.second_fabric))
    cover, head = style.fabric_of(dice), dice.between(850, 1150, 50)
    tables = (-1, 1) if double else (dice.pick((-1, 1)),)
    lamp = dice.chance(70)
    half = width // 2

    def draw(brush: Brush) -> None:
        brush.box(frame, (-half, half), (0, head), (0, 60))
        brush.box(frame, (-half, half), (90, 300), (60, length))
        brush.box(style.linen, (-half + 20, half - 20), (300, 500), (60, length - 20))
        brush.box(cover, (-half, half), (320, 530), (620, length))
        pillows = ((-half + 60, -40), (40, half - 60)) if double else ((-half + 80, half - 80),)
        for span in pillows:
            brush.box(style.linen, span, (500, 620), (90, 480))
        for side in tables:
            x = side * (half + 260)
            _night_table(brush.moved(x, 0), style, frame, lamp=lamp)

    return Piece(width + 2 * 490, length, max(head, 1000), draw, front=500)


def _night_table(brush: Brush, style: Style, finish: int, *, lamp: bool) -> None:
    brush.box(finish, (-210, 210), (60, 500), (20, 400))
    brush.box(style.white, (-190, 190), (300, 470), (400, 412), solid=False)
    if lamp:
        brush.drum(style.metal, (0, 200), (60, 20), (500, 700), sides=6)
        brush.drum(style.lamp, (0, 200), (130, 90), (700, 900), cap=False)


def wardrobe(dice: Dice, style: Style) -> Piece:
    """A wardrobe with two to four doors."""
    doors = dice.between(2, 4)
    width, height = doors * dice.between(450, 550, 50), dice.between(2000, 2350, 50)
    body, front = dice.pick(
        ((style.wood, style.wood), (style.white, style.white), (style.dark_wood, style.white))
    )
    mirrored = dice.chance(30)
    half = width // 2

    def draw(brush: Brush) -> None:
        brush.box(body, (-half, half), (0, height), (0, 560))
        step = width // doors
        for door in range(doors):
            left = -half + door * step
            mirror = mirrored and door == doors // 2
            brush.box(
                style.mirror if mirror else front, (left + 8, left + step - 8), (80, height - 20), (560, 580)
            )
            handle = left + (step - 60 if door % 2 == 0 else 40)
            brush.box(style.metal, (handle, handle + 20), (950, 1150), (580, 600), solid=False)

    return Piece(width, 600, height, draw, front=600)


def dresser(dice: Dice, style: Style) -> Piece:
    """A chest of drawers with something on it."""
    width, rows = dice.between(800, 1400, 100), dice.between(3, 4)
    finish = dice.pick((style.wood, style.dark_wood, style.white))
    lamp = dice.chance(50)
    half, height = width // 2, rows * 210 + 120

    def draw(brush: Brush) -> None:
        brush.box(finish, (-half, half), (0, height), (0, 450))
        for row in range(rows):
            y = 100 + row * 210
            brush.box(style.front, (-half + 20, half - 20), (y, y + 190), (450, 465))
            brush.box(style.metal, (-100, 100), (y + 90, y + 105), (465, 485), solid=False)
        if lamp:
            brush.drum(style.metal, (half - 200, 220), (70, 20), (height, height + 220), sides=6)
            brush.drum(style.lamp, (half - 200, 220), (150, 100), (height + 220, height + 420), cap=False)
        else:
            brush.box(style.pot, (-half + 120, -half + 240), (height, height + 220), (160, 280))

    return Piece(width, 490, height, draw, front=600)
