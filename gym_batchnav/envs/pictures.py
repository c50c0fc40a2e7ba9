"""What people see of a batch of environments: frames, mosaics, panels, and maps beside them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray

from ..config import EnvConfig
from ..errors import ConfigError, ResetNeededError
from .frames import beside, mosaic
from .output import on_host
from .watching.moments import Seen, moments_of
from .watching.panel import Moment, draw_panel, panel_size
from .watching.screen import Screen
from .watching.spectator import Spectator
from .ways import Ways
from .world import Observation, World

SMALLEST_MAP = 128
"""Pixels; frames of smaller images are enlarged beside maps."""
RENDER_MODES = ("rgb_array", "human")
WINDOW = (1600, 900)
"""Pixels that the panels of ``render_mode="human"`` take up together at most."""
LARGEST_SIDE, SMALLEST_SIDE = 360, 48
"""Of their tiles."""


class Pictures:
    """The part of ``BatchPointNavEnv`` that makes pictures; keeps the last frames and the ways so far."""

    config: EnvConfig
    render_mode: str | None
    num_envs: int
    metadata: dict[str, Any]
    _world: World
    _frames: NDArray[np.uint8] | None
    _ways: Ways
    _finished: NDArray[np.bool_]

    if TYPE_CHECKING:

        def _check_open(self) -> None: ...

    def render(self) -> tuple[NDArray[np.uint8], ...] | None:
        """N frames (H, W, 3) uint8 of what the agents see; None without ``render_mode="rgb_array"``.

        They have the size of the observations, or that of ``render_resolution``. The images of several
        cameras stand side by side in a frame: (H, C W, 3). With ``render_mode="human"`` ``reset`` and
        ``step`` have shown the pictures already.
        """
        self._check_open()
        if self.render_mode is None:
            gym.logger.warn("render() was called, but render_mode is None; pass render_mode='rgb_array'")
            return None
        frames = self._current_frames("render")
        return None if self.render_mode == "human" else tuple(frame.copy() for frame in frames)

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
            ConfigError: the environment was made without a ``render_mode``.
            ResetNeededError: before the first ``reset``.
        """
        frames = tuple(self._watched("mosaic"))
        return mosaic(self._with_maps(frames) if maps else frames, columns)

    def panels(self, side: int = 256, rows: Sequence[int] | None = None) -> list[NDArray[np.uint8]]:
        """A picture for people of each environment: what the agent sees, the map, the goal, and figures.

        Side by side stand the colour frame with an arrow to the goal, what depth the agent sees, if any, and
        the scene from above with the way so far.

        Args:
            side: height of the parts, pixels.
            rows: environments to draw, in this order; None for all.

        Returns:
            Pictures (H, W, 3) uint8, all of one size.

        Raises:
            ConfigError, ResetNeededError: as ``mosaic``.
        """
        return [draw_panel(moment, side) for moment in self.moments(side, rows)]

    def moments(self, side: int = 256, rows: Sequence[int] | None = None) -> list[Moment]:
        """What ``panels`` draws, to add to it; arguments as there."""
        frames = self._watched("panels", rows)
        chosen = range(self.num_envs) if rows is None else rows
        spectator = self._spectator
        simulator = self._world.simulator
        maps = self._ways.maps(
            simulator.state,
            self._world.ground,
            side,
            goals=simulator.task.has_goal,
            radius_m=simulator.task.success_distance,
            plan=None if spectator is None else spectator.plan,
            rows=chosen,
        )
        seen = Seen(frames=frames, maps=maps, images=self._kept, finished=self._finished)
        return moments_of(seen, simulator, self._world.refs, list(chosen))

    def _watched(self, name: str, rows: Sequence[int] | None = None) -> NDArray[np.uint8]:
        """Frames of ``rows``; raises where the environment was not made to be watched."""
        self._check_open()
        if self.render_mode is None:
            self.render()
            raise ConfigError(f"{name}() needs render_mode='rgb_array'; the environment was made without it")
        return self._current_frames(name, rows)

    def _current_frames(self, name: str, rows: Sequence[int] | None = None) -> NDArray[np.uint8]:
        if not self._noted:
            raise ResetNeededError(f"{name}() was called before reset(); call reset() first")
        if self._frames is not None:
            return self._frames if rows is None else self._frames[list(rows)]
        assert self._spectator is not None
        chosen = np.arange(self.num_envs) if rows is None else np.asarray(rows)
        scenes = self._world.simulator.state.scene[chosen].tolist()
        frames = self._spectator.frames(scenes, self._world.camera_poses(chosen))
        if rows is None:
            self._frames = frames
        return frames

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

    def _be_watched(self) -> None:
        """Get ready for pictures; the spectator draws and the window opens when they are first needed."""
        self._frames, self._kept, self._noted = None, {}, False
        self._ways = Ways(self.num_envs)
        self._spectator, self._screen = None, None
        resolution = self.config.render_resolution
        if self.render_mode == "human":
            self._screen = Screen(self.metadata["render_fps"])
            resolution = resolution or self._window_resolution()
        if self.render_mode is not None and resolution and self.config.render_backend != "constant":
            refs, loading = self._world.refs, self._world.loading
            self._spectator = Spectator(self.num_envs, self.config, resolution, refs, loading)

    def _window_resolution(self) -> tuple[int, int]:
        """As high as the tiles, in the shape of the observations."""
        height, width = self.config.resolution
        side = tiling(self.num_envs, 3)[0]
        return side, min(4096, max(1, round(side * width / height)))

    def _keep_picture(self, observation: Observation) -> None:
        """Take down what pictures show of this moment, and show it to people."""
        if self.render_mode is None:
            return
        self._noted = True
        self._frames = None
        if self._spectator is None:
            frames: list[Any] = [on_host(observation[key]) for key in self._world.images.frame_keys()]
            self._frames = np.concatenate(frames, axis=2)
        self._kept = {
            key: np.array(on_host(value)) for key, value in observation.items() if self._is_shown(key)
        }
        self._ways.note(self._world.simulator.state)
        if self._screen is not None and not self._screen.ended:
            side, columns = tiling(self.num_envs, 3)
            self._screen.show(mosaic(self.panels(side), columns))

    def _is_shown(self, key: str) -> bool:
        """Whether an observation is a picture that stands beside the frame."""
        depth = "depth" in self.config.sensors and key.endswith("depth")
        return depth or key == self._world.simulator.task.goal_image

    def _stop_watching(self) -> None:
        if self._spectator is not None:
            self._spectator.close()
        if self._screen is not None:
            self._screen.close()

    _kept: dict[str, NDArray[Any]]
    _noted: bool
    _spectator: Spectator | None
    _screen: Screen | None


def tiling(count: int, tiles: int) -> tuple[int, int]:
    """Largest side of square tiles with which ``count`` panels fit into the window, and how many columns."""
    found = [(SMALLEST_SIDE, math.ceil(math.sqrt(count)))]
    for columns in range(1, count + 1):
        rows = -(-count // columns)
        for side in range(LARGEST_SIDE, SMALLEST_SIDE, -4):
            width, height = panel_size([(1, 1)] * tiles, side)
            if columns * width <= WINDOW[0] and rows * height <= WINDOW[1]:
                found.append((side, columns))
                break
    return max(found, key=lambda pair: pair[0])
