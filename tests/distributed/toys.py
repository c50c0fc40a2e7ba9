"""A vector environment whose rows depend on nothing but their own seed, and a run that trains on it."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv

from gym_batchnav.rl import PolicyConfig, PPOConfig, TrainCallback, TrainConfig
from gym_batchnav.rl.config import DistributedConfig


class RowsEnv(VectorEnv):
    """Row i of ``reset(seed=s)`` draws all it shows, earns and when it ends from seed s + i. SAME_STEP.

    ``before_step(number)`` is called before each step, with the number of steps taken.
    """

    def __init__(self, num_envs: int, before_step: Callable[[int], None] = lambda number: None) -> None:
        self.num_envs = num_envs
        self.metadata = {"autoreset_mode": AutoresetMode.SAME_STEP}
        self.single_observation_space = gym.spaces.Box(-10, 10, (3,), np.float32)
        self.single_action_space = gym.spaces.Discrete(3)
        self.observation_space = gym.vector.utils.batch_space(self.single_observation_space, num_envs)
        self.action_space = gym.vector.utils.batch_space(self.single_action_space, num_envs)
        self.before_step, self.steps_taken = before_step, 0
        self.rngs: list[np.random.Generator] = []
        self.shown = np.zeros((num_envs, 3), np.float32)

    def reset(self, *, seed=None, options=None):
        self.rngs = [np.random.default_rng(seed + row) for row in range(self.num_envs)]
        self.shown = np.stack([rng.normal(size=3) for rng in self.rngs]).astype(np.float32)
        return self.shown.copy(), {}

    def step(self, actions):
        self.before_step(self.steps_taken)
        self.steps_taken += 1
        draws = np.stack([rng.random(2) for rng in self.rngs])
        right = self.shown[:, :2].argmax(1) == actions
        terminated, truncated = draws[:, 0] < 0.1, (draws[:, 0] >= 0.1) & (draws[:, 0] < 0.2)
        after = np.stack([rng.normal(size=3) for rng in self.rngs]).astype(np.float32)
        ended = terminated | truncated
        infos: dict[str, Any] = {}
        if ended.any():
            infos = {
                "final_obs": after + 1,
                "final_info": {"success": right.astype(float), "_success": ended},
            }
        self.shown = after
        return self.shown.copy(), right + draws[:, 1], terminated, truncated, infos

    def get_state(self):
        return {
            "rngs": [json.dumps(rng.bit_generator.state) for rng in self.rngs],
            "shown": self.shown.copy(),
            "steps": self.steps_taken,
        }

    def set_state(self, state):
        self.rngs = [np.random.default_rng() for _ in range(self.num_envs)]
        for rng, text in zip(self.rngs, state["rngs"], strict=True):
            rng.bit_generator.state = json.loads(text)
        self.shown, self.steps_taken = state["shown"].copy(), state["steps"]


STEPS, ROWS = 8, 8
TOY = TrainConfig(
    policy=PolicyConfig(hidden=12, vector_embedding=8, action_embedding=4),
    ppo=PPOConfig(rollout_length=STEPS, minibatches=1, epochs=2, learning_rate=3e-3),
    distributed=DistributedConfig(timeout_s=20.0, heartbeat_s=3.0, check_every=1, preempt_share=0.0),
    total_frames=STEPS * ROWS * 4,
    metric_keys=("success",),
    tensorboard=False,
    precision="float32",
    threads=1,
    checkpoint_every_s=1e9,
)


def toy(**changes: Any) -> TrainConfig:
    """``TOY`` with other fields; a dict changes fields of a group."""
    fields = {
        key: dataclasses.replace(getattr(TOY, key), **value) if isinstance(value, dict) else value
        for key, value in changes.items()
    }
    return dataclasses.replace(TOY, **fields)


class Listener(TrainCallback):
    """Keeps messages, and stops the run after some updates or does something else then."""

    def __init__(self, after: int = 0, act: Callable[[], None] | None = None) -> None:
        self.after, self.act, self.messages, self.updates = after, act, [], 0

    def on_start(self, run):
        self.run = run

    def on_update(self, record):
        self.updates += 1
        if self.updates == self.after:
            (self.act or (lambda: self.run.stop("enough")))()

    def on_message(self, text):
        self.messages.append(text)
