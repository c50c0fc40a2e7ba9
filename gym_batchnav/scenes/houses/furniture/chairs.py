"""Chairs without arms, stools and benches."""

from __future__ import annotations

from functools import lru_cache

from ..brush import Brush
from ..mesh import Turn
from ..shapes import Shape, join, lathe, moved, rounded_box, soft_box, tilted, tipped, tube
from .decor import Decor
from .parts import leg

SEAT = 450
"""Height of dining chairs' seats."""
HALF, DEPTH = 215, 500
"""Half of a dining chair's width, and its depth."""
_LEAN = (60, -11, 61)


def chair(brush: Brush, decor: Decor, seat: int) -> None:
    """Draw a dining chair of the house's design with its back at z = 0, as a thing of its own."""
    own = brush.part("chair")
    frame = decor.style.metal if decor.chair == 3 else decor.frame
    for shape, soft in _DESIGNS[decor.chair]():
        own.put(shape, seat if soft else frame)
    brush.block((-HALF, HALF), (10, DEPTH - 10))


@lru_cache(maxsize=1)
def _slatted() -> list[tuple[Shape, bool]]:
    """Wood with an upholstered seat and three slats across the back."""
    back = [moved(rounded_box(360, 70, 18, 5, bottom=True), 0, y, 12) for y in (600, 720, 830)]
    posts = [moved(rounded_box(36, 890, 34, 8), x, 0, 12) for x in (-196, 196)]
    fronts = [moved(leg("tapered", SEAT - 20, 42), x, 0, 460) for x in (-190, 190)]
    rails = [moved(rounded_box(370, 55, 20, 5, bottom=True), 0, 372, z) for z in (30, 455)]
    sides = [moved(rounded_box(20, 55, 420, 5, bottom=True), x, 372, 240) for x in (-192, 192)]
    lean = join(*(_leaning(part) for part in (*back, *posts)))
    return [(join(lean, *fronts, *rails, *sides), False), (moved(_pad(420, 440), 0, SEAT - 45, 260), True)]


@lru_cache(maxsize=1)
def _shell() -> list[tuple[Shape, bool]]:
    """A padded shell on splayed legs."""
    back = moved(soft_box(400, 400, 60, 28, bottom=True), 0, 0, 30)
    return [
        (join(*_splayed(SEAT - 35)), False),
        (join(moved(_pad(420, 430), 0, SEAT - 45, 265), moved(tilted(back, *_LEAN), 0, SEAT - 20, 70)), True),
    ]


