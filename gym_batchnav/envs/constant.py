"""No images drawn: the rest of a step on its own, to measure it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from batchnav_renderer.prepare import PreparedScene, Preparer

from ..config import EnvConfig
from ..sim.random import Words
from .images import Array, Images, keeps_tensors
from .spaces import image_space


class ConstantImages(Images):
    """Every image is the same, all at its lower bound or black, and every call hands out the same arrays."""

    def __init__(self, num_envs: int, config: EnvConfig, sensors: tuple[str, ...]) -> None:
        super().__init__(num_envs, config, sensors)
        self._constant = {
            config.image_key(camera, sensor): _constant(num_envs, config, sensor)
            for camera in config.all_cameras
            for sensor in sensors
        }

    def start(self) -> None:
        """Nothing to start."""

    @property
    def info(self) -> dict[str, Any]:
        """The backend's name."""
        return {"backend": "constant", "reason": "render_backend='constant' was asked for: nothing is drawn"}

    @property
    def preparer(self) -> Preparer | None:
        """Nothing is to be prepared."""
        return None

    def add_scene(self, prepared: PreparedScene | None, *, wait: bool) -> int:
        """An id for the scene."""
        return next(self._ids)

    def draw(
        self, view_ids: NDArray[np.int64], poses: NDArray[np.float32], noise_keys: Words | None
    ) -> dict[str, Array]:
        """The same arrays (N, H, W, channels) in every call."""
        return dict(self._constant)

    def draw_some(self, view_ids: Array, poses: Array, noise_keys: Words | None = None) -> dict[str, Array]:
        """The same arrays, as far as needed."""
        return {name: images[: len(view_ids)] for name, images in self._constant.items()}

    def redraw(
        self,
        images: dict[str, Array],
        rows: NDArray[np.intp],
        view_ids: Array,
        poses: Array,
        noise_keys: Words | None,
    ) -> None:
        """They show already what they are to show."""


def _constant(num_envs: int, config: EnvConfig, sensor: str) -> Any:
    space = image_space(config, sensor)
    low = space.low.flat[0] if sensor == "depth" else 0
    images = np.full((num_envs, *space.shape), low, dtype=space.dtype)
    if not keeps_tensors(config):
        return images
    import torch

    return torch.from_numpy(images).to(config.device)
