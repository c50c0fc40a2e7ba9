"""Random points, obstacles, lines of sight, several goals and tensors, against other ways to the answer."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
import shapely

from gym_batchnav.errors import ConfigError
from gym_batchnav.nav import NavMesh, navmesh_for
from gym_batchnav.scenes.houses import load_house

torch = pytest.importorskip("torch")


@cache
def house() -> NavMesh:
    return navmesh_for(load_house("val", 0))


@cache
def floor() -> shapely.Polygon:
    """The house's walkable polygons as one shape."""
    ground = load_house("val", 0).walkable
    rings = [shapely.Polygon(ground.vertices[list(ring)][:, [0, 2]]) for ring in ground.polygons]
    return shapely.union_all(shapely.set_precision(rings, 1e-4))


def two_rooms() -> NavMesh:
    """Squares of 4 x 4 m at height 0 and, 10 m to the right, of 2 x 2 m at height 1."""
    points = [(0, 0, 0), (0, 0, 4), (4, 0, 4), (4, 0, 0), (10, 1, 0), (10, 1, 2), (12, 1, 2), (12, 1, 0)]
    return NavMesh.from_polygons(points, [(0, 1, 2, 3), (4, 5, 6, 7)])


def bridge() -> NavMesh:
    """Ground of 10 x 10 m, a ramp up its side, and over its middle a bridge 2 m wide and 3 m up."""
    points = [
        *[(0, 0, 0), (0, 0, 4), (0, 0, 6), (0, 0, 10), (10, 0, 10), (10, 0, 0)],
        *[(-6, 3, 4), (-6, 3, 6), (-6, 3, 8), (10, 3, 8), (10, 3, 6), (-6, 3, 6)],
    ]
    # 0-5 the ground; 1, 2 and 6, 7 the ramp from x = 0 up to x = -6; 7 to 10 the bridge over z = 6 to 8.
    return NavMesh.from_polygons(points, [(0, 1, 2, 3, 4, 5), (6, 7, 2, 1), (7, 8, 9, 10)])


def test_points_of_one_island():
    mesh = two_rooms()
    islands = mesh.island([(1, 0, 1), (11, 1, 1)])
    for island, low, high in zip(islands, [(0, 0, 0), (10, 1, 0)], [(4, 0, 4), (12, 1, 2)], strict=True):
        points = mesh.sample(4000, np.random.default_rng(0), island=int(island))
        assert (points >= low).all()
        assert (points <= high).all()
        # Uniform: mean in the middle, quarters equally full (4 standard deviations of 4,000 draws).
        np.testing.assert_allclose(points.mean(axis=0), np.add(low, high) / 2, atol=0.08)
        quarter = (points[:, [0, 2]] < (np.add(low, high) / 2)[[0, 2]]).astype(int) @ [1, 2]
        np.testing.assert_allclose(np.bincount(quarter) / 4000, 0.25, atol=0.03)
    with pytest.raises(ConfigError, match="island=2; the mesh has islands 0 to 1"):
        mesh.sample(1, np.random.default_rng(0), island=2)


def test_points_near_a_point():
    mesh = two_rooms()
    centres = np.array([(1, 0, 1), (3.5, 0, 2), (11, 1, 1), (50, 0, 50)] * 1000, np.float32)
    found = mesh.sample_near(centres, 1.5, np.random.default_rng(0), tries=64)
    assert np.isnan(found[3::4]).all()
    for first in range(3):
        points, centre = found[first::4], centres[first]
        assert np.isfinite(points).all()
        assert (np.linalg.norm(points - centre, axis=1) <= 1.5).all()
        assert (mesh.island(points) == mesh.island(centre[None])).all()
    # At (1, 1) the disc is cut by both walls; its part in the room, and the left half of that, by shapely.
    disc = shapely.Point(1, 1).buffer(1.5, quad_segs=64) & shapely.box(0, 0, 4, 4)
    left = (disc & shapely.box(0, 0, 1, 4)).area / disc.area
    assert (found[::4, 0] < 1).mean() == pytest.approx(left, abs=0.05)
    with pytest.raises(ConfigError, match="radius is 0"):
        mesh.sample_near(centres[:1], 0, np.random.default_rng(0))


def test_nearest_obstacle_of_a_house():
    mesh, edge = house(), floor().boundary
    points = mesh.sample(500, np.random.default_rng(1))
    distance, walls = mesh.distance_to_obstacle(points, 100.0)
    exact = shapely.distance(shapely.points(points[:, [0, 2]].astype(np.float64)), edge)
    np.testing.assert_allclose(distance, exact, atol=2e-4)
    np.testing.assert_allclose(np.linalg.norm((walls - points)[:, [0, 2]], axis=1), distance, atol=1e-5)
    assert shapely.distance(shapely.points(walls[:, [0, 2]].astype(np.float64)), edge).max() < 2e-4
    near, walls = mesh.distance_to_obstacle(points, 0.5)
    np.testing.assert_array_equal(near, np.minimum(distance, np.float32(0.5)))
    np.testing.assert_array_equal(np.isnan(walls[:, 0]), distance >= 0.5)


