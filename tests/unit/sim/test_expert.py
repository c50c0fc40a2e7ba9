"""The greedy follower of shortest paths."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest

from gym_batchnav.config import EnvConfig
from gym_batchnav.nav import NavMesh, navmesh_for
from gym_batchnav.scenes.houses import load_house
from gym_batchnav.sim import Simulator
from gym_batchnav.sim.episodes import Draft, place_episodes

STOP, FORWARD, LEFT, RIGHT = range(4)
SHARED = Path(__file__).resolve().parents[4] / "shared" / "data" / "navmesh"


def begin(mesh, starts, headings, goals, **fields) -> Simulator:
    count = len(starts)
    simulator = Simulator(count, EnvConfig(max_episode_steps=1000, **fields))
    drafts = [Draft(0, number) for number in range(count)]
    starts, goals = np.asarray(starts, np.float32), np.asarray(goals, np.float32)
    episodes = place_episodes(mesh, drafts, starts, list(headings), goals, ["test"] * count)
    simulator.begin(list(range(count)), episodes, [mesh] * count)
    return simulator


def far_episodes(mesh, count, seed=0):
    """Starts, headings and goals of ``count`` episodes of more than 2 m."""
    rng = np.random.default_rng(seed)
    starts, goals = mesh.sample(3000, rng), mesh.sample(3000, rng)
    length = mesh.geodesic_distance(starts, goals)
    far = np.flatnonzero(np.isfinite(length) & (length > 2.0))[:count]
    return starts[far], rng.uniform(-np.pi, np.pi, len(far)), goals[far]


def run(simulator) -> np.ndarray:
    """SPL of each episode, walked to its end or for 1,000 steps."""
    over = np.zeros(simulator.state.num_envs, bool)
    for _ in range(1000):
        _, ended, _ = simulator.step(simulator.expert_actions(), over)
        over |= ended
        if over.all():
            break
    return simulator.infos()["spl"]


@cache
def house() -> NavMesh:
    return navmesh_for(load_house("val", 0))


def test_actions_by_hand():
    square = [(-5, 0, -5), (-5, 0, 5), (5, 0, 5), (5, 0, -5)]
    hall = NavMesh.from_polygons(square, [(0, 1, 2, 3)])
    # In the open: ahead, 30 degrees to either side, behind and a little left, and 0.19 m away.
    side = np.tan(np.radians(30.0))
    goals = [(0, 0, -2), (-side, 0, -1), (side, 0, -1), (-0.05, 0, 1), (0, 0, -0.19)]
    simulator = begin(hall, [(0, 0, 0)] * 5, [0.0] * 5, goals)
    np.testing.assert_array_equal(simulator.expert_actions(), [FORWARD, LEFT, RIGHT, LEFT, STOP])
    seen = []
    for _ in range(19):
        actions = simulator.expert_actions()
        seen.append(actions)
        simulator.step(actions, np.array([True, False, False, False, True]))
    first, second, third = (np.array(seen)[:, row].tolist() for row in (1, 2, 3))
    # 1 / cos 30 = 1.155 m away: four steps leave 0.155 m.
    assert first[:8] == [LEFT] * 3 + [FORWARD] * 4 + [STOP]
    assert second[:8] == [RIGHT] * 3 + [FORWARD] * 4 + [STOP]
    # 2.9 degrees are left after 18 turns, 7.1 degrees after 17.
    assert third == [LEFT] * 18 + [FORWARD]


@pytest.mark.parametrize("sliding", [True, False])
def test_turns_lead_to_the_best_step_of_all(sliding):
    """Against every number of turns tried one by one with the mesh's own step and distance."""
    mesh = house()
    starts, headings, goals = far_episodes(mesh, 40, seed=3)
    simulator = begin(mesh, starts, headings, goals, sliding=sliding)
    turns = simulator._groups.best_turns(
        np.ones(40, bool), simulator.state.position, simulator.state.heading,
        turn_angle=simulator.config.turn_angle, forward_step=simulator.config.forward_step, sliding=sliding,
    )  # fmt: skip
    ends = []
    for turn in range(-17, 19):
        angle = headings + turn * np.radians(10.0)
        steps = 0.25 * np.stack([-np.sin(angle), np.zeros(40), -np.cos(angle)], axis=1)
        moved = mesh.move(starts, (starts + steps).astype(np.float32), sliding, refuse_other_island=True)
        ends.append(mesh.geodesic_distance(moved, goals))
    left = np.array(ends)
    gained = mesh.geodesic_distance(starts, goals) - left.min(axis=0)
    clear = gained > 0.05  # elsewhere it looks two steps ahead
    assert clear.sum() > 30
    chosen = left[turns + 17, np.arange(40)]
    # Up to 0.25 mm a turn may be given away for fewer turns.
    assert (chosen - left.min(axis=0) <= 0.00025 * 36 + 1e-5)[clear].all()
    assert np.median((chosen - left.min(axis=0))[clear]) < 1e-3


def test_reaches_goals_where_no_single_step_helps():
    """Without sliding a wall may stop every step that would gain something: then two steps are looked at."""
    mesh = house()
    simulator = begin(mesh, *far_episodes(mesh, 100), sliding=False)
    spl = run(simulator)
    assert (spl > 0).all()
    assert spl.mean() >= 0.925


def test_rows_do_not_depend_on_each_other():
    mesh = house()
    starts, headings, goals = far_episodes(mesh, 24, seed=5)
    together = begin(mesh, starts, headings, goals).expert_actions()
    order = np.random.default_rng(0).permutation(24)
    np.testing.assert_array_equal(
        begin(mesh, starts[order], headings[order], goals[order]).expert_actions(), together[order]
    )


@pytest.mark.slow
@pytest.mark.parametrize(("sliding", "least"), [(True, 0.97), (False, 0.925)])
@pytest.mark.parametrize("name", ["van-gogh-room", "apartment_1", "aws_small_house", "ifc_duplex"])
def test_spl_on_real_navmeshes(name, sliding, least):
    path = SHARED / f"{name}.navmesh"
    if not path.is_file():
        pytest.skip(f"{path} is not there")
    mesh = NavMesh.load(path)
    spl = run(begin(mesh, *far_episodes(mesh, 100), sliding=sliding, max_height_difference=100.0))
    assert (spl > 0).all()
    assert spl.mean() >= least
