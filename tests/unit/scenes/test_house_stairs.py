"""Two storeys: the stairs as they look, and as one walks on them."""

from __future__ import annotations

import numpy as np
import pytest
import shapely

from gym_batchnav.config import EnvConfig
from gym_batchnav.nav import navmesh_for
from gym_batchnav.scenes.houses.staircase import GAP, RISE, TREAD
from gym_batchnav.sim.episodes import Draft, sample_episodes
from gym_batchnav.sim.random import episode_generator
from tests.unit.scenes.houses_made import HALF_TURN, STRAIGHT, made

SHAPES = (STRAIGHT, HALF_TURN)
RUNS = {STRAIGHT: 15 * 0.26, HALF_TURN: 7 * 0.26}
"""Metres: treads of 260 mm, one fewer than the 16 or 8 risers of a flight."""


def place(stairs, u, s, y):
    """Metres in the frame of the staircase to the world."""
    x, z = stairs.apply(round(u * 1000), round(s * 1000))
    return np.array([[x / 1000, y, z / 1000]], np.float32)


def ends(shape):
    """Half a metre before the first step and behind the last one, in the middle of the flights."""
    stairs = made(shape).plan.stairs
    width = stairs.width / 1000
    start = place(stairs, width / 2, -0.5, 0.0)
    if shape == STRAIGHT:
        return start, place(stairs, width / 2, RUNS[shape] + 0.5, 2.8)
    return start, place(stairs, width + GAP / 1000 + width / 2, -0.5, 2.8)


def below_and_above(scene, points, names):
    """Heights of the surfaces of some classes under and over points (P, 3); (P,), -inf and inf for none."""
    classes = np.array(scene.object_classes)[scene.arrays.object_ids]
    corners = scene.positions[scene.triangles][np.isin(classes, names) if names else slice(None)]
    a, b, c = np.moveaxis(corners.astype(np.float64), 1, 0)
    area = (b[:, 0] - a[:, 0]) * (c[:, 2] - a[:, 2]) - (b[:, 2] - a[:, 2]) * (c[:, 0] - a[:, 0])
    a, b, c = (corner[np.abs(area) > 1e-9] for corner in (a, b, c))
    area = area[np.abs(area) > 1e-9]
    low, high = np.full(len(points), -np.inf), np.full(len(points), np.inf)
    for row, (x, y, z) in enumerate(points.astype(np.float64)):
        v = ((x - a[:, 0]) * (c[:, 2] - a[:, 2]) - (z - a[:, 2]) * (c[:, 0] - a[:, 0])) / area
        w = ((b[:, 0] - a[:, 0]) * (z - a[:, 2]) - (b[:, 2] - a[:, 2]) * (x - a[:, 0])) / area
        hit = (v >= 0) & (w >= 0) & (v + w <= 1)
        heights = (a[:, 1] + v * (b - a)[:, 1] + w * (c - a)[:, 1])[hit]
        # A tread may be up to half a riser above the slope.
        low[row] = heights[heights <= y + 0.1].max(initial=-np.inf)
        high[row] = heights[heights > y + 0.1].min(initial=np.inf)
    return low, high


def on_slope(shape, count=300):
    """Random points on the sloped ground."""
    mesh, points = navmesh_for(made(shape).scene), []
    rng = np.random.default_rng(0)
    while sum(map(len, points)) < count:
        drawn = mesh.sample(2000, rng)
        points.append(drawn[(drawn[:, 1] > 0.01) & (drawn[:, 1] < 2.79)])
    return np.concatenate(points)[:count]


@pytest.mark.parametrize("shape", SHAPES)
def test_measures_of_real_stairs(shape):
    stairs = made(shape).plan.stairs
    assert 170 <= RISE <= 190
    assert 250 <= TREAD <= 290
    assert 600 <= 2 * RISE + TREAD <= 650  # Blondel's rule of a comfortable stride.
    assert 16 * RISE == 2800
    assert stairs.width >= 900
    assert stairs.run == round(RUNS[shape] * 1000)


