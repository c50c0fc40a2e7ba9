"""Sofas, armchairs and poufs."""

from __future__ import annotations

from functools import lru_cache

from ..brush import Brush
from ..shapes import Shape, cushion, lathe, moved, rounded_box, slab, soft_box, tilted, tipped
from .decor import Decor
from .parts import leg, legs
from .piece import Piece

SEAT = 440
"""Height of soft seats."""
_LEAN = (24, -7, 25)


def sofa(decor: Decor, width: int, *, corner: int = 0) -> Piece:
    """A sofa for two or three.

    Args:
        decor: of the house.
        width: millimetres.
        corner: -1 or 1 for a long seat on the left or on the right.
    """
    fabric = decor.style.fabric
    depth = 920
    long = 1550 if corner else depth
    half, arm = width // 2, (110, 160, 190)[decor.sofa]

    def draw(brush: Brush) -> None:
        seats = 3 if width > 1900 else 2
        inner = width - 2 * arm
        brush.put(rounded_box(width - 30, 170, depth - 40, 18, bottom=True), fabric, 0, 110, depth // 2)
        _feet(brush, decor, half, depth)
        brush.put(soft_box(inner + 20, 560, 170, 60), fabric, 0, 270, 95)
        for side in (-1, 1):
            brush.put(_arm(arm, depth, decor.sofa), fabric, side * (half - arm // 2), 110, depth // 2)
        step = inner // seats
        for number in range(seats):
            x = -inner // 2 + number * step + step // 2
            _seat(brush, fabric, x, step - 6, depth, long if number == _end(corner, seats) else depth)
            brush.put(_back(step - 14, 400), fabric, x, SEAT - 10, 190)
        if corner:
            _long_seat(brush, decor, -half if corner < 0 else half - arm - step, arm + step, depth, long)
        _scatter(brush, decor, inner)
        brush.block((-half, half), (0, depth), 40)

    return Piece(width, long, 890, draw, front=450, sill=600, class_name="sofa")


def _end(corner: int, seats: int) -> int:
    """Which seat is the long one."""
    return {0: -1, -1: 0, 1: seats - 1}[corner]


def _seat(brush: Brush, fabric: int, x: int, width: int, depth: int, long: int) -> None:
    """A seat cushion from the back to the front edge."""
    deep = long - 185 + 10
    brush.put(soft_box(width, SEAT - 290, deep, 55, 18), fabric, x, 278, 185 + deep // 2 - 10)


def _long_seat(brush: Brush, decor: Decor, left: int, width: int, depth: int, long: int) -> None:
    """The base below a long seat."""
    deep = long - depth + 60
    base = rounded_box(width - 30, 170, deep, 18, bottom=True)
    brush.put(base, decor.style.fabric, left + width // 2, 110, depth - 60 + deep // 2 - 12)
    for x in (left + 60, left + width - 60):
        brush.put(leg("tapered", 112, 44), decor.frame, x, 0, long - 80)
    brush.block((left, left + width), (depth - 100, long), 30)


def _feet(brush: Brush, decor: Decor, half: int, depth: int) -> None:
    legs(brush, decor, (-half + 40, half - 40), (50, depth - 50), 112, 44)


@lru_cache(maxsize=16)
def _arm(width: int, depth: int, design: int) -> Shape:
    """An arm rest from 110 above the floor: boxy, padded or rolled."""
    if design == 0:
        return rounded_box(width, 480, depth, 25, 2, bottom=True)
    if design == 1:
        return soft_box(width, 510, depth, 65)
    half = width // 2
    lower = ((-half + 25, 0), (-half + 25, 330), (-half, 390), (-half + 15, 450), (-half + 60, 490))
    upper = ((half - 25, 0), (half - 25, 330), (half, 390), (half - 15, 450), (half - 60, 490))
    return slab(tuple(lower), tuple(upper), depth)


@lru_cache(maxsize=64)
def _back(width: int, height: int) -> Shape:
    """A cushion that leans against the back."""
    return tilted(moved(soft_box(width, height, 170, 70, bottom=True), 0, 0, 85), *_LEAN)


@lru_cache(maxsize=16)
def scatter(size: int) -> Shape:
    """A small cushion that leans backwards, its lower edge at y = 0."""
    upright = moved(tipped(cushion(size, size, 130), "z"), 0, size // 2, 0)
    return tilted(upright, 12, -5, 13)


def _scatter(brush: Brush, decor: Decor, inner: int) -> None:
    """Small cushions at the ends, things of their own."""
    dice = decor.dice
    fabrics = [decor.style.fabric_of(dice) for _ in range(2)]
    for number in range(dice.between(1, 2) + decor.amount(2)):
        end = -1 if number % 2 == 0 else 1
        x = end * (inner // 2 - 240 - (number // 2) * 260)
        brush.part("cushion").put(scatter(dice.pick((400, 440))), fabrics[number % 2], x, SEAT + 15, 425)


def armchair(decor: Decor) -> Piece:
    """An armchair, upholstered all over or with a wooden frame."""
    fabric = decor.dice.pick((decor.style.second_fabric, decor.style.fabric, decor.style.leather))
    wooden, pillow = decor.dice.chance(45), decor.dice.chance(50)

    def draw(brush: Brush) -> None:
        (_wooden_chair if wooden else _padded_chair)(brush, decor, fabric)
        if pillow:
            brush.part("cushion").put(scatter(360), decor.style.fabric_of(decor.dice), 0, SEAT + 10, 330)
        brush.block((-380, 380), (20, 800), 90)

    return Piece(780, 830, 900, draw, front=400, class_name="chair")


def _padded_chair(brush: Brush, decor: Decor, fabric: int) -> None:
    brush.put(rounded_box(700, 180, 720, 25, 2, bottom=True), fabric, 0, 130, 420)
    brush.put(
        tilted(moved(soft_box(640, 600, 150, 65, bottom=True), 0, 0, 75), 24, -7, 25), fabric, 0, 290, 190
    )
    for side in (-1, 1):
        brush.put(soft_box(110, 470, 700, 50, bottom=True), fabric, side * 325, 140, 430)
    brush.put(soft_box(530, 150, 600, 55, 20), fabric, 0, 298, 490)
    legs(brush, decor, (-330, 330), (80, 760), 132, 40)


def _wooden_chair(brush: Brush, decor: Decor, fabric: int) -> None:
    wood = decor.top
    brush.put(soft_box(580, 130, 620, 50, 15, bottom=True), fabric, 0, 310, 450)
    brush.put(
        tilted(moved(soft_box(570, 530, 130, 55, bottom=True), 0, 0, 65), 24, -7, 25), fabric, 0, 340, 200
    )
    for side in (-1, 1):
        x = side * 330
        for z, lean in ((110, 13), (700, -13)):
            brush.put(tilted(leg("tapered", 545, 50), 84, lean, 85), wood, x, 4, z)
        brush.put(rounded_box(64, 30, 720, 9, bottom=True), wood, x, 535, 415)
        brush.put(rounded_box(34, 60, 560, 8, bottom=True), wood, x, 270, 420)
    for z in (170, 680):
        brush.put(rounded_box(640, 60, 34, 8, bottom=True), wood, 0, 262, z)


def pouf(decor: Decor) -> Piece:
    """A round padded stool."""
    fabric = decor.style.fabric_of(decor.dice)
    profile = ((0, 0), (190, 0), (235, 60), (250, 170), (250, 250), (225, 345), (150, 385), (0, 400))

    def draw(brush: Brush) -> None:
        brush.put(lathe(profile, 24), fabric, 0, 0, 255)
        brush.block_disc(0, 255, 245, 12)

    return Piece(520, 510, 400, draw, class_name="stool")
