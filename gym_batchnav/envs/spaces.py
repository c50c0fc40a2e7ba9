"""Observation and action spaces of the environments."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np

from ..config import EnvConfig
from ..errors import ConfigError
from ..sim import Task
from ..sim.simulator import NUM_ACTIONS


def observation_space(config: EnvConfig, task: Task) -> gym.spaces.Dict:
    """Space of one environment: the images of all cameras and the task's sensors.

    Raises:
        ConfigError: a sensor of the task has the name of an image.
    """
    spaces: dict[str, gym.Space[Any]] = {
        config.image_key(camera, sensor): image_space(config, sensor)
        for camera in config.all_cameras
        for sensor in config.image_sensors
    }
    for name, spec in task.sensors().items():
        if name in spaces:
            raise ConfigError(f"both an image and a sensor of the task are named {name!r}; rename the camera")
        spaces[name] = gym.spaces.Box(
            np.array(spec.low, dtype=np.float32), np.array(spec.high, dtype=np.float32), dtype=np.float32
        )
    return gym.spaces.Dict(spaces)


def image_space(config: EnvConfig, sensor: str) -> gym.spaces.Box:
    """Space of one image of a sensor, (H, W, channels)."""
    if sensor == "depth":
        low, high = (0.0, 1.0) if config.normalize_depth else (config.min_depth, config.max_depth)
        return gym.spaces.Box(low, high, (*config.resolution, 1), np.float32)
    if sensor == "rgb":
        return gym.spaces.Box(0, 255, (*config.resolution, 3), np.uint8)
    if sensor == "normals":
        return gym.spaces.Box(-1.0, 1.0, (*config.resolution, 3), np.float32)
    whole = np.iinfo(np.int32)
    return gym.spaces.Box(int(whole.min), int(whole.max), (*config.resolution, 1), np.int32)


def action_space() -> gym.spaces.Discrete:
    """0 stop, 1 forward, 2 left, 3 right."""
    return gym.spaces.Discrete(NUM_ACTIONS)
