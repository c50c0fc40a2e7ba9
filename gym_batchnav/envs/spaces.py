"""Observation and action spaces of the environments."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np

from ..config import EnvConfig
from ..errors import ConfigError
from ..sim import SensorSpec, StateSensors, Task
from ..sim.control import NUM_ACTIONS
from .goal_images import goal_sensor


def observation_space(config: EnvConfig, task: Task) -> gym.spaces.Dict:
    """Space of one environment: the images of all cameras, the sensors of the state and those of the task.

    Raises:
        ConfigError: two of them have one name, or there is none.
    """
    spaces: dict[str, gym.Space[Any]] = {
        config.image_key(camera, sensor): image_space(config, sensor)
        for camera in config.all_cameras
        for sensor in config.image_sensors
    }
    sensed = [*StateSensors(config).specs().items(), *task.sensors().items()]
    others: list[tuple[str, gym.Space[Any]]] = [(name, _box(spec)) for name, spec in sensed]
    if task.goal_image is not None:
        others.append((task.goal_image, image_space(config, goal_sensor(config))))
    for name, space in others:
        if name in spaces:
            raise ConfigError(f"two sensors are named {name!r}; rename the camera or the task's sensor")
        spaces[name] = space
    if not spaces:
        raise ConfigError(
            f"sensors={config.sensors!r} with goal_sensor={config.goal_sensor!r} leaves observations empty; "
            "name a sensor"
        )
    return gym.spaces.Dict(spaces)


def _box(spec: SensorSpec) -> gym.spaces.Box:
    """Bounds with the largest float32 for infinity, as in Habitat's spaces: tools warn of infinite ones."""
    largest = float(np.finfo(np.float32).max)
    low, high = (np.clip(bounds, -largest, largest).astype(spec.dtype) for bounds in (spec.low, spec.high))
    return gym.spaces.Box(low, high, dtype=spec.dtype)  # type: ignore[arg-type]


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


def action_space(config: EnvConfig) -> gym.spaces.Discrete | gym.spaces.Box:
    """What ``EnvConfig.actions`` describes."""
    if config.actions == "velocity":
        return gym.spaces.Box(-1.0, 1.0, (config.velocity.size,), np.float32)
    return gym.spaces.Discrete(NUM_ACTIONS[config.actions])
