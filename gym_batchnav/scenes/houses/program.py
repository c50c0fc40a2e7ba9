"""What each room is for, and which rooms have doors between them."""

from __future__ import annotations

from .config import HouseConfig
from .dice import Dice
from .layout import Cells, cut_footprint
from .openings import exterior_openings, find_walls, put_doors
from .plan import Door, Opening, Plan, Rect, Room, RoomKind, inner_rect

# How unwelcome a door between two kinds of rooms is; pairs that are not listed cost 5.
_COSTS: dict[frozenset[RoomKind], int] = {
    **{frozenset({"hall", kind}): 0 for kind in ("living", "bedroom", "bath", "study", "kitchen", "dining")},
    frozenset({"hall", "storage"}): 1,
    frozenset({"living", "kitchen"}): 0,
    frozenset({"kitchen", "dining"}): 0,
    frozenset({"living", "dining"}): 0,
    frozenset({"living", "study"}): 0,
    frozenset({"kitchen", "storage"}): 1,
    frozenset({"living", "bedroom"}): 1,
    frozenset({"study", "bedroom"}): 1,
    frozenset({"study", "bath"}): 2,
    frozenset({"living", "bath"}): 2,
    frozenset({"living", "storage"}): 2,
    frozenset({"dining", "bedroom"}): 2,
    frozenset({"bedroom", "bath"}): 3,
    frozenset({"dining", "bath"}): 3,
    frozenset({"kitchen", "bedroom"}): 3,
    frozenset({"kitchen", "bath"}): 4,
    frozenset({"bedroom"}): 6,
    frozenset({"bath"}): 9,
}
_OPEN: frozenset[RoomKind] = frozenset({"living", "kitchen", "dining", "hall", "study"})
"""Rooms that open into each other through wide arches; all others have doors."""


def make_plan(dice: Dice, config: HouseConfig) -> Plan | None:
    """Draw a floor plan; None where this draw does not work out."""
    cells = cut_footprint(dice, config)
    if cells is None:
        return None
    inner = [inner_rect(cell, cells.footprint) for cell in cells.cells]
    area = sum(rect.area for rect, _ in inner)
    if not config.min_area * 1e6 <= area <= config.max_area * 1e6:
        return None
    walls = find_walls([rect for rect, _ in inner])
    kinds = _kinds(dice, cells, [rect for rect, _ in inner], walls)
    rooms = tuple(
        Room(kind, cell, rect, outer)
        for kind, cell, (rect, outer) in zip(kinds, cells.cells, inner, strict=True)
    )
    joined = _join(dice, kinds, walls)
    if joined is None:
        return None
    doors = put_doors(dice, rooms, [(pair, walls[pair], _is_arch(dice, kinds, pair)) for pair in joined])
    outside = exterior_openings(dice, rooms)
    openings = tuple(_openings_of(room, doors) + outside[room] for room in range(len(rooms)))
    return Plan(rooms, doors, openings)


def _openings_of(room: int, doors: tuple[Door, ...]) -> tuple[Opening, ...]:
    return tuple(
        opening
        for door in doors
        for number, opening in zip(door.rooms, door.openings, strict=True)
        if number == room
    )


def _kinds(
    dice: Dice, cells: Cells, inner: list[Rect], walls: dict[tuple[int, int], tuple[int, int, int]]
) -> list[RoomKind]:
    """A use for each cell, by size and by neighbours."""
    kinds = dict(cells.fixed)
    by_area = sorted(range(len(inner)), key=lambda cell: (inner[cell].area, cell))
    if "living" not in kinds.values():
        kinds[by_area[-1]] = "living"
    free = [cell for cell in by_area if cell not in kinds]
    kinds[free.pop(0)] = "bath"
    if "kitchen" not in kinds.values() and free:
        kitchen = dice.pick(_kitchen_cells(kinds, free, inner, walls))
        kinds[kitchen] = "kitchen"
        free.remove(kitchen)
    for count, cell in enumerate(reversed(free)):
        kinds[cell] = _other_kind(dice, count, len(inner), inner[cell].area)
    return [kinds[cell] for cell in range(len(inner))]


def _kitchen_cells(
    kinds: dict[int, RoomKind],
    free: list[int],
    inner: list[Rect],
    walls: dict[tuple[int, int], tuple[int, int, int]],
) -> list[int]:
    """Cells that suit a kitchen best: beside the living room, and neither small nor large."""
    living = next(cell for cell, kind in kinds.items() if kind == "living")
    beside = [cell for cell in free if (min(cell, living), max(cell, living)) in walls]
    return [cell for cell in beside if 6_000_000 <= inner[cell].area <= 20_000_000] or beside or free


def _other_kind(dice: Dice, count: int, rooms: int, area: int) -> RoomKind:
    """Use of the ``count``-th largest of the remaining rooms of a house of ``rooms`` rooms."""
    if count < (1 if rooms < 6 else 2):
        return "bedroom"
    if area < 6_000_000:
        return dice.pick(("bath", "storage", "study"))
    return dice.pick(("bedroom", "study", "dining", "dining"))


def _is_arch(dice: Dice, kinds: list[RoomKind], pair: tuple[int, int]) -> bool:
    return all(kinds[room] in _OPEN for room in pair) and dice.chance(85)


def _join(
    dice: Dice, kinds: list[RoomKind], walls: dict[tuple[int, int], tuple[int, int, int]]
) -> list[tuple[int, int]] | None:
    """Pairs of rooms with a door: a tree of least cost, rarely one more; None where a room has no wall."""
    costs = {
        pair: _COSTS.get(frozenset(kinds[room] for room in pair), 5) * 100 + dice.below(180)
        for pair in sorted(walls)
    }
    group = list(range(len(kinds)))
    joined: list[tuple[int, int]] = []
    spare: list[tuple[int, int]] = []
    for pair in sorted(costs, key=lambda pair: (costs[pair], pair)):
        a, b = (group[room] for room in pair)
        if a == b:
            spare.append(pair)
            continue
        joined.append(pair)
        group = [a if other == b else other for other in group]
    if len(joined) != len(kinds) - 1:
        return None
    more = [pair for pair in spare if costs[pair] < 480 and dice.chance(70)]
    wide = [pair for pair in spare if all(kinds[room] in _OPEN for room in pair) and dice.chance(80)]
    return list(dict.fromkeys(joined + wide + more))
