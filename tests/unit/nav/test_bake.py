"""Baking, on scenes of boxes whose walkable ground follows from hand arithmetic."""

from __future__ import annotations

import logging
from types import SimpleNamespace

import numpy as np
import pytest

from gym_batchnav.errors import ConfigError, NavMeshError
from gym_batchnav.nav import AgentSettings, NavMesh, bake_key, bake_navmesh, navmesh_for
from tests.unit.nav.solids import Box, floor, solids, two_storeys

CELL = 0.05


def baked(*boxes: Box, **settings: float) -> NavMesh:
    return bake_navmesh(*solids(*boxes), AgentSettings(**settings))


# 4 m are 80 cells. The rim falls away on all sides and goes with the first cell; the radius of 0.1 m takes 2
# more, a radius of 0.3 m takes 6: 74 and 66 cells are left on each side.
@pytest.mark.parametrize(("radius", "cells"), [(0.1, 74), (0.3, 66), (0.0, 78)])
def test_a_floor_shrinks_by_the_ledge_and_the_radius(radius: float, cells: int) -> None:
    mesh = baked(floor(4, 4), agent_radius=radius)
    assert mesh.area_m2 == pytest.approx((cells * CELL) ** 2, rel=1e-5)
    assert (mesh.num_polygons, mesh.num_islands) == (1, 1)
    rim = (4 - cells * CELL) / 2
    np.testing.assert_allclose(mesh.snap([[0, 0, 0]])[0, [0, 2]], rim, atol=1e-5)
    # The slab is 0.1 m thick, half a voxel: its top reads as the top of that voxel.
    assert mesh.snap([[2, 0, 2]])[0, 1] == pytest.approx(0.1)


# A ceiling over x from 2 to 4 m. Clearance counts from the floor's voxel, whose top is at 0.1 m, to the voxel
# that holds the ceiling's underside; an agent of 1.5 m needs 8 voxels, one of 1.1 m needs 6.
@pytest.mark.parametrize(
    ("underside", "height", "open_under"), [(1.75, 1.5, True), (1.65, 1.5, False), (1.35, 1.1, True)]
)
def test_low_ceilings(underside: float, height: float, open_under: bool) -> None:
    mesh = baked(floor(4, 4), ((2, underside, 0), (4, underside + 0.1, 4)), agent_height=height)
    assert mesh.is_navigable([[1, 0, 2], [3, 0, 2]]).tolist() == [True, open_under]


def test_an_obstacle_keeps_the_radius_free() -> None:
    mesh = baked(floor(4, 4), ((1.5, 0, 1.5), (2.5, 2, 2.5)))
    # 1 m are 20 cells, and one more where the box ends on a border of cells; 2 more on each side.
    blocked = (74 * CELL) ** 2 - mesh.area_m2
    assert (24 * CELL) ** 2 * 0.98 <= blocked <= (26 * CELL) ** 2
    assert not mesh.is_navigable([[2, 0, 2]])[0]
    # Around the box: over two of its corners, which stand 0.1 to 0.15 m off it.
    way = mesh.geodesic_distance([[0.5, 0, 2]], [[3.5, 0, 2]])[0]
    near, far = (2 * np.hypot(0.9 + w, 0.6 - w) + 1.2 - 2 * w for w in (0.0, 0.05))
    assert min(near, far) - 0.05 <= way <= 2 * np.hypot(0.85, 0.65) + 1.3 + 0.05


@pytest.mark.parametrize(("rise", "walks"), [(0.15, True), (0.5, False)])
def test_steps(rise: float, walks: bool) -> None:
    mesh = baked(floor(6, 4), ((3, 0, 0), (6, rise, 4)))
    assert mesh.num_islands == (1 if walks else 2)
    reached = mesh.geodesic_distance([[1, 0, 2]], [[5, rise, 2]])[0]
    assert np.isfinite(reached) == walks
    end = np.array([[2.8, 0.1, 2]])
    for _ in range(4):
        end = mesh.move(end, end + np.array([0.25, 0, 0]))
    assert (end[0, 0] > 3.5) == walks


