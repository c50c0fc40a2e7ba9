"""Walkable ground of the built-in houses."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
import shapely

from gym_batchnav.scenes.houses import HouseConfig, build, make_house
from gym_batchnav.scenes.houses.brush import REACH, STEP
from gym_batchnav.scenes.houses.convex import MAX_CORNERS, merge_convex
from gym_batchnav.scenes.houses.walkable import free_region, joins_all_rooms

SEEDS = (0, 4, 12, 1_000_003)


@pytest.fixture(scope="module", params=SEEDS)
def made(request):
    """A house, its plan and the outlines of what stands in it."""
    kept = []

    def keep(plan, footprints):
        kept.append((plan, footprints))
        return joins_all_rooms(plan, footprints)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(build, "joins_all_rooms", keep)
        scene = make_house(request.param)
    return scene, *kept[-1]


def rings(scene):
    return [
        scene.walkable.vertices[list(ring)][:, [0, 2]].astype(np.float64) for ring in scene.walkable.polygons
    ]


def cross(ring):
    a, b = np.roll(ring, -1, axis=0) - ring, np.roll(ring, -2, axis=0) - np.roll(ring, -1, axis=0)
    return a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]


def test_polygons_are_convex_and_wound_alike(made):
    for ring in rings(made[0]):
        assert 3 <= len(ring) <= MAX_CORNERS
        assert (cross(ring) > 0).all()
        assert shapely.Polygon(ring).area >= 1e-5


def test_polygons_share_whole_edges(made):
    """No edge is used twice in one direction, and no corner lies inside another polygon's edge."""
    ground = made[0].walkable
    edges = Counter(edge for ring in ground.polygons for edge in zip(ring, ring[1:] + ring[:1], strict=True))
    assert max(edges.values()) == 1
    points = shapely.points(ground.vertices[:, [0, 2]].astype(np.float64))
    tree = shapely.STRtree(points)
    for a, b in edges:
        line = shapely.linestrings(ground.vertices[[a, b]][:, [0, 2]].astype(np.float64))
        near = tree.query(line, predicate="dwithin", distance=1e-5)
        assert set(near) == {a, b}


def test_ground_is_one_island(made):
    ground = made[0].walkable
    group = list(range(len(ground.polygons)))
    owner = {}
    for number, ring in enumerate(ground.polygons):
        for edge in zip(ring, ring[1:] + ring[:1], strict=True):
            owner[edge] = number
    for (a, b), number in owner.items():
        other = owner.get((b, a))
        if other is not None and group[other] != group[number]:
            old, new = group[other], group[number]
            group = [new if entry == old else entry for entry in group]
    assert len(set(group)) == 1


def test_area_is_that_of_the_region(made):
    scene, plan, footprints = made
    region = free_region(plan, footprints, 100)
    largest = max(part.area for part in shapely.get_parts(region)) / 1e6
    assert sum(shapely.Polygon(ring).area for ring in rings(scene)) == pytest.approx(largest, rel=1e-3)


def test_ground_keeps_off_walls(made):
    """Against another way to compute it: the floor of the rooms and doorways, eroded by shapely's buffer."""
    scene, plan, _ = made
    floors = [shapely.box(*room.inner) for room in plan.rooms]
    for door in plan.doors:
        opening, room = door.openings[0], plan.rooms[door.rooms[0]].inner
        # A strip as thick as the wall, outwards from the first room's wall face.
        inward = shapely.box(*room.strip(opening.side, opening.low, opening.high, 120))
        shift = {0: (0, -120), 1: (120, 0), 2: (0, 120), 3: (-120, 0)}[opening.side]
        floors.append(shapely.affinity.translate(inward, *shift))
    floor = shapely.union_all(floors, grid_size=1)
    eroded = shapely.buffer(floor, -100, join_style="mitre")
    ground = shapely.union_all(
        shapely.polygons([shapely.linearrings(ring * 1000) for ring in rings(scene)]), grid_size=1
    )
    assert shapely.difference(ground, shapely.buffer(eroded, 2)).area < 1000.0


def test_ground_keeps_off_furniture(made):
    """No triangle between step and head height comes nearer to the ground than the agent's radius allows.

    Flat things on the walls (frames, pictures, handles, sills) are up to 60 mm deep and do not count, and
    corners lie on a grid of 10 mm, so that 100 - 60 - 10 = 30 mm must be free of everything.
    """
    scene = made[0]
    triangles = scene.positions[scene.triangles].astype(np.float64)
    low, high = triangles[..., 1].min(axis=1), triangles[..., 1].max(axis=1)
    solid = triangles[(high > STEP / 1000 + 1e-6) & (low < REACH / 1000 - 1e-6)][..., [0, 2]]
    ground = shapely.union_all([shapely.Polygon(ring).buffer(1e-4) for ring in rings(scene)])
    hulls = shapely.convex_hull(shapely.multipoints([shapely.points(corners) for corners in solid]))
    assert shapely.distance(hulls, ground).min() > 0.03


def test_radius_of_the_agent_shrinks_the_ground():
    areas = [
        sum(shapely.Polygon(ring).area for ring in rings(make_house(4, HouseConfig(agent_radius=radius))))
        for radius in (0.05, 0.1, 0.18)
    ]
    assert areas[0] > areas[1] > areas[2] > 0


def test_merging_a_square_and_an_l():
    """Two triangles of a square merge; three squares in an L give two polygons, as an L is not convex."""
    square = np.array([[0, 0], [2, 0], [2, 2], [0, 2]])
    assert merge_convex(square, np.array([[0, 1, 2], [0, 2, 3]])) == ((0, 1, 2, 3),)
    # Corners of the L: (0,0) (4,0) (4,2) (2,2) (2,4) (0,4).
    corners = np.array([[0, 0], [4, 0], [4, 2], [2, 2], [2, 4], [0, 4]])
    merged = merge_convex(corners, np.array([[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5]]))
    assert len(merged) == 2
    for ring in merged:
        assert (cross(corners[list(ring)].astype(float)) > 0).all()
