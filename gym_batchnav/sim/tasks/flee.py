"""Get away from where the episode began."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ..episodes import Episode, SamplingGround
from ..sensors import SensorSpec
from ..state import BatchState
from ..task import Array, Task


class Flee(Task):
    """The reward is the growth of the geodesic distance from the start (Shacklett et al. 2021).

    ``state.goal`` is the start, so that ``state.distance`` says how far the agent has fled. A stop ends the
    episode.
    """

    has_goal: ClassVar[bool] = False

    def adapt(self, episode: Episode, ground: SamplingGround, generator: np.random.Generator) -> Episode:
        """The same start, with the start in place of the goal."""
        start = episode.start
        return replace(
            episode, goal=start, anchor=start, table=ground.goal_table(start[None])[0], distance=0.0
        )

    def sensors(self) -> dict[str, SensorSpec]:
        """None: the agent has its images alone."""
        return {}

    def observe(self, state: BatchState) -> dict[str, Array]:
        """Nothing."""
        return {}

    def advance(self, state: BatchState) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """``progress_reward`` for each metre by which the distance from the start grew."""
        growth = state.distance - state.previous_distance
        return self.config.progress_reward * growth, state.stopped.copy()

    def metrics(self, state: BatchState) -> dict[str, Array]:
        """How far the agent has come, geodesic distance in metres, and the length of its way."""
        return {
            "distance_fled": state.distance.astype(np.float32),
            "path_length": state.path_length.astype(np.float32),
        }
