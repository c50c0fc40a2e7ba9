"""Televisions, screens and what belongs to them."""

from __future__ import annotations

from ..brush import Brush
from ..shapes import cuboid, rounded_box, sheet
from . import clutter
from .decor import Decor
from .parts import board, case, door, drawer, legs, top
from .piece import Piece


def tv_stand(decor: Decor, size: int) -> Piece:
    """A low board with a television on it.

    Args:
        decor: of the house.
        size: width of the board.
    """
    dice = decor.dice
    half, height, wide = size // 2, dice.between(440, 540, 20), dice.between(1000, min(1450, size - 150), 50)
    doors = dice.pick((2, 3, 4)) if size > 1500 else 2
    open_bay = dice.chance(60)

    def draw(brush: Brush) -> None:
        low = 110
        case(brush, decor.case, (-half, half), (low, height - 22), (0, 400))
        top(brush, decor.case, (-half - 6, half + 6), (height - 22, height), (0, 412), 5, bottom=False)
        legs(brush, decor, (-half + 40, half - 40), (40, 380), low, 42, decor.case)
        step = size // doors
        for number in range(doors):
            x = (-half + number * step + 4, -half + (number + 1) * step - 4)
            if open_bay and number == doors // 2:
                _bay(brush, decor, x, (low + 18, height - 30))
            elif number % 2:
                drawer(brush, decor, decor.front, x, (low + 8, height - 28), 400)
            else:
                door(brush, decor, decor.front, x, (low + 8, height - 28), 400, hinge_left=number == 0)
        brush.block((-half, half), (0, 420))
        television(brush.moved(0, 0, y=height), decor, wide)
        for side in (-1, 1):
            room = half - wide // 2
            if room > 170 and decor.lucky(70):
                clutter.any_of(brush.moved(side * (half - room // 2), 210, y=height), decor, clutter.SHELF)

    return Piece(size + 12, 460, 1400, draw, front=600, class_name="cabinet")


def _bay(brush: Brush, decor: Decor, x: tuple[int, int], y: tuple[int, int]) -> None:
    """A black niche with a box that glows a little."""
    board(brush, decor.style.black, x, y, (398, 402), "f")
    own = brush.part("objects")
    middle = (x[0] + x[1]) // 2
    own.put(rounded_box(min(300, x[1] - x[0] - 60), 60, 30, 6), decor.style.rubber, middle, y[0], 420)


def television(brush: Brush, decor: Decor, width: int) -> None:
    """Draw a flat screen on two feet, its back at z = 60."""
    own, style = brush.part("tv_monitor"), decor.style
    height = width * 9 // 16 + 24
    own.put(rounded_box(width, height, 34, 6, bottom=True), style.black, 0, 62, 130)
    own.put(rounded_box(width * 6 // 10, height // 2, 40, 8, bottom=True), style.black, 0, 100, 95)
    own.put(sheet(width - 22, height - 22, 2, 2), style.screen, 0, 73, 150)
    for side in (-1, 1):
        own.put(rounded_box(26, 64, 12, 3), style.black, side * width * 3 // 10, 6, 128)
        own.put(rounded_box(30, 7, 240, 3), style.black, side * width * 3 // 10, 0, 140)
    brush.block((-(width // 2), width // 2), (70, 150))


def monitor(brush: Brush, decor: Decor) -> None:
    """Draw a computer's screen on its foot around the local origin."""
    own, style = brush.part("tv_monitor"), decor.style
    own.put(rounded_box(240, 10, 180, 3), style.black)
    own.put(rounded_box(40, 170, 24, 5), style.black, 0, 8, -30)
    own.put(rounded_box(560, 335, 26, 6, bottom=True), style.black, 0, 120, -5)
    own.put(sheet(544, 318), style.screen, 0, 129, 10)


def keyboard(brush: Brush, decor: Decor) -> None:
    """Draw a keyboard and a mouse around the local origin."""
    own, style = brush.part("objects"), decor.style
    body, keys = decor.dice.pick(((style.black, style.rubber), (style.white, style.paper)))
    own.put(rounded_box(430, 16, 135, 5), body)
    for row in range(4):
        own.put(cuboid(410, 7, 22, "lruf"), keys, 0, 16, -45 + row * 29)
    own.put(rounded_box(60, 32, 100, 14, 2), body, 290)
