"""What people see of a batch of environments: frames, mosaics, and maps beside them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray

from ..config import EnvConfig
from ..errors import ConfigError, ResetNeededError
from .frames import beside, mosaic
from .output import on_host
from .ways import Ways
from .world import Observation, World

SMALLEST_MAP = 128
"""Pixels; frames of smaller images are enlarged beside maps."""


class Pictures:
    """The part of ``BatchPointNavEnv`` that makes pictures; keeps the last frames and the ways so far."""

    config: EnvConfig
    render_mode: str | None
    _world: World
    _frames: NDArray[np.uint8] | None
    _ways: Ways

    if TYPE_CHECKING:

        def _check_open(self) -> None: ...

    def render(self) -> tuple[NDArray[np.uint8], ...] | None:
        """N frames (H, W, 3) uint8 of what the agents see; None without ``render_mode="rgb_array"``.

        The images of several cameras stand side by side in a frame: (H, C W, 3).
        """
        self._check_open()
        if self.render_mode is None:
            gym.logger.warn("render() was called, but render_mode is None; pass render_mode='rgb_array'")
            return None
        if self._frames is None:
            raise ResetNeededError("render() was called before reset(); call reset() first")
        return tuple(frame.copy() for frame in self._frames)

    def mosaic(self, columns: int | None = None, *, maps: bool = False) -> NDArray[np.uint8]:
        """All frames of ``render`` in one image, row by row.

        Args:
            columns: frames in a row; None makes the image nearly square.
            maps: a map from above stands to the right of each frame: walkable ground in white, the start a
                dark dot, the goal a green one with the shortest way to it, the way so far and the agent in
                blue. Frames of under 128 pixels are enlarged by a whole number.

        Returns:
            (rows H, columns W, 3) uint8.

        Raises:
            ConfigError: the environment was made without ``render_mode="rgb_array"``.
            ResetNeededError: before the first ``reset``.
        """
        frames = self.render()
        if frames is None:
            raise ConfigError("mosaic() needs render_mode='rgb_array'; the environment was made without it")
        return mosaic(self._with_maps(frames) if maps else frames, columns)

    def _with_maps(self, frames: tuple[NDArray[np.uint8], ...]) -> list[NDArray[np.uint8]]:
        height = frames[0].shape[0]
        times = -(-SMALLEST_MAP // height)
        simulator = self._world.simulator
        maps = self._ways.maps(
            simulator.state,
            self._world.ground,
            height * times,
            goals=simulator.task.has_goal,
            radius_m=self.config.success_distance,
        )
        large = (frame.repeat(times, axis=0).repeat(times, axis=1) for frame in frames)
        return [beside(frame, picture) for frame, picture in zip(large, maps, strict=True)]

    def _keep_picture(self, observation: Observation) -> None:
        """Take down what ``render`` and ``mosaic`` show of this moment."""
        if self.render_mode is not None:
            frames: list[Any] = [on_host(observation[key]) for key in self._world.images.frame_keys()]
            self._frames = np.concatenate(frames, axis=2)
            self._ways.note(self._world.simulator.state)
