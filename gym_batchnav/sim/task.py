"""What is asked of the agent: sensors, reward and termination, computed from the batched state.

A task of your own subclasses ``Task`` and goes to the environment as ``task=YourTask``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import NDArray

from ..config import EnvConfig
from .geometry import goals_in_agent_frame
from .metrics import soft_spl, spl
from .sensors import SensorSpec
from .state import BatchState

Array = NDArray[np.generic]


class Task(ABC):
    """Computes sensors, reward, termination and metrics for all rows of a batch at once."""

    def __init__(self, config: EnvConfig) -> None:
        self.config = config

    @abstractmethod
    def sensors(self) -> dict[str, SensorSpec]:
        """Name and bounds of each sensor."""

    @abstractmethod
    def observe(self, state: BatchState) -> dict[str, NDArray[np.float32]]:
        """Fresh arrays (N, D), one for each sensor."""

    @abstractmethod
    def advance(self, state: BatchState) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Rewards (N,) and terminations (N,) of the step that led to ``state``; writes ``state.success``."""

    @abstractmethod
    def metrics(self, state: BatchState) -> dict[str, Array]:
        """Fresh arrays (N,) that go into the infos of every step."""


class PointNav(Task):
    """Go to a point given relative to the agent and call stop there, with Habitat's sensor and reward."""

    def sensors(self) -> dict[str, SensorSpec]:
        """The goal sensor in the configured format, or none."""
        if self.config.goal_sensor == "none":
            return {}
        infinity = float("inf")
        spec = {
            "polar": SensorSpec((0.0, -np.pi), (infinity, np.pi)),
            "polar_cos_sin": SensorSpec((0.0, -1.0, -1.0), (infinity, 1.0, 1.0)),
            "cartesian": SensorSpec((-infinity, -infinity), (infinity, infinity)),
        }[self.config.goal_format]
        return {self.config.goal_key: spec}

    def observe(self, state: BatchState) -> dict[str, NDArray[np.float32]]:
        """The goal as the agent or its start sees it, (N, 2) or (N, 3); the angle is positive to the left."""
        if self.config.goal_sensor == "none":
            return {}
        if self.config.goal_sensor == "start":
            front, right = goals_in_agent_frame(state.start, state.start_heading, state.goal)
        else:
            front, right = goals_in_agent_frame(state.position, state.heading, state.goal)
        if self.config.goal_format == "cartesian":
            parts: tuple[NDArray[np.float64], ...] = (front, right)
        else:
            angle = -np.arctan2(right, front)
            polar = (np.sqrt(front * front + right * right), angle)
            wide = self.config.goal_format == "polar_cos_sin"
            parts = (polar[0], np.cos(angle), np.sin(angle)) if wide else polar
        return {self.config.goal_key: np.stack(parts, axis=1).astype(np.float32)}

    def advance(self, state: BatchState) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Slack, plus the metres gained, plus the success reward; an episode ends when stop is called."""
        config = self.config
        state.success = state.stopped & (state.distance < config.success_distance)
        progress = state.previous_distance - state.distance
        rewards = (
            config.slack_reward + config.progress_reward * progress + config.success_reward * state.success
        )
        return rewards, state.stopped.copy()

    def metrics(self, state: BatchState) -> dict[str, Array]:
        """Habitat's measures; ``success`` and ``spl`` are 0 until a successful stop."""
        way, shortest = state.path_length, state.start_distance
        return {
            "distance_to_goal": state.distance.astype(np.float32),
            "success": state.success.astype(np.float32),
            "spl": spl(state.success, shortest, way).astype(np.float32),
            "soft_spl": soft_spl(state.distance, shortest, way).astype(np.float32),
            "path_length": way.astype(np.float32),
        }