@pytest.mark.parametrize(("angle", "walks"), [(30, True), (60, False)])
def test_slopes(angle: float, walks: bool) -> None:
    """A ramp 2 m wide rises from a floor; cells and voxels are fine enough for steep ground."""
    rise = 2 * np.tan(np.deg2rad(angle))
    positions, triangles = solids(floor(3, 3))
    ramp = np.array([[3, 0, 0], [3, 0, 3], [5, rise, 3], [5, rise, 0]])
    positions = np.concatenate([positions, ramp]).astype(np.float32)
    triangles = np.concatenate([triangles, [[8, 9, 10], [8, 10, 11]]])
    mesh = bake_navmesh(positions, triangles, AgentSettings(cell_height=0.05, agent_max_climb=0.2))
    assert mesh.is_navigable([[1.5, 0, 1.5], [4, rise / 2, 1.5]]).tolist() == [True, walks]
    if walks:
        # No corner lies between, so the length is that of the chord.
        distance = mesh.geodesic_distance([[2, 0, 1.5]], [[4, rise / 2, 1.5]])[0]
        assert distance == pytest.approx(np.hypot(2, rise / 2), rel=0.02)


def test_heights_follow_the_surface() -> None:
    """A ramp of 24 degrees with poles on it, around which polygons reach over cells that are not walkable."""
    rng = np.random.default_rng(4)
    positions, triangles = solids(*[
        ((x, y - 0.2, z), (x + 0.1, y + 2, z + 0.1))
        for x, z in rng.uniform(0.5, 5.5, (12, 2))
        for y in [x * np.tan(np.deg2rad(24))]
    ])  # fmt: skip
    rise = 6 * np.tan(np.deg2rad(24))
    ramp = np.array([[0, 0, 0], [0, 0, 6], [6, rise, 6], [6, rise, 0]])
    scene = np.concatenate([ramp, positions]), np.concatenate([[[0, 1, 2], [0, 2, 3]], triangles + 4])
    points = bake_navmesh(*scene).sample(2000, rng)
    above = points[:, 1] - points[:, 0] * np.tan(np.deg2rad(24))
    # The top of the surface's voxel lies up to 0.2 m over it, and 0.2 m of error are allowed beside.
    assert above.min() > -0.2
    assert above.max() < 0.4
    assert 0.05 < above.mean() < 0.2


# The top of a block of w cells keeps w - 6: 24 cells keep 18 x 18 = 324 spans, under 20 x 20; 30 keep 576.
@pytest.mark.parametrize(("width", "kept"), [(1.2, False), (1.5, True)])
def test_small_patches_go(width: float, kept: bool) -> None:
    block: Box = ((1, 0, 1), (1 + width, 1, 1 + width))
    middle = [[1 + width / 2, 1, 1 + width / 2]]
    assert baked(floor(4, 4), block).is_navigable(middle)[0] == kept
    assert baked(floor(4, 4), block, region_min_size=5).is_navigable(middle)[0]


def test_storeys_are_joined_by_stairs() -> None:
    mesh = baked(*two_storeys())
    assert mesh.num_islands == 1
    # From the foot to the landing: straight along the flight, 5.5 m in the plane and 15 x 0.18 m up.
    foot, landing = [[1.25, 0.1, 4.8]], [[6.75, 2.8, 4.8]]
    way = mesh.geodesic_distance(foot, landing)[0]
    assert np.hypot(5.5, 2.7) <= way <= 1.05 * np.hypot(5.5, 2.7)
    # Under the landing and on it are far apart, over each other.
    below, above = [[7, 0.1, 5]], [[7, 2.8, 5]]
    assert mesh.geodesic_distance(below, above)[0] > 6
    path = mesh.shortest_path(foot[0], landing[0])
    assert path[0, 1] < 0.5
    assert path[-1, 1] > 2.5


def test_walks_up_and_down_the_stairs() -> None:
    mesh = baked(*two_storeys())
    at = np.tile([[1.25, 0.1, 4.8]], (8, 1))
    at[:, 2] += np.linspace(-0.3, 0.3, 8)
    heights = []
    for step in (0.25,) * 22 + (-0.25,) * 22:
        before = at
        at = mesh.move(at, at + np.array([step, 0, 0]))
        np.testing.assert_allclose(np.abs(at[:, 0] - before[:, 0]), 0.25, atol=1e-4)
        # No more than two steps at a time: 0.25 m of way is one tread.
        assert (np.abs(at[:, 1] - before[:, 1]) < 0.45).all()
        heights.append(at[:, 1].mean())
    assert max(heights) == pytest.approx(2.8, abs=0.15)
    assert heights[-1] == pytest.approx(0.1, abs=0.15)
    np.testing.assert_allclose(at[:, 0], 1.25, atol=1e-3)


