"""Small things that stand or lie on furniture and floors."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ..brush import Brush
from ..mesh import Turn
from ..shapes import (
    Shape,
    cuboid,
    cushion,
    join,
    lathe,
    leaves,
    loft,
    moved,
    rounded_box,
    sheet,
    tilted,
    tipped,
    tube,
)
from ..shapes.shape import Ints, flat
from .decor import Decor
from .plants import potted

TURNS = (
    *(Turn(1, 0), Turn(0, 1), Turn(-1, 0), Turn(0, -1), Turn(4, 3, 5), Turn(-4, 3, 5), Turn(3, -4, 5)),
    *(Turn(12, 5, 13), Turn(-5, 12, 13), Turn(24, -7, 25), Turn(7, 24, 25)),
)
_SLIGHT = (Turn(1, 0), Turn(60, 11, 61), Turn(60, -11, 61), Turn(24, 7, 25), Turn(24, -7, 25))


class Kind(NamedTuple):
    """A kind of small thing."""

    draw: Callable[[Brush, Decor], None]
    half: int
    """Half of its extent from above."""
    height: int


@lru_cache(maxsize=4)
def _mug_shape(tall: int) -> Shape:
    body = lathe(((0, 0), (36, 0), (40, 8), (40, tall), (36, tall), (33, 20), (0, 16)), 12)
    grip = tube(((38, tall - 15, 0), (64, tall - 20, 0), (66, 35, 0), (38, 25, 0)), 5, 4)
    return join(body, grip)


def mug(brush: Brush, decor: Decor) -> None:
    """Draw a mug."""
    brush.part("objects").put(_mug_shape(95), decor.glaze(), turn=decor.dice.pick(TURNS))


_GLASS = ((0, 0), (32, 0), (34, 10), (36, 110), (33, 110), (30, 14), (0, 12))


def tumbler(brush: Brush, decor: Decor) -> None:
    """Draw a glass."""
    brush.part("objects").put(lathe(_GLASS, 12), decor.style.glass)


_PLATE = ((0, 0), (70, 0), (130, 18), (132, 22), (75, 8), (0, 6))


def cover(brush: Brush, decor: Decor) -> None:
    """Draw a plate with a glass and a cup."""
    own = brush.part("objects")
    own.put(lathe(_PLATE, 24), decor.style.ceramic)
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
    return leaves(np.array(rows, np.int64))


_BOWL = ((0, 0), (60, 0), (65, 8), (120, 55), (135, 90), (128, 92), (112, 60), (58, 18), (0, 14))
_FRUIT = ((0, 0), (26, 6), (38, 26), (38, 46), (24, 68), (0, 70))


def bowl(brush: Brush, decor: Decor) -> None:
    """Draw a bowl, in most cases with fruit."""
    own = brush.part("objects")
    own.put(lathe(_BOWL, 24), decor.glaze())
    if decor.dice.chance(70):
        color = decor.style.palette.finish(
            "", decor.dice.pick(((214, 120, 36), (176, 44, 40), (140, 168, 60)))
        )
        for x, y, z in ((-45, 28, 20), (40, 28, 30), (0, 28, -48), (0, 72, 5)):
            own.put(lathe(_FRUIT, 8), color, x, y, z)


def pile(brush: Brush, decor: Decor, count: int = 3) -> None:
    """Draw books lying on each other."""
    own, y, dice = brush.part("objects"), 0, decor.dice
    for _ in range(count):
        wide, deep, thick = dice.between(140, 200, 10), dice.between(190, 230, 10), dice.between(18, 42, 3)
        turn = dice.pick(_SLIGHT)
        own.put(_book(wide, thick, deep), _covered(decor), 0, y, 0, turn)
        y += thick


@lru_cache(maxsize=512)
def _book(wide: int, thick: int, deep: int) -> Shape:
    """A lying book: two covers, a back and the pages between them."""
    return join(
        cuboid(wide, 3, deep),
        moved(cuboid(wide, 3, deep), 0, thick - 3, 0),
        moved(cuboid(3, thick - 6, deep, "lrbf"), -wide // 2 + 2, 3, 0),
        moved(cuboid(wide - 14, thick - 6, deep - 10, "rbf"), -2, 3, 0),
    )


def _covered(decor: Decor) -> Ints:
    """Finishes of a lying book's quads: 6 + 6 + 4 of the cover, then the pages."""
    return np.array([decor.dice.pick(decor.books)] * 16 + [decor.style.paper] * 3, np.int64)


