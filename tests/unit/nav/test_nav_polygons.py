"""Hand-made ground: areas, islands, snapping, motion and distances with numbers worked out by hand."""

from __future__ import annotations

import pickle
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from gym_batchnav.errors import ConfigError, NavMeshError
from gym_batchnav.nav import NavMesh, navmesh_for


def flat(points: list[tuple[float, float]], y: float = 0.0) -> list[tuple[float, float, float]]:
    return [(x, y, z) for x, z in points]


def l_room() -> NavMesh:
    """[0, 4] x [0, 2] and [0, 2] x [2, 4]: the inner corner is (2, 2)."""
    points = flat([(0, 0), (2, 0), (4, 0), (4, 2), (2, 2), (0, 2), (2, 4), (0, 4)])
    return NavMesh.from_polygons(points, [(0, 1, 4, 5), (1, 2, 3, 4), (5, 4, 6, 7)])


def u_room() -> NavMesh:
    """[0, 6] x [0, 6] without [2, 4] x [2, 6]: legs up both sides, inner corners (2, 2) and (4, 2)."""
    points = flat(
        [(0, 0), (2, 0), (4, 0), (6, 0), (0, 2), (2, 2), (4, 2), (6, 2), (0, 6), (2, 6), (4, 6), (6, 6)]
    )
    polygons = [(0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (4, 5, 9, 8), (6, 7, 11, 10)]
    return NavMesh.from_polygons(points, polygons)


def two_storeys() -> NavMesh:
    """A floor [0, 4] x [0, 2], a ramp up to 3 m at x = 8, a landing [8, 10] x [0, 4] and an upper floor.

    The upper floor is [0, 8] x [2, 4]; its balcony [0, 3] x [0, 2] lies above the lower floor.
    """
    points = [
        *flat([(0, 0), (4, 0), (4, 2), (0, 2)]),
        *flat([(8, 0), (8, 2), (8, 4), (0, 4), (0, 2), (0, 0), (3, 0), (3, 2)], 3.0),
        *flat([(10, 0), (10, 2), (10, 4)], 3.0),
    ]
    floor, ramp, landing = (0, 1, 2, 3), (1, 4, 5, 2), [(4, 12, 13, 5), (5, 13, 14, 6)]
    upper, balcony = (11, 5, 6, 7, 8), (9, 10, 11, 8)
    return NavMesh.from_polygons(points, [floor, ramp, *landing, upper, balcony])


def test_area_islands_and_bounds() -> None:
    mesh = l_room()
    assert mesh.area_m2 == pytest.approx(4 * 2 + 2 * 2)
    assert (mesh.num_polygons, mesh.num_islands, mesh.num_corners) == (3, 1, 1)
    np.testing.assert_array_equal(mesh.bounds, [[0, 0, 0], [4, 0, 4]])
    # The ramp is 4 m long seen from above and 3 m high: 5 m x 2 m. Landing 2 x 4, upper floor 8 x 2.
    assert two_storeys().area_m2 == pytest.approx(4 * 2 + 5 * 2 + 2 * 4 + 8 * 2 + 3 * 2)


def test_two_islands_and_their_radius() -> None:
    points = flat([(0, 0), (2, 0), (2, 2), (0, 2), (5, 0), (6, 0), (6, 1), (5, 1)])
    mesh = NavMesh.from_polygons(points, [(0, 1, 2, 3), (4, 5, 6, 7)])
    where = [[1, 0, 1], [5.5, 0, 0.5], [40, 0, 0]]
    np.testing.assert_array_equal(mesh.island(where), [0, 1, -1])
    # From the middle of a square of side a to its corner: a / sqrt(2).
    np.testing.assert_allclose(mesh.island_radius(where), [2 / 2**0.5, 1 / 2**0.5, 0], rtol=1e-6)
    assert mesh.geodesic_distance([[1, 0, 1]], [[5.5, 0, 0.5]])[0] == np.inf
    assert mesh.shortest_path([1, 0, 1], [5.5, 0, 0.5]).shape == (0, 3)


def test_radius_counts_a_vertex_once_per_polygon() -> None:
    # L room, 12 entries: sum of x = (0+2+2+0) + (2+4+4+2) + (0+2+2+0) = 20, of z = 4 + 4 + 12 = 20.
    # Mean (5/3, 5/3); the farthest vertex is (4, 0) or (0, 4): sqrt((7/3)^2 + (5/3)^2).
    radius = l_room().island_radius([[1, 0, 1]])
    assert radius[0] == pytest.approx(((7 / 3) ** 2 + (5 / 3) ** 2) ** 0.5, rel=1e-6)


@pytest.mark.parametrize(
    ("point", "expected"),
    [
        ((1.0, 0.0, 1.0), (1, 0, 1)),
        ((1.0, 3.5, 1.0), (1, 0, 1)),
        ((-1.5, 0.0, 1.0), (0, 0, 1)),
        ((5.0, 0.0, -1.0), (4, 0, 0)),
        ((3.0, 0.0, 2.5), (3, 0, 2)),
        ((-2.5, 0.0, 1.0), (np.nan,) * 3),
        ((np.nan, 0.0, 1.0), (np.nan,) * 3),
        ((np.inf, 0.0, 1.0), (np.nan,) * 3),
    ],
)
def test_snap(point: tuple[float, ...], expected: tuple[float, ...]) -> None:
    np.testing.assert_allclose(l_room().snap([point])[0], expected, atol=1e-6)


def test_snap_takes_the_nearer_storey_and_what_an_agent_climbs_is_free() -> None:
    mesh = two_storeys()
    np.testing.assert_allclose(mesh.snap([[1, 1, 1], [1, 2, 1]]), [[1, 0, 1], [1, 3, 1]], atol=1e-6)
    # On the ramp at x = 6: height 3 x (6 - 4) / 4 = 1.5.
    np.testing.assert_allclose(mesh.snap([[6, 1, 1]]), [[6, 1.5, 1]], atol=1e-6)


def test_is_navigable() -> None:
    points = [[1, 0, 1], [1, 0.49, 1], [1, 0.51, 1], [-0.009, 0, 1], [-0.02, 0, 1], [np.nan, 0, 1]]
    np.testing.assert_array_equal(l_room().is_navigable(points), [True, True, False, True, False, False])


@pytest.mark.parametrize(
    ("target", "sliding", "expected"),
    [
        ((1.5, 0, 1.2), True, (1.5, 0, 1.2)),
        # Into the wall x = 0: the point of the wall nearest to the target, so only the part along it is left.
        ((-0.2, 0, 1.2), True, (0, 0, 1.2)),
        # Straight on: the wall is met after half of the way from x = 1 to x = -1.
        ((-1, 0, 1.2), False, (0, 0, 1.1)),
        ((-0.2, 7, 1.2), True, (0, 0, 1.2)),
    ],
)
def test_move(target: tuple[float, ...], sliding: bool, expected: tuple[float, ...]) -> None:
    start = [(1.0, 0.0, 1.0)]
    np.testing.assert_allclose(l_room().move(start, [target], sliding)[0], expected, atol=1e-6)


def test_move_slides_along_a_slanted_wall() -> None:
    # A triangle with the wall x + z = 2. The foot of (1.5, 1.1) on it: both lose (1.5 + 1.1 - 2) / 2 = 0.3.
    mesh = NavMesh.from_polygons(flat([(0, 0), (2, 0), (0, 2)]), [(0, 1, 2)])
    np.testing.assert_allclose(mesh.move([[1, 0, 0.9]], [[1.5, 0, 1.1]])[0], (1.2, 0, 0.8), atol=1e-6)


def test_move_follows_the_ramp() -> None:
    np.testing.assert_allclose(
        two_storeys().move([[4, 0, 1]], [[4.25, 0, 1]])[0], (4.25, 0.1875, 1), atol=1e-6
    )


def test_move_off_the_mesh_stays() -> None:
    np.testing.assert_array_equal(l_room().move([[50, 0, 50]], [[50.25, 0, 50]]), [[50, 0, 50]])


def test_moving_towards_another_island() -> None:
    points = flat([(0, 0), (2, 0), (2, 2), (0, 2), (2.2, 0), (3, 0), (3, 2), (2.2, 2)])
    mesh = NavMesh.from_polygons(points, [(0, 1, 2, 3), (4, 5, 6, 7)])
    start, target = [[1.9, 0, 1.0]], [[2.15, 0, 1.1]]
    # Detour slides to the wall x = 2; habitat-sim does not move: the target's ground is the other island.
    np.testing.assert_allclose(mesh.move(start, target)[0], (2, 0, 1.1), atol=1e-6)
    np.testing.assert_allclose(mesh.move(start, target, refuse_other_island=True)[0], (1.9, 0, 1), atol=1e-6)


@pytest.mark.parametrize(
    ("start", "goal", "expected"),
    [
        # Seen: the straight line.
        ((0.5, 0, 0.5), (3.5, 0, 1.5), 10**0.5),
        # Over (2, 2): |(4, 1) - (2, 2)| + |(2, 2) - (1, 4)| = 2 sqrt(5).
        ((4, 0, 1), (1, 0, 4), 2 * 5**0.5),
        # The line touches the inner corner.
        ((3, 0, 1), (1, 0, 3), 8**0.5),
        # Along the walls that meet at the inner corner, and between its two sides.
        ((4, 0, 2), (0, 0, 2), 4.0),
        ((4, 0, 2), (2, 0, 4), 4.0),
        ((2, 0, 2), (2, 0, 4), 2.0),
        ((2, 0, 2), (2, 0, 2), 0.0),
        ((1, 0, 1), (1, 0, 1), 0.0),
    ],
)
def test_l_room(start: tuple[float, ...], goal: tuple[float, ...], expected: float) -> None:
    mesh = l_room()
    assert mesh.geodesic_distance([start], [goal])[0] == pytest.approx(expected, abs=1e-6)
    assert mesh.geodesic_distance([goal], [start])[0] == pytest.approx(expected, abs=1e-6)


def test_u_room() -> None:
    mesh = u_room()
    # Down the left leg from (1, 6), around (2, 2) and (4, 2), up the right leg: 2 sqrt(1 + 16) + 2.
    start, goal = (1, 0, 6), (5, 0, 6)
    assert mesh.geodesic_distance([start], [goal])[0] == pytest.approx(2 * 17**0.5 + 2, abs=1e-6)
    np.testing.assert_allclose(
        mesh.shortest_path(start, goal), [start, (2, 0, 2), (4, 0, 2), goal], atol=1e-6
    )


def test_two_storeys() -> None:
    mesh = two_storeys()
    # From under the balcony up the ramp to the end (8, 2) of the wall z = 2, and back along that wall to the
    # balcony: |(1, 0, 1) - (8, 3, 2)| = sqrt(49 + 9 + 1), then to (3, 3, 2): 5, then to (1, 3, 1): sqrt(5).
    expected = 59**0.5 + 5 + 5**0.5
    assert mesh.geodesic_distance([[1, 0, 1]], [[1, 3, 1]])[0] == pytest.approx(expected, abs=1e-5)
    path = mesh.shortest_path([1, 0, 1], [1, 3, 1])
    np.testing.assert_allclose(path, [[1, 0, 1], [8, 3, 2], [3, 3, 2], [1, 3, 1]], atol=1e-6)


def test_a_wall_without_thickness() -> None:
    # Two squares side by side over two others; the way from one to the other is around the end (1, 1) of the
    # wall between them: 2 x |(0.5, 1.5) - (1, 1)| = sqrt(2).
    points = flat([(0, 1), (1, 1), (1, 2), (0, 2), (1, 1), (2, 1), (2, 2), (1, 2), (0, 0), (1, 0), (2, 0)])
    polygons = [(0, 1, 2, 3), (4, 5, 6, 7), (8, 9, 1, 0), (9, 10, 5, 4)]
    mesh = NavMesh.from_polygons(points, polygons)
    # The vertices at one place are one, so the squares are joined.
    assert mesh.geodesic_distance([[0.5, 0, 1.5]], [[1.5, 0, 1.5]])[0] == pytest.approx(1.0, abs=1e-6)
    apart = np.array(points)
    apart[[2, 7], 0] += (-1e-6, 1e-6)
    mesh = NavMesh.from_polygons(apart, polygons)
    distance = mesh.geodesic_distance([[0.5, 0, 1.5]], [[1.5, 0, 1.5]])[0]
    assert distance == pytest.approx(2**0.5, abs=1e-5)


def test_winding_does_not_matter() -> None:
    a = l_room()
    points = flat([(0, 0), (2, 0), (4, 0), (4, 2), (2, 2), (0, 2), (2, 4), (0, 4)])
    b = NavMesh.from_polygons(points, [(5, 4, 1, 0), (4, 3, 2, 1), (7, 6, 4, 5)])
    starts, goals = np.random.default_rng(1).uniform(0, 4, (2, 100, 3)) * (1, 0, 1)
    np.testing.assert_allclose(
        a.geodesic_distance(starts, goals), b.geodesic_distance(starts, goals), atol=1e-5
    )
    np.testing.assert_allclose(a.move(starts, goals), b.move(starts, goals), atol=1e-5)


def test_sampling_is_uniform(rng: np.random.Generator) -> None:
    mesh = l_room()
    points = mesh.sample(20_000, rng)
    assert points.shape == (20_000, 3)
    assert points.dtype == np.float32
    assert mesh.is_navigable(points).all()
    # A third of the area has z > 2; standard error sqrt(2 / 9 / 20000) = 0.0033.
    assert np.mean(points[:, 2] > 2) == pytest.approx(1 / 3, abs=0.015)
    assert np.mean(points[:, 0] < 1) == pytest.approx(4 / 12, abs=0.015)


def test_small_polygons_are_not_walkable() -> None:
    # Area 0.5 x 1e-2 x 1e-3 = 5e-6 m2, below 1e-5.
    points = flat([(0, 0), (1, 0), (1, 1), (0, 1), (1.001, 0), (1, 0.01)])
    mesh = NavMesh.from_polygons(points, [(0, 1, 2, 3), (1, 4, 5)])
    assert mesh.num_polygons == 1
    assert mesh.area_m2 == pytest.approx(1)
    with pytest.raises(NavMeshError, match="none of the 1 polygons is walkable"):
        NavMesh.from_polygons(points, [(1, 4, 5)])


def test_empty_batches() -> None:
    mesh = l_room()
    none = np.empty((0, 3))
    assert mesh.sample(0, np.random.default_rng(0)).shape == (0, 3)
    assert mesh.snap(none).shape == (0, 3)
    assert mesh.move(none, none).shape == (0, 3)
    assert mesh.island(none).shape == mesh.island_radius(none).shape == mesh.is_navigable(none).shape == (0,)
    assert mesh.geodesic_distance(none, none).shape == (0,)
    table = mesh.goal_table(none)
    assert table.shape == (0, 1)
    assert mesh.distance_to_goal(none, none, table).shape == (0,)


def test_a_room_without_corners() -> None:
    mesh = NavMesh.from_polygons(flat([(0, 0), (3, 0), (3, 4), (0, 4)]), [(0, 1, 2, 3)])
    assert mesh.num_corners == 0
    table = mesh.goal_table([[3, 0, 4]])
    assert table.shape == (1, 0)
    assert mesh.distance_to_goal([[0, 0, 0]], [[3, 0, 4]], table)[0] == pytest.approx(5, abs=1e-6)
    np.testing.assert_allclose(mesh.shortest_path([0, 0, 0], [3, 0, 4]), [[0, 0, 0], [3, 0, 4]], atol=1e-6)


def test_a_goal_off_the_mesh() -> None:
    mesh = l_room()
    assert mesh.geodesic_distance([[1, 0, 1]], [[40, 0, 1]])[0] == np.inf
    assert np.isinf(mesh.goal_table([[40, 0, 1]])).all()


def test_pickling_keeps_everything(rng: np.random.Generator) -> None:
    mesh = u_room()
    starts, goals = mesh.sample(50, rng), mesh.sample(50, rng)
    for prepared in (False, True):
        copy = pickle.loads(pickle.dumps(mesh.prepare() if prepared else mesh))
        np.testing.assert_array_equal(
            copy.geodesic_distance(starts, goals), mesh.geodesic_distance(starts, goals)
        )
        np.testing.assert_array_equal(copy.move(starts, goals), mesh.move(starts, goals))


def test_the_givers_arrays_are_left_alone() -> None:
    mesh = l_room()
    start = np.array([[1, 0, 1]], np.float32)
    start.setflags(write=False)
    moved = mesh.move(start, start + np.float32(0.1))
    moved[:] = 7
    np.testing.assert_array_equal(start, [[1, 0, 1]])


def test_top_down() -> None:
    mask, origin = l_room().top_down(0.5)
    np.testing.assert_array_equal(origin, [0, 0])
    assert mask.shape == (8, 8)
    # Row z = 2.5: only x up to 2 is walkable, pixels 0 to 4.
    np.testing.assert_array_equal(mask[5], [True] * 5 + [False] * 3)
    assert mask[:5].all()
    # The balcony, up to x = 3, and the landing from x = 8; the ramp is 0.75 m too low at x = 7.
    mask, _ = two_storeys().top_down(1.0, height=3.0)
    np.testing.assert_array_equal(mask[1], [True] * 4 + [False] * 4 + [True] * 2)


@pytest.mark.parametrize(
    ("vertices", "polygons", "message"),
    [
        ([(0, 0), (1, 0)], [(0, 1)], r"polygon 0 is \[0, 1\]; at least 3"),
        ([(0, 0), (1, 0), (0, 1)], [(0, 1, 3)], r"polygon 0 names vertex \[0, 1, 3\], but there are 3"),
        ([(0, 0), (2, 0), (0.1, 0.1), (0, 2)], [(0, 1, 2, 3)], "polygon 0 is not convex"),
        ([(0, 0), (1, 0), (1, 1), (0, 1)], [(0, 1, 2), (0, 1, 3)], "polygons 0 and 1 both walk the edge"),
        ([(0, 0), (1, 0), (0, 1), (0, 0)], [(0, 1, 2, 3)], "polygon 0 uses one vertex twice"),
        ([(0, 0), (1, 0), (0, 1)], [], "no polygons"),
        ([(0, 0), (np.nan, 0), (0, 1)], [(0, 1, 2)], "vertex 1 is"),
    ],
)
def test_bad_polygons(
    vertices: list[tuple[float, float]], polygons: list[tuple[int, ...]], message: str
) -> None:
    with pytest.raises(NavMeshError, match=message):
        NavMesh.from_polygons(flat(vertices), polygons)


def test_bad_arguments_are_named() -> None:
    mesh = l_room()
    good, table = np.zeros((2, 3)), np.zeros((2, 1))
    with pytest.raises(ConfigError, match=r"points has the shape \(3,\)"):
        mesh.snap([1, 2, 3])
    with pytest.raises(ConfigError, match="positions has 2 rows and targets has 1"):
        mesh.move(good, good[:1])
    with pytest.raises(ConfigError, match=r"targets\[1\] is \[0.0, nan, 0.0\]"):
        mesh.move(good, [[0, 0, 0], [0, np.nan, 0]])
    with pytest.raises(ConfigError, match=r"starts\[0\] is \[inf"):
        mesh.geodesic_distance([[np.inf, 0, 0]], good[:1])
    with pytest.raises(ConfigError, match=r"tables has the shape \(2, 2\); \(2, 1\)"):
        mesh.distance_to_goal(good, good, np.zeros((2, 2)))
    with pytest.raises(ConfigError, match="points is not an array of numbers"):
        mesh.snap([["a", "b", "c"]])
    with pytest.raises(ConfigError, match="meters_per_pixel is 0"):
        mesh.top_down(0)
    with pytest.raises(ConfigError, match="n is -1"):
        mesh.sample(-1, np.random.default_rng(0))
    assert np.isfinite(mesh.distance_to_goal(good, good, table)).all()


def test_navmesh_for() -> None:
    walkable = SimpleNamespace(vertices=flat([(0, 0), (1, 0), (1, 1), (0, 1)]), polygons=((0, 1, 2, 3),))
    scene = SimpleNamespace(scene_id="kitchen", navmesh_path=None, walkable=walkable)
    assert navmesh_for(scene).area_m2 == pytest.approx(1)
    missing = SimpleNamespace(scene_id="kitchen", navmesh_path=Path("/nowhere/a.navmesh"), walkable=walkable)
    with pytest.raises(NavMeshError, match=r"cannot read the navigation mesh /nowhere/a\.navmesh"):
        navmesh_for(missing)
