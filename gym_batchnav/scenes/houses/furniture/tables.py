"""Tables of all kinds, with what stands around them."""

from __future__ import annotations

from ..brush import Brush
from ..mesh import QUARTER_TURNS, Turn
from ..shapes import lathe, moved, rounded_box, tipped, tube
from . import books, clutter, trinkets
from .chairs import chair, office_chair, stool
from .decor import Decor
from .lamps import desk_lamp
from .media import keyboard, monitor
from .parts import board, case, drawer, legs, top
from .piece import Piece

TABLE = 750
"""Height of dining tables."""
_OBLIQUE = (Turn(24, 7, 25), Turn(24, -7, 25), Turn(12, 5, 13), Turn(12, -5, 13), Turn(40, 9, 41))
_SLIGHT = (Turn(1, 0), Turn(1, 0), Turn(60, 11, 61), Turn(60, -11, 61), Turn(24, 7, 25))


def dining_set(decor: Decor, seats: int) -> Piece:
    """A table with chairs around it: a round one for three or four, a long one for four to eight."""
    if seats <= 4 and decor.dice.chance(45):
        return _round_set(decor, seats)
    return _long_set(decor, seats)


def _long_set(decor: Decor, seats: int) -> Piece:
    dice = decor.dice
    ends = seats >= 6 and seats % 4 == 2
    pairs = (seats - 2 if ends else seats) // 2
    half, deep = (pairs * 620 + (140 if ends else 60)) // 2, dice.pick((800, 900)) // 2
    seat = dice.pick((decor.style.second_fabric, decor.style.fabric, decor.style.leather))
    pulled = dice.between(-60, 150, 30)

    def draw(brush: Brush) -> None:
        middle = brush.moved(0, deep + 500)
        _long_table(middle, decor, half, deep)
        for number in range(pairs):
            x = (2 * number + 1 - pairs) * 310
            for turn, side in ((QUARTER_TURNS[0], -1), (QUARTER_TURNS[2], 1)):
                out = deep + 230 + (pulled if number == 0 and side > 0 else 40 * dice.below(2))
                chair(middle.moved(x, side * out, turn), decor, seat)
        if ends:
            for turn, side in ((QUARTER_TURNS[3], -1), (QUARTER_TURNS[1], 1)):
                chair(middle.moved(side * (half + 260), 0, turn), decor, seat)
        _laid(
            middle,
            decor,
            [(x, z) for x in range(300 - half, half - 200, 500) for z in (-deep + 190, deep - 190)],
        )

    width = 2 * half + (2 * 280 if ends else 0)
    return Piece(width, 2 * deep + 1000, 930, draw, class_name="table")


def _long_table(brush: Brush, decor: Decor, half: int, deep: int) -> None:
    top(brush, decor.top, (-half, half), (TABLE - 34, TABLE), (-deep, deep), 8)
    legs(brush, decor, (-half + 50, half - 50), (-deep + 50, deep - 50), TABLE - 34, 70, decor.top)
    if decor.legs != "steel":
        for z in (-deep + 70, deep - 90):
            board(brush, decor.top, (-half + 110, half - 110), (TABLE - 114, TABLE - 34), (z, z + 20), "dbf")
        for x in (-half + 70, half - 90):
            board(brush, decor.top, (x, x + 20), (TABLE - 114, TABLE - 34), (-deep + 110, deep - 110), "lrd")
    brush.block((-half, half), (-deep, deep))


def _round_set(decor: Decor, seats: int) -> Piece:
    seat = decor.dice.pick((decor.style.second_fabric, decor.style.fabric, decor.style.leather))
    oblique, radius = decor.dice.pick(_OBLIQUE), 480 if seats < 4 else 560
    reach = radius + 480

    def draw(brush: Brush) -> None:
        middle = brush.moved(0, reach, oblique)
        foot = ((0, 0), (270, 0), (270, 22), (60, 50), (42, 130), (36, TABLE - 90), (110, TABLE - 34))
        middle.put(lathe(foot, 24), decor.frame)
        plate = ((110, TABLE - 34), (radius - 10, TABLE - 34), (radius, TABLE - 24), (radius, TABLE - 8))
        middle.put(lathe((*plate, (radius - 8, TABLE), (0, TABLE)), 24), decor.top)
        middle.block_disc(0, 0, radius, 12)
        for turn in QUARTER_TURNS[:seats]:
            chair(middle.moved(0, 0, turn).moved(0, -radius - 220), decor, seat)
        _laid(middle, decor, [(x, z) for x, z in ((0, -radius + 190), (radius - 190, 0), (0, radius - 190))])

    return Piece(2 * reach, 2 * reach, 930, draw, class_name="table")