@pytest.mark.parametrize("shape", SHAPES)
def test_length_of_the_way_up(shape):
    """By hand, along the chords of the path's corners.

    Straight: 0.5 + 3.9 + 0.5 m ahead and 2.8 m up. Half turn, for an agent of radius 0.1 m: the path bends at
    the inner corners of the landing, 0.1 m beside the flights and 0.16 m (half a tread, its nose of 20 mm and
    10 mm) behind the last riser; between them are the gap of 0.12 m and twice 0.1 m.
    """
    stairs = made(shape).plan.stairs
    start, goal = ends(shape)
    if shape == STRAIGHT:
        expected = np.hypot(0.5 + 3.9 + 0.5, 2.8)
    else:
        across, along = stairs.width / 2000 - 0.1, 0.5 + 1.82 + 0.16
        expected = 2 * np.sqrt(across**2 + along**2 + 1.4**2) + 0.12 + 2 * 0.1
    found = navmesh_for(made(shape).scene).geodesic_distance(start, goal)[0]
    assert found == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize("shape", SHAPES)
def test_sliding_along_the_walls_leads_up_as_well(shape):
    """The simulator's crowd, with targets that run into walls and railings; the distances fall to 0."""
    house = made(shape)
    mesh = navmesh_for(house.scene)
    start, goal = ends(shape)
    crowd = mesh.crowd()
    crowd.add(0, goal[0], mesh.goal_table(goal)[0])
    position, distance = start.copy(), mesh.geodesic_distance(start, goal)
    everyone, rng, before = np.array([True]), np.random.default_rng(0), np.inf
    for _ in range(400):
        if distance[0] < 0.2:
            break
        corner = mesh.shortest_path(position[0], goal[0])[1]
        ahead = (corner - position[0])[[0, 2]] / max(np.hypot(*(corner - position[0])[[0, 2]]), 1e-6)
        turn = rng.uniform(-0.9, 0.9)
        target = position.copy()
        target[0, 0] += 0.25 * (ahead[0] * np.cos(turn) - ahead[1] * np.sin(turn))
        target[0, 2] += 0.25 * (ahead[0] * np.sin(turn) + ahead[1] * np.cos(turn))
        crowd.walk(everyone, target, True, position, distance)
        assert mesh.is_navigable(position).all()
        np.testing.assert_allclose(distance, mesh.geodesic_distance(position, goal), rtol=1e-5)
        assert distance[0] <= before + 0.25
        before = distance[0]
    assert distance[0] < 0.2
    assert position[0, 1] == pytest.approx(2.8)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("radius", [0.1, 0.3])
def test_an_agent_walks_up_and_down(shape, radius):
    """In steps of 0.25 m along the path's corners, also an agent of 0.3 m; the heights are the slope's."""
    house = made(shape, radius)
    mesh, stairs = navmesh_for(house.scene), house.plan.stairs
    width, run = stairs.width / 1000, RUNS[shape]
    start = place(stairs, width / 2, -0.6, 0.0)
    goal = place(stairs, width / 2, run + 0.6, 2.8)
    if shape == HALF_TURN:
        goal = place(stairs, width * 1.5 + GAP / 1000, -0.6, 2.8)
    for a, b, sign in ((start, goal, 1), (goal, start, -1)):
        assert mesh.is_navigable(np.concatenate([a, b])).all()
        position, heights = a, [float(a[0, 1])]
        for corner in mesh.shortest_path(a[0], b[0])[1:]:
            while (left := np.hypot(*(corner - position[0])[[0, 2]])) > 1e-3:
                target = position + (corner - position) * min(1.0, 0.25 / left)
                position = mesh.move(position, target.astype(np.float32))
                heights.append(float(position[0, 1]))
        np.testing.assert_allclose(position, b, atol=2e-3)
        rises = sign * np.diff(heights)
        assert rises.min() >= -1e-5
        # The slope rises 2.8 m (1.4 m) over the run of a flight and half a tread at either end.
        rise = 2.8 if shape == STRAIGHT else 1.4
        assert rises.max() <= 0.25 * rise / (run + 0.26) + 1e-4


