"""Furnished rooms: nothing overlaps, doors stay free, each room holds what makes it that kind of room."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest
import shapely

from gym_batchnav.scenes.houses.config import HouseConfig
from gym_batchnav.scenes.houses.furnish import furnish
from gym_batchnav.scenes.houses.furniture import make_decor
from gym_batchnav.scenes.houses.mesh import MeshBuilder
from gym_batchnav.scenes.houses.palette import make_style
from gym_batchnav.scenes.houses.placing import RoomPlacer
from gym_batchnav.scenes.houses.plan import WALL_HEIGHT
from gym_batchnav.scenes.houses.program import draw_plans
from gym_batchnav.scenes.houses.walkable import joins_all_rooms

# What must be in each kind of room, by class; one of each tuple.
NEEDS = {
    "living": [("sofa", "chair")],
    "kitchen": [("sink",), ("appliances",), ("cabinet",)],
    "dining": [("table",), ("chair",)],
    "bedroom": [("bed",), ("cushion",)],
    "bath": [("toilet",)],
    "study": [("table",), ("chair",), ("tv_monitor",)],
    "great_room": [("sink",), ("appliances",), ("sofa", "chair")],
    "studio": [("sink",), ("bed",)],
}
# What most rooms of a kind hold.
OFTEN = {
    ("living", 85): ("tv_monitor",),
    ("bedroom", 90): ("cabinet",),
    ("bath", 90): ("sink",),
    ("study", 70): ("shelving",),
    ("kitchen", 50): ("chair", "stool"),
}


class Furnished:
    """One room of a plan with its furniture, alone in its mesh."""

    def __init__(self, plan, number, dice, decor, style) -> None:
        self.plan, self.room, self.number = plan, plan.rooms[number], number
        self.mesh, self.footprints = MeshBuilder(), []
        self.placer = RoomPlacer(self.room, plan.openings[number], dice, self.mesh, self.footprints, lane=500)
        self.complete = furnish(self.placer, decor)
        self.classes = Counter(self.mesh.object_classes[1:])

    @property
    def corners(self):
        """Per shape: owner and corners (4 Q, 3) in millimetres of the plan."""
        return [
            (owner, _world(shape.corners.reshape(-1, 3), place))
            for shape, place, _, owner in self.mesh._shapes
        ]

    def mean_of(self, class_name: str):
        """Middle of the things of a class."""
        ids = {number for number, name in enumerate(self.mesh.object_classes) if name == class_name}
        return np.concatenate([points for owner, points in self.corners if owner in ids]).mean(axis=0)


def _world(points, place):
    c, s, d = place.turn
    x, y, z = points.T
    return np.stack([place.x + (c * x - s * z) / d, place.y + y, place.z + (s * x + c * z) / d], axis=1)


def houses(seeds, clutter=50):
    for seed in seeds:
        dice, plan = next(draw_plans(seed, HouseConfig()))
        style = make_style(dice)
        decor = make_decor(dice, style, clutter)
        yield plan, [Furnished(plan, number, dice, decor, style) for number in range(len(plan.rooms))]


@pytest.fixture(scope="module")
def made():
    return list(houses(range(40)))


@pytest.fixture(scope="module")
def rooms(made):
    return [room for _, rooms in made for room in rooms]


def test_nearly_all_rooms_can_be_furnished(made, rooms):
    """A room that cannot costs a whole new try of the house."""
    assert sum(not room.complete for room in rooms) <= 0.02 * len(rooms)
    joined = sum(
        joins_all_rooms(plan, [shape for room in rooms for shape in room.footprints]) for plan, rooms in made
    )
    assert joined >= 0.85 * len(made)


def test_nothing_stands_in_something_else(rooms):
    for room in rooms:
        blocked = set(room.room.blocked)
        taken = [rect for rect in room.placer.taken if rect not in blocked]
        for a, b in itertools.combinations(taken, 2):
            assert not a.overlaps(b), room.room.kind
        for rect in taken:
            assert not any(rect.overlaps(other) for other in blocked)


def test_all_stays_inside_of_the_room(rooms):
    for room in rooms:
        inner = room.room.inner
        points = np.concatenate([points for _, points in room.corners]) if room.corners else np.zeros((0, 3))
        assert (points[:, 0] >= inner.x0).all()
        assert (points[:, 0] <= inner.x1).all()
        assert (points[:, 2] >= inner.z0).all()
        assert (points[:, 2] <= inner.z1).all()
        assert (points[:, 1] >= room.room.y).all()
        assert (points[:, 1] < room.room.y + WALL_HEIGHT).all()


def test_ways_before_doors_are_free(rooms):
    """The space of a door's width and 0.8 m deep (0.4 m before arches; less in tiny rooms)."""
    for room in rooms:
        inner = room.room.inner
        solid = shapely.union_all([shapely.Polygon(shape.outline(0)) for shape in room.footprints])
        for opening in room.placer.openings:
            if opening.kind != "window":
                deep = (
                    400 if opening.kind == "arch" else min(800, min(inner.width, inner.depth) * 2 // 3 - 50)
                )
                way = shapely.box(*inner.strip(opening.side, opening.low, opening.high, deep))
                assert shapely.intersection(way, solid).area == 0, (room.room.kind, opening)


def test_each_kind_of_room_holds_what_makes_it_that_kind(rooms):
    for room in rooms:
        if room.complete:
            for one_of in NEEDS.get(room.room.kind, []):
                assert any(room.classes[name] for name in one_of), (room.room.kind, one_of)
            assert room.classes["lighting"] >= 1
    for (kind, percent), names in OFTEN.items():
        of_kind = [room for room in rooms if room.room.kind == kind]
        assert len(of_kind) >= 5
        having = sum(any(room.classes[name] for name in names) for room in of_kind)
        assert having >= percent / 100 * len(of_kind), (kind, having, len(of_kind))


def test_no_two_kinds_of_room_are_mixed_up(rooms):
    for room in rooms:
        if room.room.kind not in ("bath", "storage"):
            assert not room.classes["toilet"]
        if room.room.kind not in ("bedroom", "studio"):
            assert not room.classes["bed"]
        if room.room.kind not in ("kitchen", "great_room", "studio", "bath"):
            assert not room.classes["sink"]


def test_sofas_face_the_television(rooms):
    """Seen from the middle of the sofa, the television is where its back is not."""
    seen = faced = 0
    for room in rooms:
        if room.classes["sofa"] and room.classes["tv_monitor"]:
            ids = {number for number, name in enumerate(room.mesh.object_classes) if name == "sofa"}
            points = np.concatenate([points for owner, points in room.corners if owner in ids])
            floor = room.room.y
            back = points[points[:, 1] > floor + 700].mean(axis=0)
            seat = (points.min(axis=0) + points.max(axis=0)) / 2
            ahead, towards = seat - back, room.mean_of("tv_monitor") - seat
            cosine = (
                (ahead[[0, 2]] @ towards[[0, 2]])
                / np.linalg.norm(ahead[[0, 2]])
                / np.linalg.norm(towards[[0, 2]])
            )
            seen += 1
            faced += cosine > 0.7
    assert seen >= 20
    assert faced >= 0.85 * seen


def test_beds_stand_at_walls_most_with_their_heads(rooms):
    at_wall = heads = 0
    for room in rooms:
        if room.classes["bed"]:
            ids = {number for number, name in enumerate(room.mesh.object_classes) if name == "bed"}
            points = np.concatenate([points for owner, points in room.corners if owner in ids])
            head = points[points[:, 1] > room.room.y + 800].mean(axis=0)
            inner = room.room.inner
            low, high = points.min(axis=0), points.max(axis=0)
            at_wall += min(low[0] - inner.x0, inner.x1 - high[0], low[2] - inner.z0, inner.z1 - high[2]) < 100
            heads += min(head[0] - inner.x0, inner.x1 - head[0], head[2] - inner.z0, inner.z1 - head[2]) < 120
    seen = sum(bool(room.classes["bed"]) for room in rooms)
    assert seen >= 40
    assert at_wall == seen
    assert heads >= 0.85 * seen


def test_clutter_zero_is_none_and_one_is_more_than_half():
    counts = []
    for clutter in (0, 50, 100):
        total: Counter[str] = Counter()
        for _, rooms in houses(range(12), clutter):
            for room in rooms:
                total += room.classes
        counts.append(total["objects"] + total["clothes"] + total["towel"])
    # Without clutter there are books and baskets on shelves, keyboards, coats, paper and towels on rails.
    assert counts[0] < 0.4 * counts[1]
    assert counts[1] < 0.85 * counts[2]


def test_large_houses_keep_within_the_budget():
    """Full clutter in the largest houses: 100,000 triangles of furniture leave 50,000 for the shell."""
    for seed in range(3):
        dice, plan = next(draw_plans(seed, HouseConfig(min_rooms=12)))
        style = make_style(dice)
        decor, mesh = make_decor(dice, style, 100), MeshBuilder()
        for number, room in enumerate(plan.rooms):
            furnish(RoomPlacer(room, plan.openings[number], dice, mesh, [], lane=500), decor)
        assert 50_000 < mesh.triangles_of_shapes < 100_000


def test_equal_dice_give_equal_rooms():
    first, second = (
        [points.tobytes() for _, rooms in houses((3, 4)) for room in rooms for _, points in room.corners]
        for _ in range(2)
    )
    assert first == second
