"""Walkable ground of the built-in houses."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
import shapely

from gym_batchnav.nav import NavMesh, bake_navmesh, navmesh_for
from gym_batchnav.scenes.houses.brush import REACH, STEP
from gym_batchnav.scenes.houses.convex import MAX_CORNERS, merge_convex
from gym_batchnav.scenes.houses.walkable import free_region
from tests.unit.scenes.houses_made import NAMES, made

RADII = (0.05, 0.1, 0.18)


@pytest.fixture(scope="module", params=NAMES)
def house(request):
    return made(request.param)


def rings(scene, storey=None):
    """Polygons seen from above; of one storey, without the stairs, or all."""
    found = [scene.walkable.vertices[list(ring)] for ring in scene.walkable.polygons]
    level = None if storey is None else np.float32(2.8 * storey)
    return [
        ring[:, [0, 2]].astype(np.float64) for ring in found if level is None or (ring[:, 1] == level).all()
    ]


def cross(ring):
    a, b = np.roll(ring, -1, axis=0) - ring, np.roll(ring, -2, axis=0) - np.roll(ring, -1, axis=0)
    return a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]


def test_polygons_are_convex_and_wound_alike(house):
    for ring in rings(house.scene):
        assert 3 <= len(ring) <= MAX_CORNERS
        assert (cross(ring) > 0).all()
        assert shapely.Polygon(ring).area >= 1e-5


def test_polygons_share_whole_edges(house):
    """No edge is used twice in one direction, and no corner lies inside another polygon's edge."""
    ground = house.scene.walkable
    mesh = NavMesh.from_polygons(ground.vertices, ground.polygons)
    assert mesh.num_polygons == len(ground.polygons)
    where = {tuple(corner) for corner in ground.vertices.tolist()}
    numbers = {corner: number for number, corner in enumerate(sorted(where))}
    same = [numbers[tuple(corner)] for corner in ground.vertices.tolist()]
    edges = Counter(
        (same[a], same[b]) for ring in ground.polygons for a, b in zip(ring, ring[1:] + ring[:1], strict=True)
    )
    assert max(edges.values()) == 1
    corners = np.array(sorted(where), np.float64)
    tree = shapely.STRtree(shapely.points(corners[:, [0, 2]]))
    for a, b in edges:
        line = shapely.linestrings(corners[[a, b]][:, [0, 2]])
        near = tree.query(line, predicate="dwithin", distance=1e-5)
        # Corners of another storey, over or under the edge, do not count.
        share = shapely.line_locate_point(line, shapely.points(corners[near][:, [0, 2]]), normalized=True)
        height = corners[a, 1] + share * (corners[b, 1] - corners[a, 1])
        assert set(near[np.abs(corners[near, 1] - height) < 0.5]) == {a, b}


def test_ground_is_one_island(house):
    assert navmesh_for(house.scene).num_islands == 1


def test_an_agent_gets_to_every_room(house):
    """From one point to points all over each room, on both storeys."""
    mesh = navmesh_for(house.scene)
    points = mesh.sample(4000, np.random.default_rng(0))
    length = mesh.geodesic_distance(np.tile(points[:1], (len(points), 1)), points)
    assert np.isfinite(length).all()
    assert length.max() < 60.0
    for room in house.scene.rooms:
        x0, z0, x1, z1 = room.bounds
        inside = (points[:, 0] > x0) & (points[:, 0] < x1) & (points[:, 2] > z0) & (points[:, 2] < z1)
        inside &= points[:, 1] == np.float32(room.floor)
        assert inside.mean() * mesh.area_m2 > min(0.2 * (x1 - x0) * (z1 - z0), 2.0), room


def test_doors_are_passable(house):
    mesh = navmesh_for(house.scene)
    for door in house.plan.doors:
        room, opening = house.plan.rooms[door.rooms[0]], door.openings[0]
        middle, line = (opening.low + opening.high) / 2000, room.inner.line(opening.side) / 1000
        line += 0.06 if opening.side in (1, 2) else -0.06
        x, z = (middle, line) if opening.side % 2 == 0 else (line, middle)
        assert mesh.is_navigable(np.array([[x, room.y / 1000, z]])).all()


def test_area_is_that_of_the_region(house):
    for storey in range(house.plan.storeys):
        region = free_region(house.plan, house.footprints, 100, storey)
        largest = max(part.area for part in shapely.get_parts(region)) / 1e6
        area = sum(shapely.Polygon(ring).area for ring in rings(house.scene, storey))
        assert area == pytest.approx(largest, rel=1e-3)


