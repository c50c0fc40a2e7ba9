"""Furniture of halls and landings."""

from __future__ import annotations

from functools import lru_cache

from ..brush import Brush
from ..shapes import Shape, folds, join, lathe, loft, moved, rounded_box, soft_box, tube
from . import loose
from .decor import Decor
from .parts import legs, top
from .piece import Piece


def coat_rack(decor: Decor) -> Piece:
    """A board with hooks and coats, a bench with shoes below."""
    dice = decor.dice
    width, bench = dice.between(800, 1200, 100), dice.chance(65)
    half = width // 2

    def draw(brush: Brush) -> None:
        brush.put(rounded_box(width, 130, 24, 5, bottom=True), decor.top, 0, 1640, 13)
        brush.put(rounded_box(width, 24, 200, 5, bottom=True), decor.top, 0, 1790, 101)
        hooks = range(-half + 170, half - 150, 160)
        for x in hooks:
            brush.put(_hook(), decor.style.metal, x, 1690, 24)
            if dice.chance(30) or decor.lucky(35):
                _coat(brush.part("clothes"), decor, x)
                brush.block((x - 130, x + 150), (0, 170))
        if bench:
            top(brush, decor.top, (-half, half), (420, 452), (10, 350), 6)
            legs(brush, decor, (-half + 20, half - 20), (30, 340), 420, 46, decor.top)
            brush.put(soft_box(width - 40, 44, 320, 20, 8), decor.style.second_fabric, 0, 452, 180)
            brush.block((-half, half), (10, 350))
        for x in range(-half + 160, half - 100, 260):
            if decor.lucky(60):
                loose.shoes(brush.moved(x, 200), decor)

    return Piece(width, 370, 1820, draw, front=650, class_name="furniture")


@lru_cache(maxsize=1)
def _hook() -> Shape:
    return tube(((0, 20, 0), (0, 24, 50), (0, 0, 66), (0, -30, 50)), 7, 6)


def _coat(brush: Brush, decor: Decor, x: int) -> None:
    """A coat on a hook."""
    long = decor.dice.between(700, 950, 50)
    fabric = decor.dice.pick((decor.style.black, decor.style.fabric_of(decor.dice), decor.style.leather))
    body = loft(250, 120, 55, ((0, 0), (6, long * 6 // 10), (20, long - 90), (70, long)), 2)
    sleeve = tube(((0, long - 60, 0), (30, long // 2, 20), (24, long // 4, 30)), 48, 8, end=40)
    brush.put(body, fabric, x, 1680 - long, 100)
    brush.put(sleeve, fabric, x + 100, 1680 - long, 96)


def bench(decor: Decor) -> Piece:
    """A bench with a seat cushion."""
    width = decor.dice.between(900, 1300, 100)
    half = width // 2

    def draw(brush: Brush) -> None:
        top(brush, decor.top, (-half, half), (410, 440), (0, 380), 6)
        legs(brush, decor, (-half + 30, half - 30), (30, 350), 410, 54, decor.top)
        brush.put(soft_box(width - 40, 50, 350, 22, 10), decor.style.second_fabric, 0, 440, 190)
        brush.block((-half, half), (0, 380))

    return Piece(width, 380, 500, draw, front=500, class_name="seating")


def umbrella_stand(decor: Decor) -> Piece:
    """A tall pot with umbrellas."""

    def draw(brush: Brush) -> None:
        profile = ((0, 0), (100, 0), (110, 20), (120, 480), (112, 484), (100, 60))
        brush.put(lathe(profile, 12), decor.dice.pick((decor.style.metal, decor.style.pot)), 0, 0, 150)
        for x, z in ((-40, 20), (30, -20), (10, 45)):
            own = brush.part("objects")
            own.put(
                tube(((x // 2, 60, 150 + z // 2), (x, 720, 150 + z)), 26, 6, end=12),
                decor.style.fabric_of(decor.dice),
            )
            own.put(tube(((x, 715, 150 + z), (x, 850, 150 + z)), 9, 6), decor.style.wood)
        brush.block_disc(0, 150, 118, 8)

    return Piece(280, 280, 860, draw, class_name="objects")


def stand(decor: Decor) -> Piece:
    """A free-standing coat stand."""

    def draw(brush: Brush) -> None:
        wood, middle = decor.frame, brush.moved(0, 280)
        middle.put(lathe(((22, 20), (20, 1720), (28, 1730), (24, 1760), (0, 1772)), 12), wood)
        arms = []
        for x, z in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            arms.append(tube(((0, 60, 0), (x * 200, 40, z * 200), (x * 260, 12, z * 260)), 15, 6, end=10))
            arms.append(
                tube(((0, 1600, 0), (x * 120, 1640, z * 120), (x * 170, 1720, z * 170)), 11, 6, end=8)
            )
        middle.put(join(*arms), wood)
        coat = folds(300, 780, 150, 2, 3)
        if decor.lucky(70):
            middle.part("clothes").put(moved(coat, 0, 850, 100), decor.style.fabric_of(decor.dice))
        middle.block_disc(0, 0, 260, 8)

    return Piece(560, 560, 1780, draw, class_name="furniture")
