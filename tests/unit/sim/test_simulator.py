import warnings

import numpy as np
import pytest

from gym_batchnav.config import EnvConfig
from gym_batchnav.sim import Simulator, groups
from gym_batchnav.sim.episodes import Draft, place_episodes

STOP, FORWARD, LEFT, RIGHT = range(4)


def begin(simulator, ground, row, start=(0, 0, 0), goal=(0, 0, -2), heading=0.0, scene=0, number=0):
    start, goal = (np.array([point], dtype=np.float32) for point in (start, goal))
    episodes = place_episodes(ground, [Draft(scene, number)], start, [heading], goal, ["test"])
    simulator.begin([row], episodes, [ground])


def test_walk_to_the_goal_and_stop_by_hand(hall):
    simulator = Simulator(1, EnvConfig())
    begin(simulator, hall, 0)
    rewards = []
    for action in [FORWARD] * 8 + [STOP]:
        reward, terminated, truncated = simulator.step(np.array([action]))
        rewards.append(reward[0])
    # 8 x 0.25 m = 2 m: each step gains 0.25 - 0.01; stop on the goal gives -0.01 + 2.5.
    assert rewards == pytest.approx([0.24] * 8 + [2.49])
    assert terminated[0]
    assert not truncated[0]
    infos = simulator.infos()
    assert infos["success"][0] == 1.0
    assert infos["spl"][0] == 1.0
    assert infos["soft_spl"][0] == 1.0
    assert infos["path_length"][0] == pytest.approx(2.0)
    assert infos["return"][0] == pytest.approx(8 * 0.24 + 2.49)
    assert infos["steps"][0] == 9


def test_stop_too_far_away_ends_without_success(hall):
    simulator = Simulator(1, EnvConfig())
    begin(simulator, hall, 0)
    for action in [FORWARD] * 7:
        simulator.step(np.array([action]))
    reward, terminated, _ = simulator.step(np.array([STOP]))
    # 2 - 7 x 0.25 = 0.25 m left, more than 0.2 m.
    assert terminated[0]
    assert reward[0] == pytest.approx(-0.01)
    infos = simulator.infos()
    assert infos["success"][0] == infos["spl"][0] == 0.0
    assert infos["distance_to_goal"][0] == pytest.approx(0.25)
    assert infos["soft_spl"][0] == pytest.approx(1 - 0.25 / 2)


def test_success_needs_less_than_the_distance(hall):
    simulator = Simulator(1, EnvConfig(success_distance=0.25, forward_step=0.25))
    begin(simulator, hall, 0, goal=(0, 0, -0.25))
    simulator.step(np.array([STOP]))
    assert simulator.infos()["success"][0] == 0.0


def test_turns_and_goal_sensor(hall):
    simulator = Simulator(2, EnvConfig())
    begin(simulator, hall, 0, goal=(0, 0, -2))
    begin(simulator, hall, 1, goal=(-3, 0, 0))
    simulator.step(np.array([LEFT, RIGHT]))
    sensed = simulator.task.observe(simulator.state)["pointgoal"]
    # After 10 deg to the left the goal ahead lies 10 deg to the right, which is negative; the goal at the
    # left (90 deg) lies at 100 deg after a turn to the right.
    assert sensed.dtype == np.float32
    assert sensed[0] == pytest.approx([2.0, -np.radians(10)], abs=1e-6)
    assert sensed[1] == pytest.approx([3.0, np.radians(100)], abs=1e-6)
    assert simulator.state.path_length.tolist() == [0.0, 0.0]


def test_goal_formats_agree(hall):
    sensed = {}
    for goal_format in ("polar", "polar_cos_sin", "cartesian"):
        simulator = Simulator(1, EnvConfig(goal_format=goal_format))
        begin(simulator, hall, 0, goal=(1, 0, -2), heading=0.4)
        sensed[goal_format] = simulator.task.observe(simulator.state)["pointgoal"][0]
    rho, phi = sensed["polar"]
    assert sensed["polar_cos_sin"] == pytest.approx([rho, np.cos(phi), np.sin(phi)], abs=1e-6)
    # Right of the agent is the negative angle.
    assert sensed["cartesian"] == pytest.approx([rho * np.cos(phi), -rho * np.sin(phi)], abs=1e-6)


