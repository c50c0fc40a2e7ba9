"""Houses of two storeys around a hall with stairs that both storeys have in the same place."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Literal, NamedTuple

from .cutting import GRID, MIN_SIDE, Cells, Layout, cut_rect, drop_corner, snap
from .dice import Dice
from .plan import INNER_WALL, Rect, common_inner
from .staircase import GAP, LANE, RAIL_ZONE, Stairs

_L_PERCENT = 25


class _Hall(NamedTuple):
    """A hall against the side x = 0 of the house, and its staircase."""

    width: int
    length: int
    shape: Literal["straight", "half_turn"]
    flight: int


def two_storeys(dice: Dice, rooms: int, area: float) -> Layout | None:
    """Draw a hall and cut the rest of each storey; None where this draw does not work out."""
    below = rooms // 2 if dice.chance(60) else (rooms + 1) // 2
    above = rooms - below
    hall = _draw_hall(dice)
    footprint = area * 1e6 / 2
    depth = max(snap(math.sqrt(footprint) * dice.between(90, 125) / 100), hall.length)
    if depth - hall.length < MIN_SIDE:
        depth = hall.length
    length = snap(footprint / depth)
    left = 0
    if dice.chance(40) and length - hall.width >= 2 * 2900:
        left = snap((length - hall.width) * dice.between(38, 62) / 100)
    blocks = [Rect(left + hall.width, 0, length, depth)]
    if left:
        blocks.append(Rect(0, 0, left, depth))
    if depth > hall.length:
        blocks.append(Rect(left, hall.length, left + hall.width, depth))
    where = Rect(left, 0, left + hall.width, hall.length)
    if min(min(block.width, block.depth) for block in blocks) < MIN_SIDE:
        return None
    storeys = [_storey(dice, where, blocks, count, (length, depth)) for count in (below, above)]
    if storeys[0] is None or storeys[1] is None:
        return None
    inner, _ = common_inner([storey.cells for storey in storeys if storey])
    return Layout((length, depth), (storeys[0], storeys[1]), _stairs(dice, hall, inner))


def _draw_hall(dice: Dice) -> _Hall:
    flight = dice.between(900, 1000, 20)
    corridor = dice.between(1100, 1500, GRID)
    if dice.chance(50):
        width = flight + RAIL_ZONE + corridor + INNER_WALL
        length = Stairs("straight", (0, 0), (1, 0), (0, 1), flight, True).length + 2 * LANE + INNER_WALL
        return _Hall(_up(width), _up(length + dice.between(0, 600)), "straight", flight)
    beside = dice.chance(60)
    both = Stairs("half_turn", (0, 0), (1, 0), (0, 1), flight, beside)
    width = both.breadth + (corridor if beside else 0) + INNER_WALL
    return _Hall(_up(width), _up(both.length + dice.between(1250, 1900) + INNER_WALL), "half_turn", flight)


def _up(value: int) -> int:
    return -(-value // GRID) * GRID


def _storey(dice: Dice, hall: Rect, blocks: list[Rect], rooms: int, size: tuple[int, int]) -> Cells | None:
    """Cut the blocks around the hall into rooms, the larger ones into more."""
    corner = rooms >= 4 and dice.chance(_L_PERCENT)
    count = rooms - 1 + (1 if corner else 0)
    if count < len(blocks):
        return None
    shares = [1] * len(blocks)
    for _ in range(count - len(blocks)):
        sizes = [
            block.area * (85 + dice.below(30)) // share for block, share in zip(blocks, shares, strict=True)
        ]
        shares[sizes.index(max(sizes))] += 1
    cells = [hall]
    for block, share in zip(blocks, shares, strict=True):
        parts = cut_rect(dice, block, share)
        if parts is None:
            return None
        cells += parts
    found = Cells(tuple(cells), {0: "hall"})
    if corner:
        found = drop_corner(dice, size, found)
    return found if len(found.cells) == rooms else None


def _stairs(dice: Dice, hall: _Hall, inner: Rect) -> Stairs:
    """Put the staircase against the wall x = x0 of the hall, so that the way goes on beside it."""
    probe = Stairs(hall.shape, (0, 0), (1, 0), (0, 1), hall.flight, True)
    if hall.shape == "straight":
        slack = inner.depth - probe.length - 2 * LANE
        foot = inner.z0 + LANE + dice.between(0, slack, 10)
        if dice.chance(50):
            return replace(probe, origin=(inner.x0, foot))
        return replace(probe, origin=(inner.x0, foot + probe.length), up=(0, -1))
    if inner.width - probe.breadth < 1000:
        # Between two walls the flights take the whole width.
        flight = (inner.width - GAP) // 20 * 10
        probe = replace(probe, width=flight, open_side=False, gap=inner.width - 2 * flight)
    return replace(probe, origin=(inner.x0, inner.z1 - probe.length))
