"""Pictures of the goals, drawn once an episode."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..config import EnvConfig
from ..errors import ConfigError
from ..sim import BatchState
from ..sim.geometry import rig_poses
from .images import Images


def goal_sensor(config: EnvConfig) -> str:
    """The image that shows a goal: colour where the agent sees colour, else depth.

    Raises:
        ConfigError: the agent sees neither.
    """
    for sensor in ("rgb", "depth"):
        if sensor in config.sensors:
            return sensor
    raise ConfigError(
        f"sensors={config.sensors!r} is not allowed for a goal that is a picture; include 'rgb' or 'depth'"
    )


class GoalImages:
    """For each environment what its first camera would see at the goal, looking along ``goal_heading``."""

    def __init__(self, name: str, config: EnvConfig, images: Images, num_envs: int) -> None:
        self._name = name
        self._config = config
        self._images = images
        self._num_envs = num_envs
        self._key = config.image_key(config.all_cameras[0], goal_sensor(config))
        # (N, H, W, channels), an array or a tensor as the images are.
        self._shown: Any = None

    def draw(self, rows: NDArray[np.intp], view_ids: NDArray[np.int64], state: BatchState) -> None:
        """Draw the goals of ``rows`` anew.

        Args:
            rows: environments, each once.
            view_ids: (N,) scenes of all environments.
            state: of all environments.
        """
        poses = rig_poses(state.anchor[rows], state.goal_heading[rows], self._config.all_cameras)
        fresh = self._images.draw_some(view_ids[rows], poses)[self._key]
        if self._shown is None:
            self._shown = _zeros(self._num_envs, fresh)
        self._shown[rows] = fresh

    def observe(self) -> dict[str, Any]:
        """The pictures of all goals; fresh, or with ``copy=False`` what the next ``draw`` writes into."""
        shown = self._shown
        if self._config.copy:
            shown = shown.copy() if isinstance(shown, np.ndarray) else shown.clone()
        return {self._name: shown}


def _zeros(count: int, like: Any) -> Any:
    """An array or tensor of ``count`` images such as those of ``like``."""
    shape = (count, *like.shape[1:])
    return np.zeros(shape, like.dtype) if isinstance(like, np.ndarray) else like.new_zeros(shape)
