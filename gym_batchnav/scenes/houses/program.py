"""Floor plans, and which rooms have doors between them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from .config import HouseConfig
from .cutting import Layout
from .dice import Dice
from .layout import Programme, draw_layout, draw_programme
from .openings import exterior_openings, find_walls, put_doors
from .plan import Door, Opening, Plan, Room, RoomKind, common_inner, exposed_spans, inner_rect
from .uses import Walls, draw_kinds

# How unwelcome a door between two kinds of rooms is; pairs that are not listed cost 5.
_COSTS: dict[frozenset[RoomKind], int] = {
    **{frozenset({"hall", kind}): 0 for kind in ("living", "bedroom", "bath", "study", "kitchen", "dining")},
    **{frozenset({"great_room", kind}): 1 for kind in ("bedroom", "bath", "study", "dining")},
    frozenset({"hall"}): 0,
    frozenset({"hall", "storage"}): 1,
    frozenset({"living", "kitchen"}): 0,
    frozenset({"kitchen", "dining"}): 0,
    frozenset({"living", "dining"}): 0,
    frozenset({"living", "study"}): 0,
    frozenset({"kitchen", "storage"}): 0,
    frozenset({"living", "bedroom"}): 1,
    frozenset({"study", "bedroom"}): 2,
    frozenset({"study", "bath"}): 2,
    frozenset({"living", "bath"}): 2,
    frozenset({"living", "storage"}): 2,
    frozenset({"dining", "bedroom"}): 2,
    frozenset({"dining", "bath"}): 3,
    frozenset({"kitchen", "bedroom"}): 4,
    frozenset({"kitchen", "bath"}): 4,
}
_PUBLIC: frozenset[RoomKind] = frozenset(
    {"hall", "living", "kitchen", "dining", "study", "great_room", "studio"}
)
"""Rooms that one may walk through."""
_OPEN: frozenset[RoomKind] = frozenset({"living", "kitchen", "dining", "hall", "great_room"})
"""Rooms that open into each other through wide arches; all others have doors."""
_ATTEMPTS, _ATTEMPTS_OF_PROGRAMME = 3000, 150
_PROGRAMME_STREAM = 1 << 32


def make_plan(dice: Dice, config: HouseConfig, programme: Programme) -> Plan | None:
    """Draw a floor plan of a programme; None where this draw does not work out."""
    layout = draw_layout(dice, config, programme)
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

    The programme stays for many attempts: else what is hard to lay out would be rare.
    """
    for attempt in range(_ATTEMPTS):
        if attempt % _ATTEMPTS_OF_PROGRAMME == 0:
            programme = draw_programme(Dice(seed, _PROGRAMME_STREAM + attempt), config)
        dice = Dice(seed, attempt)
        plan = make_plan(dice, config, programme)
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
    return _are_open(kinds, pair) and dice.chance(85)


def _join(dice: Dice, rooms: tuple[Room, ...], walls: Walls) -> list[tuple[int, int]] | None:
    """Pairs of rooms with a door: a tree of least cost, rarely one more; None where a room has no good wall.

    Halls, living rooms and the like lead on to others. No way leads through a bathroom or a store, and
    through a bedroom only that to its own bathroom.
    """
    kinds = [room.kind for room in rooms]
    costs = {
        pair: _COSTS.get(frozenset(kinds[room] for room in pair), 5) * 100 + dice.below(180)
        for pair in sorted(walls)
    }
    ranked = sorted(costs, key=lambda pair: (costs[pair], pair))
    public = {number for number, kind in enumerate(kinds) if kind in _PUBLIC}
    joined = _join_public(rooms, [pair for pair in ranked if set(pair) <= public], public)
    if joined is None:
        return None
    own_bath = kinds.count("bath") > 1 and dice.chance(40)
    for number in range(len(rooms)):
        if number in public:
            continue
        doors = [pair for pair in ranked if number in pair and (set(pair) - {number}) <= public]
        if kinds[number] == "bath":
            own = [
                pair
                for pair in ranked
                if number in pair and {kinds[room] for room in pair} == {"bath", "bedroom"}
            ]
            doors = own + doors if own_bath else doors
            own_bath = own_bath and not own
        if not doors:
            return None
        joined.append(doors[0])
    spare = [pair for pair in ranked if set(pair) <= public and pair not in joined]
    return joined + [pair for pair in spare if dice.chance(80 if _are_open(kinds, pair) else 50)]


def _join_public(
    rooms: tuple[Room, ...], ranked: list[tuple[int, int]], public: set[int]
) -> list[tuple[int, int]] | None:
    """The tree of least cost between rooms that one walks through; None where they do not hang together."""
    # The stairs join the storeys.
    stairs = [number for number, room in enumerate(rooms) if room.stairs]
    group = {number: stairs[0] if number in stairs else number for number in sorted(public)}
    joined = []
    for pair in ranked:
        a, b = (group[room] for room in pair)
        if a != b:
            joined.append(pair)
            group = {number: a if other == b else other for number, other in group.items()}
    return joined if len(set(group.values())) == 1 else None


def _are_open(kinds: list[RoomKind], pair: tuple[int, int]) -> bool:
    return all(kinds[room] in _OPEN for room in pair)
