"""Floor plans, and which rooms have doors between them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from .config import HouseConfig
from .cutting import Layout
from .dice import Dice
from .layout import draw_layout, draw_programme
from .openings import exterior_openings, find_walls, put_doors
from .plan import Door, Opening, Plan, Room, RoomKind, common_inner, exposed_spans, inner_rect
from .uses import draw_kinds

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
    frozenset({"great_room", "bedroom"}): 0,
    frozenset({"great_room", "bath"}): 1,
    frozenset({"studio", "bath"}): 0,
    frozenset({"bedroom"}): 6,
    frozenset({"bath"}): 9,
}
_ATTEMPTS, _ATTEMPTS_OF_PROGRAMME = 3000, 150
_PROGRAMME_STREAM = 1 << 32
_OPEN: frozenset[RoomKind] = frozenset({"living", "kitchen", "dining", "hall", "study", "great_room"})
"""Rooms that open into each other through wide arches; all others have doors."""


def make_plan(dice: Dice, config: HouseConfig, rooms: int, storeys: int) -> Plan | None:
    """Draw a floor plan of so many rooms and storeys; None where this draw does not work out."""
    layout = draw_layout(dice, config, rooms, storeys)
    if layout is None:
        return None
    bare = bare_rooms(layout)
    if not config.min_area * 1e6 <= sum(room.inner.area for room in bare) <= config.max_area * 1e6:
        return None
    walls = find_walls(bare)
    kinds = draw_kinds(dice, layout, bare, walls)
    if kinds is None:
        return None
    made = tuple(replace(room, kind=kind) for room, kind in zip(bare, kinds, strict=True))
    joined = _join(dice, made, walls)
    if joined is None:
        return None
    doors = put_doors(dice, made, [(pair, walls[pair], _is_arch(dice, kinds, pair)) for pair in joined])
    outside = exterior_openings(dice, made)
    openings = tuple(_openings_of(room, doors) + outside[room] for room in range(len(made)))
    return Plan(made, doors, openings, layout.stairs)


def draw_plans(seed: int, config: HouseConfig) -> Iterator[tuple[Dice, Plan]]:
    """Plans of the house ``seed``, one after another, each with the dice that draw the rest of the house.

    The numbers of rooms and storeys stay for many attempts: else what is hard to lay out would be rare.
    """
    for attempt in range(_ATTEMPTS):
        if attempt % _ATTEMPTS_OF_PROGRAMME == 0:
            rooms, storeys = draw_programme(Dice(seed, _PROGRAMME_STREAM + attempt), config)
        dice = Dice(seed, attempt)
        plan = make_plan(dice, config, rooms, storeys)
        if plan is not None:
            yield dice, plan


def bare_rooms(layout: Layout) -> list[Room]:
    """Rooms whose use is not decided yet, the lower storey's first; both storeys' first rooms hold stairs."""
    rooms: list[Room] = []
    shared = common_inner([storey.cells for storey in layout.storeys]) if layout.stairs else None
    for storey, floor in enumerate(layout.storeys):
        for number, cell in enumerate(floor.cells):
            exposed = exposed_spans(floor.cells, number)
            inner, outer = inner_rect(cell, exposed) if number or shared is None else shared
            room = Room("storage", cell, inner, outer, exposed, storey)
            if layout.stairs and number == 0:
                room = replace(room, stairs=(layout.stairs.rect,), blocked=(layout.stairs.blocked[storey],))
            rooms.append(room)
    return rooms


def _openings_of(room: int, doors: tuple[Door, ...]) -> tuple[Opening, ...]:
    return tuple(
        opening
        for door in doors
        for number, opening in zip(door.rooms, door.openings, strict=True)
        if number == room
    )


def _is_arch(dice: Dice, kinds: list[RoomKind], pair: tuple[int, int]) -> bool:
    return all(kinds[room] in _OPEN for room in pair) and dice.chance(85)


def _join(
    dice: Dice, rooms: tuple[Room, ...], walls: dict[tuple[int, int], tuple[int, int, int]]
) -> list[tuple[int, int]] | None:
    """Pairs of rooms with a door: a tree of least cost, rarely one more; None where a room has no wall."""
    kinds = [room.kind for room in rooms]
    own_bath = kinds.count("bath") > 1 and dice.chance(40)
    costs = {pair: _cost(kinds, pair, own_bath=own_bath) * 100 + dice.below(180) for pair in sorted(walls)}
    # The stairs join the storeys.
    stairs = [number for number, room in enumerate(rooms) if room.stairs]
    group = [stairs[0] if number in stairs else number for number in range(len(kinds))]
    joined: list[tuple[int, int]] = []
    spare: list[tuple[int, int]] = []
    for pair in sorted(costs, key=lambda pair: (costs[pair], pair)):
        a, b = (group[room] for room in pair)
        if a == b:
            spare.append(pair)
            continue
        joined.append(pair)
        group = [a if other == b else other for other in group]
    if len(set(group)) > 1:
        return None
    more = [pair for pair in spare if costs[pair] < 480 and dice.chance(70)]
    wide = [pair for pair in spare if all(kinds[room] in _OPEN for room in pair) and dice.chance(80)]
    return [pair for pair in dict.fromkeys(joined + wide + more) if pair in joined or _spare(kinds, pair)]


def _cost(kinds: list[RoomKind], pair: tuple[int, int], *, own_bath: bool) -> int:
    """How unwelcome a door is; where a bedroom may have its own bathroom, the last of them is."""
    bath = len(kinds) - 1 - kinds[::-1].index("bath") if own_bath else -1
    if bath in pair:
        return -1 if "bedroom" in (kinds[pair[0]], kinds[pair[1]]) else 8
    return _COSTS.get(frozenset(kinds[room] for room in pair), 5)


def _spare(kinds: list[RoomKind], pair: tuple[int, int]) -> bool:
    """Whether two rooms may have a door that is not needed: bathrooms and stores have one door."""
    return not any(kinds[room] in ("bath", "storage") for room in pair)
