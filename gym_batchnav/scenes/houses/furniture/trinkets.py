"""Things that stand on tables and shelves."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from ..brush import Brush
from ..shapes import Shape, cuboid, join, lathe, leaves, loft, moved, rounded_box, sheet, tilted, tipped, tube
from .decor import Decor
from .loose import TURNS
from .plants import potted


@lru_cache(maxsize=4)
def _mug_shape(tall: int) -> Shape:
    body = lathe(((0, 0), (36, 0), (40, 8), (40, tall), (36, tall), (33, 20), (0, 16)), 8)
    grip = tube(((38, tall - 15, 0), (64, tall - 20, 0), (66, 35, 0), (38, 25, 0)), 5, 4)
    return join(body, grip)


def mug(brush: Brush, decor: Decor) -> None:
    """Draw a mug."""
    brush.part("objects").put(_mug_shape(95), decor.glaze(), turn=decor.dice.pick(TURNS))


_GLASS = ((0, 0), (32, 0), (34, 10), (36, 110), (33, 110), (30, 14), (0, 12))


def tumbler(brush: Brush, decor: Decor) -> None:
    """Draw a glass."""
    brush.part("objects").put(lathe(_GLASS, 8), decor.style.glass)


_PLATE = ((0, 0), (70, 0), (130, 18), (132, 22), (75, 8), (0, 6))


def cover(brush: Brush, decor: Decor) -> None:
    """Draw a plate with a glass and a cup."""
    own = brush.part("objects")
    own.put(lathe(_PLATE, 12), decor.style.ceramic)
    tumbler(brush.moved(120, 120), decor)
    if decor.lucky(50):
        mug(brush.moved(-130, 110), decor)


_VASES = (
    ((0, 0), (45, 0), (75, 60), (80, 130), (50, 220), (32, 260), (42, 300), (36, 300), (26, 262), (40, 215)),
    ((0, 0), (55, 0), (60, 10), (60, 230), (54, 230), (52, 130)),
    ((0, 0), (40, 0), (95, 70), (100, 120), (60, 175), (40, 190), (46, 205), (40, 205), (34, 188), (50, 165)),
    ((0, 0), (50, 0), (38, 40), (60, 200), (72, 320), (66, 322), (54, 200)),
)


def vase(brush: Brush, decor: Decor) -> None:
    """Draw a vase, in some cases with twigs."""
    number = decor.dice.below(len(_VASES))
    own = brush.part("objects")
    own.put(lathe(_VASES[number], 12), decor.glaze())
    if decor.dice.chance(45):
        own.put(
            _twigs(number % 2, _VASES[number][-2][1]),
            decor.dice.pick((decor.style.leaf, decor.style.dark_leaf)),
        )


@lru_cache(maxsize=16)
def _twigs(kind: int, low: int) -> Shape:
    rows = []
    for number in range(18):
        rows.append(
            (0, low - 60 + number * 5, 0, number * 5 + kind, 3 + number % 3, 150 + number % 3 * 25, 38, 25)
        )
    return leaves(np.array(rows, np.int64), (30, 100, 8))


_BOWL = ((0, 0), (60, 0), (65, 8), (120, 55), (135, 90), (128, 92), (112, 60), (58, 18), (0, 14))


_FRUIT = ((0, 0), (26, 6), (38, 26), (38, 46), (24, 68), (0, 70))


def bowl(brush: Brush, decor: Decor) -> None:
    """Draw a bowl, in most cases with fruit."""
    own = brush.part("objects")
    own.put(lathe(_BOWL, 12), decor.glaze())
    if decor.dice.chance(70):
        color = decor.style.palette.finish(
            "", decor.dice.pick(((214, 120, 36), (176, 44, 40), (140, 168, 60)))
        )
        for x, y, z in ((-45, 28, 20), (40, 28, 30), (0, 28, -48), (0, 72, 5)):
            own.put(lathe(_FRUIT, 8), color, x, y, z)


def photo(brush: Brush, decor: Decor) -> None:
    """Draw a framed photograph that leans backwards."""
    own, wide, high = (
        brush.part("picture"),
        decor.dice.between(110, 180, 10),
        decor.dice.between(150, 220, 10),
    )
    lean = (24, -7, 25)
    own.put(tilted(rounded_box(wide, high, 14, 3), *lean), decor.frame, 0, 3, 30)
    own.put(
        tilted(moved(sheet(wide - 30, high - 30), 0, 15, 9), *lean), decor.style.picture(decor.dice), 0, 3, 30
    )


_CANDLE = ((0, 0), (50, 0), (50, 8), (28, 12), (28, 130), (0, 132))


def candle(brush: Brush, decor: Decor) -> None:
    """Draw one to three candles."""
    own = brush.part("objects")
    for x, z, tall in ((0, 0, 1), (90, 30, 0), (-80, 40, 0))[: decor.dice.between(1, 3)]:
        own.put(
            lathe(_CANDLE, 8) if tall else lathe((*_CANDLE[:4], (28, 80), (0, 82)), 8),
            decor.style.linen,
            x,
            0,
            z,
        )


_BOTTLE = ((0, 0), (36, 0), (38, 8), (38, 170), (30, 200), (13, 225), (13, 290), (0, 292))


_SOAP = ((0, 0), (30, 0), (32, 8), (32, 120), (14, 135), (9, 140), (9, 165), (0, 166))


_JAR = ((0, 0), (45, 0), (48, 8), (48, 120), (38, 130), (44, 132), (44, 150), (0, 152))


def bottle(brush: Brush, decor: Decor) -> None:
    """Draw a bottle."""
    colors = ((52, 84, 56), (110, 52, 40), (190, 170, 90), (60, 62, 70))
    brush.part("objects").put(lathe(_BOTTLE, 8), decor.style.palette.finish("", decor.dice.pick(colors)))


def soap(brush: Brush, decor: Decor) -> None:
    """Draw bottles of soap and shampoo."""
    own = brush.part("objects")
    for x in (0, 85)[: decor.dice.between(1, 2)]:
        own.put(
            lathe(_SOAP, 8),
            decor.style.bright(decor.dice) if decor.dice.chance(50) else decor.style.white,
            x,
        )


def jars(brush: Brush, decor: Decor) -> None:
    """Draw jars side by side."""
    own, finish = brush.part("objects"), decor.glaze()
    for number in range(decor.dice.between(2, 3)):
        own.put(lathe(_JAR, 8), finish, -110 + number * 110)


def cup_of_brushes(brush: Brush, decor: Decor) -> None:
    """Draw a cup with brushes in it."""
    own = brush.part("objects")
    own.put(lathe(((0, 0), (35, 0), (38, 6), (38, 100), (34, 100), (32, 14), (0, 12)), 12), decor.glaze())
    for x, z in ((-16, 8), (14, -10), (6, 16)):
        own.put(tube(((0, 16, 0), (x, 190, z)), 4, 4), decor.style.bright(decor.dice))


def clock(brush: Brush, decor: Decor) -> None:
    """Draw a small clock."""
    own = brush.part("objects")
    own.put(
        moved(tipped(lathe(((0, 0), (58, 0), (62, 6), (62, 36), (56, 40), (0, 40)), 24), "z"), 0, 64, -20),
        decor.frame,
    )
    own.put(moved(tipped(lathe(((0, 0), (50, 0), (50, 3), (0, 3)), 24), "z"), 0, 64, 20), decor.style.white)


def sculpture(brush: Brush, decor: Decor) -> None:
    """Draw a small sculpture: stacked stones or a ring."""
    own, finish = brush.part("objects"), decor.glaze()
    if decor.dice.chance(50):
        y = 0
        for radius, high in ((62, 48), (48, 40), (34, 30)):
            stone = (
                (0, 0),
                (radius * 6 // 10, 3),
                (radius, high // 2),
                (radius * 6 // 10, high - 3),
                (0, high),
            )
            own.put(lathe(stone, 12), finish, 0, y)
            y += high - 3
    else:
        own.put(cuboid(90, 24, 60, "lrubf"), decor.style.black)
        own.put(
            tube(
                (
                    (0, 22, 0),
                    (72, 70, 0),
                    (84, 150, 0),
                    (0, 220, 0),
                    (-84, 150, 0),
                    (-72, 70, 0),
                    (-6, 24, 0),
                ),
                14,
                8,
            ),
            finish,
        )


def small_plant(brush: Brush, decor: Decor) -> None:
    """Draw a small potted plant."""
    potted(brush, decor)


def tray(brush: Brush, decor: Decor) -> None:
    """Draw a tray with a cup and a candle."""
    own = brush.part("objects")
    own.put(loft(340, 240, 30, ((6, 0), (0, 30), (7, 30), (12, 8)), 1), decor.top)
    mug(brush.moved(-80, 20, y=8), decor)
    tumbler(brush.moved(60, -30, y=8), decor)


def remote(brush: Brush, decor: Decor) -> None:
    """Draw a remote control."""
    brush.part("objects").put(rounded_box(46, 18, 170, 6), decor.style.black, turn=decor.dice.pick(TURNS))


def centrepiece(brush: Brush, decor: Decor) -> None:
    """Draw what stands in the middle of a table."""
    decor.dice.pick((bowl, vase, candle, bowl, small_plant))(brush, decor)
