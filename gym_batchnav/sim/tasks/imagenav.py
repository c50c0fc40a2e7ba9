"""Go where a picture was taken."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ..sensors import SensorSpec
from ..state import BatchState
from ..task import PointNav


class ImageNav(PointNav):
    """PointGoal navigation whose goal is a picture: what the first camera sees there, in a random direction.

    The picture is in colour where the agent sees colour, else it is a depth image. Reward, success and
    metrics are those of ``PointNav``.
    """

    goal_image: ClassVar[str | None] = "imagegoal"

    def sensors(self) -> dict[str, SensorSpec]:
        """None: the environment draws the picture."""
        return {}

    def observe(self, state: BatchState) -> dict[str, NDArray[np.float32]]:
        """Nothing."""
        return {}
