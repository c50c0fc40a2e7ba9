"""Attributes and methods of rows, of this library's environments and of others'."""

from __future__ import annotations

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.vector import AsyncVectorEnv, AutoresetMode, SyncVectorEnv, VectorEnv
from gymnasium.vector.utils import batch_space
from gymnasium.wrappers.vector import RecordEpisodeStatistics, TransformReward

from gym_batchnav import ConfigError

pytest.importorskip("stable_baselines3")
from stable_baselines3 import PPO
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv, VecFrameStack, VecMonitor, VecNormalize

from gym_batchnav.integrations.sb3 import SB3VecEnv

from .conftest import ROWS

FORWARD = 1


class Numbered(gym.Env):
    """Counts its steps, ends after ``limit`` of them: at a limit for odd ones, else for good."""

    observation_space = gym.spaces.Box(0, 99, (1,), np.float32)
    action_space = gym.spaces.Discrete(2)

    def __init__(self, limit: int) -> None:
        self.limit, self.count, self.render_mode = limit, 0, None

    def reset(self, *, seed=None, options=None):
        self.count, self.options = 0, options
        return np.float32([0]), {"begun": seed}

    def step(self, action):
        self.count += 1
        over = self.count == self.limit
        info = {"count": self.count, "odd": {"limit": self.limit % 2}, "pair": np.array([self.count, 0])}
        odd = self.limit % 2 == 1
        return np.float32([self.count]), float(self.count), over and not odd, over and odd, info

    def scaled(self, factor, plus=0):
        return self.limit * factor + plus


LIMITS = (2, 3, 5)


def sync(wrap=lambda envs: envs) -> SB3VecEnv:
    makers = [
        lambda limit=limit: Monitor(Numbered(limit)) if limit == 3 else Numbered(limit) for limit in LIMITS
    ]
    return SB3VecEnv(wrap(SyncVectorEnv(makers, autoreset_mode=AutoresetMode.SAME_STEP)))


class Whole(VectorEnv):
    """A vector environment without single ones, and without ``call``."""

    metadata = {"autoreset_mode": AutoresetMode.SAME_STEP}  # noqa: RUF012
    num_envs, color = 2, "red"
    single_observation_space, single_action_space = Numbered.observation_space, Numbered.action_space
    observation_space = batch_space(single_observation_space, 2)
    action_space = batch_space(single_action_space, 2)

    def reset(self, *, seed=None, options=None):
        return np.zeros((2, 1), np.float32), {}

    def step(self, actions):
        never = np.zeros(2, bool)
        return np.ones((2, 1), np.float32), np.ones(2), never, never, {"plain": 3}


def test_rows_of_ours_answer_one_by_one(make):
    envs = make()
    envs.seed(5)
    envs.reset()
    places = envs.envs.agent_state()["position"]
    assert envs.get_attr("num_envs", [0, 2]) == [ROWS] * 2
    assert envs.get_attr("np_random_seed") == [5, 6, 7]
    assert envs.get_attr("np_random_seed", -1) == [7]
    states = envs.env_method("agent_state", indices=[2, 0])
    assert [state["position"].tolist() for state in states] == places[[2, 0]].tolist()
    assert envs.env_method("expert_action") == envs.envs.expert_actions().tolist()
    envs.set_attr("note", "a")
    assert envs.get_attr("note") == ["a"] * ROWS
    envs.set_attr("note", "b", [0, -1])
    assert envs.get_attr("note") == ["b", "a", "b"]
    # A list is one value, of which each row has one.
    envs.set_attr("other", [1, 2], 1)
    assert envs.get_attr("other") == [None, [1, 2], None]
    assert (envs.has_attr("other"), envs.has_attr("nothing"), envs.has_attr("_world")) == (True, False, False)
    assert envs.has_attr("action_masks") is False
    with pytest.raises(AttributeError):
        envs.get_attr("nothing")
    with pytest.raises(ConfigError, match="it is fixed"):
        envs.set_attr("config", 1)
    with pytest.raises(ConfigError, match="does not act on single rows"):
        envs.env_method("reset")


def test_single_environments_are_asked_one_by_one():
    envs = sync()
    envs.reset()
    assert envs.get_attr("limit") == [2, 3, 5]
    assert envs.env_method("scaled", 10, plus=1, indices=[2, 0]) == [51, 21]
    envs.set_attr("limit", 7, indices=[0, -1])
    assert envs.get_attr("limit") == [7, 3, 7]
    assert envs.envs.envs[0].limit == 7
    assert envs.env_is_wrapped(Monitor) == [False, True, False]
    assert VecFrameStack(sync(), 2).env_is_wrapped(Monitor, [1]) == [True]
    assert envs.has_attr("limit")
    envs.close()


