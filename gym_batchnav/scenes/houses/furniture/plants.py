"""Plants: every leaf is geometry."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from ..brush import Brush
from ..dice import Dice
from ..shapes import Shape, join, lathe, leaves, tube
from .decor import Decor
from .piece import Piece

_POTS = (
    ((0, 0), (120, 0), (125, 10), (165, 290), (175, 292), (175, 320), (160, 320), (155, 290)),
    ((0, 0), (130, 0), (175, 60), (185, 170), (160, 290), (165, 300), (150, 300), (148, 280)),
    ((0, 0), (150, 0), (155, 10), (155, 330), (142, 330), (140, 300)),
)
_OVAL = (20, 100, 88, 8)
_SWORD = (70, 100, 80, 6)
_FROND = (30, 100, 100, 30)


def floor_plant(decor: Decor) -> Piece:
    """A plant that stands on the floor: a small tree, a palm, a bush or upright swords."""
    dice = decor.dice
    kind, pot = dice.below(5), dice.below(3)
    height = (
        dice.between(1400, 1900, 100),
        dice.between(1400, 1900, 100),
        1100,
        dice.between(800, 1100, 100),
        1500,
    )[kind]

    def draw(brush: Brush) -> None:
        middle = brush.moved(0, 350)
        _pot(middle, decor, pot)
        green = dice.pick((decor.style.leaf, decor.style.dark_leaf))
        foliage = (_tree, _palm, _bush, _swords, _fig)[kind](Dice(dice.below(12), 7), height)
        for shape, leafy in foliage:
            middle.put(shape, green if leafy else decor.style.bark)
        middle.block_disc(0, 0, 185, 8)

    return Piece(700, 700, height + 60, draw, class_name="plant")


def _pot(brush: Brush, decor: Decor, kind: int) -> None:
    profile = _POTS[kind]
    brush.put(lathe(profile, 24), decor.dice.pick((decor.style.pot, decor.style.pot, decor.style.basket)))
    radius, y = profile[-1]
    brush.put(lathe(((radius, y - 12), (0, y - 8)), 12), decor.style.soil)


Foliage = list[tuple[Shape, bool]]


def _tree(dice: Dice, height: int) -> Foliage:
    """A trunk with a round crown of many leaves."""
    trunk = tube(((0, 270, 0), (20, height // 2, 10), (-10, height - 420, -5)), 24, 8, end=14)
    rows = []
    for _ in range(100):
        y = dice.between(height - 720, height - 90)
        wide = 300 - abs(y - height + 400) * 3 // 5
        x, z = dice.between(-wide // 2, wide // 2), dice.between(-wide // 2, wide // 2)
        rows.append(
            (
                x - 10,
                y,
                z,
                dice.below(24),
                dice.pick((23, 0, 1, 2)),
                dice.between(110, 150),
                dice.between(55, 80),
                20,
            )
        )
    return [(trunk, False), (leaves(np.array(rows, np.int64), _OVAL), True)]


def _palm(dice: Dice, height: int) -> Foliage:
    """Long bent fronds from the top of a thin trunk."""
    crown = height - 500
    trunk = tube(((0, 270, 0), (12, crown, 0)), 26, 8, end=20)
    rows = []
    for number in range(44):
        rise = 5 if number % 3 == 0 else dice.between(2, 4)
        size = (dice.between(300, 360), dice.between(40, 58))
        rows.append((12, crown - 30 + number * 2, 0, number * 7, rise, *size, 60 if rise < 5 else 15))
    for number in range(36):
        rows.append((0, 290 + number * 6, 0, number * 11, 3, dice.between(150, 210), 30, 60))
    return [(trunk, False), (leaves(np.array(rows, np.int64), _FROND), True)]


def _bush(dice: Dice, height: int) -> Foliage:
    """Large leaves on bent stems."""
    rows, stems = [], []
    for number in range(30):
        turn, y = number * 5 % 24, dice.between(height // 2, height - 180)
        reach = (900 - y) // 8 + 60
        table = ((100, 0), (87, 50), (50, 87), (0, 100), (-50, 87), (-87, 50))
        u, v = table[turn // 2 % 6]
        sign = 1 if turn < 12 else -1
        x, z = sign * u * reach // 150, sign * v * reach // 150
        stems.append(tube(((0, 270, 0), (x // 3, y * 3 // 4, z // 3), (x, y, z)), 6, 4))
        rows.append((x, y, z, turn, 1, dice.between(150, 190), dice.between(130, 180), 45))
    return [(join(*stems), True), (leaves(np.array(rows, np.int64), (35, 100, 90, 60, 8)), True)]


def _swords(dice: Dice, height: int) -> Foliage:
    """Stiff upright leaves."""
    rows = []
    for number in range(26):
        x, z = dice.between(-75, 75), dice.between(-75, 75)
        rows.append(
            (x, 270, z, number * 7, 5 if number % 4 else 6, dice.between(height - 480, height - 290), 58, 0)
        )
    table = np.array(rows, np.int64)
    return [
        (leaves(table, (70, 100, 95, 70, 8)), True),
        (leaves(table + np.array([0, 0, 0, 6, 0, 0, 0, 0]), (70, 100, 95, 70, 8)), True),
    ]


def _fig(dice: Dice, height: int) -> Foliage:
    """Two thin trunks with leaves all along."""
    rows, trunks = [], []
    for x, z in ((-40, 20), (45, -25)):
        trunks.append(
            tube(((x // 3, 270, z // 3), (x, height // 2, z), (x * 2, height - 160, z * 2)), 14, 6, end=8)
        )
        for number in range(34):
            y = 500 + (height - 640) * number // 34
            at = (y - 270) * 2 // 3
            rows.append(
                (
                    x * at // 450,
                    y,
                    z * at // 450,
                    number * 5,
                    dice.between(1, 2),
                    dice.between(120, 160),
                    dice.between(70, 95),
                    30,
                )
            )
    return [(join(*trunks), False), (leaves(np.array(rows, np.int64), _OVAL), True)]


def potted(brush: Brush, decor: Decor) -> None:
    """Draw a small potted plant around the local origin, as a thing of its own; about 300 mm high."""
    own, kind = brush.part("plant"), decor.dice.below(4)
    own.put(_small_pot(), decor.glaze())
    own.put(_small_leaves(kind), decor.dice.pick((decor.style.leaf, decor.style.dark_leaf)))


@lru_cache(maxsize=1)
def _small_pot() -> Shape:
    return lathe(((0, 0), (45, 0), (62, 95), (66, 96), (66, 110), (58, 110), (54, 88), (0, 90)), 8)


@lru_cache(maxsize=4)
def _small_leaves(kind: int) -> Shape:
    dice, rows = Dice(kind, 11), []
    for number in range(20):
        x, z = dice.between(-25, 25), dice.between(-25, 25)
        if kind == 0:  # Grassy.
            rows.append((x, 85, z, number * 5, dice.between(3, 5), dice.between(140, 200), 16, 50))
        elif kind == 1:  # Broad leaves.
            rows.append(
                (x, 85 + number * 4, z, number * 7, dice.between(1, 4), dice.between(70, 100), 52, 25)
            )
        elif kind == 2:  # Hanging down.
            rows.append((x, 100, z, number * 5, dice.between(1, 3), dice.between(90, 130), 34, 110))
        else:  # Fleshy rosette.
            rows.append((0, 85 + number % 4 * 8, 0, number * 5, 1 + number % 4, 80, 34, -10))
    return leaves(np.array(rows, np.int64), (30, 100, 8))