def test_collision_rule_and_count(hall):
    simulator = Simulator(1, EnvConfig())
    begin(simulator, hall, 0, start=(0, 0, -4.9), goal=(0, 0, 4))
    _, _, _ = simulator.step(np.array([FORWARD]))
    # 0.1 m of 0.25 m: 0.01 + 1e-5 < 0.0625.
    infos = simulator.infos()
    assert infos["collision"][0]
    assert infos["collisions"][0] == 1
    assert infos["path_length"][0] == pytest.approx(0.1, abs=1e-6)
    simulator.step(np.array([LEFT]))
    infos = simulator.infos()
    assert not infos["collision"][0]
    assert infos["collisions"][0] == 1


def test_truncation_at_the_limit_also_when_terminated(hall):
    simulator = Simulator(2, EnvConfig(max_episode_steps=2))
    begin(simulator, hall, 0)
    begin(simulator, hall, 1)
    _, terminated, truncated = simulator.step(np.array([LEFT, LEFT]))
    assert not (terminated | truncated).any()
    _, terminated, truncated = simulator.step(np.array([STOP, LEFT]))
    assert terminated.tolist() == [True, False]
    assert truncated.tolist() == [True, True]


def test_resting_rows_keep_everything(hall):
    simulator = Simulator(2, EnvConfig())
    begin(simulator, hall, 0)
    begin(simulator, hall, 1)
    names = ("position", "heading", "steps", "stopped")
    before = {name: getattr(simulator.state, name)[1].copy() for name in names}
    rewards, terminated, truncated = simulator.step(np.array([FORWARD, STOP]), np.array([False, True]))
    assert rewards[1] == 0.0
    assert not terminated[1]
    assert not truncated[1]
    for name, value in before.items():
        assert np.array_equal(getattr(simulator.state, name)[1], value), name
    assert simulator.state.steps[0] == 1


def test_rows_change_scenes_and_the_groups_follow(hall, rng):
    """Against one simulator per row: rows hop between scenes at random."""
    rows, config = 5, EnvConfig()
    batch = Simulator(rows, config)
    singles = [Simulator(1, config) for _ in range(rows)]
    for step in range(200):
        for row in range(rows):
            if step == 0 or rng.random() < 0.1:
                start, goal = rng.uniform(-4, 4, (2, 3)) * [1, 0, 1]
                pose = {"start": start, "goal": goal, "heading": float(rng.uniform(-3, 3))}
                pose |= {"scene": int(rng.integers(3)), "number": step}
                begin(batch, hall, row, **pose)
                begin(singles[row], hall, 0, **pose)
        actions = rng.integers(1, 4, rows)
        rewards, _, _ = batch.step(actions)
        for row, single in enumerate(singles):
            assert single.step(actions[row : row + 1])[0][0] == rewards[row]
            for key, value in single.infos().items():
                assert value[0] == batch.infos()[key][row], key


def test_threads_change_nothing(hall, rng, monkeypatch):
    """Seven rows in two scenes: blocks of two rows shared by threads, against one thread."""
    alone, shared = Simulator(7, EnvConfig()), Simulator(7, EnvConfig())
    for row in range(7):
        start, goal = rng.uniform(-4, 4, (2, 3)) * [1, 0, 1]
        for simulator in (alone, shared):
            begin(simulator, hall, row, start, goal, heading=float(row), scene=row % 2)
    for actions in rng.integers(1, 4, (30, 7)):
        alone.step(actions)
        with monkeypatch.context() as patch:
            patch.setattr(groups, "ENOUGH_FOR_THREADS", 1)
            patch.setattr(groups, "BLOCK", 2)
            shared.step(actions)
        for name, value in alone.get_state().items():
            assert np.array_equal(value, shared.get_state()[name]), name
    assert alone.infos()["collisions"].sum() > 0


def test_broken_mesh_never_leaks_nan(hall):
    class Broken(type(hall)):
        def move(self, positions, targets, sliding=True, **kwargs):
            return np.full_like(targets, np.nan)

    simulator = Simulator(1, EnvConfig())
    begin(simulator, Broken(), 0)
    with pytest.warns(UserWarning, match=r"rows \[0\]"):
        rewards, _, _ = simulator.step(np.array([FORWARD]))
    assert rewards[0] == pytest.approx(-0.01)
    assert np.isfinite(simulator.state.position).all()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        simulator.step(np.array([FORWARD]))
    assert all(np.isfinite(value).all() for value in simulator.infos().values())