def _laid(brush: Brush, decor: Decor, places: list[tuple[int, int]]) -> None:
    """What stands on a table: something in the middle, plates or cups at some places."""
    if decor.lucky(75):
        trinkets.centrepiece(brush.moved(0, 0, y=TABLE), decor)
    for x, z in places:
        if decor.lucky(20):
            trinkets.cover(brush.moved(x, z, y=TABLE), decor)


def coffee_table(decor: Decor) -> Piece:
    """A low table: round, or long with a shelf below, or a block."""
    dice = decor.dice
    kind = dice.below(4)
    width, depth = (800, 800) if kind == 0 else (dice.between(900, 1200, 100), dice.pick((500, 600)))
    height = dice.between(380, 440, 20)

    def draw(brush: Brush) -> None:
        middle = brush.moved(0, depth // 2)
        (_round_low if kind == 0 else _long_low)(middle, decor, width // 2, depth // 2, height)
        if kind == 0:
            middle.block_disc(0, 0, width // 2, 12)
        else:
            middle.block((-(width // 2), width // 2), (-(depth // 2), depth // 2))
        clutter.scatter(
            middle.moved(0, 0, y=height),
            decor,
            ((width - 60, depth - 60) if kind else (540, 540)),
            clutter.LIVING,
            most=5,
        )

    return Piece(width, depth, height, draw, class_name="table")


def _round_low(brush: Brush, decor: Decor, half: int, deep: int, height: int) -> None:
    rim = ((half - 8, height - 34), (half, height - 26), (half, height - 6), (half - 6, height))
    brush.put(lathe(((0, height - 34), *rim, (0, height)), 24), decor.top)
    for x, z in ((-1, -1), (1, -1), (1, 1), (-1, 1)):
        shape = tube(
            ((x * half * 6 // 10, 3, z * half * 6 // 10), (x * half // 2, height - 33, z * half // 2)),
            13,
            8,
            end=20,
        )
        brush.put(shape, decor.frame)


def _long_low(brush: Brush, decor: Decor, half: int, deep: int, height: int) -> None:
    top(brush, decor.top, (-half, half), (height - 36, height), (-deep, deep), 7)
    legs(brush, decor, (-half + 30, half - 30), (-deep + 30, deep - 30), height - 36, 54, decor.top)
    if decor.legs != "tapered":
        top(brush, decor.top, (-half + 40, half - 40), (130, 150), (-deep + 40, deep - 40), 4)
        for x in range(-half + 220, half - 200, 330):
            if decor.lucky(60):
                books.pile(brush.moved(x, 0, y=150), decor, 2)


def side_table(decor: Decor) -> Piece:
    """A small round table."""
    height = decor.dice.between(480, 560, 20)

    def draw(brush: Brush) -> None:
        middle = brush.moved(0, 225)
        plate = (
            (0, height - 25),
            (205, height - 25),
            (215, height - 17),
            (215, height - 6),
            (209, height),
            (0, height),
        )
        middle.put(lathe(plate, 24), decor.top)
        for x, z in ((0, -1), (-1, 1), (1, 1)):
            middle.put(
                tube(((x * 150, 3, z * 140), (x * 70, height - 24, z * 70)), 10, 6, end=15), decor.frame
            )
        middle.block_disc(0, 0, 215, 12)
        clutter.scatter(middle.moved(0, 0, y=height), decor, (300, 300), clutter.LIVING, most=2)

    return Piece(450, 450, height, draw, class_name="table")


def desk(decor: Decor, *, tucked: bool = False) -> Piece:
    """A desk at the wall with a screen, and an office chair before it, or half below it.

    Args:
        decor: of the house.
        tucked: whether the chair is pushed in, for narrow rooms.
    """
    dice = decor.dice
    width, deep = (1200, 600) if tucked else (dice.between(1200, 1600, 100), dice.pick((650, 700, 750)))
    finish = dice.pick((decor.top, decor.case))
    turn, shift, drawers_right = dice.pick(_OBLIQUE), dice.between(-150, 150, 50), dice.chance(50)
    half = width // 2

    def draw(brush: Brush) -> None:
        top(brush, finish, (-half, half), (710, 740), (0, deep), 6)
        right = 1 if drawers_right else -1
        box = (half - 420, half - 20) if drawers_right else (-half + 20, -half + 420)
        case(brush, finish, box, (60, 710), (40, deep - 50))
        for low, high in ((70, 360), (364, 530), (534, 700)):
            drawer(brush, decor, decor.front, (box[0] + 4, box[1] - 4), (low, high), deep - 50)
        for z in (70, deep - 60):
            brush.put(rounded_box(55, 710, 55, 6), finish, -right * (half - 60), 0, z)
        board(brush, finish, (-half + 90, half - 90), (430, 700), (60, 78), "bf")
        brush.block((-half, half), (0, deep))
        _on_desk(brush.moved(0, 0, y=740), decor, half, right)
        office_chair(
            brush.moved(shift - right * 120, deep + (60 if tucked else 320)),
            decor,
            Turn(-turn.c, -turn.s, turn.d),
        )

    return Piece(width, deep + (470 if tucked else 730), 740, draw, front=250, class_name="table")


def _on_desk(brush: Brush, decor: Decor, half: int, right: int) -> None:
    """Screen, keyboard and lamp, and more with clutter."""
    middle = -right * 100
    monitor(brush.moved(middle, 200), decor)
    keyboard(brush.moved(middle, 470), decor)
    desk_lamp(brush.moved(right * (half - 160), 160), decor)
    for x in (-right * (half - 160), right * (half - 330)):
        if decor.lucky(60):
            clutter.any_of(brush.moved(x, 330), decor, clutter.STUDY)
    if decor.lucky(60):
        books.upright_books(brush.moved(-right * (half - 190), 150), decor, 260)


def console(decor: Decor) -> Piece:
    """A narrow table at the wall of a hall."""
    width = decor.dice.between(800, 1200, 100)
    half = width // 2

    def draw(brush: Brush) -> None:
        top(brush, decor.top, (-half, half), (790, 820), (0, 330), 6)
        legs(brush, decor, (-half + 20, half - 20), (20, 310), 790, 46, decor.top)
        case(brush, decor.top, (-half + 70, half - 70), (660, 790), (20, 290))
        for x in ((-half + 74, -3), (3, half - 74)):
            drawer(brush, decor, decor.front, x, (666, 784), 290)
        brush.block((-half, half), (0, 340))
        clutter.scatter(brush.moved(0, 165, y=820), decor, (width - 60, 300), clutter.HALL, most=4)

    return Piece(width, 350, 820, draw, front=700, class_name="table")


def dressing_table(decor: Decor) -> Piece:
    """A small table with a round mirror and a stool before it."""
    half = 450

    def draw(brush: Brush) -> None:
        top(brush, decor.top, (-half, half), (730, 755), (0, 420), 6)
        legs(brush, decor, (-half + 20, half - 20), (20, 400), 730, 44, decor.top)
        case(brush, decor.top, (-half + 70, half - 70), (610, 730), (20, 380))
        drawer(brush, decor, decor.front, (-half + 74, half - 74), (616, 724), 380)
        brush.block((-half, half), (0, 420))
        disc = lathe(((0, 0), (240, 0), (250, 8), (250, 18), (240, 24), (0, 24)), 24)
        own = brush.part("mirror")
        own.put(moved(tipped(disc, "z"), 0, 1060, 20), decor.style.metal)
        own.put(
            moved(tipped(lathe(((0, 0), (228, 0), (228, 3), (0, 3)), 24), "z"), 0, 1060, 44),
            decor.style.chrome,
        )
        own.put(tube(((0, 755, 30), (0, 830, 30)), 14, 8), decor.style.metal)
        stool(brush.moved(0, 560), decor)
        clutter.scatter(brush.moved(0, 230, y=755), decor, (700, 330), clutter.BATH, most=5)

    return Piece(2 * half, 740, 1320, draw, front=300, class_name="table")
