"""Small vector environments whose data say where they come from."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
import torch
from gymnasium.vector import AutoresetMode, SyncVectorEnv, VectorEnv


class ClockEnv(gym.Env[np.ndarray, int]):
    """Observes (row, episode, step); episode e lasts lengths[e % len] steps; odd ones are truncated."""

    def __init__(self, row: int, lengths: tuple[int, ...]) -> None:
        self.observation_space = gym.spaces.Box(-1, 1000, (3,), np.float32)
        self.action_space = gym.spaces.Discrete(3)
        self.row, self.lengths, self.episode, self.time = row, lengths, -1, 0

    def _obs(self) -> np.ndarray:
        return np.array([self.row, self.episode, self.time], np.float32)

    def _info(self) -> dict[str, Any]:
        return {
            "success": float(self.episode % 2 == 0),
            "distance_to_goal": 10.0 * self.row + self.episode,
            "episode_id": f"{self.row}-{self.episode}",
            "scene_id": f"scene{self.row}",
        }

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.episode, self.time = self.episode + 1, 0
        return self._obs(), self._info()

    def step(self, action):
        self.time += 1
        over = self.time >= self.lengths[self.episode % len(self.lengths)]
        cut = self.episode % 2 == 1
        reward = 100.0 * self.row + 10.0 * self.episode + self.time
        return self._obs(), reward, over and not cut, over and cut, self._info()


class StatefulVectorEnv(VectorEnv):
    """Random images and goals, random ends; wholly determined by ``get_state``. Autoreset SAME_STEP."""

    def __init__(self, num_envs: int, *, with_state: bool = True) -> None:
        self.num_envs = num_envs
        self.metadata = {"autoreset_mode": AutoresetMode.SAME_STEP}
        self.single_observation_space = gym.spaces.Dict(
            depth=gym.spaces.Box(0, 1, (16, 16, 1), np.float32),
            pointgoal=gym.spaces.Box(
                np.array([0, -np.pi], np.float32), np.array([np.inf, np.pi], np.float32)
            ),
        )
        self.single_action_space = gym.spaces.Discrete(4)
        self.observation_space = gym.vector.utils.batch_space(self.single_observation_space, num_envs)
        self.action_space = gym.vector.utils.batch_space(self.single_action_space, num_envs)
        self.rng = np.random.default_rng(0)
        self.distance = np.zeros(num_envs)
        if with_state:
            self.get_state = self._get_state
            self.set_state = self._set_state

    def _observe(self) -> dict[str, np.ndarray]:
        depth = self.rng.random((self.num_envs, 16, 16, 1), dtype=np.float32)
        goal = np.stack([self.distance, np.zeros(self.num_envs)], axis=1).astype(np.float32)
        return {"depth": depth, "pointgoal": goal}

    def reset(self, *, seed=None, options=None):
        if seed is not None:
            self.rng = np.random.default_rng(seed)
        self.distance = self.rng.uniform(1, 5, self.num_envs)
        return self._observe(), {}

    def step(self, actions):
        self.distance = np.maximum(self.distance - np.where(actions == 1, 0.25, 0.0), 0.0)
        terminated = (actions == 0) & (self.rng.random(self.num_envs) < 0.3)
        truncated = (self.rng.random(self.num_envs) < 0.1) & ~terminated
        ended = terminated | truncated
        rewards = (actions == 1) * 1.0
        infos: dict[str, Any] = {}
        if ended.any():
            final = self._observe()
            objects = np.full(self.num_envs, None, dtype=object)
            for row in np.flatnonzero(ended):
                objects[row] = {key: value[row] for key, value in final.items()}
            success = (self.distance < 1).astype(np.float32)
            infos = {
                "final_obs": objects,
                "_final_obs": ended,
                "final_info": {"success": success, "_success": ended},
                "_final_info": ended,
            }
        self.distance = np.where(ended, self.rng.uniform(1, 5, self.num_envs), self.distance)
        return self._observe(), rewards, terminated, truncated, infos

    def _get_state(self) -> dict[str, Any]:
        state = self.rng.bit_generator.state
        return {
            "rng": {k: str(v) if isinstance(v, int) and v >= 2**63 else v for k, v in _flat(state).items()},
            "distance": self.distance.copy(),
        }

    def _set_state(self, state: dict[str, Any]) -> None:
        flat = state["rng"]
        self.rng.bit_generator.state = {
            "bit_generator": flat["bit_generator"],
            "state": {"state": int(flat["state"]), "inc": int(flat["inc"])},
            "has_uint32": flat["has_uint32"],
            "uinteger": flat["uinteger"],
        }
        self.distance = state["distance"].copy()


def _flat(state: dict[str, Any]) -> dict[str, Any]:
    return {**{k: v for k, v in state.items() if k != "state"}, **state["state"]}


class RecallEnv(VectorEnv):
    """Shows a cue in the first frame only; three steps later the action that names it earns 1. SAME_STEP."""

    steps = 4

    def __init__(self, num_envs: int) -> None:
        self.num_envs = num_envs
        self.metadata = {"autoreset_mode": AutoresetMode.SAME_STEP}
        self.single_observation_space = gym.spaces.Box(-1, 1, (2,), np.float32)
        self.single_action_space = gym.spaces.Discrete(2)
        self.observation_space = gym.vector.utils.batch_space(self.single_observation_space, num_envs)
        self.action_space = gym.vector.utils.batch_space(self.single_action_space, num_envs)

    def _observe(self) -> np.ndarray:
        shown = np.where(self.time == 0, 2.0 * self.cue - 1, 0.0)
        return np.stack([shown, self.time == self.steps - 1], axis=1).astype(np.float32)

    def reset(self, *, seed=None, options=None):
        self.rng = np.random.default_rng(seed)
        self.cue = self.rng.integers(2, size=self.num_envs)
        self.time = np.zeros(self.num_envs, int)
        return self._observe(), {}

    def step(self, actions):
        ended = self.time == self.steps - 1
        right = ended & (actions == self.cue)
        infos = {"final_info": {"success": right.astype(float), "_success": ended}} if ended.any() else {}
        self.time = np.where(ended, 0, self.time + 1)
        self.cue = np.where(ended, self.rng.integers(2, size=self.num_envs), self.cue)
        return self._observe(), right.astype(float), ended, np.zeros_like(ended), infos


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """Networks this small only wait for each other's threads."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture
def clock_envs() -> Callable[..., VectorEnv]:
    """Makes three clocks in a given autoreset mode; Gymnasium's own SyncVectorEnv is the vector."""

    def make(mode: AutoresetMode, num_envs: int = 3) -> VectorEnv:
        lengths = [(4, 3, 5), (2, 2), (6, 1, 3)]
        makers = [lambda row=row: ClockEnv(row, lengths[row % 3]) for row in range(num_envs)]
        return SyncVectorEnv(makers, autoreset_mode=mode)

    return make


@pytest.fixture
def stateful_envs() -> type[StatefulVectorEnv]:
    """Environment with ``get_state`` and ``set_state``."""
    return StatefulVectorEnv


@pytest.fixture
def recall_envs() -> type[RecallEnv]:
    """Environment that only a memory solves."""
    return RecallEnv
