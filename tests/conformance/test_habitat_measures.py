"""Habitat's measures, written down anew one episode and one step at a time, agree with ours on our walks.

From the published definitions of habitat-lab's measures DistanceToGoal, Success, SPL, SoftSPL and Collisions
(Anderson et al. 2018, arXiv:1807.06757, for SPL) and of habitat-sim's rule for a collision.
"""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from gym_batchnav import BatchPointNavEnv, EnvConfig, NavMesh
from gym_batchnav.sim import Simulator
from gym_batchnav.sim.episodes import Draft, sample_episodes
from gym_batchnav.sim.random import episode_generator

STOP, FORWARD = 0, 1
STEP_M, SUCCESS_M, TOLERANCE = 0.25, 0.2, 1e-4
ROWS, STEPS = 6, 120
NAMES = ("success", "spl", "soft_spl", "distance_to_goal", "collisions")


def path_length(mesh, start, goal):
    """Sum of the 3-D lengths between the corners of the shortest path."""
    corners = [[float(value) for value in corner] for corner in mesh.shortest_path(start, goal)]
    return sum(math.dist(first, second) for first, second in itertools.pairwise(corners))


class Measures:
    """Habitat's measures of one episode: reset at its start, then an update after every action."""

    def __init__(self, mesh, position, goal):
        self.mesh, self.goal = mesh, goal
        self.stop_called = False
        self.measured_at = None
        self.update_distance(position)
        self.start_distance = self.distance
        self.previous, self.walked, self.count = position, 0.0, 0

    def update_distance(self, position):
        # Measured again only where the agent is somewhere else.
        if self.measured_at is None or not np.allclose(self.measured_at, position, atol=1e-4):
            self.distance = path_length(self.mesh, position, self.goal)
            self.measured_at = position

    def update(self, action, heading, position):
        """After an action; the heading is that in which a step was taken."""
        self.stop_called = self.stop_called or action == STOP
        self.update_distance(position)
        self.walked += math.dist(self.previous, position)
        self.count += self.collided(action, heading, position)
        self.previous = position

    def collided(self, action, heading, position):
        """Whether the step that was filtered by the mesh is shorter than the one that was asked for."""
        if action != FORWARD:
            return False
        wish = (-math.sin(heading) * STEP_M, 0.0, -math.cos(heading) * STEP_M)
        moved = [after - before for after, before in zip(position, self.previous, strict=True)]
        return sum(part**2 for part in moved) + 1e-5 < sum(part**2 for part in wish)

    def values(self):
        success = 1.0 if self.stop_called and self.distance < SUCCESS_M else 0.0
        efficiency = self.start_distance / max(self.start_distance, self.walked)
        soft = max(0.0, 1.0 - self.distance / self.start_distance)
        return dict(
            zip(
                NAMES,
                (success, success * efficiency, soft * efficiency, self.distance, self.count),
                strict=True,
            )
        )


def assert_agrees(measures, infos, row, where):
    for name, expected in measures.values().items():
        assert abs(float(infos[name][row]) - expected) <= TOLERANCE, (name, expected, infos[name][row], where)


def choose(rng, expert):
    """Mostly the expert's way, so that episodes succeed, with detours and steps against walls."""
    wild = rng.choice([FORWARD, 2, 3], size=len(expert), p=[0.8, 0.1, 0.1])
    return np.where(rng.random(len(expert)) < 0.7, expert, wild)


@pytest.mark.parametrize("sliding", [True, False])
@pytest.mark.parametrize("name", ["van-gogh-room", "aws_small_house", "apartment_1", "ifc_duplex"])
def test_on_third_party_meshes(shared_data, name, sliding):
    mesh = NavMesh.load(shared_data / "navmesh" / f"{name}.navmesh")
    config = EnvConfig(sliding=sliding, max_episode_steps=None, straight_ratio=1.0)
    simulator = Simulator(ROWS, config)
    drafts = [Draft(0, row, episode_generator(3, row)) for row in range(ROWS)]
    episodes = sample_episodes(mesh, drafts, config, name)
    simulator.begin(range(ROWS), episodes, [mesh] * ROWS)
    measures = [Measures(mesh, place(episode.start), place(episode.anchor)) for episode in episodes]
    rng = np.random.default_rng(0)
    for step in range(STEPS):
        actions = choose(rng, simulator.expert_actions())
        actions = np.where(simulator.state.stopped, 2, actions)  # after its end a row only turns
        headings, over = simulator.state.heading.copy(), simulator.state.stopped.copy()
        simulator.step(actions, over)
        infos = simulator.infos()
        for row in np.flatnonzero(~over):
            measures[row].update(actions[row], headings[row], place(simulator.state.position[row]))
            assert_agrees(measures[row], infos, row, f"row {row}, step {step}")
    reached = [part.values() for part in measures]
    # Somebody arrives, and on a detour; somebody runs into something.
    assert any(0.0 < part["spl"] < 1.0 for part in reached)
    assert sum(part["collisions"] for part in reached) > 0


@pytest.mark.parametrize("sliding", [True, False])
def test_on_houses_in_whole_episodes(sliding):
    """Through the environment, episode after episode: the last infos of each are in ``final_info``."""
    env = BatchPointNavEnv(
        ROWS, scenes="houses:val[:2]", sensors=(), sliding=sliding, scene_workers=0, max_episode_steps=60
    )
    env.reset(seed=2)
    rng, ended, succeeded = np.random.default_rng(1), 0, 0
    measures = fresh(env, range(ROWS))
    for step in range(2 * STEPS):
        before = env.agent_state()
        actions = choose(rng, env.expert_actions())
        _, _, ends, cuts, infos = env.step(actions)
        done, after = ends | cuts, env.agent_state()
        for row in range(ROWS):
            if done[row]:
                # The position at the end is overwritten by the next start: the measure of a stop needs none.
                if actions[row] == STOP:
                    measures[row].update(STOP, 0.0, place(before["position"][row]))
                    assert_agrees(measures[row], infos["final_info"], row, f"row {row}, step {step}")
                    succeeded += int(infos["final_info"]["success"][row])
                ended += 1
                measures.update(fresh(env, [row]))
            else:
                measures[row].update(actions[row], before["heading"][row], place(after["position"][row]))
                assert_agrees(measures[row], infos, row, f"row {row}, step {step}")
    assert ended > 2 * ROWS
    assert succeeded > ROWS
    env.close()


def fresh(env, rows):
    """Measures at the starts of the rows' episodes."""
    state = env.agent_state()
    return {
        row: Measures(
            env.navmesh(state["scene_id"][row]), place(state["start"][row]), place(state["goal"][row])
        )
        for row in rows
    }


def place(point):
    return tuple(float(value) for value in point)
