"""Floor plans of the built-in houses: rooms, doors, windows, storeys, splits, and bounds that users set."""

from __future__ import annotations

import itertools
from collections import Counter

import pytest
import shapely

from gym_batchnav.errors import ConfigError, SceneError
from gym_batchnav.scenes.houses import SPLITS, HouseConfig, make_house
from gym_batchnav.scenes.houses.plan import DOOR_WIDTH, INNER_WALL, LINTEL, Rect
from gym_batchnav.scenes.houses.program import draw_plans

COUNT = 400
DEFAULT = [next(draw_plans(seed, HouseConfig()))[1] for seed in range(COUNT)]
FEW = DEFAULT[:120]
LEADS_ON = {"hall", "living", "kitchen", "dining", "study", "great_room", "studio"}


def plans(count, **bounds):
    return [next(draw_plans(seed, HouseConfig(**bounds)))[1] for seed in range(count)]


def neighbours(plan):
    return {
        number: [a + b - number for a, b in rooms_of(plan) if number in (a, b)] for number in numbers(plan)
    }


def rooms_of(plan):
    return [door.rooms for door in plan.doors]


def numbers(plan):
    return range(len(plan.rooms))


def reached(plan, allowed=None):
    """Rooms that one gets to from room 0 through doors and stairs, passing only through some kinds."""
    stairs = [number for number in numbers(plan) if plan.rooms[number].stairs]
    start = next(n for n in numbers(plan) if allowed is None or plan.rooms[n].kind in allowed)
    found, rest = {start}, [start]
    while rest:
        here = rest.pop()
        if allowed is not None and plan.rooms[here].kind not in allowed:
            continue
        beside = neighbours(plan)[here] + (stairs if here in stairs else [])
        rest += [number for number in beside if number not in found]
        found |= set(beside)
    return found


def test_splits_share_no_seed():
    seeds = [set(range(split.first_seed, split.first_seed + split.count)) for split in SPLITS.values()]
    assert [len(some) for some in seeds] == [1000, 100, 100]
    for a, b in itertools.combinations(seeds, 2):
        assert not a & b


def test_default_sets_are_mixed():
    """2 to 12 rooms, most 4 to 8; about a fifth with two storeys; some L-shaped; all shapes of stairs."""
    rooms = Counter(len(plan.rooms) for plan in DEFAULT)
    assert set(range(2, 12)) <= set(rooms) <= set(range(2, 13))
    assert sum(rooms[count] for count in range(4, 9)) / COUNT > 0.75
    two = [plan for plan in DEFAULT if plan.storeys == 2]
    assert 0.15 <= len(two) / COUNT <= 0.27
    assert {plan.stairs.shape for plan in two} == {"straight", "half_turn"}
    outlines = [
        shapely.union_all([shapely.box(*r.cell) for r in plan.rooms if not r.storey]) for plan in DEFAULT
    ]
    l_shaped = sum(shapely.area(shapely.envelope(shape)) > shape.area + 1e6 for shape in outlines)
    assert 0.15 <= l_shaped / COUNT <= 0.4
    assert 60 <= sum(plan.area for plan in DEFAULT) / COUNT / 1e6 <= 110


def test_every_home_has_what_a_home_has():
    for plan in DEFAULT:
        kinds = Counter(room.kind for room in plan.rooms)
        assert kinds["living"] + kinds["great_room"] + kinds["studio"] == 1
        assert kinds["kitchen"] + kinds["great_room"] + kinds["studio"] == 1
        assert kinds["bath"] >= 1
        assert kinds["dining"] <= 1
        assert kinds["bedroom"] + kinds["studio"] >= 1
        entrances = [
            number
            for number, openings in enumerate(plan.openings)
            for opening in openings
            if opening.kind == "entrance"
        ]
        assert len(entrances) == 1
        assert plan.rooms[entrances[0]].storey == 0
        assert plan.rooms[entrances[0]].kind in ("hall", "living", "great_room", "studio")
        if plan.rooms[0].kind == "hall" and plan.storeys == 2:
            assert plan.rooms[entrances[0]].kind == "hall"


def test_rooms_have_the_sizes_of_rooms():
    limits = {"bath": (3, 11), "bedroom": (7, 24), "kitchen": (6, 24), "living": (13, 45), "studio": (16, 50)}
    for plan in DEFAULT:
        for room in plan.rooms:
            low, high = limits.get(room.kind, (2, 60))
            scale = max(1.0, plan.area / len(plan.rooms) / 17.5e6)
            assert low <= room.inner.area / 1e6 <= high * scale
            short, long = sorted((room.inner.width, room.inner.depth))
            if room.kind != "hall":
                assert short >= 1700
                assert long <= 2.6 * short
            elif not room.stairs:
                assert 1100 <= short <= 1600


@pytest.mark.parametrize("count", range(2, 13))
@pytest.mark.parametrize("storeys", [1, 2])
def test_rooms_and_storeys_are_as_asked(count, storeys):
    if storeys == 2 and count < 6:
        with pytest.raises(ConfigError, match=f"max_rooms={count} with storeys=2"):
            HouseConfig(min_rooms=count, max_rooms=count, storeys=2)
        return
    for plan in plans(4, min_rooms=count, max_rooms=count, storeys=storeys):
        assert len(plan.rooms) == count
        assert {room.storey for room in plan.rooms} == set(range(storeys))
        assert plan.storeys == storeys