def test_wrappers_of_the_whole_count_for_each_row(make):
    wrapped = sync(lambda envs: TransformReward(RecordEpisodeStatistics(envs), lambda reward: reward * 10))
    assert wrapped.env_is_wrapped(RecordEpisodeStatistics) == [True] * 3
    assert make().env_is_wrapped(Monitor) == [False] * ROWS
    wrapped.reset()
    _, rewards, ended, infos = [wrapped.step([0, 0, 0]) for _ in range(2)][-1]
    assert (rewards.tolist(), ended.tolist()) == ([20, 20, 20], [True, False, False])
    # Two steps of rewards 1 and 2, of which the outer wrapper made tens.
    assert (infos[0]["episode"]["r"], infos[0]["episode"]["l"]) == (3, 2)
    assert "episode" not in wrapped.reset_infos[0]


def test_other_environments_say_what_they_can():
    envs = SB3VecEnv(Whole())
    envs.reset()
    assert envs.get_attr("color") == ["red", "red"]
    assert envs.step([0, 0])[3][1] == {"plain": 3, "TimeLimit.truncated": False}
    with pytest.raises(ConfigError, match="Whole has no set_attr"):
        envs.set_attr("color", "blue")
    with pytest.raises(ConfigError, match=r"Whole has no call\(\)"):
        envs.env_method("paint")
    with pytest.raises(ConfigError, match="calls all its rows; leave indices out"):
        envs.env_method("paint", indices=0)


def test_of_other_environments_all_is_as_in_their_own_vec_env():
    """``DummyVecEnv`` over the same environments, with the ends, truncations and infos of each row."""
    envs, dummy = sync(), DummyVecEnv([lambda limit=limit: Numbered(limit) for limit in LIMITS])
    for one in (envs, dummy):
        one.seed(8)
        one.set_options({"hard": True})
    assert np.array_equal(envs.reset(), dummy.reset())
    assert envs.reset_infos == dummy.reset_infos == [{"begun": 8}, {"begun": 9}, {"begun": 10}]
    assert envs.get_attr("options") == [{"hard": True}] * 3
    for _ in range(8):
        (obs, rewards, ended, infos), expected = envs.step([0, 1, 0]), dummy.step([0, 1, 0])
        assert np.array_equal(obs, expected[0])
        assert np.array_equal(rewards, expected[1])
        assert np.array_equal(ended, expected[2])
        for told, wanted in zip(infos, expected[3], strict=True):
            told.pop("episode", None)
            assert told.pop("pair").tolist() == wanted.pop("pair").tolist()
            assert told.pop("terminal_observation", None) == wanted.pop("terminal_observation", None)
            assert told == wanted
    assert envs.get_attr("options") == [None] * 3


def test_their_ppo_learns_on_other_environments():
    envs = VecMonitor(SB3VecEnv(gym.make_vec(
        "CartPole-v1", num_envs=4, vectorization_mode="sync",
        vector_kwargs={"autoreset_mode": AutoresetMode.SAME_STEP},
    )))  # fmt: skip
    model = PPO("MlpPolicy", VecNormalize(envs), n_steps=32, batch_size=64, n_epochs=1, seed=0, device="cpu")
    model.learn(256)
    # Random play lasts some 20 steps: 256 of them hold several episodes.
    assert len(model.ep_info_buffer) > 5
    assert envs.spec.id == "CartPole-v1"
    envs.close()


@pytest.mark.slow
def test_processes_are_asked_all_together():
    envs = SB3VecEnv(
        AsyncVectorEnv([lambda: Numbered(2), lambda: Numbered(3)], autoreset_mode=AutoresetMode.SAME_STEP)
    )
    envs.reset()
    assert envs.get_attr("limit", 1) == [3]
    assert envs.env_method("scaled", 2) == [4, 6]
    envs.set_attr("limit", 9, 1)
    assert envs.get_attr("limit") == [2, 9]
    with pytest.raises(ConfigError, match="leave indices out"):
        envs.env_method("scaled", 2, indices=[0])
    envs.close()


@pytest.mark.parametrize(
    ("envs", "words"),
    [
        (lambda: SyncVectorEnv([lambda: Numbered(2)]), "is 'NextStep'.*SAME_STEP"),
        (
            lambda: SyncVectorEnv([lambda: Numbered(2)], copy=False, autoreset_mode=AutoresetMode.SAME_STEP),
            "copy=True",
        ),
    ],
)
def test_other_rules_are_refused(envs, words):
    with pytest.raises(ConfigError, match=words):
        SB3VecEnv(envs())
