"""Rewards, ends and metrics of the tasks and presets, each number by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gym_batchnav.config import ActuationNoise, DepthNoise, EnvConfig, RgbNoise
from gym_batchnav.errors import ConfigError
from gym_batchnav.sim import Explore, Flee, ImageNav, PointNav, Simulator
from gym_batchnav.sim.episodes import Draft, place_episodes
from gym_batchnav.sim.random import episode_generator

STOP, FORWARD, LEFT, RIGHT = range(4)


def begin(simulator, ground, row=0, start=(0, 0, 0), goal=(0, 0, -2), heading=0.0):
    start, goal = (np.array([point], dtype=np.float32) for point in (start, goal))
    (episode,) = place_episodes(ground, [Draft(0, 0)], start, [heading], goal, ["test"])
    simulator.begin([row], [simulator.task.adapt(episode, ground, episode_generator(0, 0))], [ground])


def run(simulator, actions):
    """Rewards, terminations and truncations of the only row, step by step."""
    steps = [simulator.step(np.array([action])) for action in actions]
    return tuple([array[0] for array in column] for column in zip(*steps, strict=True))


def metric(simulator, name):
    return float(simulator.infos()[name][0])


def test_bps_stop_on_the_goal_pays_spl_alone(hall):
    simulator = Simulator(1, EnvConfig.preset("bps"))
    begin(simulator, hall)
    rewards, ends, cuts = run(simulator, [LEFT, RIGHT] + [FORWARD] * 8 + [STOP])
    # Turns: -0.01. Each of 8 steps of 0.25 m: -0.01 + 0.25. The last one: -0.01 + 2.5 x SPL of 1.
    assert rewards == pytest.approx([-0.01] * 2 + [0.24] * 8 + [2.49])
    assert ends == [False] * 10 + [True]
    assert not any(cuts)
    assert metric(simulator, "success") == 1.0


def test_bps_spl_of_a_detour(hall):
    simulator = Simulator(1, EnvConfig.preset("bps"))
    begin(simulator, hall, goal=(0, 0, -1))
    half_turn = [LEFT] * 18
    rewards, _, _ = run(simulator, half_turn + [FORWARD] + half_turn + [FORWARD] * 5 + [STOP])
    # Back 0.25 m, then 1.25 m on: p = 1.5, l = 1, SPL = 1 / 1.5. The step back loses 0.25 m.
    assert rewards[18] == pytest.approx(-0.26)
    assert rewards[-1] == pytest.approx(-0.01 + 2.5 / 1.5)


def test_bps_time_out_is_terminal_and_succeeds_near_the_goal(hall):
    simulator = Simulator(2, EnvConfig.preset("bps"))
    begin(simulator, hall, 0, goal=(0, 0, -2))
    begin(simulator, hall, 1, goal=(0, 0, -3))
    rest = [np.array([LEFT, LEFT])] * (499 - 8 - 1)
    for actions in [*rest, *[np.array([FORWARD, FORWARD])] * 8]:
        # 490 turns of 10 deg are 4900 = 13 x 360 + 220 deg: not straight at the goal.
        simulator.state.heading[:] = 0.0
        _, ends, cuts = simulator.step(actions)
        assert not (ends | cuts).any()
    rewards, ends, cuts = simulator.step(np.array([LEFT, FORWARD]))
    # The 499th action: row 0 stands on its goal and never called stop; row 1 is 0.75 m away and its
    # progress does not count any more.
    assert ends.tolist() == [True, True]
    assert cuts.tolist() == [False, False]
    assert rewards == pytest.approx([-0.01 + 2.5, -0.01])
    assert simulator.infos()["success"].tolist() == [1.0, 0.0]
    assert simulator.infos()["steps"].tolist() == [499, 499]


def test_bps_success_needs_less_than_20_cm(hall):
    simulator = Simulator(1, EnvConfig.preset("bps"))
    begin(simulator, hall, goal=(0, 0, -0.25))
    rewards, ends, _ = run(simulator, [STOP])
    assert rewards == pytest.approx([-0.01])
    assert ends == [True]
    assert metric(simulator, "success") == 0.0


def test_terminal_time_out_needs_a_stop_where_success_is_at_the_stop(hall):
    config = EnvConfig(max_episode_steps=9, time_out="termination")
    simulator = Simulator(1, config)
    begin(simulator, hall)
    rewards, ends, cuts = run(simulator, [FORWARD] * 8 + [LEFT])
    assert (ends[-1], cuts[-1], rewards[-1]) == (True, False, pytest.approx(-0.01))
    assert metric(simulator, "success") == 0.0


def test_final_reward_spl_also_with_truncation(hall):
    """The step that the limit cuts off is none of the task's: it keeps its progress."""
    simulator = Simulator(1, EnvConfig(final_reward="spl", max_episode_steps=2))
    begin(simulator, hall)
    rewards, ends, cuts = run(simulator, [FORWARD] * 2)
    assert rewards == pytest.approx([0.24, 0.24])
    assert (ends, cuts) == ([False, False], [False, True])


