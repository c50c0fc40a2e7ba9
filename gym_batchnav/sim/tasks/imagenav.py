"""Go where a picture was taken."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

import numpy as np

from ..episodes import Episode, SamplingGround
from ..sensors import SensorSpec
from ..state import BatchState
from ..task import Array, PointNav


class ImageNav(PointNav):
    """PointGoal navigation whose goal is a picture: what the first camera sees there, in a random direction.

    The picture is in colour where the agent sees colour, else it is a depth image. Reward, success and
    metrics are those of ``PointNav``.
    """

    goal_image: ClassVar[str | None] = "imagegoal"

    def adapt(self, episode: Episode, ground: SamplingGround, generator: np.random.Generator) -> Episode:
        """The same, with the heading of the picture, uniform over the circle."""
        return replace(episode, goal_heading=float(generator.uniform(-np.pi, np.pi)))

    def sensors(self) -> dict[str, SensorSpec]:
        """None: the environment draws the picture."""
        return {}

    def observe(self, state: BatchState) -> dict[str, Array]:
        """Nothing."""
        return {}
