"""Observation and action spaces of the environments."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np

from ..config import EnvConfig
from ..sim import Task
from ..sim.simulator import NUM_ACTIONS


def observation_space(config: EnvConfig, task: Task) -> gym.spaces.Dict:
    """Space of one environment: the images asked for and the task's sensors."""
    height, width = config.resolution
    low, high = (0.0, 1.0) if config.normalize_depth else (config.min_depth, config.max_depth)
    spaces: dict[str, gym.Space[Any]] = {}
    if "depth" in config.sensors:
        spaces["depth"] = gym.spaces.Box(low, high, (height, width, 1), np.float32)
    if "rgb" in config.sensors:
        spaces["rgb"] = gym.spaces.Box(0, 255, (height, width, 3), np.uint8)
    for name, spec in task.sensors().items():
        spaces[name] = gym.spaces.Box(
            np.array(spec.low, dtype=np.float32), np.array(spec.high, dtype=np.float32), dtype=np.float32
        )
    return gym.spaces.Dict(spaces)


def action_space() -> gym.spaces.Discrete:
    """0 stop, 1 forward, 2 left, 3 right."""
    return gym.spaces.Discrete(NUM_ACTIONS)
