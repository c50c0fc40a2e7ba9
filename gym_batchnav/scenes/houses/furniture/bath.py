"""Fittings of bathrooms."""

from __future__ import annotations

from functools import lru_cache

from ..brush import Brush
from ..mesh import QUARTER_TURNS
from ..shapes import (
    Profile,
    Shape,
    cushion,
    folds,
    lathe,
    loft,
    moved,
    panel,
    rounded_box,
    sheet,
    tipped,
    tube,
)
from . import clutter, trinkets
from .appliances import tap, washer
from .decor import Decor
from .parts import board, case, door, drawer
from .piece import Piece

BASIN = 860
"""Height of the rims of washbasins."""


def bathtub(decor: Decor) -> Piece:
    """A tub along the wall: built in, or free-standing with round ends."""
    dice = decor.dice
    half, free = dice.pick((800, 850)), dice.chance(35)

    def draw(brush: Brush) -> None:
        style = decor.style
        profile = (
            (60, 0),
            (20, 200),
            (0, 540),
            (0, 560),
            (12, 572),
            (40, 572),
            (60, 552),
            (110, 260),
            (180, 190),
        )
        built = ((0, 0), (0, 556), (6, 570), (50, 572), (70, 560), (110, 260), (170, 190))
        shape = loft(2 * half, 740, 370, profile, 4) if free else loft(2 * half, 740, 90, built, 3)
        brush.put(shape, style.ceramic, 0, 0, 372)
        brush.put(lathe(((36, 0), (30, 4), (0, 2)), 12), style.chrome, half // 2, 190, 372)
        mixer = brush.moved(half - (20 if free else 36), 372, QUARTER_TURNS[1])
        mixer.put(tap(260 if free else 200, 160), style.chrome, 0, 572, 20)
        brush.block((-half, half), (0, 744), 260 if free else 0)
        if not free and decor.lucky(60):
            trinkets.soap(brush.moved(-half + 60, 30, y=572), decor)

    return Piece(2 * half, 760, 880, draw, front=500, class_name="bathtub")


def shower(decor: Decor, *, corner: int) -> Piece:
    """A shower in a corner: a low tray, glass screens, a rail with its head.

    Args:
        decor: of the house.
        corner: -1 where the corner is on the left, 1 on the right.
    """
    size = decor.dice.pick((900, 900, 1000))
    half = size // 2

    def draw(brush: Brush) -> None:
        style = decor.style
        brush.put(
            loft(size, size, 20, ((0, 0), (0, 50), (6, 58), (40, 58), (52, 30)), 2), style.ceramic, 0, 0, half
        )
        brush.put(lathe(((50, 0), (46, 4), (0, 2)), 12), style.chrome, 0, 30, half)
        side = -corner * (half - 20)
        _pane(brush, decor, (side, 20), (side, size - 20))
        _pane(brush, decor, (side, size - 20), (side + corner * (half - 40), size - 20))
        own = brush.part("shower")
        x = corner * (half - 200)
        own.put(
            tube(((x, 1000, 20), (x, 1000, 52), (x, 2100, 52), (x, 2130, 80), (x, 2130, 360)), 10, 8),
            style.chrome,
        )
        own.put(lathe(((0, 0), (110, 0), (112, 8), (30, 18), (14, 40)), 24), style.chrome, x, 2090, 360)
        own.put(rounded_box(260, 50, 50, 12, 2, bottom=True), style.chrome, x, 1000, 50)
        hose = tube(
            ((x + 90, 1000, 60), (x + 130, 700, 80), (x + 60, 620, 90), (x, 900, 74), (x, 1500, 74)), 7, 6
        )
        own.put(hose, style.chrome)
        own.put(tube(((x, 1500, 72), (x, 1600, 110)), 14, 8, end=26), style.chrome)
        brush.block((-half, half), (0, size))
        if decor.lucky(60):
            trinkets.soap(brush.moved(corner * (half - 100), 110, y=58), decor)

    return Piece(size, size + 20, 2150, draw, front=450, class_name="shower")


def _pane(brush: Brush, decor: Decor, start: tuple[int, int], end: tuple[int, int]) -> None:
    """A pane of glass between two points (x, z), with metal edges."""
    (x0, z0), (x1, z1) = start, end
    low, high = 60, 1980
    style = decor.style
    for x, z in (start, end):
        board(brush, style.chrome, (x - 9, x + 9), (low, high), (z - 9, z + 9), "lrbf")
    rails = ((min(x0, x1) - 9, max(x0, x1) + 9), (min(z0, z1) - 9, max(z0, z1) + 9))
    board(brush, style.chrome, rails[0], (high, high + 24), rails[1])
    along_x = x0 != x1
    wide = abs(x1 - x0) if along_x else abs(z1 - z0)
    for turn in (0, 2) if along_x else (1, 3):
        brush.put(
            sheet_mm(wide - 18, high - low),
            style.etched_glass,
            (x0 + x1) // 2,
            low,
            (z0 + z1) // 2,
            QUARTER_TURNS[turn],
        )


@lru_cache(maxsize=32)
def sheet_mm(width: int, height: int) -> Shape:
    """A flat upright sheet with texture coordinates in millimetres: x about 0, y from 0, seen from +z."""
    shape = sheet(width, height, 2, 4)
    return shape._replace(texture=shape.corners[..., :2])


def toilet(decor: Decor) -> Piece:
    """A toilet with its cistern, or hung on a boxed wall."""
    boxed = decor.dice.chance(35)

    def draw(brush: Brush) -> None:
        style, back = decor.style, 180
        if boxed:
            board(brush, style.white, (-300, 300), (0, 1080), (0, back), "lrf")
            brush.put(rounded_box(610, 26, back + 12, 5, bottom=True), style.stone, 0, 1080, (back + 12) // 2)
            brush.put(panel(230, 150, 10, 3), style.chrome, 0, 860, back)
            foot: Profile = ((110, 90), (60, 160), (0, 340), (0, 395), (10, 402))
        else:
            brush.put(rounded_box(380, 370, 165, 24, 3), style.ceramic, 0, 405, 95)
            brush.put(rounded_box(396, 34, 180, 12, 2, bottom=True), style.ceramic, 0, 774, 97)
            brush.put(lathe(((22, 0), (22, 8), (0, 10)), 12), style.chrome, 0, 808, 97)
            foot = ((80, 0), (84, 60), (64, 200), (0, 350), (0, 395), (10, 402))
        brush.put(loft(360, 520, 178, foot, 4), style.ceramic, 0, 0, back + 252)
        brush.put(
            loft(372, 460, 184, ((4, 402), (0, 410), (0, 420), (8, 425)), 4), style.white, 0, 0, back + 282
        )
        brush.put(
            loft(366, 452, 181, ((2, 427), (0, 431), (4, 443), (40, 449)), 4), style.white, 0, 0, back + 280
        )
        brush.block((-300, 300) if boxed else (-198, 198), (0, back + 10))
        brush.block((-186, 186), (back, back + 514), 110)
        _paper(brush.part("objects"), decor, 330, 650)

    return Piece(720, 740, 1110 if boxed else 830, draw, front=500, class_name="toilet")


def _paper(brush: Brush, decor: Decor, x: int, y: int) -> None:
    """A roll of paper on its holder beside a toilet."""
    roll = moved(lathe(((0, 0), (54, 0), (54, 100), (0, 100)), 12), 0, -50, 0)
    brush.put(tipped(roll, "x"), decor.style.paper, x - 40, y, 70)
    brush.put(tube(((x + 16, y, 2), (x + 16, y, 70), (x - 100, y, 70)), 6, 6), decor.style.chrome)


def vanity(decor: Decor, width: int) -> Piece:
    """A washbasin on a cabinet, or with a basin set on a board, below a mirror with lamps."""
    half, bowl = width // 2, decor.dice.chance(35)

    def draw(brush: Brush) -> None:
        style, high = decor.style, 740
        case(brush, style.front, (-half, half), (260, high), (0, 420))
        bays = 2 if width > 700 else 1
        for bay in range(bays):
            x = (-half + bay * width // bays + 4, -half + (bay + 1) * width // bays - 4)
            if decor.chair % 2:
                for y in ((266, 500), (506, high - 6)):
                    drawer(brush, decor, style.front, x, y, 420)
            else:
                door(brush, decor, style.front, x, (266, high - 6), 420, hinge_left=bay == 0)
        own = brush.part("sink")
        if bowl:
            own.put(rounded_box(width + 12, 32, 470, 6, bottom=True), style.stone, 0, 740, 238)
            round_ = ((0, 0), (120, 0), (190, 70), (200, 100), (188, 102), (176, 72), (100, 22), (0, 18))
            own.put(lathe(round_, 24), style.ceramic, 0, 772, 270)
        else:
            rim = ((0, 740), (0, BASIN - 6), (6, BASIN), (60, BASIN), (72, BASIN - 12), (120, BASIN - 110))
            own.put(loft(width + 12, 470, 24, rim, 3), style.ceramic, 0, 0, 237)
        own.put(tap(250 if bowl else 170, 130), style.chrome, 0, 772 if bowl else BASIN, 36)
        brush.block((-half - 6, half + 6), (0, 475))
        mirror(brush.moved(0, 0, y=1120), decor, min(width - 40, 900), 780)
        for end in (-half + 125, half - 125):
            if decor.lucky(70):
                clutter.any_of(brush.moved(end, 60, y=772 if bowl else BASIN), decor, clutter.BATH)

    return Piece(width + 12, 480, 1900, draw, front=600, class_name="cabinet")


def mirror(brush: Brush, decor: Decor, width: int, height: int) -> None:
    """Draw a mirror in a thin frame on the wall, its lower edge at y = 0, as a thing of its own."""
    own = brush.part("mirror")
    own.put(panel(width, height, 22, 5), decor.frame)
    own.put(sheet(width - 40, height - 40, 2, 2), decor.style.mirror, 0, 20, 24)


def towel_rail(decor: Decor) -> Piece:
    """A warm rail with towels on it."""
    width = decor.dice.pick((450, 500, 600))
    half = width // 2

    def draw(brush: Brush) -> None:
        white = decor.style.chrome
        for x in (-half + 14, half - 14):
            brush.put(tube(((x, 560, 50), (x, 1560, 50)), 14, 8), white)
        for y in range(600, 1560, 110):
            brush.put(tube(((-half + 14, y, 50), (half - 14, y, 50)), 9, 6), white)
        for x in (-half + 40, half - 40):
            for y in (700, 1400):
                brush.put(tube(((x, y, 1), (x, y, 50)), 8, 6), white)
        for y in (1150, 800)[: decor.dice.between(1, 2)]:
            brush.part("towel").put(towel(width - 160, 430), decor.style.towel_of(decor.dice), 0, y - 90, 62)
        brush.block((-half, half), (0, 110))

    return Piece(width, 120, 1580, draw, front=350, class_name="furniture")


@lru_cache(maxsize=16)
def towel(width: int, height: int) -> Shape:
    """A towel that hangs in front of a rail, y from 0."""
    return folds(width, height, 34, 2, 3)


def laundry_basket(decor: Decor) -> Piece:
    """A tall basket with a lid."""
    profile = ((0, 0), (160, 0), (175, 20), (205, 520), (210, 524), (210, 548), (150, 566), (0, 570))

    def draw(brush: Brush) -> None:
        brush.put(lathe(profile, 24), decor.style.basket, 0, 0, 220)
        brush.block_disc(0, 220, 205, 8)
        if decor.lucky(40):
            brush.part("clothes").put(cushion(260, 260, 90), decor.style.towel_of(decor.dice), 0, 560, 220)

    return Piece(440, 440, 570, draw, class_name="objects")


def laundry(decor: Decor) -> Piece:
    """A washing machine, with bottles and folded towels on it."""

    def draw(brush: Brush) -> None:
        washer(brush, decor)
        brush.block((-298, 298), (0, 600))
        above = brush.moved(0, 250, y=850)
        if decor.lucky(60):
            trinkets.soap(above.moved(-150, 0), decor)
        if decor.lucky(60):
            towels(above.moved(90, 0), decor)

    return Piece(600, 620, 850, draw, front=500, class_name="appliances")


def towels(brush: Brush, decor: Decor) -> None:
    """Draw folded towels on each other, as things of their own."""
    for number in range(decor.dice.between(2, 4)):
        fold = rounded_box(300, 52, 220, 20, 2, bottom=True)
        brush.part("towel").put(fold, decor.style.towel_of(decor.dice), 0, number * 52)


def stool_with_towels(decor: Decor) -> Piece:
    """A small bench with towels."""

    def draw(brush: Brush) -> None:
        brush.put(rounded_box(420, 34, 300, 8, bottom=True), decor.top, 0, 406, 160)
        for x in (-180, 180):
            for z in (40, 280):
                brush.put(tube(((x, 3, z), (x * 9 // 10, 407, z)), 13, 6, end=17), decor.top)
        brush.block((-210, 210), (10, 310))
        towels(brush.moved(0, 160, y=440), decor)

    return Piece(420, 320, 440, draw, class_name="stool")