def test_presets_by_value():
    assert EnvConfig.preset("habitat") == EnvConfig()
    bps, real = EnvConfig.preset("bps"), EnvConfig.preset("realistic")
    assert (bps.max_episode_steps, bps.success_distance, bps.slack_reward, bps.success_reward) == (
        499, 0.2, -0.01, 2.5,
    )  # fmt: skip
    assert (real.sliding, real.agent_radius, real.agent_height, real.camera_height) == (
        False,
        0.18,
        0.88,
        0.88,
    )
    assert real.actuation_noise == ActuationNoise(controller="Proportional", multiplier=0.5)
    assert (real.depth_noise, real.rgb_noise, real.pose_noise) == (DepthNoise(), RgbNoise(), None)
    assert bps.actuation_noise is bps.depth_noise is bps.rgb_noise is None
    assert (real.hfov_deg, real.turn_angle_deg, real.success_distance) == (70.0, 30.0, 0.36)
    assert (real.min_depth, real.max_depth, real.max_episode_steps) == (0.1, 10.0, 500)


def test_arguments_win_over_the_preset_and_the_preset_over_the_base():
    base = EnvConfig(turn_angle_deg=15.0, resolution=(8, 8), success_at="end", time_out="termination")
    config = EnvConfig.from_kwargs({"preset": "realistic", "hfov_deg": 80.0}, base)
    assert (config.hfov_deg, config.turn_angle_deg, config.resolution) == (80.0, 30.0, (8, 8))
    # What no preset sets stays; what another preset sets is as this one leaves it.
    assert (config.success_at, config.time_out) == ("stop", "truncation")
    assert "preset" not in config.to_dict()
    with pytest.raises(ConfigError, match=r"preset='moon'.*'habitat', 'bps', 'realistic'"):
        EnvConfig.preset("moon")
    with pytest.raises(ConfigError, match="did you mean 'hfov_deg'"):
        EnvConfig.preset("bps", hfov=90)
    with pytest.raises(ConfigError, match="time_out='termination'"):
        EnvConfig(success_at="end")


def test_cameras_of_ones_own_with_the_realistic_preset():
    config = EnvConfig.preset("realistic", cameras=[{"name": "front", "height": 0.5}])
    assert config.all_cameras[0].height == 0.5
    assert config.agent_height == 0.88


def test_flee_pays_the_growth_of_the_distance_from_the_start(hall):
    simulator = Simulator(1, EnvConfig(), Flee)
    begin(simulator, hall)
    rewards, ends, _ = run(simulator, [FORWARD] * 4 + [LEFT] * 18 + [FORWARD] * 2 + [STOP])
    # 1 m away, half a turn, 0.5 m back; no slack, and nothing for the stop.
    assert rewards == pytest.approx([0.25] * 4 + [0.0] * 18 + [-0.25] * 2 + [0.0], abs=1e-6)
    assert ends == [False] * 24 + [True]
    assert metric(simulator, "distance_fled") == pytest.approx(0.5)
    assert metric(simulator, "path_length") == pytest.approx(1.5)
    assert metric(simulator, "return") == pytest.approx(0.5)
    assert simulator.task.sensors() == simulator.task.observe(simulator.state) == {}