# Areas and numbers of polygons of the same triangles baked by Recast 1.6 with the same settings. Seed 2 has a
# region around a hole, which its outline must take in.
@pytest.mark.parametrize(("seed", "area", "polygons"), [(2, 55.5050, 48), (5, 52.9012, 92)])
def test_clutter_is_baked_as_recast_does(seed: int, area: float, polygons: int) -> None:
    rng = np.random.default_rng(seed)
    boxes = [floor(8, 8)]
    for _ in range(5 + 4 * seed):
        low = rng.uniform([0, 0, 0], [7.5, 0, 7.5])
        thin = rng.random() >= 0.7
        size = rng.uniform([0.05, 2, 0.05], [0.15, 2.2, 0.15]) if thin else rng.uniform(
            [0.05, 0.1, 0.05], [0.8, 2.2, 0.8]
        )  # fmt: skip
        boxes.append((low, low + size))
    mesh = baked(*boxes)
    assert mesh.area_m2 == pytest.approx(area, abs=1e-3)
    assert (mesh.num_polygons, mesh.num_islands) == (polygons, 1)


def test_edges_along_walls_are_cut_at_the_longest_length() -> None:
    assert baked(floor(4, 4), edge_max_len=0).num_polygons == 1
    short = baked(floor(4, 4), edge_max_len=1)
    assert short.num_polygons > 1
    assert short.area_m2 == pytest.approx((74 * CELL) ** 2, rel=1e-5)
    vertices, counts = short._ground.verts, short._ground.poly_count
    assert counts.max() <= 6
    rim = np.isclose(vertices[:, [0, 2]], 0.15, atol=1e-4) | np.isclose(vertices[:, [0, 2]], 3.85, atol=1e-4)
    # 3.7 m in pieces of at most 1 m: halved twice, 4 pieces on each of 4 sides.
    assert rim.any(axis=1).sum() == 16


def test_triangles_only() -> None:
    boxes = [floor(6, 4), ((2, 0, 1), (2.5, 2, 1.5))]
    mesh = baked(*boxes, verts_per_poly=3)
    assert (mesh._ground.poly_count == 3).all()
    assert mesh.area_m2 == pytest.approx(baked(*boxes).area_m2, rel=1e-3)


