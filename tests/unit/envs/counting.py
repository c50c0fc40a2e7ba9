"""A small vector environment that keeps all of Gymnasium's laws, to be broken one law at a time."""

from __future__ import annotations

import gymnasium as gym
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space


class CountingEnv(VectorEnv):
    """Row i shows (its first number, steps, sum of actions); an episode has 3 + i % 2 steps."""

    def __init__(self, mode, num_envs=4):
        self.metadata = {"render_modes": ["rgb_array"], "autoreset_mode": AutoresetMode(mode)}
        self.render_mode = "rgb_array"
        self.num_envs = num_envs
        self.single_observation_space = gym.spaces.Dict(
            {"seen": gym.spaces.Box(-100, 100, (3,), np.float32), "parity": gym.spaces.Discrete(2)}
        )
        self.single_action_space = gym.spaces.Discrete(3)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.generators = [np.random.default_rng() for _ in range(num_envs)]
        self.seen = np.zeros((num_envs, 3), np.float32)
        self.over = np.zeros(num_envs, bool)

    def begin(self, rows):
        for row in np.flatnonzero(rows):
            self.seen[row] = self.generators[row].uniform(-50, 50), 0, 0
        self.over &= ~rows

    def observe(self):
        return {"seen": self.seen.copy(), "parity": self.seen[:, 1].astype(np.int64) % 2}

    def infos(self, rows):
        return {"steps": np.where(rows, self.seen[:, 1], 0).astype(np.int64), "_steps": rows.copy()}

    def reset(self, *, seed=None, options=None):
        rows = np.ones(self.num_envs, bool) if not options else options["reset_mask"]
        if seed is not None:
            for row in np.flatnonzero(rows):
                self.generators[row] = np.random.default_rng(seed + row)
        self.begin(rows)
        return self.observe(), self.infos(rows)

    def act(self, actions, resting):
        self.seen[~resting] += np.stack([0 * actions, 0 * actions + 1, actions], axis=1)[~resting]
        rewards = np.where(resting, 0.0, actions + 1.0)
        over = ~resting & (self.seen[:, 1] >= 3 + np.arange(self.num_envs) % 2)
        return rewards, over

    def step(self, actions):
        mode = self.metadata["autoreset_mode"]
        resting = self.over.copy()
        if resting.any():
            assert mode == AutoresetMode.NEXT_STEP, "reset the rows that are over"
            self.begin(resting)
        rewards, over = self.act(actions, resting)
        infos = self.infos(np.ones(self.num_envs, bool))
        if mode == AutoresetMode.SAME_STEP and over.any():
            seen, final = self.observe(), np.full(self.num_envs, None, dtype=object)
            for row in np.flatnonzero(over):
                final[row] = {key: value[row] for key, value in seen.items()}
            infos = {
                "final_obs": final, "_final_obs": over.copy(), "final_info": self.infos(over),
                "_final_info": over.copy(),
            }  # fmt: skip
            self.begin(over)
            infos.update(self.infos(np.ones(self.num_envs, bool)))
        else:
            self.over = over.copy()
        return self.observe(), rewards, over, np.zeros(self.num_envs, bool), infos

    def render(self):
        return tuple(np.zeros((4, 4, 3), np.uint8) for _ in range(self.num_envs))
