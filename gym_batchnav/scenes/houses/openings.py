"""Where walls are shared, and where doors, windows and the entrance go."""

from __future__ import annotations

from typing import Literal

from .dice import Dice
from .plan import DOOR_WIDTH, INNER_WALL, Door, Opening, Rect, Room

_MARGIN = 120
"""Least distance of a door from a corner."""


def find_walls(inner: list[Rect]) -> dict[tuple[int, int], tuple[int, int, int]]:
    """Walls between rooms that can hold a door.

    Args:
        inner: floors of the rooms.

    Returns:
        For each pair (a < b): the side of room a, and the common extent along it (low, high).
    """
    walls = {}
    for a, first in enumerate(inner):
        for b in range(a + 1, len(inner)):
            for side in range(4):
                second, other = inner[b], (side + 2) % 4
                if abs(first.line(side) - second.line(other)) != INNER_WALL:
                    continue
                low = max(first.span(side)[0], second.span(other)[0])
                high = min(first.span(side)[1], second.span(other)[1])
                facing = (second.line(other) - first.line(side)) * (1 if side in (1, 2) else -1) > 0
                if facing and high - low >= DOOR_WIDTH + 2 * _MARGIN:
                    walls[a, b] = (side, low, high)
    return walls


def put_doors(
    dice: Dice,
    rooms: tuple[Room, ...],
    pairs: list[tuple[tuple[int, int], tuple[int, int, int], bool]],
) -> tuple[Door, ...]:
    """Choose the place of every door, near a corner more often than not."""
    doors = []
    for pair, (side, low, high), arch in pairs:
        room = high - low - 2 * _MARGIN
        width = max(room * dice.between(55, 100) // 10_000 * 100, DOOR_WIDTH) if arch else DOOR_WIDTH
        slack = (room - width) // 10 * 10
        shift = dice.pick((slack // 20 * 10, slack // 30 * 10, slack // 15 * 10, dice.between(0, slack, 10)))
        start = low + _MARGIN + shift
        kind: Literal["door", "arch"] = "arch" if width > DOOR_WIDTH else "door"
        first = Opening(side, start, start + width, kind)
        second = Opening((side + 2) % 4, start, start + width, kind)
        doors.append(Door(pair, (first, second)))
    return tuple(doors)


def exterior_openings(dice: Dice, rooms: tuple[Room, ...]) -> list[tuple[Opening, ...]]:
    """Windows of every room, and one entrance, in the walls to the outside."""
    found: list[list[Opening]] = [[] for _ in rooms]
    ranked = sorted(
        (number for number, room in enumerate(rooms) if room.outer_sides),
        key=lambda number: (
            (("hall", "living", "kitchen").index(rooms[number].kind), number)
            if rooms[number].kind in ("hall", "living", "kitchen")
            else (9, number)
        ),
    )
    for number in ranked[:1]:
        side = dice.pick(rooms[number].outer_sides)
        low, high = rooms[number].inner.span(side)
        if high - low >= DOOR_WIDTH + 2 * _MARGIN:
            start = dice.between(low + _MARGIN, high - _MARGIN - DOOR_WIDTH, 10)
            found[number].append(Opening(side, start, start + DOOR_WIDTH, "entrance"))
    for number, room in enumerate(rooms):
        for side in room.outer_sides:
            if not any(opening.side == side for opening in found[number]):
                found[number] += _windows(dice, room, side)
    return [tuple(openings) for openings in found]


def _windows(dice: Dice, room: Room, side: int) -> list[Opening]:
    """None, one or two windows in the middle parts of a side."""
    if room.kind == "storage" or not dice.chance(85):
        return []
    low, high = room.inner.span(side)
    count = 2 if high - low > 4800 else 1
    width = 600 if room.kind == "bath" else dice.between(1000, 1800, 100)
    part = (high - low) // count
    width = min(width, part - 700)
    if width < 500:
        return []
    starts = [low + part * number + (part - width) // 20 * 10 for number in range(count)]
    return [Opening(side, start, start + width, "window") for start in starts]