def test_flee_measures_ways_and_not_straight_lines():
    """Around the corner of an L of two corridors, 2 m wide: the agent flees 3 m and then around it."""
    from gym_batchnav.nav import NavMesh

    corners = [(0, 0), (2, 0), (2, 4), (0, 4), (6, 4), (6, 6), (0, 6), (2, 6)]
    vertices = np.array([(x, 0.0, z) for x, z in corners], dtype=np.float32)
    mesh = NavMesh.from_polygons(vertices, ((0, 1, 2, 3), (3, 2, 7, 6), (2, 4, 5, 7)))
    simulator = Simulator(1, EnvConfig(forward_step=1.0), Flee)
    begin(simulator, mesh, start=(1, 0, 1), goal=(5, 0, 5), heading=np.pi)
    rewards, _, _ = run(simulator, [FORWARD] * 4)
    # Along +Z in the corridor's middle to (1, 5).
    assert rewards == pytest.approx([1.0] * 4, abs=1e-5)
    simulator.state.heading[0] = -np.pi / 2
    rewards, _, _ = run(simulator, [FORWARD] * 4)
    # To (2, 5), (3, 5), (4, 5), (5, 5). Up to x = 2.33 the start is in sight past the corner (2, 4); then the
    # way bends there: |(1, 3)| from the start to the corner, and on to the agent.
    ways = [4.0, np.hypot(1, 4)] + [np.sqrt(10) + np.hypot(x - 2, 1) for x in (3, 4, 5)]
    assert rewards == pytest.approx(np.diff(ways), abs=1e-5)
    assert metric(simulator, "distance_fled") == pytest.approx(np.sqrt(10) + np.sqrt(10), abs=1e-5)


def test_explore_pays_each_new_cell_once(hall):
    simulator = Simulator(1, EnvConfig(forward_step=0.5), Explore)
    begin(simulator, hall, start=(0.5, 0, -0.25), heading=0.0)
    assert metric(simulator, "cells_visited") == 1
    # From z = -0.25 to -0.75, -1.25, -1.75, -2.25: cells [-1, 0), [-2, -1) and [-3, -2).
    rewards, _, _ = run(simulator, [FORWARD] * 4)
    assert rewards == [0.0, 0.25, 0.0, 0.25]
    # Back through the same cells, and then into [0, 1) and [1, 2).
    rewards, ends, _ = run(simulator, [LEFT] * 18 + [FORWARD] * 7 + [STOP])
    assert rewards == [0.0] * 18 + [0.0] * 4 + [0.25, 0.0, 0.25] + [0.0]
    assert ends[-1]
    assert metric(simulator, "cells_visited") == 5
    assert metric(simulator, "path_length") == pytest.approx(5.5)
    # A new episode begins anew.
    begin(simulator, hall, start=(0.5, 0, -0.25))
    assert metric(simulator, "cells_visited") == 1
    assert run(simulator, [FORWARD] * 2)[0] == [0.0, 0.25]


def test_explore_tells_storeys_apart_but_not_bumps(hall):
    simulator = Simulator(1, EnvConfig(), Explore)
    begin(simulator, hall, start=(0.5, 0, 0.5))
    state = simulator.state
    for height, cells in ((0.0, 1), (0.4, 1), (-0.4, 1), (3.0, 2), (2.8, 2), (3.3, 2), (-2.6, 3)):
        state.position[0, 1] = height
        simulator.step(np.array([LEFT]))
        assert metric(simulator, "cells_visited") == cells, height