def test_filters_can_be_switched_off() -> None:
    # Without the ledge filter the rim keeps its first cell, of which the radius takes 2.
    assert baked(floor(4, 4), filter_ledge_spans=0).area_m2 == pytest.approx((76 * CELL) ** 2, rel=1e-5)
    # A strip that faces down hangs 0.13 m over the floor: the agent steps on it, unless told otherwise.
    positions, triangles = solids(floor(4, 4))
    strip = np.array([[0, 0.13, 1.8], [4, 0.13, 1.8], [4, 0.13, 2.2], [0, 0.13, 2.2]])
    scene = (
        np.concatenate([positions, strip]).astype(np.float32),
        [*triangles.tolist(), [8, 9, 10], [8, 10, 11]],
    )
    fine = {"cell_height": 0.05}
    across = [[2, 0.1, 1]], [[2, 0.1, 3]]
    assert bake_navmesh(*scene, AgentSettings(**fine)).geodesic_distance(*across)[0] == pytest.approx(
        2, rel=0.02
    )
    closed = bake_navmesh(*scene, AgentSettings(filter_low_hanging_obstacles=False, **fine))
    assert np.isinf(closed.geodesic_distance(*across)[0])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"cell_size": 0}, "cell_size is 0; it must be a number from 0.001 to 10"),
        ({"agent_height": float("nan")}, "agent_height is nan"),
        ({"agent_max_slope": 90}, "agent_max_slope is 90; it must be a number from 0 to 89.9"),
        ({"verts_per_poly": 7}, "verts_per_poly is 7; it must be a number from 3 to 6"),
        ({"verts_per_poly": 4.5}, "verts_per_poly is 4.5; it must be a whole number"),
        ({"agent_radius": "wide"}, "agent_radius is 'wide'"),
    ],
)
def test_bad_settings(change: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        AgentSettings(**change)


def test_settings_in_cells() -> None:
    # 1.5 / 0.2 = 7.5 up; 0.2 / 0.2; 0.1 / 0.05; 12 / 0.05.
    s = AgentSettings()
    assert (s.height_voxels, s.climb_voxels, s.radius_cells, s.edge_cells) == (8, 1, 2, 240)
    # 0.18 / 0.05 = 3.6 up; 0.88 / 0.2 = 4.4 up.
    s = AgentSettings(agent_radius=0.18, agent_height=0.88)
    assert (s.height_voxels, s.radius_cells) == (5, 4)


@pytest.mark.parametrize(
    ("positions", "triangles", "message"),
    [
        (np.zeros((3, 2)), [[0, 1, 2]], r"positions have the shape \(3, 2\); \(V, 3\) is needed"),
        (np.zeros((3, 3)), np.zeros((0, 3), int), r"triangles are int64 of shape \(0, 3\)"),
        (np.zeros((3, 3)), [[0.0, 1, 2]], "triangles are float64"),
        (np.zeros((3, 3)), [[0, 1, 3]], "triangles name the vertices 0 to 3, but there are 3"),
        (np.zeros((3, 3)), [[0, 1, -1]], "triangles name the vertices -1 to 1"),
        ([[0, 0, 0], [1, 0, np.nan], [0, 0, 1]], [[0, 2, 1]], r"vertex 1 is \[ *1. *0. *nan\]"),
        ([[0, 0, 0], [0, 0, 1e5], [1e5, 0, 0]], [[0, 1, 2]], "scale the scene to metres or take larger"),
        # Seen from below, too small, and a wall.
        ([[0, 0, 0], [9, 0, 0], [0, 0, 9]], [[0, 1, 2]], "no triangle faces up within 45 degrees"),
        ([[0, 0, 0], [0, 0, 0.5], [0.5, 0, 0]], [[0, 1, 2]], "can stand on no patch"),
        ([[0, 0, 0], [0, 9, 0], [9, 0, 0]], [[0, 1, 2]], "kitchen: no walkable ground was found"),
    ],
)  # fmt: skip
def test_scenes_that_cannot_be_baked(positions: object, triangles: object, message: str) -> None:
    with pytest.raises(NavMeshError, match=message):
        bake_navmesh(positions, triangles, source="kitchen")


def test_degenerate_triangles_do_no_harm() -> None:
    positions, triangles = solids(floor(4, 4))
    more = np.concatenate([triangles, [[0, 0, 0], [0, 1, 1], [2, 3, 2]]])
    assert bake_navmesh(positions, more).area_m2 == pytest.approx((74 * CELL) ** 2, rel=1e-5)


def test_keys_tell_bakes_apart() -> None:
    positions, triangles = solids(floor(4, 4))
    key = bake_key(positions, triangles)
    assert len(key) == 64
    assert key == bake_key(positions.copy(), triangles.astype(np.uint32), AgentSettings())
    moved = positions.copy()
    moved[0, 0] += 1e-3
    others = [
        bake_key(moved, triangles),
        bake_key(positions, triangles[:-1]),
        bake_key(positions, triangles, AgentSettings(agent_radius=0.18)),
    ]
    assert len({key, *others}) == 4


def test_scenes_without_ground_are_baked(caplog: pytest.LogCaptureFixture) -> None:
    positions, triangles = solids(floor(4, 4))
    scene = SimpleNamespace(
        scene_id="hall", navmesh_path=None, walkable=None, positions=positions, triangles=triangles
    )
    with caplog.at_level(logging.INFO, logger="gym_batchnav"):
        mesh = navmesh_for(scene)
    assert mesh.area_m2 == pytest.approx((74 * CELL) ** 2, rel=1e-5)
    assert [record.message for record in caplog.records] == [
        f"baked the navigation mesh of hall in {caplog.records[0].args[1]:.1f} s: 13.7 m2, 1 polygons, "
        "1 islands"
    ]
    wide = navmesh_for(scene, AgentSettings(agent_radius=0.3))
    assert wide.area_m2 == pytest.approx((66 * CELL) ** 2, rel=1e-5)
    assert wide.settings.agent_radius == 0.3
