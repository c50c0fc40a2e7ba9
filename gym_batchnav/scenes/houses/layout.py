"""Cutting a footprint into cells: rooms along a corridor, or recursive splitting."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, field

from .config import HouseConfig
from .dice import Dice
from .plan import Rect, RoomKind

_GRID = 100
_MIN_SIDE = 1900
_MAX_ASPECT_PERCENT = 240


@dataclass(frozen=True, slots=True)
class Cells:
    """Cells of a footprint; ``fixed`` gives some of them a use already."""

    footprint: Rect
    cells: tuple[Rect, ...]
    fixed: dict[int, RoomKind] = field(default_factory=dict)
    """Uses of cells that the layout decides."""


def cut_footprint(dice: Dice, config: HouseConfig) -> Cells | None:
    """Draw a footprint and cut it into cells; None where this draw does not work out."""
    # The least of three draws: small homes are more common.
    rooms = min(dice.between(config.min_rooms, config.max_rooms) for _ in range(3))
    low, high = config.min_area, config.max_area
    # A draw around what so many rooms need, kept inside the bounds; walls take about 7% of the footprint.
    wanted = rooms * dice.between(14_500, 19_500) / 1000.0 * 1.07
    area = min(max(wanted, low * 1.1), high * 1.02)
    style = dice.below(100)
    if rooms >= 5 and style < 20:
        cells = _corridor(dice, rooms, area)
    elif rooms >= 4 and style < 75:
        cells = _great_room(dice, rooms, area)
    else:
        cells = _split(dice, rooms, area)
    return None if cells is None else _turned(dice, cells)


def _snap(value: float) -> int:
    return int(value) // _GRID * _GRID


def _corridor(dice: Dice, rooms: int, area: float) -> Cells | None:
    """A corridor between two bands of rooms, with a living room across its end."""
    width = dice.between(1200, 1500, _GRID)
    north, south = dice.between(2700, 4300, _GRID), dice.between(2700, 4300, _GRID)
    depth = north + width + south
    length = _snap(area * 1e6 / depth)
    living = _snap(min(max(22e6 * dice.between(80, 120) / 100 / depth, 3200), 5200))
    west = dice.between(2800, 3600, _GRID) if rooms >= 7 and dice.chance(50) else 0
    band = length - living - west
    in_bands = rooms - 2 - (1 if west else 0)
    top = (in_bands + dice.below(2)) // 2
    if min(top, in_bands - top) < 1 or band < 2200:
        return None
    cells = [Rect(west, north, west + band, north + width), Rect(west + band, 0, length, depth)]
    if west:
        cells.append(Rect(0, 0, west, depth))
    for count, z0, z1 in ((top, 0, north), (in_bands - top, north + width, depth)):
        cuts = _cuts(dice, west, west + band, count)
        if cuts is None:
            return None
        cells += [Rect(a, z0, b, z1) for a, b in itertools.pairwise(cuts)]
    return Cells(Rect(0, 0, length, depth), tuple(cells), {0: "hall", 1: "living"})


def _great_room(dice: Dice, rooms: int, area: float) -> Cells | None:
    """Living room and kitchen open to each other, with a column of rooms on one side or on both."""
    sides = 2 if rooms >= 6 else 1
    columns = [dice.between(2700, 3700, _GRID) for _ in range(sides)]
    great = dice.between(4400, 6600, _GRID)
    length = great + sum(columns)
    depth = _snap(area * 1e6 / length)
    if not 6000 <= depth <= 11_500:
        return None
    west = columns[0] if sides == 2 else 0
    cut = _snap(depth * dice.between(50, 62) / 100)
    cells = [Rect(west, 0, west + great, cut), Rect(west, cut, west + great, depth)]
    left = (rooms - 2 + dice.below(2)) // 2 if sides == 2 else 0
    for count, x0, x1 in ((left, 0, west), (rooms - 2 - left, west + great, length)):
        cuts = _cuts(dice, 0, depth, count) if count else [0]
        if cuts is None:
            return None
        cells += [Rect(x0, a, x1, b) for a, b in itertools.pairwise(cuts)]
    return Cells(Rect(0, 0, length, depth), tuple(cells), {0: "living", 1: "kitchen"})


def _cuts(dice: Dice, start: int, end: int, count: int) -> list[int] | None:
    """Cut [start, end] into ``count`` parts of random widths; None where they would be too narrow or wide."""
    weights = [dice.between(55, 130) for _ in range(count)]
    total, cuts = sum(weights), [start]
    for number in range(1, count):
        cuts.append(start + _snap((end - start) * sum(weights[:number]) / total))
    cuts.append(end)
    widths = [b - a for a, b in itertools.pairwise(cuts)]
    return cuts if min(widths) >= _MIN_SIDE and max(widths) <= 6500 else None


def _split(dice: Dice, rooms: int, area: float) -> Cells | None:
    """Recursive splitting of the largest cell across its longer side."""
    aspect = dice.between(100, 150)
    depth = _snap(math.sqrt(area * 1e6 * 100 / aspect))
    footprint = Rect(0, 0, _snap(area * 1e6 / depth), depth)
    cells = [footprint]
    while len(cells) < rooms:
        cells.sort(key=lambda cell: (cell.area * (80 + (cell.x0 * 7 + cell.z0 * 13) % 40), cell))
        cell = cells.pop()
        percent = dice.between(34, 66)
        if cell.width * dice.between(85, 115) >= cell.depth * 100:
            cut = cell.x0 + _snap(cell.width * percent / 100)
            cells += [cell._replace(x1=cut), cell._replace(x0=cut)]
        else:
            cut = cell.z0 + _snap(cell.depth * percent / 100)
            cells += [cell._replace(z1=cut), cell._replace(z0=cut)]
    for cell in cells:
        short, long = sorted((cell.width, cell.depth))
        if short < _MIN_SIDE or long * 100 > short * _MAX_ASPECT_PERCENT:
            return None
    return Cells(footprint, tuple(sorted(cells)))


def _turned(dice: Dice, cells: Cells) -> Cells:
    """Mirror and transpose at random, so that no compass direction is special."""
    swap, flip_x, flip_z = dice.chance(50), dice.chance(50), dice.chance(50)
    width, depth = cells.footprint.x1, cells.footprint.z1

    def turn(rect: Rect) -> Rect:
        x0, z0, x1, z1 = rect
        if flip_x:
            x0, x1 = width - x1, width - x0
        if flip_z:
            z0, z1 = depth - z1, depth - z0
        return Rect(z0, x0, z1, x1) if swap else Rect(x0, z0, x1, z1)

    return Cells(turn(cells.footprint), tuple(turn(cell) for cell in cells.cells), cells.fixed)