def test_ground_keeps_off_walls(house):
    """Against another way to compute it: the floor of the rooms and doorways, eroded by shapely's buffer."""
    scene, plan, _ = house
    for storey in range(plan.storeys):
        floors = [shapely.box(*room.inner) for room in plan.rooms if room.storey == storey]
        for door in plan.doors:
            opening, room = door.openings[0], plan.rooms[door.rooms[0]]
            if room.storey != storey:
                continue
            # A strip as thick as the wall, outwards from the first room's wall face.
            inward = shapely.box(*room.inner.strip(opening.side, opening.low, opening.high, 120))
            shift = {0: (0, -120), 1: (120, 0), 2: (0, 120), 3: (-120, 0)}[opening.side]
            floors.append(shapely.affinity.translate(inward, *shift))
        floor = shapely.union_all(floors, grid_size=1)
        eroded = shapely.buffer(floor, -100, join_style="mitre")
        ground = shapely.union_all(
            shapely.polygons([shapely.linearrings(ring * 1000) for ring in rings(scene, storey)]), grid_size=1
        )
        assert shapely.difference(ground, shapely.buffer(eroded, 2)).area < 1000.0


def test_ground_keeps_off_furniture(house):
    """No triangle between step and head height comes nearer to the ground than the agent's radius allows.

    What is flat on a wall (frames, rails, handles, sills: up to 150 mm deep) does not count, nor what
    gives way; corners lie on a grid of 10 mm and legs slant a little, so that 20 mm must be free of all else.
    """
    scene = house.scene
    triangles = scene.positions[scene.triangles].astype(np.float64)
    classes = np.array(scene.object_classes)[scene.arrays.object_ids]
    # One walks on stairs, which have a test of their own.
    soft = np.isin(classes, ["stairs", "plant", "curtain", "blinds"])
    for storey in range(house.plan.storeys):
        height = triangles[..., 1] - 2.8 * storey
        low, high = height.min(axis=1), height.max(axis=1)
        solid = (high > STEP / 1000 + 1e-6) & (low < REACH / 1000 - 1e-6) & ~soft
        flat = triangles[solid][..., [0, 2]]
        numbers = np.repeat(np.arange(len(flat)), 3)
        hulls = shapely.convex_hull(shapely.multipoints(shapely.points(flat.reshape(-1, 2)), indices=numbers))
        inside = [shapely.box(*room.inner.grown(-150)) for room in house.plan.rooms if room.storey == storey]
        inside = shapely.transform(shapely.union_all(inside), lambda corners: corners / 1000)
        ground = shapely.union_all([shapely.Polygon(ring).buffer(1e-4) for ring in rings(scene, storey)])
        counted = hulls[shapely.intersects(hulls, inside)]
        assert len(counted) > 1000
        shapely.prepare(ground)
        assert not shapely.dwithin(ground, counted, 0.02).any()


def against_recast(scene):
    """How far our ground is from Recast's main island, and that from ours, seen from above; and both areas.

    Recast goes habitat-sim's way: voxels of 5 cm, eroded by up to a voxel more than the radius.
    """
    mesh, rng = navmesh_for(scene), np.random.default_rng(0)
    baked = bake_navmesh(scene.positions, scene.triangles)
    points, others = mesh.sample(4000, rng), baked.sample(20_000, rng)
    islands = baked.island(points)
    main = np.bincount(islands[islands >= 0]).argmax()
    # The ground is one island there as well.
    assert (islands == main).mean() > 0.99
    on_main = baked.island(others) == main
    there = np.hypot(*(baked.snap(points) - points)[:, [0, 2]].T)
    back = np.hypot(*(mesh.snap(others[on_main]) - others[on_main])[:, [0, 2]].T)
    return there, back, mesh.area_m2, baked.area_m2 * on_main.mean()


@pytest.mark.parametrize("name", NAMES)
def test_ground_of_a_bare_house_is_what_recast_finds(name):
    there, back, ours, baked = against_recast(made(name, furnished=False).scene)
    assert np.quantile(there, 0.999) < 0.15
    assert back.max() < 0.15
    assert 0.93 * ours < baked < ours


def test_ground_between_furniture_is_what_recast_finds(house):
    """But for nooks narrower than a voxel leaves open, and low things that Recast climbs, such as trays."""
    there, back, ours, baked = against_recast(house.scene)
    assert (there < 0.15).mean() > 0.98
    assert (back < 0.15).mean() > 0.95
    assert 0.88 * ours < baked < 1.03 * ours


def test_radius_of_the_agent_shrinks_the_ground():
    areas = [sum(shapely.Polygon(ring).area for ring in rings(made("4", radius).scene)) for radius in RADII]
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
