"""Where walls are shared, and where doors, windows and the entrance go."""

from __future__ import annotations

from typing import Literal

from .dice import Dice
from .plan import DOOR_WIDTH, SILL, Door, Opening, Room, RoomKind, without

_MARGIN = 120
"""Least distance of a door from a corner."""
_CLEAR_DEPTH = 800
"""Depth of the space before a door that stairs must leave free."""
_ENTERED: tuple[RoomKind, ...] = ("hall", "living", "great_room", "studio", "kitchen", "dining")
"""Rooms that the entrance may lead into, the best first."""
# Narrowest and widest window, and the height of its lower edge, where they are not 1.0 m, 1.8 m and SILL.
_WINDOWS: dict[RoomKind, tuple[int, int, int]] = {
    "living": (1400, 2400, 600),
    "great_room": (1400, 2400, 600),
    "studio": (1400, 2200, 600),
    "dining": (1200, 2000, 600),
    "kitchen": (900, 1500, 1050),
    "bath": (500, 800, 1200),
    "hall": (500, 900, SILL),
}


def find_walls(rooms: list[Room]) -> dict[tuple[int, int], tuple[int, int, int]]:
    """Walls between rooms that can hold a door.

    Returns:
        For each pair (a < b): the side of room a, and the common extent along it (low, high), without what
        stairs take.
    """
    walls = {}
    for a, first in enumerate(rooms):
        for b in range(a + 1, len(rooms)):
            second = rooms[b]
            if first.storey != second.storey:
                continue
            for side in range(4):
                other = (side + 2) % 4
                if first.cell.line(side) != second.cell.line(other):
                    continue
                spans = first.inner.span(side), second.inner.span(other)
                span = max(spans[0][0], spans[1][0]), min(spans[0][1], spans[1][1])
                for room, own in ((first, side), (second, other)):
                    span = clear_span(room, own, span)
                if span[1] - span[0] >= DOOR_WIDTH + 2 * _MARGIN:
                    walls[a, b] = (side, *span)
    return walls


def clear_span(room: Room, side: int, span: tuple[int, int]) -> tuple[int, int]:
    """The longest part of a stretch of wall that has no stairs before it."""
    for rect in room.stairs:
        if room.inner.strip(side, *span, _CLEAR_DEPTH).overlaps(rect):
            low, high = rect.span(side)
            parts = without(span, (low - _MARGIN, high + _MARGIN))
            span = max(parts, key=lambda part: part[1] - part[0]) if parts else (span[0], span[0])
    return span


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
    ways_in = [(number, *span) for number, room in enumerate(rooms) for span in _entrances(room)]
    ways_in.sort(key=lambda way: (_ENTERED.index(rooms[way[0]].kind), way))
    if ways_in:
        best = [way for way in ways_in if rooms[way[0]].kind == rooms[ways_in[0][0]].kind]
        number, side, low, high = dice.pick(best)
        start = dice.between(low + _MARGIN, high - _MARGIN - DOOR_WIDTH, 10)
        found[number].append(Opening(side, start, start + DOOR_WIDTH, "entrance"))
    for number, room in enumerate(rooms):
        for side, low, high in room.exposed:
            if not any(opening.side == side for opening in found[number]):
                found[number] += _windows(dice, room, side, _wall_span(room, side, low, high))
    return [tuple(openings) for openings in found]


def _wall_span(room: Room, side: int, low: int, high: int) -> tuple[int, int]:
    """The part of a stretch of a cell's border that is wall of the room."""
    inner = room.inner.span(side)
    return max(low, inner[0]), min(high, inner[1])


def _entrances(room: Room) -> list[tuple[int, int, int]]:
    if room.storey or room.kind not in _ENTERED:
        return []
    spans = [
        (side, *clear_span(room, side, _wall_span(room, side, low, high))) for side, low, high in room.exposed
    ]
    return [span for span in spans if span[2] - span[1] >= DOOR_WIDTH + 2 * _MARGIN]


def _windows(dice: Dice, room: Room, side: int, span: tuple[int, int]) -> list[Opening]:
    """None, one or two windows in the middle parts of a stretch of wall."""
    if room.kind == "storage" or not dice.chance(90):
        return []
    # The lower flight would cut through a window; above it there is nothing but air.
    low, high = span if room.storey else clear_span(room, side, span)
    narrow, wide, bottom = _WINDOWS.get(room.kind, (1000, 1800, SILL))
    count = 2 if high - low > 4800 and room.kind != "bath" else 1
    part = (high - low) // count
    width = min(dice.between(narrow, wide, 100), (part - 600) // 10 * 10)
    if width < 500:
        return []
    if room.kind == "living" and dice.chance(35):
        bottom = 300
    starts = [low + part * number + (part - width) // 20 * 10 for number in range(count)]
    return [Opening(side, start, start + width, "window", bottom) for start in starts]
