"""Cutting rectangles into cells."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, field, replace

from .dice import Dice
from .plan import Rect, RoomKind
from .staircase import Stairs

GRID = 100
"""Walls stand on a grid of this many millimetres."""
MIN_SIDE = 1900
_MAX_ASPECT_PERCENT = 240
_USUAL_ROOM = 18.0
"""Square metres of a cell, up to which nothing is stretched."""
_MAX_SIDE = 8500


@dataclass(frozen=True, slots=True)
class Cells:
    """Cells of one storey; ``fixed`` gives some of them a use already."""

    cells: tuple[Rect, ...]
    fixed: dict[int, RoomKind] = field(default_factory=dict)
    """Uses of cells that the layout decides."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Cells of all storeys; where there are two, cell 0 of each holds the stairs."""

    size: tuple[int, int]
    """Extents along x and z of the rectangle around the house."""
    storeys: tuple[Cells, ...]
    stairs: Stairs | None = None


def snap(value: float) -> int:
    """Down to the grid."""
    return int(value) // GRID * GRID


def stretch(area: float, rooms: int) -> int:
    """Per cent by which widths grow in a house whose rooms are larger than usual."""
    return max(100, int(100.0 * math.sqrt(area / rooms / _USUAL_ROOM)))


def cut_line(dice: Dice, start: int, end: int, count: int) -> list[int] | None:
    """Cut [start, end] into ``count`` parts of random widths; None where they would be too narrow or wide.

    One of several is small, for a bathroom.
    """
    weights = [dice.between(75, 130) for _ in range(count)]
    if count > 1:
        weights[dice.below(count)] = dice.between(52, 62)
    total, cuts = sum(weights), [start]
    for number in range(1, count):
        cuts.append(start + snap((end - start) * sum(weights[:number]) / total))
    cuts.append(end)
    widths = [b - a for a, b in itertools.pairwise(cuts)]
    return cuts if min(widths) >= MIN_SIDE and max(widths) <= _MAX_SIDE else None


def cut_rect(dice: Dice, rect: Rect, count: int) -> list[Rect] | None:
    """Cut a rectangle into ``count`` cells by halving; None where one would be too narrow or too long."""
    if count == 1:
        short, long = sorted((rect.width, rect.depth))
        fits = short >= MIN_SIDE and long <= _MAX_SIDE and long * 100 <= short * _MAX_ASPECT_PERCENT
        return [rect] if fits else None
    first = count // 2 if dice.chance(60) else dice.between(1, count - 1)
    share = first * 100 // count
    percent = min(max(dice.between(share - 16, share + 16), 24), 76)
    if rect.width * dice.between(80, 120) >= rect.depth * 100:
        cut = rect.x0 + snap(rect.width * percent / 100)
        halves = rect._replace(x1=cut), rect._replace(x0=cut)
    else:
        cut = rect.z0 + snap(rect.depth * percent / 100)
        halves = rect._replace(z1=cut), rect._replace(z0=cut)
    one, two = cut_rect(dice, halves[0], first), cut_rect(dice, halves[1], count - first)
    return None if one is None or two is None else one + two


def drop_corner(dice: Dice, size: tuple[int, int], cells: Cells) -> Cells:
    """Leave out a cell in a corner, so that the house is L-shaped; the same cells where none suits."""
    whole = Rect(0, 0, *size)
    corners = [
        number
        for number, cell in enumerate(cells.cells)
        if number not in cells.fixed
        and cell.area * 4 <= whole.area
        and (cell.x0 == 0) != (cell.x1 == whole.x1)
        and (cell.z0 == 0) != (cell.z1 == whole.z1)
    ]
    if not corners:
        return cells
    gone = dice.pick(corners)
    fixed = {number - (number > gone): kind for number, kind in cells.fixed.items()}
    return Cells(cells.cells[:gone] + cells.cells[gone + 1 :], fixed)


def turn_layout(dice: Dice, layout: Layout) -> Layout:
    """Mirror and transpose at random, so that no compass direction is special."""
    swap, flip_x, flip_z = dice.chance(50), dice.chance(50), dice.chance(50)
    width, depth = layout.size

    def turn(rect: Rect) -> Rect:
        x0, z0, x1, z1 = rect
        if flip_x:
            x0, x1 = width - x1, width - x0
        if flip_z:
            z0, z1 = depth - z1, depth - z0
        return Rect(z0, x0, z1, x1) if swap else Rect(x0, z0, x1, z1)

    storeys = tuple(replace(floor, cells=tuple(map(turn, floor.cells))) for floor in layout.storeys)
    stairs = layout.stairs and layout.stairs.turned(swap, flip_x, flip_z, width, depth)
    return Layout((depth, width) if swap else (width, depth), storeys, stairs)
