"""Shelves, sideboards and other things along the walls."""

from __future__ import annotations

from ..brush import Brush
from ..dice import Dice
from ..palette import Style
from .piece import Piece


def bookshelf(dice: Dice, style: Style, *, height: int | None = None) -> Piece:
    """An open shelf filled with books and boxes; without a back panel towards a wall."""
    width = dice.between(600, 1200, 100)
    height = dice.between(1700, 2100, 50) if height is None else height
    wood = dice.pick((style.wood, style.dark_wood, style.white))
    shelves = height // 380
    filling = [(dice.between(30, 95), dice.below(4)) for _ in range(shelves)]
    box = style.fabric_of(dice)
    half, depth = width // 2, 300

    def draw(brush: Brush) -> None:
        for left in (-half, half - 25):
            brush.box(wood, (left, left + 25), (0, height), (0, depth))
        brush.box(wood, (-half + 25, half - 25), (0, height), (0, 15))
        for number, (percent, what) in enumerate(filling):
            y = 60 + number * (height - 85) // shelves
            brush.box(wood, (-half + 25, half - 25), (y, y + 25), (15, depth))
            end = -half + 30 + (width - 60) * percent // 100
            if what:
                brush.box(style.books, (-half + 30, end), (y + 25, y + 290), (60, 250))
            else:
                brush.box(box, (-half + 60, half - 60), (y + 25, y + 250), (40, 280))
        brush.box(wood, (-half, half), (height - 25, height), (0, depth))

    return Piece(width, depth, height, draw, front=500)


def tv_stand(dice: Dice, style: Style) -> Piece:
    """A low board with a television on it."""
    width = dice.between(1400, 2000, 100)
    wood = dice.pick((style.wood, style.dark_wood, style.white))
    tv = dice.between(500, 700, 50)
    half = width // 2

    def draw(brush: Brush) -> None:
        brush.box(wood, (-half, half), (60, 480), (0, 420))
        for left in (-half + 20, 10):
            brush.box(style.front, (left, left + half - 30), (90, 450), (420, 435))
        brush.box(style.black, (-180, 180), (480, 500), (120, 320))
        brush.box(style.black, (-tv, tv), (540, 540 + tv * 9 // 8), (180, 215))
        brush.box(style.screen, (-tv + 12, tv - 12), (552, 528 + tv * 9 // 8), (215, 220), solid=False)

    return Piece(width, 440, 1300, draw, front=600)


def sideboard(dice: Dice, style: Style) -> Piece:
    """A sideboard with three doors and a bowl on it."""
    width = dice.between(1200, 1800, 100)
    wood = dice.pick((style.wood, style.dark_wood))
    half = width // 2

    def draw(brush: Brush) -> None:
        brush.box(wood, (-half, half), (120, 820), (0, 420))
        brush.legs(style.dark_wood, (-half + 40, half - 40), (40, 400), 120)
        step = width // 3
        for door in range(3):
            left = -half + door * step
            brush.box(style.front, (left + 10, left + step - 10), (150, 790), (420, 434))
        brush.drum(style.pot, (half // 2, 210), (70, 140), (820, 900), sides=8)

    return Piece(width, 440, 850, draw, front=600)


def shoe_cabinet(dice: Dice, style: Style) -> Piece:
    """A shallow cabinet for a hall."""
    width = dice.between(700, 1100, 100)
    half = width // 2

    def draw(brush: Brush) -> None:
        brush.box(style.white, (-half, half), (0, 900), (0, 220))
        for y in (60, 340, 620):
            brush.box(style.front, (-half + 12, half - 12), (y, y + 260), (220, 232))
        brush.box(style.pot, (-half + 100, -half + 200), (900, 1080), (60, 160))

    return Piece(width, 240, 900, draw, front=700)


def coat_rack(dice: Dice, style: Style) -> Piece:
    """A board with hooks and coats, and a bench below."""
    width, coats = dice.between(800, 1200, 100), dice.between(2, 4)
    fabrics = [style.fabric_of(dice) for _ in range(coats)]
    half = width // 2

    def draw(brush: Brush) -> None:
        brush.box(style.wood, (-half, half), (1650, 1780), (0, 30))
        brush.box(style.wood, (-half, half), (400, 440), (0, 330))
        brush.legs(style.dark_wood, (-half, half), (0, 330), 400, 50)
        for number, fabric in enumerate(fabrics):
            x = -half + 120 + number * (width - 240) // max(coats - 1, 1)
            brush.box(fabric, (x - 110, x + 110), (800, 1680), (30, 170))

    return Piece(width, 330, 1780, draw, front=700)


def boxes(dice: Dice, style: Style) -> Piece:
    """A pile of cardboard boxes."""
    cardboard = style.cardboard
    small = dice.between(250, 400, 50)

    def draw(brush: Brush) -> None:
        brush.box(cardboard, (-350, 150), (0, 400), (20, 520))
        brush.box(cardboard, (160, 350), (0, 300), (40, 400))
        brush.box(cardboard, (-300, -300 + small), (400, 700), (60, 60 + small))

    return Piece(700, 540, 700, draw)


def metal_shelf(dice: Dice, style: Style) -> Piece:
    """A storage shelf with boxes."""
    width = dice.between(900, 1300, 100)
    half = width // 2
    cardboard = style.cardboard
    plastic = style.palette.finish("", (92, 130, 168))

    def draw(brush: Brush) -> None:
        brush.legs(style.metal, (-half, half), (0, 450), 1800, 40)
        for number, y in enumerate((150, 650, 1150, 1760)):
            brush.box(style.metal, (-half, half), (y, y + 30), (0, 450))
            if number < 3:
                brush.box(cardboard, (-half + 60, -20), (y + 30, y + 330), (40, 400))
                brush.box(plastic, (20, half - 100), (y + 30, y + 270), (60, 420))

    return Piece(width, 450, 1800, draw, front=500)
