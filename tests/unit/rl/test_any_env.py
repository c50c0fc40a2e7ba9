"""Environments that have nothing to do with navigation."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
import pytest
import torch
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, SyncVectorEnv, VectorEnv

from gym_batchnav.errors import ConfigError
from gym_batchnav.rl import (
    PolicyConfig,
    PPOConfig,
    TrainCallback,
    TrainConfig,
    evaluate,
    load_checkpoint,
    load_policy,
    read_log,
    train,
)
from gym_batchnav.rl.nets.features import vector_features, vector_width
from gym_batchnav.rl.spec import EnvSpec, env_spec

MODES = [AutoresetMode.SAME_STEP, pytest.param(AutoresetMode.NEXT_STEP, marks=pytest.mark.slow)]
TWO = spaces.Discrete(2)


class Stop(TrainCallback):
    """Ends a run after an update and keeps what it says."""

    def __init__(self, update=None):
        self.update, self.messages = update, []

    def on_start(self, run):
        self.run = run

    def on_update(self, record):
        if record["update"] == self.update:
            self.run.stop("enough")

    def on_message(self, text):
        self.messages.append(text)


class SeeEnv(gym.Env):
    """A bright square on the left or on the right; the action that names its side earns 1. Ten steps."""

    observation_space = spaces.Box(0, 255, (16, 16, 3), np.uint8)
    action_space = TWO

    def __init__(self, shown=True):
        self.shown = shown

    def _observe(self):
        self.side = int(self.np_random.integers(2))
        image = self.np_random.integers(0, 60, (16, 16, 3)).astype(np.uint8)
        if self.shown:
            row, column = int(self.np_random.integers(12)), int(self.np_random.integers(4))
            image[row : row + 4, column + 8 * self.side : column + 8 * self.side + 4] = 200
        return image

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.time = 0
        return self._observe(), {}

    def step(self, action):
        self.time += 1
        reward = float(action == self.side)
        return self._observe(), reward, False, self.time == 10, {}


class MixedEnv(gym.Env):
    """A cue of every kind of space; only the class in the nested one says which action earns 1."""

    observation_space = spaces.Dict(
        inner=spaces.Dict(which=spaces.Discrete(3), pair=spaces.MultiDiscrete([2, 4])),
        both=spaces.Tuple([spaces.MultiBinary(5), spaces.Box(0, 255, (6,), np.uint8)]),
        grid=spaces.Box(-1, 1, (3, 2), np.float64),
    )
    action_space = spaces.Discrete(3)

    def _observe(self):
        observation = self.observation_space.sample()
        self.right = int(observation["inner"]["which"])
        return observation

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.observation_space.seed(int(self.np_random.integers(2**31)))
        self.time = 0
        return self._observe(), {}

    def step(self, action):
        self.time += 1
        reward = float(action == self.right)
        return self._observe(), reward, False, self.time == 5, {}


class StatefulCartPole(VectorEnv):
    """CartPole of Gymnasium with ``get_state`` and ``set_state``."""

    def __init__(self, num_envs, with_state=True):
        self.envs = SyncVectorEnv(
            [lambda: gym.make("CartPole-v1")] * num_envs, autoreset_mode=AutoresetMode.NEXT_STEP
        )
        self.num_envs, self.metadata = num_envs, self.envs.metadata
        self.single_observation_space = self.envs.single_observation_space
        self.single_action_space = self.envs.single_action_space
        self.observation_space, self.action_space = self.envs.observation_space, self.envs.action_space
        if with_state:
            self.get_state, self.set_state = self._get_state, self._set_state

    def reset(self, *, seed=None, options=None):
        return self.envs.reset(seed=seed, options=options)

    def step(self, actions):
        return self.envs.step(actions)

    def _get_state(self) -> dict[str, Any]:
        rows = []
        for env in self.envs.envs:
            rng = env.unwrapped.np_random.bit_generator.state["state"]
            position = env.unwrapped.state
            rows.append(
                {
                    "position": np.zeros(4) if position is None else np.asarray(position),
                    "steps": env._elapsed_steps,
                    "rng": {name: str(value) for name, value in rng.items()},
                    "beyond": env.unwrapped.steps_beyond_terminated,
                }
            )
        return {"rows": rows, "ended": self.envs._autoreset_envs.copy()}

    def _set_state(self, state):
        for env, row in zip(self.envs.envs, state["rows"], strict=True):
            env.unwrapped.state = np.asarray(row["position"])
            env._elapsed_steps = row["steps"]
            env.unwrapped.steps_beyond_terminated = row["beyond"]
            full = env.unwrapped.np_random.bit_generator.state
            full["state"] = {name: int(value) for name, value in row["rng"].items()}
            env.unwrapped.np_random.bit_generator.state = full
        self.envs._autoreset_envs = state["ended"].copy()


def vector(make, mode, num_envs=16):
    return SyncVectorEnv([make] * num_envs, autoreset_mode=mode)


def learner(frames, **ppo):
    return TrainConfig(
        policy=PolicyConfig(hidden=32, stem_planes=8, planes=(16,), strides=(2,), recurrence="none"),
        ppo=PPOConfig(**{"rollout_length": 16, "minibatches": 2, "epochs": 4, "learning_rate": 3e-3, **ppo}),
        total_frames=frames,
        tensorboard=False,
        precision="float32",
        checkpoint_every_s=1e9,
        threads=1,
    )


@pytest.mark.slow
def test_cartpole_is_solved(tmp_path):
    make = lambda: vector(lambda: gym.make("CartPole-v1"), AutoresetMode.NEXT_STEP)  # noqa: E731
    config = learner(80_000, rollout_length=32, epochs=8, gamma=0.98, entropy_coefficient=0.0)
    train(config, make, tmp_path)
    result = evaluate(load_policy(tmp_path), make(), 32, seed=3)
    assert result.metrics["return"].mean >= 400


@pytest.mark.slow
@pytest.mark.parametrize(("shown", "low", "high"), [(True, 9.0, 10.0), (False, 3.5, 6.5)])
def test_images_are_seen(tmp_path, shown, low, high):
    make = lambda: vector(lambda: SeeEnv(shown), AutoresetMode.SAME_STEP)  # noqa: E731
    train(learner(15_000, gamma=0.5), make, tmp_path)
    result = evaluate(load_policy(tmp_path), make(), 64, seed=3)
    # Ten steps of 1 each; who guesses gets 5.
    assert low <= result.metrics["return"].mean <= high


@pytest.mark.parametrize("mode", MODES)
def test_all_kinds_of_observations_reach_the_policy(tmp_path, mode):
    make = lambda: vector(MixedEnv, mode)  # noqa: E731
    train(learner(4_000, gamma=0.5, learning_rate=1e-2), make, tmp_path)
    agent = load_policy(tmp_path)
    assert set(agent.policy.spec.fields) == {"both/0", "both/1", "grid", "inner/pair", "inner/which"}
    result = evaluate(agent, make(), 32, seed=3)
    # Five steps of 1 each; who guesses gets 5 / 3.
    assert result.metrics["return"].mean > 4.5
    # The raw observation of one environment, as Gymnasium gives it.
    env = MixedEnv()
    observation, _ = env.reset(seed=1)
    action, _ = agent.act(observation, None, True)
    assert action == env.right


def test_exact_resume_of_cartpole(tmp_path):
    make = lambda: StatefulCartPole(8)  # noqa: E731
    config = learner(6 * 8 * 16)
    whole = train(config, make, tmp_path / "whole")
    train(config, make, tmp_path / "parts", callbacks=[Stop(3)])
    listener = Stop()
    parts = train(config, make, tmp_path / "parts", resume=True, callbacks=[listener])
    assert listener.messages == ["resumed at 384 frames, exactly"]
    first, second = (load_checkpoint(result.checkpoint)["policy"] for result in (whole, parts))
    assert all(torch.equal(value, second[name]) for name, value in first.items())
    assert [r["losses"] for r in read_log(tmp_path / "whole")] == [
        r["losses"] for r in read_log(tmp_path / "parts")
    ]


def test_without_a_state_new_episodes_begin_and_that_is_said(tmp_path):
    make = lambda: StatefulCartPole(8, with_state=False)  # noqa: E731
    config = learner(4 * 8 * 16)
    train(config, make, tmp_path, callbacks=[Stop(2)])
    listener = Stop()
    assert train(config, make, tmp_path, resume=True, callbacks=[listener]).updates == 4
    assert listener.messages == [
        "resumed at 256 frames with new episodes (the environment cannot restore its state)"
    ]


def test_classes_and_bytes_become_features():
    spec = env_spec(
        spaces.Dict(
            one=spaces.Discrete(3), two=spaces.MultiDiscrete([2, 3]), byte=spaces.Box(0, 255, (2,), np.uint8),
            mask=spaces.Box(0, 1, (2,), np.uint8), bits=spaces.MultiBinary(2),
        ),
        TWO,
    )  # fmt: skip
    config = PolicyConfig()

    def features(key, values):
        found = vector_features(key, torch.as_tensor(values), spec.fields[key], config)
        assert found.shape[1] == vector_width(key, spec.fields[key], config)
        return found.tolist()

    assert features("one", [2, 0]) == [[0, 0, 1], [1, 0, 0]]
    assert features("two", [[1, 2], [0, 0]]) == [[0, 1, 0, 0, 1], [1, 0, 1, 0, 0]]
    assert features("byte", np.array([[0, 51]], np.uint8)) == [[0, pytest.approx(0.2)]]
    assert features("mask", np.array([[0, 1]], np.uint8)) == [[0, 1]]
    assert features("bits", np.array([[1, 0]], np.int8)) == [[1, 0]]
    assert EnvSpec.from_dict(spec.to_dict()) == spec
    # As checkpoints of earlier versions have it.
    assert spec.to_dict()["fields"]["byte"] == {"shape": [2], "dtype": "uint8", "unit_range": False}


def test_a_unit_range_is_left_as_it_is_unless_asked_for():
    """What suits depth is not forced upon other images."""
    assert PolicyConfig().depth_transform == "none"
    assert TrainConfig().metric_keys == ()


@pytest.mark.parametrize(
    ("observation", "action", "words"),
    [
        (spaces.Text(5), TWO, ["'observation'", "Text", "Box, Discrete"]),
        (spaces.Dict(a=spaces.Dict(b=spaces.Sequence(TWO))), TWO, ["'a/b'", "Sequence"]),
        (spaces.Dict({"a.b": TWO}), TWO, ["'a.b'", "dot"]),
        (spaces.Discrete(3, start=1), TWO, ["'observation'", "start at 0"]),
        (spaces.Box(0, 255, (4, 84, 84), np.uint8), TWO, ["(4, 84, 84)", "channels first", "(H, W, C)"]),
        (TWO, spaces.Box(-1, 1, (2,)), ["action space", "Box", "Discrete(n)"]),
        (TWO, spaces.MultiDiscrete([2, 2]), ["action space", "MultiDiscrete"]),
        (TWO, spaces.Discrete(2, start=1), ["action space", "starting at 0"]),
    ],
)
def test_what_cannot_be_learnt_is_refused_by_name(observation, action, words):
    with pytest.raises(ConfigError) as caught:
        env_spec(observation, action)
    assert all(word in str(caught.value) for word in words)
