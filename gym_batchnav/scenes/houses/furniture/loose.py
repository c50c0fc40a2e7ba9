"""Things that lie or stand on the floor: toys, shoes, baskets, boxes."""

from __future__ import annotations

from ..brush import Brush
from ..mesh import Turn
from ..shapes import cuboid, cushion, join, lathe, loft, moved, rounded_box, tilted, tipped
from .books import SLIGHT
from .decor import Decor

TURNS = (
    *(Turn(1, 0), Turn(0, 1), Turn(-1, 0), Turn(0, -1), Turn(4, 3, 5), Turn(-4, 3, 5), Turn(3, -4, 5)),
    *(Turn(12, 5, 13), Turn(-5, 12, 13), Turn(24, -7, 25), Turn(7, 24, 25)),
)
"""Turns of things that were dropped."""


def ball(brush: Brush, decor: Decor) -> None:
    """Draw a ball."""
    profile = ((0, 0), (55, 15), (95, 55), (110, 110), (95, 165), (55, 205), (0, 220))
    brush.part("objects").put(lathe(profile, 12), decor.style.bright(decor.dice))


def bricks(brush: Brush, decor: Decor) -> None:
    """Draw toy bricks lying about, none in another."""
    own, dice = brush.part("objects"), decor.dice
    cells = dice.shuffled([(x, z) for x in (-130, 0, 130) for z in (-130, 0, 130)])
    for x, z in cells[: dice.between(5, 9)]:
        x, z = x + dice.between(-30, 30, 5), z + dice.between(-30, 30, 5)
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
        turn = dice.pick(SLIGHT)
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
