"""What is asked of the agent: sensors, reward and termination, computed from the batched state.

A task of your own subclasses ``Task`` and goes to the environment as ``task=YourTask``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from ..config import EnvConfig
from .episodes import Episode, SamplingGround
from .geometry import goals_in_agent_frame
from .metrics import soft_spl, spl
from .sensors import SensorSpec
from .state import BatchState

if TYPE_CHECKING:
    from .objects import ObjectGoals

Array = NDArray[np.generic]


class Task(ABC):
    """Computes sensors, reward, termination and metrics for all rows of a batch at once.

    A task that remembers something of its episodes also overrides ``begin``, ``get_state`` and ``set_state``.
    """

    has_goal: ClassVar[bool] = True
    """Whether the agent should reach ``state.goal``, so that an expert can show the way."""
    needs_objects: ClassVar[bool] = False
    """Whether goals are objects, so that ``objects_of`` has to know them."""
    goal_image: ClassVar[str | None] = None
    """Name of an observation that shows what the first camera would see at the goal; None for none."""

    def __init__(self, config: EnvConfig, num_envs: int) -> None:
        self.config = config
        self.num_envs = num_envs
        self.objects_of: Callable[[int], ObjectGoals] | None = None
        """Objects of a scene by its index, set by the environment of a task that needs them."""

    @property
    def success_distance(self) -> float:
        """Geodesic distance to the goal below which the agent has arrived, metres."""
        return self.config.success_distance

    @abstractmethod
    def sensors(self) -> dict[str, SensorSpec]:
        """Name and bounds of each sensor."""

    @abstractmethod
    def observe(self, state: BatchState) -> dict[str, Array]:
        """Fresh arrays (N, D), one for each sensor."""

    @abstractmethod
    def advance(self, state: BatchState) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Rewards (N,) and terminations (N,) of the step that led to ``state``; writes ``state.success``."""

    @abstractmethod
    def metrics(self, state: BatchState) -> dict[str, Array]:
        """Fresh arrays (N,) that go into the infos of every step."""

    def adapt(self, episode: Episode, ground: SamplingGround, generator: np.random.Generator) -> Episode:
        """The episode as the task wants it, before it begins; ``state.distance`` is measured to its goal.

        Args:
            episode: of point-goal navigation.
            ground: the navigation mesh of its scene.
            generator: draws what the task needs besides; the episode's own.

        Raises:
            NoEpisodeError: the task has no goal there.
        """
        return episode

    def begin(self, rows: Sequence[int], state: BatchState) -> None:  # noqa: B027  (may be left out)
        """Called when episodes have begun in ``rows`` of ``state``."""

    def get_state(self) -> dict[str, Array]:
        """Copies (N, ...) of all that the task remembers, by name; saved with the environment."""
        return {}

    def set_state(self, arrays: Mapping[str, Array]) -> None:  # noqa: B027  (may be left out)
        """Go on from ``get_state`` of a task with as many rows; keys, dtypes and N have been checked."""

    def timed_out(self, state: BatchState) -> NDArray[np.bool_]:
        """Rows (N,) whose episode the limit of steps ends for good (``time_out="termination"``)."""
        limit = self.config.max_episode_steps
        if limit is None or self.config.time_out == "truncation":
            return np.zeros(state.num_envs, dtype=bool)
        return state.steps >= limit


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

    def observe(self, state: BatchState) -> dict[str, Array]:
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
        """Slack, plus the metres gained, plus the success reward; an episode ends when stop is called.

        ``success_at`` and ``final_reward`` of the configuration say how another end counts.
        """
        config, ended = self.config, state.stopped | self.timed_out(state)
        claimed = ended if config.success_at == "end" else state.stopped
        state.success = claimed & (state.distance < self.success_distance)
        gains = config.progress_reward * (state.previous_distance - state.distance)
        reward, prize = config.success_reward, config.success_reward * state.success
        if config.final_reward == "spl":
            gains = np.where(ended, 0.0, gains)
            prize = reward * spl(state.success, state.start_distance, state.path_length)
        return config.slack_reward + gains + prize, ended

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