def test_walls_of_another_storey_are_no_obstacles():
    mesh = bridge()
    # Under the bridge at (5, 5): walls at z = 0 and 10. On it at z = 7: its sides at z = 6 and 8.
    distance, walls = mesh.distance_to_obstacle([(5, 0, 5.2), (5, 3, 7.2), (5, 0, 300)], 10.0)
    np.testing.assert_allclose(distance, [4.8, 0.8, np.inf], atol=1e-5)
    np.testing.assert_allclose(walls[:2], [(5, 0, 10), (5, 3, 8)], atol=1e-5)
    assert np.isnan(walls[2]).all()
    with pytest.raises(ConfigError, match="max_radius is -1"):
        mesh.distance_to_obstacle([(5, 0, 5)], -1)


def test_lines_of_sight_in_a_house():
    mesh, shape = house(), floor()
    a, b = mesh.sample(400, np.random.default_rng(2)).reshape(2, 200, 3)
    clear = mesh.line_of_sight(a, b)
    lines = shapely.linestrings(np.stack([a, b], axis=1)[..., [0, 2]].astype(np.float64))
    # Lines that graze a wall by less than 1 mm may count as either.
    certain = shapely.covers(shape.buffer(-1e-3), lines) | ~shapely.covers(shape.buffer(1e-3), lines)
    assert certain.mean() > 0.95
    np.testing.assert_array_equal(clear[certain], shapely.covers(shape, lines)[certain])
    assert 0.05 < clear.mean() < 0.6
    np.testing.assert_array_equal(mesh.line_of_sight(b, a), clear)
    # Where one sees the other, the way is straight, and nowhere else.
    straight = np.isclose(mesh.geodesic_distance(a, b), np.linalg.norm(a - b, axis=1), atol=1e-6)
    np.testing.assert_array_equal(clear, straight)


def test_no_line_of_sight_between_storeys():
    mesh = bridge()
    under, on, far = (5, 0, 7), (5, 3, 7), (9, 3, 7)
    np.testing.assert_array_equal(
        mesh.line_of_sight([under, on, on], [on, far, (5, 0, 99)]), [False, True, False]
    )


def test_closest_of_several_goals():
    mesh = house()
    starts, goals = mesh.sample(60, np.random.default_rng(3)), mesh.sample(7, np.random.default_rng(4))
    goals[5] = (500, 0, 500)  # off the mesh
    lengths = np.array([mesh.geodesic_distance(starts, np.tile(goal, (60, 1))) for goal in goals])
    length, index = mesh.closest_goal(starts, goals)
    np.testing.assert_allclose(length, lengths.min(axis=0), rtol=1e-6)
    np.testing.assert_allclose(lengths[index, np.arange(60)], length, rtol=1e-6)
    assert len(set(index.tolist())) > 3
    assert 5 not in index
    length, index = mesh.closest_goal(starts[:2], np.empty((0, 3)))
    assert np.isinf(length).all()
    np.testing.assert_array_equal(index, [-1, -1])
    mesh = two_rooms()
    length, index = mesh.closest_goal([(1, 0, 1), (11, 1, 1), (0, 0, 90)], [(3, 0, 1)])
    np.testing.assert_allclose(length, [2, np.inf, np.inf])
    np.testing.assert_array_equal(index, [0, -1, -1])


def test_tensors_come_back_as_tensors():
    mesh = house()
    a, b = mesh.sample(16, np.random.default_rng(5)).reshape(2, 8, 3)
    ta, tb = torch.from_numpy(a), torch.from_numpy(b).requires_grad_()
    calls = [
        (mesh.snap, (ta,), (a,)),
        (mesh.island, (ta,), (a,)),
        (mesh.island_radius, (ta,), (a,)),
        (mesh.is_navigable, (ta,), (a,)),
        (mesh.distance_to_obstacle, (ta,), (a,)),
        (mesh.move, (ta, tb), (a, b)),
        (mesh.geodesic_distance, (a, tb), (a, b)),
        (mesh.closest_goal, (ta, tb), (a, b)),
        (mesh.line_of_sight, (ta, tb), (a, b)),
        (mesh.goal_table, (tb,), (b,)),
        (mesh.distance_to_goal, (ta, tb, mesh.goal_table(tb)), (a, b, mesh.goal_table(b))),
        (mesh.shortest_path, (ta[0], tb[0]), (a[0], b[0])),
    ]
    for query, tensors, arrays in calls:
        found, expected = query(*tensors), query(*arrays)
        for tensor, array in zip(
            found if isinstance(found, tuple) else [found],
            expected if isinstance(expected, tuple) else [expected],
            strict=True,
        ):
            assert isinstance(tensor, torch.Tensor)
            assert isinstance(array, np.ndarray)
            np.testing.assert_array_equal(tensor.numpy(), array)
    near = mesh.sample_near(ta, 1.0, np.random.default_rng(0))
    np.testing.assert_array_equal(near.numpy(), mesh.sample_near(a, 1.0, np.random.default_rng(0)))
