"""Appliances and fittings of kitchens and laundries."""

from __future__ import annotations

from functools import lru_cache

from ..brush import Brush
from ..shapes import Shape, cuboid, join, lathe, loft, moved, panel, rounded_box, tipped, tube
from .decor import Decor
from .parts import bar, board


def fridge(brush: Brush, decor: Decor) -> None:
    """Draw a refrigerator about x = 0, as a thing of its own; 1,850 mm high."""
    own, style = brush.part("appliances"), decor.style
    finish = style.steel if decor.handle == "bar" else style.white
    board(own, style.black, (-285, 285), (0, 60), (30, 560), "lrf")
    own.put(rounded_box(592, 1790, 530, 10), finish, 0, 60, 285)
    for low, high in ((64, 700), (708, 1846)):
        own.put(panel(590, high - low, 44, 10), finish, 0, low, 548)
    for y, long in ((560, 240), (960, 420)):
        own.put(bar(long, 9, 26), style.chrome, 240, y, 592)


def oven(brush: Brush, decor: Decor, z: int) -> None:
    """Draw the front of an oven at depth ``z``, 256 to 858 mm above the floor."""
    own, style = brush.part("appliances"), decor.style
    own.put(panel(592, 600, 18, 4), style.steel, 0, 256, z)
    own.put(panel(500, 340, 4, 1), style.black, 0, 320, z + 18)
    own.put(
        tube(((-230, 706, z + 16), (-230, 706, z + 36), (230, 706, z + 36), (230, 706, z + 16)), 9, 6),
        style.chrome,
    )
    for x in (-220, -130, 130, 220):
        own.put(_dial(), style.black, x, 790, z + 18)
    board(own, style.black, (-60, 60), (770, 810), (z + 17, z + 20), "f")


@lru_cache(maxsize=1)
def _dial() -> Shape:
    return tipped(lathe(((22, 0), (18, 22), (0, 24)), 12), "z")


def hob(brush: Brush, decor: Decor, y: int) -> None:
    """Draw a glass hob on a worktop at height ``y``; in some houses with a pot on it."""
    own, style = brush.part("appliances"), decor.style
    own.put(rounded_box(570, 6, 500, 2), style.black, 0, y, 300)
    ring = lathe(((86, 6), (92, 8), (84, 8)), 24)
    for x, z in ((-140, 190), (140, 190), (-140, 415), (140, 415)):
        own.put(ring, style.rubber, x, y, z)
    if decor.lucky(60):
        pot = brush.part("objects")
        pot.put(_pot(), decor.dice.pick((style.steel, style.accent(decor.dice))), -140, y + 8, 190)


@lru_cache(maxsize=1)
def _pot() -> Shape:
    body = lathe(((0, 0), (100, 0), (108, 8), (108, 120), (112, 124), (100, 132), (20, 146), (0, 148)), 24)
    ears = [
        tube(((x * 106, 96, -35), (x * 136, 98, -30), (x * 136, 98, 30), (x * 106, 96, 35)), 6, 6)
        for x in (-1, 1)
    ]
    return join(body, *ears, moved(lathe(((8, 0), (16, 14), (14, 24), (0, 26)), 8), 0, 146))


def sink(brush: Brush, decor: Decor, y: int) -> None:
    """Draw a sunk basin with a tap about x = 0, its rim on a worktop at height ``y``."""
    own, style = brush.part("sink"), decor.style
    basin = loft(540, 440, 40, ((0, 0), (8, 5), (30, 5), (36, -6), (44, -165)), 2)
    own.put(basin, style.steel, 0, y, 330)
    own.put(lathe(((34, 0), (30, 4), (0, 2)), 12), style.black, 0, y - 164, 330)
    own.put(tap(300, 210), style.chrome, 0, y, 70)