def upright_books(brush: Brush, decor: Decor, width: int, *, tall: int = 280, deep: int = 200) -> None:
    """Draw a row of books about x = 0, their backs towards +z at z = ``deep / 2``; one thing in all."""
    dice, x, rows, finishes = decor.dice, -(width // 2), [], []
    while x < width // 2 - 14:
        thick = min(dice.between(16, 52, 2), width // 2 - x)
        height = tall * dice.between(62, 98) // 100
        rows.append((x, thick, height, deep * dice.between(74, 100) // 100))
        finishes.append(dice.pick(decor.books))
        x += thick + 1
        if dice.chance(4):
            x += 30
    if rows:
        table = np.array(rows, np.int64)
        brush.part("objects").put(_row_of_books(table, deep), np.tile(np.array(finishes, np.int64), 4))


def _row_of_books(table: Ints, deep: int) -> Shape:
    """Fronts, tops and both sides of upright books."""
    x0, x1, top = table[:, 0], table[:, 0] + table[:, 1], table[:, 2]
    z1 = deep // 2 - (np.arange(len(table)) * 7 % 5) * 3
    z0, low = z1 - table[:, 3], np.zeros_like(x0)

    def corners(*points: tuple[Ints, Ints, Ints]) -> Ints:
        return np.stack([np.stack(point, axis=1) for point in points], axis=1)

    faces = [
        corners((x0, low, z1), (x1, low, z1), (x1, top, z1), (x0, top, z1)),
        corners((x0, top, z1), (x1, top, z1), (x1, top, z0), (x0, top, z0)),
        corners((x0, low, z0), (x0, low, z1), (x0, top, z1), (x0, top, z0)),
        corners((x1, low, z1), (x1, low, z0), (x1, top, z0), (x1, top, z1)),
    ]
    quads = np.concatenate(faces)
    return flat(quads, quads[..., :2])


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
            lathe(_CANDLE, 12) if tall else lathe((*_CANDLE[:4], (28, 80), (0, 82)), 12),
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
    brush.part("objects").put(lathe(_BOTTLE, 12), decor.style.palette.finish("", decor.dice.pick(colors)))


def soap(brush: Brush, decor: Decor) -> None:
    """Draw bottles of soap and shampoo."""
    own = brush.part("objects")
    for x in (0, 85)[: decor.dice.between(1, 2)]:
        own.put(
            lathe(_SOAP, 12),
            decor.style.bright(decor.dice) if decor.dice.chance(50) else decor.style.white,
            x,
        )


def jars(brush: Brush, decor: Decor) -> None:
    """Draw jars side by side."""
    own, finish = brush.part("objects"), decor.glaze()
    for number in range(decor.dice.between(2, 3)):
        own.put(lathe(_JAR, 12), finish, -110 + number * 110)


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


def magazine(brush: Brush, decor: Decor) -> None:
    """Draw magazines lying on each other."""
    own = brush.part("objects")
    for y in (0, 6, 12)[: decor.dice.between(1, 3)]:
        own.put(
            cuboid(210, 6, 280, "lrubf"), decor.style.accent(decor.dice), 0, y, 0, decor.dice.pick(_SLIGHT)
        )


def ball(brush: Brush, decor: Decor) -> None:
    """Draw a ball."""
    profile = ((0, 0), (55, 15), (95, 55), (110, 110), (95, 165), (55, 205), (0, 220))
    brush.part("objects").put(lathe(profile, 12), decor.style.bright(decor.dice))


def bricks(brush: Brush, decor: Decor) -> None:
    """Draw toy bricks lying about."""
    own, dice = brush.part("objects"), decor.dice
    for _ in range(dice.between(5, 9)):
        x, z = dice.between(-190, 190, 10), dice.between(-190, 190, 10)
        own.put(rounded_box(48, 44, 48, 4), decor.style.bright(dice), x, 0, z, dice.pick(TURNS))


def car(brush: Brush, decor: Decor) -> None:
    """Draw a toy car."""
    own, turn = brush.part("objects"), decor.dice.pick(TURNS)
    body = join(
        moved(rounded_box(90, 46, 200, 14, 2, bottom=True), 0, 22, 0),
        moved(rounded_box(78, 40, 100, 12, 2), 0, 64, -10),
    )
    own.put(body, decor.style.bright(decor.dice), turn=turn)
    wheel = tipped(lathe(((0, 0), (24, 0), (24, 16), (0, 16)), 12), "x")
    wheels = join(*(moved(wheel, x, 25, z) for x in (-50, 34) for z in (-62, 62)))
    own.put(wheels, decor.style.rubber, turn=turn)


def bear(brush: Brush, decor: Decor) -> None:
    """Draw a sitting teddy bear."""
    own, turn = brush.part("objects"), decor.dice.pick(TURNS)
    body = lathe(((0, 0), (70, 10), (95, 70), (80, 140), (50, 185), (0, 190)), 12)
    head = moved(lathe(((0, 0), (45, 12), (68, 55), (62, 95), (30, 125), (0, 130)), 12), 0, 170, 10)
    limb = lathe(((0, 0), (30, 12), (36, 50), (30, 110), (0, 125)), 8)
    ears = [moved(lathe(((0, 0), (22, 8), (26, 26), (0, 48)), 8), x, 268, 5) for x in (-50, 50)]
    legs_ = [moved(tilted(limb, 3, 4, 5), x, 26, 50) for x in (-62, 62)]
    arms = [moved(tilted(limb, 4, -3, 5), x, 70, 60) for x in (-88, 88)]
    fur = decor.style.palette.finish(
        "towel", decor.dice.pick(((168, 122, 78), (206, 178, 140), (120, 100, 90))), 4000
    )
    own.put(join(body, head, *ears, *legs_, *arms), fur, turn=turn)


def shoes(brush: Brush, decor: Decor) -> None:
    """Draw a pair of shoes."""
    own, dice = brush.part("clothes"), decor.dice
    finish = dice.pick((decor.style.leather, decor.style.black, decor.style.white, decor.style.bright(dice)))
    for x in (-65, 60):
        turn = dice.pick(_SLIGHT)
        own.put(loft(88, 270, 42, ((0, 0), (0, 26)), 2), decor.style.rubber, x, 0, 0, turn)
        own.put(loft(82, 264, 40, ((0, 26), (8, 52), (26, 62)), 2), finish, x, 0, 0, turn)
        own.put(loft(74, 120, 34, ((0, 40), (4, 100), (12, 100), (14, 60)), 2), finish, x, 0, -66, turn)


def laundry(brush: Brush, decor: Decor) -> None:
    """Draw clothes in a heap."""
    own, dice = brush.part("clothes"), decor.dice
    for number in range(dice.between(2, 3)):
        shape = cushion(dice.between(240, 360, 20), dice.between(200, 300, 20), 70)
        x, z = dice.between(-80, 80, 10), dice.between(-80, 80, 10)
        own.put(shape, decor.style.fabric_of(dice), x, number * 34, z, dice.pick(TURNS))


def floor_cushion(brush: Brush, decor: Decor) -> None:
    """Draw a cushion on the floor."""
    shape = cushion(480, 480, 150)
    brush.part("cushion").put(shape, decor.style.fabric_of(decor.dice), turn=decor.dice.pick(TURNS))


def box(brush: Brush, decor: Decor, width: int, height: int, *, plain: bool = False) -> None:
    """Draw a box with a lid, of cardboard or coloured, as a thing of its own."""
    own, dice = brush.part("objects"), decor.dice
    depth = min(width, 380)
    finish = (
        decor.style.cardboard if plain or dice.chance(55) else dice.pick((decor.style.plastic, decor.glaze()))
    )
    own.put(cuboid(width, height, depth, "lrubf"), finish)
    if finish == decor.style.cardboard:
        own.put(cuboid(50, 2, depth, "u"), decor.style.paper, 0, height - 1)
    else:
        own.put(rounded_box(width + 10, 30, depth + 10, 6, bottom=True), finish, 0, height - 24)


def bin_(brush: Brush, decor: Decor) -> None:
    """Draw a bin."""
    own = brush.part("objects")
    profile = ((0, 0), (100, 0), (105, 8), (125, 290), (130, 300), (120, 300), (104, 40), (0, 36))
    own.put(lathe(profile, 12), decor.dice.pick((decor.style.black, decor.style.steel, decor.style.basket)))


def basket(brush: Brush, decor: Decor) -> None:
    """Draw a low basket with a blanket in it."""
    own = brush.part("objects")
    profile = ((0, 0), (150, 0), (180, 30), (195, 190), (186, 192), (172, 60), (0, 55))
    own.put(lathe(profile, 24), decor.style.basket)
    brush.part("clothes").put(cushion(280, 260, 140), decor.style.fabric_of(decor.dice), 0, 70, 0)


def centrepiece(brush: Brush, decor: Decor) -> None:
    """Draw what stands in the middle of a table."""
    decor.dice.pick((bowl, vase, candle, bowl, small_plant))(brush, decor)


_MUG, _VASE, _BOWL_KIND = Kind(mug, 70, 95), Kind(vase, 150, 330), Kind(bowl, 135, 142)
_PILE, _PHOTO, _CANDLES = Kind(pile, 140, 130), Kind(photo, 95, 225), Kind(candle, 130, 135)
_PLANT, _TRAY, _REMOTE = Kind(small_plant, 140, 330), Kind(tray, 180, 125), Kind(remote, 90, 18)
_MAGAZINE, _CLOCK, _SCULPTURE = Kind(magazine, 185, 18), Kind(clock, 65, 130), Kind(sculpture, 100, 235)
_SOAPS, _BRUSHES, _TUMBLER = Kind(soap, 120, 168), Kind(cup_of_brushes, 45, 195), Kind(tumbler, 40, 110)
_JARS, _BOTTLE_KIND, _CAR, _BEAR = (
    Kind(jars, 160, 155),
    Kind(bottle, 42, 295),
    Kind(car, 110, 105),
    Kind(bear, 150, 320),
)

LIVING = (_MUG, _VASE, _BOWL_KIND, _PILE, _PHOTO, _CANDLES, _PLANT, _TRAY, _REMOTE, _MAGAZINE, _SCULPTURE)
SHELF = (_VASE, _PHOTO, _CANDLES, _PLANT, _CLOCK, _SCULPTURE, _PILE, _JARS)
STUDY = (_MUG, _PILE, _PHOTO, _BRUSHES, _MAGAZINE, _PLANT, _CLOCK)
HALL = (_VASE, _BOWL_KIND, _PHOTO, _PLANT, _TRAY, _CLOCK, _SCULPTURE, _MUG)
BATH = (_SOAPS, _BRUSHES, _TUMBLER, _CANDLES)
KITCHEN = (_JARS, _BOTTLE_KIND, _MUG, _BOWL_KIND, _PLANT, _TUMBLER, _TRAY)
BEDSIDE = (_MUG, _CLOCK, _TUMBLER, _PHOTO)
TOYS = (_CAR, _BEAR)


def any_of(
    brush: Brush, decor: Decor, kinds: tuple[Kind, ...], *, tall: int = 2000, wide: int = 2000
) -> None:
    """Draw one thing that is not taller than ``tall`` and not wider than ``wide``."""
    fitting = [kind for kind in kinds if kind.height <= tall and 2 * kind.half <= wide]
    if fitting:
        decor.dice.pick(fitting).draw(brush, decor)


def scatter(
    brush: Brush,
    decor: Decor,
    area: tuple[int, int],
    kinds: tuple[Kind, ...],
    *,
    most: int,
    tall: int = 2000,
) -> None:
    """Draw small things side by side.

    Args:
        brush: its origin is the middle of the area.
        decor: of the house; its clutter decides how many.
        area: width and depth of the surface, which they do not leave.
        kinds: to choose from.
        most: how many there are at most.
        tall: what is taller is left out.
    """
    count = min(decor.amount(most), max(area[0] // 190, 1))
    for number in range(count):
        slot = area[0] // count
        room = min(slot, area[1])
        fitting = [kind for kind in kinds if 2 * kind.half <= room and kind.height <= tall]
        if not fitting:
            continue
        kind = decor.dice.pick(fitting)
        middle = -area[0] // 2 + slot * number + slot // 2
        x, z = (max(extent // 2 - kind.half, 0) for extent in (slot, area[1]))
        at = (middle + decor.dice.between(-x, x), decor.dice.between(-z, z))
        kind.draw(brush.moved(*at), decor)