@pytest.mark.parametrize("shape", SHAPES)
def test_ground_is_that_of_the_steps(shape):
    """The slope through the middles of the treads is half a riser off their edges at most."""
    points = on_slope(shape)
    low, _ = below_and_above(made(shape).scene, points, ["stairs", "floor"])
    gap = points[:, 1] - low
    assert np.abs(gap).max() <= RISE / 2000 + 0.005
    assert np.abs(gap).mean() <= RISE / 4000 + 0.005
    assert abs(gap.mean()) <= 0.01


@pytest.mark.parametrize("shape", SHAPES)
def test_headroom_on_the_stairs(shape):
    """Nothing is less than 1.9 m above the slope."""
    points = on_slope(shape)
    _, high = below_and_above(made(shape).scene, points + np.float32([0, 0.1, 0]), [])
    assert (high - points[:, 1]).min() >= 1.9


@pytest.mark.parametrize("shape", SHAPES)
def test_level_ground_keeps_off_the_stairs_and_the_well(shape):
    house = made(shape)
    stairs, ground = house.plan.stairs, house.scene.walkable
    for level in (0.0, 2.8):
        rings = [ground.vertices[list(ring)] for ring in ground.polygons]
        flat = [ring[:, [0, 2]] for ring in rings if (ring[:, 1] == np.float32(level)).all()]
        area = shapely.union_all([shapely.Polygon(ring) for ring in flat], grid_size=1e-4)
        assert shapely.area(area) > 10.0
        # At the ends of the flights the ground begins half a tread away, but for the nose of a tread.
        assert shapely.distance(area, shapely.box(*(np.array(stairs.rect) / 1000))) >= 0.1 - 1e-9


@pytest.mark.parametrize("shape", SHAPES)
def test_upper_storey_has_rooms_windows_and_railings(shape):
    house = made(shape)
    upper = [room for room in house.scene.rooms if room.storey == 1]
    assert {room.floor for room in upper} == {2.8}
    kinds = [room.kind for room in upper]
    assert kinds.count("hall") == 1
    assert {"bath", "bedroom"} <= set(kinds)
    classes = np.array(house.scene.object_classes)[house.scene.arrays.object_ids]
    height = house.scene.positions[house.scene.triangles][..., 1].max(axis=1)
    for name in ("window", "floor", "wall", "ceiling", "door", "railing", "stairs"):
        assert height[classes == name].max() > 2.7, name
    assert height[classes == "railing"].max() == pytest.approx(2.8 + 1.01)


@pytest.mark.parametrize("shape", SHAPES)
def test_episodes_cross_storeys_only_where_asked(shape):
    mesh = navmesh_for(made(shape).scene)
    for allowed in (False, True):
        drafts = [Draft(0, number, episode_generator(5, number)) for number in range(60)]
        episodes = sample_episodes(mesh, drafts, EnvConfig(allow_stairs=allowed), "house")
        rises = np.array([abs(float(episode.goal[1] - episode.start[1])) for episode in episodes])
        if allowed:
            # About half of all pairs of points lie on two storeys.
            assert 0.25 <= (rises == np.float32(2.8)).mean() <= 0.65
        else:
            assert rises.max() <= 0.5
        # No way is shorter than the straight line, nor is any longer than one through the whole house.
        straight = np.array([np.linalg.norm(episode.goal - episode.start) for episode in episodes])
        lengths = np.array([episode.distance for episode in episodes])
        assert (lengths >= straight - 1e-4).all()
        assert lengths.max() < 30.0
