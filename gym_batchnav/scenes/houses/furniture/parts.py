"""Parts that many pieces share: boards, legs, fronts with handles."""

from __future__ import annotations

from functools import lru_cache

from ..brush import Brush
from ..shapes import Shape, cuboid, join, lathe, moved, panel, rounded_box, tipped, tube
from .decor import Decor

Span = tuple[int, int]
FRONT = 18
"""Thickness of doors and drawers."""


def board(brush: Brush, finish: int, x: Span, y: Span, z: Span, faces: str = "lrdubf") -> None:
    """A box with sharp edges between bounds; ``faces`` as of ``cuboid``."""
    size = (x[1] - x[0], y[1] - y[0], z[1] - z[0])
    brush.put(cuboid(*size, faces), finish, x[0] + size[0] // 2, y[0], z[0] + size[2] // 2)


def top(
    brush: Brush, finish: int, x: Span, y: Span, z: Span, radius: int = 5, *, bottom: bool = True
) -> None:
    """A board with soft edges, such as the top of a table."""
    size = (x[1] - x[0], y[1] - y[0], z[1] - z[0])
    shape = rounded_box(*size, min(radius, size[1] // 2 - 1), bottom=bottom)
    brush.put(shape, finish, x[0] + size[0] // 2, y[0], z[0] + size[2] // 2)


@lru_cache(maxsize=256)
def leg(kind: str, height: int, thick: int) -> Shape:
    """A leg about x = z = 0 from y = 0 up, open at its ends."""
    half = thick // 2
    if kind == "square":
        return cuboid(thick, height, thick, "lrbf")
    if kind == "steel":
        return lathe(((max(half // 2, 8), 0), (max(half // 2, 8), height)), 8)
    if kind == "turned" and height > 250:
        low, high = height // 8, height * 4 // 5
        return lathe(
            (
                *((half * 6 // 10, 0), (half * 7 // 10, low), (half, low + 20), (half * 6 // 10, low + 45)),
                *((half, high - 60), (half * 6 // 10, high - 25), (half, high), (half, height)),
            ),
            8,
        )
    return lathe(((max(half * 6 // 10, 6), 0), (half, height)), 8)


def legs(
    brush: Brush, decor: Decor, x: Span, z: Span, height: int, thick: int, finish: int | None = None
) -> None:
    """Four legs inside the corners of a rectangle, in the house's fashion."""
    wood = decor.frame if finish is None else finish
    wood = decor.style.metal if decor.legs == "steel" else wood
    shape = leg(decor.legs, height, thick)
    half = thick // 2
    for px in (x[0] + half, x[1] - half):
        for pz in (z[0] + half, z[1] - half):
            brush.put(shape, wood, px, 0, pz)


@lru_cache(maxsize=128)
def bar(length: int, radius: int = 6, out: int = 30) -> Shape:
    """An upright bow-shaped handle about y = 0, fixed at z = 0."""
    half = length // 2
    return tube(((0, -half, 0), (0, -half, out), (0, half, out), (0, half, 0)), radius, 6)


@lru_cache(maxsize=4)
def knob() -> Shape:
    """A knob towards +z."""
    return tipped(lathe(((6, 0), (6, 12), (14, 18), (14, 24), (0, 28)), 8), "z")


def handle(brush: Brush, decor: Decor, x: int, y: int, z: int, *, upright: bool, length: int = 150) -> None:
    """A handle in the house's fashion on a front at depth ``z``."""
    metal = decor.style.metal
    if decor.handle == "knob":
        brush.put(knob(), metal, x, y, z)
    elif decor.handle == "bar":
        shape = bar(length)
        # A lying bow: its up becomes its right.
        brush.put(shape if upright else _lying(length), metal, x, y, z)
    elif upright:
        board(brush, metal, (x - 6, x + 6), (y - length // 2, y + length // 2), (z, z + 14), "lrduf")
    else:
        board(brush, metal, (x - length // 2, x + length // 2), (y - 6, y + 6), (z, z + 14), "lrduf")


@lru_cache(maxsize=64)
def _lying(length: int) -> Shape:
    half = length // 2
    return tube(((-half, 0, 0), (-half, 0, 30), (half, 0, 30), (half, 0, 0)), 6, 6)


def front(brush: Brush, decor: Decor, finish: int, x: Span, y: Span, z: int) -> None:
    """A door or the front of a drawer, its back at depth ``z``."""
    width, height, middle = x[1] - x[0], y[1] - y[0], x[0] + (x[1] - x[0]) // 2
    if decor.fronts == "plain" or min(width, height) < 220:
        brush.put(panel(width, height, FRONT), finish, middle, y[0], z)
        return
    brush.put(framed(width, height), finish, middle, y[0], z)


@lru_cache(maxsize=256)
def framed(width: int, height: int, rail: int = 70) -> Shape:
    """A door with a frame around a sunk panel: x about 0, y from 0, its back at z = 0."""
    inner = width - 2 * rail
    side = panel(rail, height, FRONT, 3)
    shift = width // 2 - rail + rail // 2
    cross = panel(inner, rail, FRONT, 3)
    middle = moved(cuboid(inner, height - 2 * rail, 6, "f"), 0, rail, 3)
    return join(moved(side, -shift), moved(side, shift), cross, moved(cross, 0, height - rail), middle)


def door(brush: Brush, decor: Decor, finish: int, x: Span, y: Span, z: int, *, hinge_left: bool) -> None:
    """A door with its handle on the side that opens."""
    front(brush, decor, finish, x, y, z)
    tall = y[1] - y[0] > 1200
    at = 1050 if tall else y[1] - min(120, (y[1] - y[0]) // 3)
    handle(brush, decor, x[1] - 40 if hinge_left else x[0] + 40, at, z + FRONT, upright=True)


def drawer(brush: Brush, decor: Decor, finish: int, x: Span, y: Span, z: int) -> None:
    """The front of a drawer with one handle, or two where it is wide."""
    front(brush, decor, finish, x, y, z)
    middle, up = x[0] + (x[1] - x[0]) // 2, y[0] + (y[1] - y[0]) // 2
    quarter = (x[1] - x[0]) // 4
    for place in (middle - quarter, middle + quarter) if quarter > 180 else (middle,):
        handle(brush, decor, place, up, z + FRONT, upright=False, length=130)


def case(brush: Brush, finish: int, x: Span, y: Span, z: Span) -> None:
    """A closed carcass with its back to the wall."""
    board(brush, finish, x, y, z, "lruf" if y[0] < 60 else "lrudf")
