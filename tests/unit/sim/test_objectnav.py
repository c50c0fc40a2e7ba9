"""ObjectNav's distances, success and draws, by hand on an open square of ground."""

from __future__ import annotations

import numpy as np
import pytest

from gym_batchnav.config import HM3D_CATEGORIES, MP3D_CATEGORIES, EnvConfig
from gym_batchnav.errors import ConfigError, EpisodeError
from gym_batchnav.nav import NavMesh
from gym_batchnav.sim import ObjectNav, Simulator
from gym_batchnav.sim.episodes import Draft, place_episodes
from gym_batchnav.sim.objects import ObjectGoals
from gym_batchnav.sim.random import episode_generator

STOP, FORWARD, LEFT, RIGHT = range(4)
PLACES = {"chair": [(0, 0, -3), (4, 0, 0)], "bed": [(-4, 0, 0)]}


@pytest.fixture(scope="module")
def ground():
    corners = np.array([(-6, 0, -6), (6, 0, -6), (6, 0, 6), (-6, 0, 6)], np.float32)
    return NavMesh.from_polygons(corners, ((0, 1, 2, 3),))


def make(ground, rows=1, categories=("chair",), **fields):
    simulator = Simulator(rows, EnvConfig(object_categories=categories, **fields), ObjectNav)
    goals = ObjectGoals(ground, {name: np.array(points, np.float32) for name, points in PLACES.items()})
    simulator.task.objects_of = lambda scene: goals
    return simulator


def adapted(simulator, ground, start=(0, 0, 0), heading=0.0, number=0):
    start = np.array([start], np.float32)
    (episode,) = place_episodes(ground, [Draft(0, number)], start, [heading], start, ["test"])
    return simulator.task.adapt(episode, ground, episode_generator(3, number))


def begin(simulator, ground, row=0, **kwargs):
    simulator.begin([row], [adapted(simulator, ground, **kwargs)], [ground])


def run(simulator, actions):
    return [float(simulator.step(np.array([action]))[0][0]) for action in actions]


def test_stop_within_a_metre_of_the_nearest_one(ground):
    simulator = make(ground)
    begin(simulator, ground)
    assert simulator.state.goal[0].tolist() == [0, 0, -3]
    # 9 steps of 0.25 m leave 3 - 2.25 = 0.75 m.
    assert run(simulator, [FORWARD] * 9 + [STOP]) == pytest.approx([0.24] * 9 + [2.49], abs=1e-6)
    infos = simulator.infos()
    assert infos["success"][0] == infos["spl"][0] == 1.0
    assert infos["distance_to_goal"][0] == pytest.approx(0.75)


def test_stop_a_metre_away_is_too_far(ground):
    simulator = make(ground)
    begin(simulator, ground)
    assert run(simulator, [FORWARD] * 8 + [STOP])[-1] == pytest.approx(-0.01, abs=1e-6)
    assert simulator.infos()["success"][0] == 0.0


def test_another_object_may_become_the_nearest(ground):
    simulator = make(ground, forward_step=1.0)
    begin(simulator, ground, heading=-np.pi / 2)
    rewards = run(simulator, [FORWARD] * 4 + [STOP])
    # Along +X: the chairs at (0, -3) and (4, 0) are 3 and 4, then sqrt(10) and 3, then 2, 1 and 0 m away.
    distances = [3.0, 3.0, 2.0, 1.0, 0.0]
    assert rewards == pytest.approx([*(-0.01 - np.diff(distances)), 2.49], abs=1e-5)
    # The way was 4 m, the shortest one 3 m.
    assert simulator.infos()["spl"][0] == pytest.approx(0.75)


def test_blocked_step_keeps_the_nearest_object(ground):
    """At the edge of the ground the agent does not move; the distance stays that to the nearest object."""
    simulator = make(ground)
    begin(simulator, ground, start=(6, 0, 1), heading=-np.pi / 2)
    assert simulator.state.distance[0] == pytest.approx(np.sqrt(5), abs=1e-5)
    simulator.state.goal_class[0] = 0
    assert run(simulator, [FORWARD] * 2) == pytest.approx([-0.01] * 2, abs=1e-5)
    assert simulator.state.collisions[0] == 2