@lru_cache(maxsize=8)
def tap(height: int, reach: int) -> Shape:
    """A bow-shaped tap with a lever, its foot at the origin."""
    neck = tube(
        (
            (0, 0, 0),
            (0, height - 60, 0),
            (0, height - 12, reach // 5),
            (0, height, reach // 2),
            (0, height - 18, reach * 4 // 5),
            (0, height - 70, reach),
        ),
        12,
        8,
    )
    lever = tube(((14, height // 4, 0), (50, height // 4 + 12, 0), (80, height // 4 + 34, 0)), 6, 6)
    return join(
        lathe(((26, 0), (26, 8), (17, 14), (17, height // 4 + 16), (10, height // 4 + 20)), 12), neck, lever
    )


def hood(brush: Brush, decor: Decor) -> None:
    """Draw an extractor hood above a hob."""
    own, steel = brush.part("appliances"), decor.style.steel
    own.put(loft(596, 480, 8, ((0, 1580), (0, 1630), (170, 1780)), 1, closed=False), steel, 0, 0, 242)
    own.put(rounded_box(254, 700, 138, 4), steel, 0, 1780, 242)
    board(own, decor.style.black, (-290, 290), (1580, 1584), (10, 474), "d")
    for x in (-150, 150):
        own.put(lathe(((0, 0), (34, 2)), 12), decor.style.white, x, 1577, 330)


def dishwasher(brush: Brush, decor: Decor, z: int, high: int) -> None:
    """Draw the front of a dishwasher at depth ``z``."""
    own, style = brush.part("appliances"), decor.style
    own.put(panel(592, high - 112, 18, 4), style.steel, 0, 106, z)
    own.put(panel(560, 60, 4, 1), style.black, 0, high - 84, z + 18)
    own.put(
        tube(
            (
                (-240, high - 130, z + 16),
                (-240, high - 130, z + 36),
                (240, high - 130, z + 36),
                (240, high - 130, z + 16),
            ),
            9,
            6,
        ),
        style.chrome,
    )


def microwave(brush: Brush, decor: Decor) -> None:
    """Draw a microwave oven, a kettle or a toaster on a worktop at y = 0, about x = 0."""
    own, style, kind = brush.part("appliances"), decor.style, decor.dice.below(3)
    if kind == 0:
        own.put(rounded_box(480, 270, 340, 8), style.steel, 0, 6, 200)
        own.put(panel(340, 230, 10, 3), style.black, -55, 24, 370)
        own.put(bar(190, 6, 24), style.chrome, 96, 140, 380)
        for y in (80, 180):
            own.put(_dial(), style.black, 180, y, 370)
    elif kind == 1:
        own.put(_kettle(), style.steel, -80, 0, 240)
        own.put(lathe(((0, 0), (80, 0), (82, 16), (0, 20)), 12), style.black, -80, 0, 240)
    else:
        own.put(rounded_box(300, 180, 170, 30, 2), style.accent(decor.dice), 60, 8, 220)
        for z in (190, 250):
            own.put(cuboid(230, 4, 28, "u"), style.black, 60, 186, z)


@lru_cache(maxsize=1)
def _kettle() -> Shape:
    body = lathe(((78, 18), (82, 40), (66, 190), (60, 205), (20, 216), (12, 232), (0, 234)), 12)
    grip = tube(((66, 190, 0), (120, 195, 0), (128, 120, 0), (80, 60, 0)), 10, 6)
    spout = tube(((-60, 150, 0), (-92, 196, 0)), 20, 6, end=12)
    return join(body, grip, spout)


def washer(brush: Brush, decor: Decor, y: int = 0) -> None:
    """Draw a washing machine about x = 0, as a thing of its own."""
    own, style = brush.part("appliances"), decor.style
    own.put(rounded_box(596, 840, 560, 8), style.white, 0, y + 10, 290)
    rim = ((186, 0), (192, 10), (186, 26), (160, 30), (150, 16))
    own.put(moved(tipped(lathe(rim, 24), "z"), 0, y + 420, 570), style.chrome)
    glass = ((152, 12), (130, 30), (80, 40), (0, 42))
    own.put(moved(tipped(lathe(glass, 24), "z"), 0, y + 420, 570), style.black)
    own.put(panel(580, 100, 6, 2), style.steel, 0, y + 740, 570)
    own.put(_dial(), style.chrome, 160, y + 790, 576)
    board(own, style.black, (-60, 40), (y + 770, y + 812), (570, 578), "f")
    for x in (-250, 250):
        for z in (60, 520):
            own.put(lathe(((22, 0), (22, 10)), 6), style.black, x, y, z)
