from __future__ import annotations

import numpy as np
import pytest
import torch
from gymnasium.vector import AutoresetMode

from gym_batchnav.errors import ConfigError
from gym_batchnav.rl import PolicyConfig, RandomAgent, StraightWalker, evaluate
from gym_batchnav.rl.agents import FORWARD, LEFT, RIGHT, STOP, PolicyAgent
from gym_batchnav.rl.intervals import bootstrap_interval, wilson_interval
from gym_batchnav.rl.nets.policy import ActorCritic
from gym_batchnav.rl.spec import env_spec

LENGTHS = [(4, 3, 5), (2, 2), (6, 1, 3)]


@pytest.mark.parametrize("mode", list(AutoresetMode))
def test_every_row_counts_for_its_quota(clock_envs, mode):
    # 8 episodes on 3 rows: rows 0 and 1 have 3 (m = 0 3 6 and 1 4 7), row 2 has 2 (m = 2 5)
    steps, episodes = [], []
    result = evaluate(RandomAgent(3), clock_envs(mode), 8, on_step=steps.append, on_episode=episodes.append)
    assert [record.index for record in result.episodes] == list(range(8))
    for record in result.episodes:
        e = record.index // 3
        assert record.row == record.index % 3
        assert record.episode_id == f"{record.row}-{e}"
        assert record.scene_id == f"scene{record.row}"
        assert record.initial_distance == 10.0 * record.row + e
        length = LENGTHS[record.row][e % len(LENGTHS[record.row])]
        assert record.steps == length
        # sum over steps 1 ... L of 100 row + 10 e + t = L (100 row + 10 e) + L (L + 1) / 2
        assert record.total_reward == length * (100 * record.row + 10 * e) + length * (length + 1) / 2
        assert record.truncated is (e % 2 == 1)
        assert record.metrics["success"] == float(e % 2 == 0)
    # success: e = 0, 0, 0, 1, 1, 1, 2, 2: 5 of 8
    assert result.metrics["success"].mean == 5 / 8
    assert result.to_dict()["episodes"] == 8
    assert result.to_dict()["success"].keys() == {"mean", "low", "high"}
    assert sorted(r.index for r in episodes) == list(range(8))
    # Every action that was carried out in a counted episode was shown once, with the episode's number.
    counts = np.zeros(8, int)
    for view in steps:
        np.add.at(counts, view.episode[view.active], 1)
        assert (view.obs["observation"][view.active, 1].numpy() == view.episode[view.active] // 3).all()
    assert counts.tolist() == [record.steps for record in result.episodes]


def test_fewer_episodes_than_rows(clock_envs):
    result = evaluate(RandomAgent(3), clock_envs(AutoresetMode.SAME_STEP), 2)
    assert [record.row for record in result.episodes] == [0, 1]


def test_no_episodes_is_refused(clock_envs):
    with pytest.raises(ConfigError, match="num_episodes is 0"):
        evaluate(RandomAgent(3), clock_envs(AutoresetMode.SAME_STEP), 0)


def test_straight_walker_turns_walks_and_stops():
    goal = np.array([[3.0, 0.5], [3.0, -0.5], [3.0, 0.05], [0.15, 3.0]], np.float32)
    actions, state = StraightWalker().act({"pointgoal": goal}, None, np.ones(4, bool))
    assert actions.tolist() == [LEFT, RIGHT, FORWARD, STOP]
    assert state is None
    assert actions.dtype == np.int64
    actions, _ = StraightWalker().act(
        {"pointgoal_with_gps_compass": torch.from_numpy(goal)}, None, np.ones(4, bool)
    )
    assert actions.tolist() == [LEFT, RIGHT, FORWARD, STOP]
    with pytest.raises(ConfigError, match="pointgoal"):
        StraightWalker().act({"depth": goal}, None, np.ones(4, bool))


def test_random_agent_is_seeded_and_follows_its_probabilities():
    draws = [RandomAgent(4, seed=s).act({}, None, np.zeros(50, bool))[0].tolist() for s in (1, 1, 2)]
    assert draws[0] == draws[1] != draws[2]
    agent = RandomAgent(4, probabilities=[0, 0.5, 0, 0.5])
    assert set(agent.act({}, None, np.zeros(100, bool))[0]) == {1, 3}


def test_policy_agent_forgets_at_episode_starts(clock_envs):
    envs = clock_envs(AutoresetMode.SAME_STEP)
    torch.manual_seed(0)
    spec = env_spec(envs.single_observation_space, envs.single_action_space)
    policy = ActorCritic(PolicyConfig(hidden=8, vector_embedding=8), spec)
    torch.nn.init.normal_(policy.actor.weight)
    agent = PolicyAgent(policy)
    obs = np.random.default_rng(0).normal(size=(5, 3)).astype(np.float32)
    first, state = agent.act(obs, None, np.ones(5, bool))
    again, after = agent.act({"observation": obs}, state, np.ones(5, bool))
    assert first.tolist() == again.tolist()
    assert torch.equal(after.memory, state.memory)
    _, went_on = agent.act(obs, state, np.zeros(5, bool))
    assert not torch.equal(went_on.memory, state.memory)


def test_intervals_go_over_scenes_where_there_are_ten(clock_envs):
    # A row is a scene: with 3 of them Wilson's interval of 8 episodes, 5 successful ones.
    few = evaluate(RandomAgent(3), clock_envs(AutoresetMode.SAME_STEP), 8)
    assert few.metrics["success"] == wilson_interval(5, 8)
    # With 12 rows and 24 episodes every scene has one success (e = 0) and one failure: no house is better.
    many = evaluate(RandomAgent(3), clock_envs(AutoresetMode.SAME_STEP, 12), 24)
    assert many.metrics["success"] == (0.5, 0.5, 0.5)
    # Steps of the scenes' episodes: 4 and 3, 2 and 2, 6 and 1 and so on; e = 0 comes first in the set.
    steps = [4, 2, 6] * 4 + [3, 2, 1] * 4
    assert many.metrics["steps"] == bootstrap_interval(steps, groups=np.tile(np.arange(12), 2))
    assert many.metrics["steps"].mean == 3.0