def test_explore_against_sets(hall, rng):
    """Three rows on random walks through more cells than are kept room for at first, against Python sets."""
    simulator = Simulator(3, EnvConfig(forward_step=3.0, turn_angle_deg=47.0), Explore)
    for row in range(3):
        begin(simulator, hall, row, start=(0, 0, 0), heading=float(row))

    def cells():
        return [tuple(cell) for cell in np.floor(simulator.state.position[:, [0, 2]]).astype(int)]

    seen = [{cell} for cell in cells()]
    for actions in rng.integers(1, 4, (400, 3)):
        rewards, _, _ = simulator.step(actions)
        for row, cell in enumerate(cells()):
            assert rewards[row] == (0.0 if cell in seen[row] else 0.25)
            seen[row].add(cell)
    assert simulator.infos()["cells_visited"].tolist() == [len(cells) for cells in seen]
    assert min(len(cells) for cells in seen) > 40
    assert simulator.get_state()["task.visited"].shape == (3, 64)


def test_explore_is_saved_and_restored(hall, rng):
    first, second = (
        Simulator(2, EnvConfig(forward_step=3.0, turn_angle_deg=47.0), Explore) for _ in range(2)
    )
    for row in range(2):
        begin(first, hall, row)
    for actions in rng.integers(1, 4, (150, 2)):
        first.step(actions)
    second.set_state(first.get_state(), [hall, hall])
    for actions in rng.integers(1, 4, (50, 2)):
        assert np.array_equal(first.step(actions)[0], second.step(actions)[0])
    assert np.array_equal(first.infos()["cells_visited"], second.infos()["cells_visited"])
    other = Simulator(2, EnvConfig(), Flee)
    with pytest.raises(ConfigError, match=r"task\.visited.*another size, task or version"):
        second.check_state(other.get_state())
    few = Simulator(1, EnvConfig(), Explore)
    with pytest.raises(ConfigError, match="another size"):
        few.check_state({**few.get_state(), "task.visited": first.get_state()["task.visited"]})


def test_imagenav_rewards_as_pointnav_and_hides_where_the_goal_is(hall):
    simulators = [Simulator(1, EnvConfig(), task) for task in (PointNav, ImageNav)]
    results = []
    for simulator in simulators:
        begin(simulator, hall)
        results.append(run(simulator, [FORWARD] * 8 + [STOP]))
    assert results[0] == results[1]
    assert simulators[1].task.sensors() == simulators[1].task.observe(simulators[1].state) == {}
    one, two = (simulator.infos() for simulator in simulators)
    assert one == two


def test_headings_of_pictures_are_uniform_and_the_generators_alone(hall):
    task = ImageNav(EnvConfig(), 1)
    start, goal = np.zeros((1, 3), np.float32), np.float32([[0, 0, -2]])
    (episode,) = place_episodes(hall, [Draft(0, 0)], start, [0.3], goal, ["test"])
    drawn = [task.adapt(episode, hall, episode_generator(5, number)) for number in range(400)]
    assert all(replace(item, goal_heading=0.0) == replace(episode, goal_heading=0.0) for item in drawn)
    headings = np.array([item.goal_heading for item in drawn])
    assert headings[7] == task.adapt(episode, hall, episode_generator(5, 7)).goal_heading
    # Eight sectors of 50 expected each: 4 standard deviations of sqrt(400 x 1/8 x 7/8) = 6.6 either way.
    counts = np.histogram(headings, bins=8, range=(-np.pi, np.pi))[0]
    assert counts.sum() == 400
    assert np.abs(counts - 50).max() < 27


def test_a_limit_of_its_own_ends_every_task(hall):
    """As with PointNav's ``bps`` preset: 499 actions, then the end."""
    for task in (Flee, Explore, ImageNav):
        config = replace(EnvConfig.preset("bps"), max_episode_steps=3)
        simulator = Simulator(1, config, task)
        begin(simulator, hall)
        _, ends, cuts = run(simulator, [LEFT] * 3)
        assert ends == [False, False, True], task
        assert not any(cuts)
