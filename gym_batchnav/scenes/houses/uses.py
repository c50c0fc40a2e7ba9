"""What each room is for."""

from __future__ import annotations

from .cutting import Layout
from .dice import Dice
from .plan import Room, RoomKind

Walls = dict[tuple[int, int], tuple[int, int, int]]

# Least and greatest floor area of each kind, square metres.
_AREAS: dict[RoomKind, tuple[int, int]] = {
    "hall": (2, 26),
    "living": (13, 45),
    "kitchen": (6, 24),
    "dining": (7, 26),
    "bedroom": (7, 24),
    "bath": (3, 11),
    "study": (4, 17),
    "storage": (2, 12),
    "great_room": (18, 60),
    "studio": (16, 50),
}


_USUAL_ROOM = 17_500_000
"""Square millimetres of the average room up to which the greatest areas hold."""


def draw_kinds(dice: Dice, layout: Layout, rooms: list[Room], walls: Walls) -> list[RoomKind] | None:
    """A use for each room, by size and by neighbours; None where one would be too small or too large."""
    kinds: dict[int, RoomKind] = {}
    first = 0
    for storey, floor in enumerate(layout.storeys):
        numbers = range(first, first + len(floor.cells))
        kinds |= {first + cell: kind for cell, kind in floor.fixed.items()}
        by_area = sorted(numbers, key=lambda number: (rooms[number].inner.area, number))
        free = [number for number in by_area if number not in kinds]
        if storey:
            _upstairs(dice, kinds, free, rooms)
        else:
            _downstairs(dice, kinds, free, rooms, walls, alone=layout.stairs is None)
        first += len(floor.cells)
    found = [kinds[number] for number in range(len(rooms))]
    # Where few rooms share a large area, all may be larger.
    percent = max(100, sum(room.inner.area for room in rooms) // len(rooms) * 100 // _USUAL_ROOM)
    return (
        found if all(_suits(room, kind, percent) for room, kind in zip(rooms, found, strict=True)) else None
    )


def _suits(room: Room, kind: RoomKind, percent: int) -> bool:
    """Whether a room has the area and the proportions for a use; up to ``percent`` of the usual area."""
    low, high = _AREAS[kind]
    short, long = sorted((room.inner.width, room.inner.depth))
    fits = low * 1_000_000 <= room.inner.area <= high * 10_000 * percent
    return fits and (kind == "hall" or long * 10 <= short * 26)


def _downstairs(
    dice: Dice, kinds: dict[int, RoomKind], free: list[int], rooms: list[Room], walls: Walls, *, alone: bool
) -> None:
    """Living room, kitchen, a bathroom where there is no other storey, and what else there is."""
    if not {"living", "great_room", "studio"} & set(kinds.values()):
        kinds[free.pop()] = "living"
    # A second bathroom in large homes; one downstairs too where there is room for it.
    baths = 1 + (len(rooms) >= 7 and dice.chance(50)) if alone else int(len(free) >= 3 and dice.chance(60))
    for _ in range(baths):
        kinds[free.pop(0)] = "bath"
    if "living" in kinds.values() and "kitchen" not in kinds.values() and free:
        kitchen = dice.pick(_kitchens(kinds, free, rooms, walls))
        kinds[kitchen] = "kitchen"
        free.remove(kitchen)
    bedrooms = (1 if len(rooms) < 6 else 2) if alone else 0
    for count, number in enumerate(reversed(free)):
        area = rooms[number].inner.area
        kind: RoomKind = "bedroom" if count < bedrooms else _other_kind(dice, area, alone=alone)
        if kind == "dining" and "dining" in kinds.values():
            kind = "study" if area <= 15_000_000 else "bedroom"
        kinds[number] = kind


def _upstairs(dice: Dice, kinds: dict[int, RoomKind], free: list[int], rooms: list[Room]) -> None:
    """Bedrooms, the smallest room a bathroom."""
    for _ in range(2 if len(free) >= 4 and dice.chance(40) else 1):
        kinds[free.pop(0)] = "bath"
    for count, number in enumerate(reversed(free)):
        area = rooms[number].inner.area
        if count == 0 or area > 14_000_000:
            kinds[number] = "bedroom"
        elif area < 7_500_000:
            kinds[number] = dice.pick(("storage", "study"))
        else:
            kinds[number] = dice.pick(("bedroom", "bedroom", "bedroom", "study"))


def _kitchens(kinds: dict[int, RoomKind], free: list[int], rooms: list[Room], walls: Walls) -> list[int]:
    """Rooms that suit a kitchen best: beside the living room, and neither small nor large."""
    living = next(number for number, kind in kinds.items() if kind == "living")
    beside = [number for number in free if (min(number, living), max(number, living)) in walls]
    return [number for number in beside if 6e6 <= rooms[number].inner.area <= 20e6] or beside or free


def _other_kind(dice: Dice, area: int, *, alone: bool) -> RoomKind:
    """Use of a room downstairs that is neither living room, kitchen nor one of the first bedrooms."""
    if area < 9_000_000:
        return dice.pick(("storage", "storage", "study"))
    if area > 14_000_000:
        return dice.pick(("bedroom", "bedroom", "dining") if alone else ("dining", "dining", "bedroom"))
    return dice.pick(("bedroom", "bedroom", "study", "dining") if alone else ("dining", "study", "bedroom"))