@lru_cache(maxsize=1)
def _spindles() -> list[tuple[Shape, bool]]:
    """A wooden seat with a hoop and spindles."""
    hoop = tube(
        (
            (-190, 0, 40),
            (-195, 250, 20),
            (-150, 380, 12),
            (0, 420, 10),
            (150, 380, 12),
            (195, 250, 20),
            (190, 0, 40),
        ),
        13,
    )
    spindles = [
        tube(((x, 0, 34), (x * 11 // 10, 385 - abs(x) // 3, 14)), 7, 6) for x in (-110, -55, 0, 55, 110)
    ]
    seat = moved(rounded_box(420, 32, 430, 14, 2, bottom=True), 0, SEAT - 32, 265)
    return [
        (
            join(seat, *_splayed(SEAT - 34), *(moved(part, 0, SEAT - 4, 20) for part in (hoop, *spindles))),
            False,
        )
    ]


@lru_cache(maxsize=1)
def _framed() -> list[tuple[Shape, bool]]:
    """A padded seat and back on a bent tube."""
    sides = [
        tube(((x, 12, 30), (x, 12, 460), (x, SEAT - 40, 440), (x, SEAT - 30, 60), (x, 860, 14)), 11, 8)
        for x in (-195, 195)
    ]
    cross = [tipped(moved(lathe(((9, 0), (9, 380)), 6), 0, -190, 0), "x") for _ in range(2)]
    bars = [moved(cross[0], 0, SEAT - 36, 100), moved(cross[1], 0, 14, 40)]
    back = moved(soft_box(370, 300, 50, 22, bottom=True), 0, 560, 45)
    return [(join(*sides, *bars), False), (join(moved(_pad(400, 430), 0, SEAT - 40, 260), back), True)]


_DESIGNS = (_slatted, _shell, _spindles, _framed)


def _leaning(part: Shape) -> Shape:
    """The upper part of a back leans, kept within z >= 0: turned about the height of the seat."""
    return moved(tilted(moved(part, 0, -SEAT, 0), 60, -2, 60), 0, SEAT, 14)


@lru_cache(maxsize=8)
def _pad(width: int, depth: int) -> Shape:
    return soft_box(width, 40, depth, 19, 12, bottom=True)


@lru_cache(maxsize=4)
def _splayed(height: int) -> list[Shape]:
    """Four tapered legs that spread."""
    found = []
    for x, z, tx, tz in (
        (-160, 130, -195, 60),
        (160, 130, 195, 60),
        (-160, 420, -195, 470),
        (160, 420, 195, 470),
    ):
        found.append(tube(((tx, 3, tz), (x, height, z)), 11, 8, end=18))
    return found


def office_chair(brush: Brush, decor: Decor, turn: Turn) -> None:
    """Draw a swivel chair around the local origin, as a thing of its own."""
    own, fabric = brush.part("chair"), decor.dice.pick((decor.style.black, decor.style.second_fabric))
    for shape, soft in _swivel():
        own.put(shape, fabric if soft else decor.style.black, turn=turn)
    brush.moved(0, 0, turn).block((-295, 295), (-345, 295), 120)


@lru_cache(maxsize=1)
def _swivel() -> list[tuple[Shape, bool]]:
    wheels, arms = [], []
    for x, z in ((0, 285), (271, 88), (168, -231), (-168, -231), (-271, 88)):
        arms.append(tube(((0, 110, 0), (x, 70, z)), 20, 6, end=13))
        wheels.append(moved(lathe(((0, 0), (24, 4), (28, 28), (20, 50), (0, 56)), 8), x, 0, z))
    column = lathe(((38, 80), (34, 240), (22, 245), (22, 420), (110, 425), (110, 440)), 8)
    post = tube(((0, 430, -150), (0, 480, -235), (0, 700, -245)), 18, 6)
    rests = []
    for side in (-1, 1):
        rests.append(tube(((side * 200, 430, 0), (side * 265, 440, 0), (side * 265, 640, -10)), 12, 6))
        rests.append(moved(rounded_box(60, 28, 240, 10, bottom=True), side * 265, 640, 10))
    seat = moved(soft_box(480, 70, 470, 32, 15, bottom=True), 0, 438, 10)
    back = moved(tilted(moved(soft_box(430, 540, 60, 28, bottom=True), 0, 0, 0), *_LEAN), 0, 540, -200)
    return [(join(*wheels, *arms, column, post, *rests), False), (join(seat, back), True)]


def bar_stool(brush: Brush, decor: Decor, seat: int) -> None:
    """Draw a high stool around the local origin, as a thing of its own; its seat 650 mm high."""
    own = brush.part("stool")
    own.put(_stool_frame(), decor.style.metal if decor.legs == "steel" else decor.frame)
    own.put(lathe(((0, 625), (150, 625), (175, 635), (178, 655), (160, 670), (0, 672)), 24), seat)
    brush.block_disc(0, 0, 185)


@lru_cache(maxsize=1)
def _stool_frame() -> Shape:
    corners = ((-1, -1), (1, -1), (1, 1), (-1, 1))
    feet = [tube(((x * 165, 3, z * 165), (x * 100, 626, z * 100)), 12, 6, end=15) for x, z in corners]
    rungs = [
        tube(((x * 144, 210, z * 144), (u * 144, 210, w * 144)), 9, 6)
        for (x, z), (u, w) in zip(corners, corners[1:] + corners[:1], strict=True)
    ]
    return join(*feet, *rungs)


def stool(brush: Brush, decor: Decor) -> None:
    """Draw a low stool around the local origin, as a thing of its own."""
    own = brush.part("stool")
    for x, z in ((-1, -1), (1, -1), (1, 1), (-1, 1)):
        own.put(tube(((x * 135, 3, z * 135), (x * 95, 420, z * 95)), 12, 6, end=17), decor.frame)
    own.put(lathe(((0, 415), (155, 415), (165, 425), (165, 440), (150, 450), (0, 450)), 24), decor.top)
    brush.block_disc(0, 0, 165)