def test_classes_are_drawn_evenly_out_of_those_that_fit(ground):
    simulator = make(ground, categories=("toilet", "bed", "chair"))
    drawn = [adapted(simulator, ground, number=number).goal_class for number in range(400)]
    assert set(drawn) == {1, 2}
    # Binomial with 400 draws: 200 +- 4 standard deviations of 10.
    assert abs(drawn.count(1) - 200) < 40
    # From 0.5 m before the bed only a chair is far enough.
    near = [adapted(simulator, ground, start=(-3.5, 0, 0), number=number) for number in range(20)]
    assert {episode.goal_class for episode in near} == {2}
    assert all(episode.start.tolist() == [-3.5, 0, 0] for episode in near)


def test_start_is_drawn_anew_where_nothing_fits(ground):
    simulator = make(ground, categories=("bed",))
    episode = adapted(simulator, ground, start=(-3.5, 0, 0))
    assert episode.distance == pytest.approx(np.hypot(episode.start[0] + 4, episode.start[2]), abs=1e-5)
    assert episode.distance >= 1.0
    again = adapted(simulator, ground, start=(-3.5, 0, 0))
    assert np.array_equal(again.start, episode.start)
    far = make(ground, categories=("bed",), min_geodesic=25.0)
    with pytest.raises(EpisodeError, match="25 to 30 m from where an agent may start; loosen min_geodesic"):
        adapted(far, ground)


def test_starts_of_a_file_are_kept(ground, tmp_path):
    simulator = make(ground, categories=("bed",), episodes=tmp_path / "val.json.gz")
    assert adapted(simulator, ground).start.tolist() == [0, 0, 0]
    with pytest.raises(EpisodeError, match="no object of"):
        adapted(simulator, ground, start=(-3.5, 0, 0))


def test_batch_equals_single_rows_and_goes_on_from_a_state(ground, rng):
    rows, categories = 6, ("bed", "chair")
    batch, later = (make(ground, rows, categories, forward_step=0.5) for _ in range(2))
    singles = [make(ground, 1, categories, forward_step=0.5) for _ in range(rows)]
    for row in range(rows):
        start = (float(rng.uniform(-3, 3)), 0.0, float(rng.uniform(-3, 3)))
        begin(batch, ground, row, start=start, number=row)
        begin(singles[row], ground, 0, start=start, number=row)
    assert len(set(batch.state.goal_class.tolist())) == 2
    for step, actions in enumerate(rng.integers(1, 4, (60, rows))):
        rewards = batch.step(actions)[0]
        for row, single in enumerate(singles):
            assert single.step(actions[row : row + 1])[0][0] == rewards[row]
        if step == 20:
            later.set_state(batch.get_state(), [ground] * rows)
        if step > 20:
            assert np.array_equal(later.step(actions)[0], rewards)


def test_observation_and_categories(ground):
    simulator = make(ground, categories=HM3D_CATEGORIES)
    begin(simulator, ground)
    seen = simulator.task.observe(simulator.state)["objectgoal"]
    assert seen.dtype == np.int64
    assert seen.shape == (1, 1)
    # The place in the list of the class: "chair" or "bed".
    assert seen[0, 0] in (0, 1)
    assert (len(HM3D_CATEGORIES), len(MP3D_CATEGORIES)) == (6, 21)
    assert set(HM3D_CATEGORIES) < set(MP3D_CATEGORIES)
    for wrong in ((), "chair", ("chair", "chair"), (1,)):
        with pytest.raises(ConfigError, match="object_categories="):
            EnvConfig(object_categories=wrong)


def test_categories_are_classes_of_the_built_in_houses():
    from gym_batchnav.scenes.houses.classes import CLASS_NAMES

    assert set(MP3D_CATEGORIES) <= set(CLASS_NAMES)
