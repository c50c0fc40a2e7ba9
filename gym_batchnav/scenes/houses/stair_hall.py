"""Houses of two storeys around a hall with stairs that both storeys have in the same place."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Literal, NamedTuple

from .cutting import GRID, MIN_SIDE, Cells, Layout, cut_line, cut_rect, drop_corner, snap, stretch
from .dice import Dice
from .plan import INNER_WALL, Rect, common_inner
from .staircase import LANE, Stairs

_MOST_OF_ROOM = 6000
"""Millimetres along the hall for one room, about."""
_LARGE = 104
"""Stretch of a house of large rooms."""
_ONE_SIDED = 170.0
"""Square metres of both storeys above which rooms lie on both sides of the hall."""


class _Hall(NamedTuple):
    """A hall against the side x = 0 of the house, and its staircase."""

    width: int
    length: int
    stairs: Stairs


def two_storeys(dice: Dice, rooms: int, area: float, *, corner: bool) -> Layout | None:
    """Draw a hall and cut the rest of each storey; None where this draw does not work out."""
    below = rooms // 2 if dice.chance(60) else (rooms + 1) // 2
    hall = _draw_hall(dice)
    # Blocks of rooms on one side of the hall or on both, each one room wide, so that the hall reaches all.
    percent = stretch(area, rooms)
    right = snap(dice.between(3300, 4900) * percent / 100)
    both = rooms >= 8 and (dice.chance(60) or area > _ONE_SIDED)
    left = snap(dice.between(2900, 4300) * percent / 100) if both else 0
    length = left + hall.width + right
    # Of the upper storey a room may be missing.
    footprint = area * 1e6 / (2.0 - 1.0 / (rooms - below + 1) if corner else 2.0)
    depth = max(snap(footprint / length), hall.length)
    if depth - hall.length < MIN_SIDE:
        depth = hall.length
    # Where a few large rooms leave none for the place behind the hall, the hall takes it.
    if percent > _LARGE and min(below, rooms - below) - 2 < (2 if left else 1) * -(-depth // _MOST_OF_ROOM):
        hall = hall._replace(length=depth)
    if depth > 14_000:
        return None
    blocks = [Rect(left + hall.width, 0, length, depth)]
    if left:
        blocks.append(Rect(0, 0, left, depth))
    if depth > hall.length:
        blocks.append(Rect(left, hall.length, left + hall.width, depth))
    where = Rect(left, 0, left + hall.width, hall.length)
    # Where a corner is left out, it is of the upper storey: nothing stands on air.
    cuts = ((below, False), (rooms - below, corner))
    storeys = [_storey(dice, where, blocks, count, (length, depth), corner=cut) for count, cut in cuts]
    if storeys[0] is None or storeys[1] is None:
        return None
    inner, _ = common_inner([storeys[0].cells, storeys[1].cells])
    return Layout((length, depth), (storeys[0], storeys[1]), _stairs(dice, hall.stairs, inner))


def _draw_hall(dice: Dice) -> _Hall:
    flight = dice.between(900, 1000, 20)
    shape: Literal["straight", "half_turn"] = "straight" if dice.chance(50) else "half_turn"
    stairs = Stairs(shape, (0, 0), (1, 0), (0, 1), flight)
    # The way beside the stairs, and the space before their ends.
    width = stairs.breadth + dice.between(1100, 1500, GRID) + INNER_WALL
    spare = 2 * LANE + dice.between(0, 600) if shape == "straight" else dice.between(1250, 1900)
    return _Hall(_up(width), _up(stairs.length + spare + INNER_WALL), stairs)


def _up(value: int) -> int:
    return -(-value // GRID) * GRID


def _storey(
    dice: Dice, hall: Rect, blocks: list[Rect], rooms: int, size: tuple[int, int], *, corner: bool
) -> Cells | None:
    """Cut the blocks around the hall into rooms, the larger ones into more."""
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
        parts = _slices(dice, block, share)
        if parts is None:
            return None
        cells += parts
    found = Cells(tuple(cells), {0: "hall"})
    if corner:
        found = drop_corner(dice, size, found)
    return found if len(found.cells) == rooms else None


def _slices(dice: Dice, block: Rect, count: int) -> list[Rect] | None:
    if count == 1 or dice.chance(20):
        return cut_rect(dice, block, count)
    cuts = cut_line(dice, block.z0, block.z1, count)
    return None if cuts is None else [block._replace(z0=a, z1=b) for a, b in itertools.pairwise(cuts)]


def _stairs(dice: Dice, stairs: Stairs, inner: Rect) -> Stairs:
    """Put the staircase against the wall x = x0 of the hall, so that the way goes on beside it."""
    if stairs.shape == "half_turn":
        return replace(stairs, origin=(inner.x0, inner.z1 - stairs.length))
    slack = inner.depth - stairs.length - 2 * LANE
    foot = inner.z0 + LANE + dice.between(0, slack, 10)
    if dice.chance(50):
        return replace(stairs, origin=(inner.x0, foot))
    return replace(stairs, origin=(inner.x0, foot + stairs.length), up=(0, -1))
