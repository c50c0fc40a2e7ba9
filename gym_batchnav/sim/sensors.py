"""Sensors that read the agent's state: what it knows of its motion, whatever its task is."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..config import EnvConfig
from .geometry import goals_in_agent_frame, wrap_angle
from .random import normals, stream_keys
from .state import BatchState

POSE_STREAM = 1
"""Number of the noise stream of poses below that of a step (actuation has the step's own)."""


@dataclass(frozen=True, slots=True)
class SensorSpec:
    """Bounds of a sensor that is computed from the state."""

    low: tuple[float, ...]
    """Least value of each component."""
    high: tuple[float, ...]
    """Greatest value of each component."""
    dtype: type[np.generic] = np.float32
    """Type of the components."""


_ANGLE = SensorSpec((-np.pi,), (np.pi,))
SPECS = {
    "gps": SensorSpec((-np.inf, -np.inf), (np.inf, np.inf)),
    "compass": _ANGLE,
    "heading": _ANGLE,
    "collision": SensorSpec((0.0,), (1.0,)),
}
"""Bounds of the sensors that ``EnvConfig.sensors`` may name beside images."""


class StateSensors:
    """Habitat's ``EpisodicGPSSensor``, ``EpisodicCompassSensor`` and ``HeadingSensor``, and collisions."""

    def __init__(self, config: EnvConfig) -> None:
        self._names = config.state_sensors
        self._noise = config.pose_noise
        self._read: dict[str, Callable[[BatchState, NDArray[np.float64]], NDArray[np.float64]]] = {
            "gps": self._gps,
            "compass": self._compass,
            "heading": self._heading,
            "collision": self._collision,
        }

    def specs(self) -> dict[str, SensorSpec]:
        """Name and bounds of each configured sensor."""
        return {name: SPECS[name] for name in self._names}

    def observe(self, state: BatchState) -> dict[str, NDArray[np.float32]]:
        """Fresh arrays (N, D) of the configured sensors."""
        if not self._names:
            return {}
        errors = np.zeros((state.num_envs, 4))
        if self._noise is not None:
            deviations = np.array([self._noise.position] * 2 + [math.radians(self._noise.heading_deg)] * 2)
            keys = stream_keys(stream_keys(state.noise_key, state.steps), POSE_STREAM)
            errors = normals(keys, 4) * deviations
        values = {name: self._read[name](state, errors) for name in self._names}
        return {name: value.reshape(state.num_envs, -1).astype(np.float32) for name, value in values.items()}

    @staticmethod
    def _gps(state: BatchState, errors: NDArray[np.float64]) -> NDArray[np.float64]:
        front, right = goals_in_agent_frame(state.start, state.start_heading, state.position)
        return np.stack([front, right], axis=1) + errors[:, :2]

    @staticmethod
    def _compass(state: BatchState, errors: NDArray[np.float64]) -> NDArray[np.float64]:
        return wrap_angle(state.heading - state.start_heading + errors[:, 2])

    @staticmethod
    def _heading(state: BatchState, errors: NDArray[np.float64]) -> NDArray[np.float64]:
        return wrap_angle(state.heading + errors[:, 3])

    @staticmethod
    def _collision(state: BatchState, errors: NDArray[np.float64]) -> NDArray[np.float64]:
        return state.collided.astype(np.float64)