@pytest.mark.parametrize(("low", "high"), [(25, 40), (40, 60), (60, 80), (100, 130), (200, 300)])
def test_area_is_as_asked(low, high):
    for plan in plans(6, min_area=low, max_area=high):
        assert low <= plan.area / 1e6 <= high


def test_rooms_do_not_overlap_and_walls_are_thick():
    for plan in FEW:
        for a, b in itertools.combinations(plan.rooms, 2):
            if a.storey == b.storey:
                x0, z0, x1, z1 = a.inner
                assert not b.inner.overlaps(Rect(x0 - INNER_WALL + 1, z0, x1 + INNER_WALL - 1, z1))
                assert not b.inner.overlaps(Rect(x0, z0 - INNER_WALL + 1, x1, z1 + INNER_WALL - 1))


def test_upper_storey_stands_on_the_lower_one():
    for plan in plans(40, storeys=2):
        lower, upper = (
            shapely.union_all([shapely.box(*room.cell) for room in plan.rooms if room.storey == storey])
            for storey in (0, 1)
        )
        assert shapely.difference(upper, lower).area == 0
        halls = [room for room in plan.rooms if room.stairs]
        assert [room.storey for room in halls] == [0, 1]
        assert halls[0].inner == halls[1].inner
        inner, stairs = halls[0].inner, plan.stairs.rect
        assert inner.x0 <= stairs.x0 < stairs.x1 <= inner.x1
        assert inner.z0 <= stairs.z0 < stairs.z1 <= inner.z1


def test_doors_are_wide_and_between_their_rooms():
    for plan in FEW:
        assert len(set(rooms_of(plan))) == len(plan.doors)
        for door in plan.doors:
            first, second = (plan.rooms[number] for number in door.rooms)
            assert first.storey == second.storey
            assert door.width == DOOR_WIDTH or (door.openings[0].kind == "arch" and door.width > DOOR_WIDTH)
            assert [opening.high - opening.low for opening in door.openings] == [door.width] * 2
            for room, opening in zip((first, second), door.openings, strict=True):
                low, high = room.inner.span(opening.side)
                assert low + 60 <= opening.low < opening.high <= high - 60
                # Stairs leave the floor before a door free.
                before = room.inner.strip(opening.side, opening.low, opening.high, 800)
                assert not any(before.overlaps(stairs) for stairs in room.stairs)


def test_ways_lead_through_rooms_that_one_walks_through():
    """Each room is reached without crossing a bathroom, a store or a bedroom but that of an own bathroom."""
    own = 0
    for plan in DEFAULT:
        everything = set(numbers(plan))
        assert reached(plan) == everything
        left = everything - reached(plan, LEADS_ON)
        own += len(left)
        for number in left:
            assert plan.rooms[number].kind == "bath"
            assert [plan.rooms[other].kind for other in neighbours(plan)[number]] == ["bedroom"]
        for number in everything:
            if plan.rooms[number].kind in ("bath", "storage"):
                assert len(neighbours(plan)[number]) == 1
    assert 0 < own < COUNT / 4


def test_openings_lie_in_walls_and_apart():
    for plan in FEW:
        for room, openings in zip(plan.rooms, plan.openings, strict=True):
            for a, b in itertools.combinations(openings, 2):
                assert a.side != b.side or a.high + 100 <= b.low or b.high + 100 <= a.low
            for opening in openings:
                assert 0 <= opening.bottom < LINTEL
                if opening.kind in ("window", "entrance"):
                    spans = [(low, high) for side, low, high in room.exposed if side == opening.side]
                    assert any(low <= opening.low and opening.high <= high for low, high in spans)


def test_most_rooms_have_a_window():
    lit = [
        any(opening.kind == "window" for opening in openings)
        for plan in DEFAULT
        for room, openings in zip(plan.rooms, plan.openings, strict=True)
        if room.kind not in ("hall", "storage", "bath") and room.exposed
    ]
    assert sum(lit) / len(lit) > 0.85


@pytest.mark.parametrize(
    ("bounds", "message"),
    [
        ({"min_area": 100, "max_area": 90}, "min_area=100, max_area=90"),
        ({"min_area": 20}, "min_area=20"),
        ({"max_area": 301}, "max_area=301"),
        ({"max_area": float("nan")}, "max_area=nan"),
        ({"min_rooms": 9, "max_rooms": 8}, "min_rooms=9"),
        ({"max_rooms": 13}, "max_rooms=13"),
        ({"min_rooms": 1}, "min_rooms=1"),
        ({"storeys": 3}, "storeys=3"),
        ({"clutter": 1.5}, r"clutter=1\.5"),
        ({"agent_radius": 0.123}, r"agent_radius=0\.123"),
        ({"agent_radius": 0.31}, r"agent_radius=0\.31"),
        ({"agent_radius": float("inf")}, "agent_radius=inf"),
    ],
)
def test_bounds_are_checked(bounds, message):
    with pytest.raises(ConfigError, match=message):
        HouseConfig(**bounds)


def test_impossible_bounds_and_seeds_are_named():
    with pytest.raises(ConfigError, match="seed=-1"):
        make_house(-1)
    with pytest.raises(SceneError, match="found no house within HouseConfig"):
        make_house(3, HouseConfig(min_rooms=12, max_rooms=12, min_area=25, max_area=40))
