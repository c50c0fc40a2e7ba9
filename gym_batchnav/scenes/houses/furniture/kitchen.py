"""Kitchen lines: base units with a worktop, appliances and wall units."""

from __future__ import annotations

import itertools
from typing import Literal

from ..brush import Brush
from ..shapes import rounded_box
from . import clutter
from .appliances import dishwasher, fridge, hob, hood, microwave, oven, sink
from .chairs import bar_stool
from .decor import Decor
from .parts import FRONT, board, case, door, drawer, front, handle
from .piece import Piece

UNIT = 600
WORKTOP = 900
"""Height of the worktop."""
_SLAB = 36
DEEP = 620
REACH = 630
"""Depth of a line with its handles."""
Unit = Literal["fridge", "tall", "sink", "hob", "drawers", "door", "dishwasher", "corner"]


def plan_units(
    decor: Decor, count: int, *, fridge_first: bool, windows: tuple[tuple[int, int], ...] = ()
) -> list[Unit]:
    """What stands where in a line of units, from left to right.

    Args:
        decor: of the house.
        count: of units, 3 to 7.
        fridge_first: whether the refrigerator is at the left end instead of the right one.
        windows: extents along the line, from its left end; the sink goes below one.
    """
    dice = decor.dice
    units: list[Unit] = {
        2: ["sink", "hob"],
        3: ["sink", "drawers", "hob"],
        4: ["dishwasher", "sink", "drawers", "hob"],
        5: ["dishwasher", "sink", "drawers", "hob", "door"],
        6: ["door", "dishwasher", "sink", "drawers", "hob", "drawers"],
    }[count - 1]  # type: ignore[assignment]
    if dice.chance(50):
        units = units[::-1]
    line: list[Unit] = ["fridge", *units] if fridge_first else [*units, "fridge"]
    below = [
        number
        for number, unit in enumerate(line)
        for low, high in windows
        if unit not in ("fridge", "hob") and low < number * UNIT + UNIT // 2 < high
    ]
    if below:
        there, sink = below[len(below) // 2], line.index("sink")
        line[there], line[sink] = line[sink], line[there]
    return line


def line(
    decor: Decor, units: list[Unit], windows: tuple[tuple[int, int], ...] = (), sill: int = 2000
) -> Piece:
    """A line of units along a wall.

    Args:
        decor: of the house.
        units: from left to right, 600 mm each.
        windows: extents along the line, from its left end, above which there is a window.
        sill: height of the lower edge of those windows.
    """
    width = len(units) * UNIT
    half = width // 2

    def draw(brush: Brush) -> None:
        start = brush.moved(-half, 0)
        for number, unit in enumerate(units):
            _base(start.moved(number * UNIT + UNIT // 2, 0), decor, unit, right=number % 2 == 0)
            clear = all(high <= number * UNIT or (number + 1) * UNIT <= low for low, high in windows)
            if clear and unit not in ("fridge", "tall"):
                _above(start.moved(number * UNIT + UNIT // 2, 0), decor, unit, right=number % 2 == 0)
        for first, last in _runs(units):
            _worktop(start, decor, units, first, last)
            _splash(start, decor, (first * UNIT, last * UNIT), windows, sill)
            _standing(start, decor, units, first, last)
        brush.block((-half, half), (0, DEEP))

    return Piece(width, REACH, 2150, draw, front=850, class_name="cabinet")


def _runs(units: list[Unit]) -> list[tuple[int, int]]:
    """Stretches between tall units."""
    runs, first = [], 0
    for number, unit in enumerate([*units, "tall"]):
        if unit in ("fridge", "tall"):
            if number > first:
                runs.append((first, number))
            first = number + 1
    return runs


def _base(brush: Brush, decor: Decor, unit: Unit, *, right: bool) -> None:
    """One base or tall unit about x = 0."""
    if unit == "fridge":
        fridge(brush, decor)
        return
    style = decor.style
    body = style.white
    high = 2120 if unit == "tall" else WORKTOP - _SLAB
    board(brush, style.black, (-300, 300), (0, 100), (0, 520), "f")
    board(brush, body, (-300, 300), (100, high), (0, 578), "lrdf" if unit == "sink" else "lrudf")
    x, z = (-297, 297), 578
    if unit == "drawers":
        for y in ((106, 420), (426, 640), (646, high - 6)):
            drawer(brush, decor, style.front, x, y, z)
    elif unit == "hob":
        oven(brush, decor, z)
        drawer(brush, decor, style.front, x, (106, 250), z)
    elif unit == "dishwasher":
        dishwasher(brush, decor, z, high)
    elif unit == "tall":
        door(brush, decor, style.front, x, (106, 1300), z, hinge_left=right)
        door(brush, decor, style.front, x, (1306, high - 6), z, hinge_left=right)
    elif unit == "sink":
        for low, top, left in ((-297, -2, True), (2, 297, False)):
            door(brush, decor, style.front, (low, top), (106, high - 6), z, hinge_left=left)
    else:
        door(brush, decor, style.front, x, (106, 690), z, hinge_left=right)
        drawer(brush, decor, style.front, x, (696, high - 6), z)


def _above(brush: Brush, decor: Decor, unit: Unit, *, right: bool) -> None:
    """A wall unit, or a hood above the hob."""
    if unit == "hob":
        hood(brush, decor)
        return
    case(brush, decor.style.white, (-300, 300), (1430, 2130), (0, 330))
    if unit == "sink":
        for low, top, left in ((-297, -2, True), (2, 297, False)):
            door(brush, decor, decor.style.front, (low, top), (1424, 2136), 330, hinge_left=left)
    else:
        _low_door(brush, decor, right=right)


def _low_door(brush: Brush, decor: Decor, *, right: bool) -> None:
    """The door of a wall unit: its handle is near its lower edge."""
    front(brush, decor, decor.style.front, (-297, 297), (1424, 2136), 330)
    handle(brush, decor, 257 if right else -257, 1520, 330 + FRONT, upright=True)


def _worktop(brush: Brush, decor: Decor, units: list[Unit], first: int, last: int) -> None:
    """The worktop of a run, with a hole for the sink."""
    y, stone = (WORKTOP - _SLAB, WORKTOP), decor.style.stone
    x0, x1 = first * UNIT, last * UNIT
    edge = (DEEP - 60, DEEP)
    brush.put(
        rounded_box(x1 - x0, _SLAB, 60, 6, bottom=True), stone, (x0 + x1) // 2, y[0], (edge[0] + edge[1]) // 2
    )
    cuts = [x0]
    for number in range(first, last):
        if units[number] == "sink":
            middle = number * UNIT + UNIT // 2
            cuts += [middle - 255, middle + 255]
            for z in ((0, 120), (540, edge[0])):
                board(brush, stone, (middle - 255, middle + 255), y, z, "u")
            sink(brush.moved(middle, 0), decor, WORKTOP)
        elif units[number] == "hob":
            hob(brush.moved(number * UNIT + UNIT // 2, 0), decor, WORKTOP)
    cuts.append(x1)
    for left, right in zip(cuts[::2], cuts[1::2], strict=True):
        board(brush, stone, (left, right), y, (0, edge[0]), "lru")


def _splash(
    brush: Brush,
    decor: Decor,
    span: tuple[int, int],
    windows: tuple[tuple[int, int], ...],
    sill: int,
) -> None:
    """The splashback above a worktop; below windows it ends at their sills."""
    marks = [span[0]]
    for low, high in sorted(windows):
        if high > span[0] and low < span[1]:
            marks += [max(low, span[0]), min(high, span[1])]
    marks.append(span[1])
    for number, (left, right) in enumerate(itertools.pairwise(marks)):
        top = min(sill - 45, 1425) if number % 2 else 1425
        if right > left and top > WORKTOP + 20:
            board(brush, decor.style.stone, (left, right), (WORKTOP, top), (0, 10), "lruf")


def _standing(brush: Brush, decor: Decor, units: list[Unit], first: int, last: int) -> None:
    """What stands on the worktop beside sink and hob."""
    free = [number for number in range(first, last) if units[number] not in ("sink", "hob")]
    for count, number in enumerate(free):
        above = brush.moved(number * UNIT + UNIT // 2, 0, y=WORKTOP)
        if count == 0:
            microwave(above, decor)
        elif decor.lucky(75):
            clutter.scatter(above.moved(0, 220), decor, (580, 400), clutter.KITCHEN, most=4)


def island(decor: Decor) -> Piece:
    """A kitchen island with two or three stools behind it."""
    units = decor.dice.between(2, 3)
    half = units * UNIT // 2 + 20
    seat = decor.dice.pick((decor.top, decor.style.leather, decor.style.black))

    def draw(brush: Brush) -> None:
        inner = brush.moved(0, 520)
        style = decor.style
        board(inner, style.black, (-half + 40, half - 40), (0, 100), (60, 520), "lrbf")
        board(inner, style.front, (-half + 20, half - 20), (100, WORKTOP - _SLAB), (20, 560), "lrdb")
        for number in range(units):
            x = (-half + 23 + number * UNIT, -half + 17 + (number + 1) * UNIT)
            if number % 2:
                door(inner, decor, style.front, x, (106, WORKTOP - _SLAB - 6), 560, hinge_left=True)
            else:
                for y in ((106, 420), (426, 640), (646, WORKTOP - _SLAB - 6)):
                    drawer(inner, decor, style.front, x, y, 560)
        slab = rounded_box(2 * half, _SLAB, 900, 8, bottom=True)
        inner.put(slab, style.stone, 0, WORKTOP - _SLAB, 150)
        inner.block((-half, half), (-300, 600))
        for number in range(units):
            bar_stool(inner.moved((2 * number + 1 - units) * 290, -330), decor, seat)
        clutter.scatter(inner.moved(0, 150, y=WORKTOP), decor, (2 * half - 100, 700), clutter.KITCHEN, most=4)

    return Piece(2 * half, 1170, WORKTOP, draw, class_name="counter")
