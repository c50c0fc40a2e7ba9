"""Open shelves with what is on them."""

from __future__ import annotations

from ..brush import Brush
from ..shapes import loft, rounded_box
from . import books, clutter, loose
from .decor import Decor
from .parts import FRONT, board, door
from .piece import Piece

_BOARD = 22


def bookshelf(decor: Decor, width: int, height: int) -> Piece:
    """An open shelf with books and other things, with doors below in some houses.

    Args:
        decor: of the house.
        width: millimetres.
        height: 800 to 2200.
    """
    dice = decor.dice
    depth, half = dice.pick((300, 320, 360)), width // 2
    levels = height // 370
    closed = height > 1500 and dice.chance(30)
    bays = 2 if width > 1100 else 1

    def draw(brush: Brush) -> None:
        _carcass(brush, decor.case, half, height, depth, bays)
        rise = (height - 70 - _BOARD) // levels
        for level in range(levels):
            y = 70 + level * rise
            if level:
                board(
                    brush,
                    decor.case,
                    (-half + _BOARD, half - _BOARD),
                    (y, y + _BOARD),
                    (14, depth - 6),
                    "duf",
                )
            for bay in range(bays):
                span = (width - (bays + 1) * _BOARD) // bays
                left = -half + _BOARD + bay * (span + _BOARD)
                if closed and level == 0:
                    x = (left - 8, left + span + 8)
                    door(brush, decor, decor.front, x, (40, y + rise), depth, hinge_left=bay == 0)
                else:
                    y0 = y + _BOARD if level else 70
                    shelf_load(
                        brush.moved(left + span // 2, depth // 2, y=y0), decor, span, depth, rise - _BOARD
                    )
        brush.block((-half, half), (0, depth + (FRONT if closed else 0)))

    return Piece(width, depth + 60, height, draw, front=500, class_name="shelving")


def _carcass(brush: Brush, finish: int, half: int, height: int, depth: int, bays: int) -> None:
    for left in (-half, half - _BOARD):
        board(brush, finish, (left, left + _BOARD), (0, height - _BOARD), (0, depth), "lrbf")
    board(brush, finish, (-half, half), (height - _BOARD, height), (0, depth))
    board(brush, finish, (-half + _BOARD, half - _BOARD), (0, height - _BOARD), (0, 14), "bf")
    board(brush, finish, (-half + _BOARD, half - _BOARD), (0, 70), (14, depth - 20), "uf")
    if bays == 2:
        board(brush, finish, (-_BOARD // 2, _BOARD // 2), (70, height - _BOARD), (14, depth - 8), "lrf")


def shelf_load(brush: Brush, decor: Decor, width: int, depth: int, room: int) -> None:
    """What is on one board ``width`` wide and ``room`` high, about the local origin."""
    dice = decor.dice
    kind = dice.below(8)
    if kind < 5 or room < 200:
        share = width * dice.between(50, 96) // 100
        start = dice.pick((-width // 2, width // 2 - share))
        row = brush.moved(start + share // 2, 8)
        books.upright_books(row, decor, share - 12, tall=min(room - 20, 310), deep=depth - 90)
        rest = width - share
        if rest > 200 and decor.lucky(70):
            x = width // 2 - rest // 2 if start < 0 and start == -width // 2 else -width // 2 + rest // 2
            clutter.any_of(brush.moved(x, 10), decor, clutter.SHELF, tall=room - 20, wide=rest)
    elif kind == 5:
        _boxes(brush, decor, width, depth, room)
    else:
        clutter.scatter(
            brush.moved(-160, 0), decor, (width - 340, depth - 20), clutter.SHELF, most=4, tall=room - 20
        )
        if decor.clutter:
            books.pile(brush.moved(width // 2 - 170, 0), decor, dice.between(2, 5))


def _boxes(brush: Brush, decor: Decor, width: int, depth: int, room: int) -> None:
    """Baskets side by side."""
    count = max(width // 340, 1)
    step = width // count
    finish = decor.dice.pick((decor.style.basket, decor.style.fabric, decor.style.basket))
    height = min(room - 60, 240)
    shape = loft(step - 40, depth - 50, 30, ((14, 0), (0, height), (9, height), (9, height // 2)), 1)
    for number in range(count):
        brush.part("objects").put(shape, finish, -width // 2 + number * step + step // 2, 0, 12)


def wall_shelf(decor: Decor) -> Piece:
    """One or two boards on the wall with books and pots; hangs 1.3 m high or higher."""
    width = decor.dice.between(700, 1200, 100)
    boards = decor.dice.between(1, 2)

    def draw(brush: Brush) -> None:
        for level in range(boards):
            y = level * 340
            brush.put(rounded_box(width, 26, 210, 4, bottom=True), decor.top, 0, y, 106)
            load = brush.moved(0, 100, y=y + 26)
            share = decor.dice.between(250, 420, 10)
            side = decor.dice.pick((-1, 1))
            books.upright_books(
                load.moved(side * (width // 2 - share // 2 - 30), 0), decor, share, tall=260, deep=170
            )
            clutter.scatter(
                load.moved(-side * (share // 2 + 10), 0),
                decor,
                (width - share - 60, 200),
                clutter.SHELF,
                most=3,
                tall=280,
            )

    return Piece(width, 212, 700, draw, class_name="shelving")


def metal_shelf(decor: Decor) -> Piece:
    """A storage shelf with boxes and cans."""
    dice = decor.dice
    width, depth, height = dice.between(900, 1300, 100), 450, 1800
    half = width // 2

    def draw(brush: Brush) -> None:
        steel = decor.style.steel
        for x in (-half + 18, half - 18):
            for z in (18, depth - 18):
                board(brush, steel, (x - 18, x + 18), (0, height), (z - 18, z + 18), "lrubf")
        for y in (150, 560, 970, 1380, 1765):
            board(brush, steel, (-half + 36, half - 36), (y, y + 30), (4, depth - 4))
            if y < 1500:
                _stored(brush.moved(0, depth // 2, y=y + 30), decor, width - 120)
        brush.block((-half, half), (0, depth))

    return Piece(width, depth, height, draw, front=500, class_name="shelving")


def _stored(brush: Brush, decor: Decor, width: int) -> None:
    """Boxes of several sizes along a board."""
    dice, x = decor.dice, -width // 2
    while x < width // 2 - 220:
        wide = min(dice.between(200, 420, 20), width // 2 - x)
        if decor.dice.chance(80):
            loose.box(
                brush.moved(x + wide // 2, dice.between(-30, 10, 10)),
                decor,
                wide - 30,
                dice.between(160, 330, 10),
            )
        x += wide


def box_pile(decor: Decor) -> Piece:
    """Cardboard boxes one on another."""
    dice = decor.dice
    small = dice.between(250, 400, 50)

    def draw(brush: Brush) -> None:
        loose.box(brush.moved(-100, 270), decor, 480, 400, plain=True)
        loose.box(brush.moved(250, 220), decor, 190, 300, plain=True)
        loose.box(brush.moved(-120, 260, y=401), decor, small, 260, plain=True)
        brush.block((-345, 345), (20, 500))

    return Piece(700, 520, 680, draw, class_name="objects")
