"""Puts the configured noise onto images as they come from the renderer."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...config import EnvConfig
from ...cores import usable_cores
from ...sim.random import Words, normal_table, stream_keys

FIRST_STREAM = 2
"""Number of the noise stream of the first image below that of a step (``sim.sensors`` has the one before)."""
ENOUGH_FOR_THREADS = 1 << 18
"""Pixels from which on threads share the work."""


class ImageNoise:
    """Noise of depth and colour images; each image's depends on its row's key and its camera alone."""

    def __init__(self, config: EnvConfig) -> None:
        self._num_cameras = len(config.all_cameras)
        self._depth, self._rgb = config.depth_noise, config.rgb_noise
        self._scratch: NDArray[np.float32] | None = None

    def apply(self, images: dict[str, Any], keys: Words) -> None:
        """Overwrite images, arrays or tensors.

        Args:
            images: ``depth`` in metres and ``rgb`` (C B, H, W, channels), of the first camera, then the
                second, ...; others are left alone.
            keys: (B,) of the rows' noise in this step.
        """
        if self._depth is not None and "depth" in images:
            depth, multiplier = images["depth"][..., 0], np.float32(self._depth.multiplier)
            if isinstance(depth, np.ndarray):
                self._depth_noise(depth, self._keys(keys, 0), multiplier)
            else:
                from .tensors import depth_noise

                depth_noise(depth, self._keys(keys, 0), multiplier)
        if self._rgb is not None and "rgb" in images:
            rgb, intensity = images["rgb"], np.float32(self._rgb.intensity)
            if isinstance(rgb, np.ndarray):
                self._rgb_noise(rgb, self._keys(keys, 1), intensity)
            else:
                from .tensors import rgb_noise

                rgb_noise(rgb, self._keys(keys, 1), intensity)

    def _keys(self, keys: Words, kind: int) -> Words:
        """Keys (C B,) of the images of one kind."""
        numbers = FIRST_STREAM + 2 * np.arange(self._num_cameras) + kind
        return np.concatenate([stream_keys(keys, int(number)) for number in numbers])

    def _depth_noise(self, depth: NDArray[np.float32], keys: Words, multiplier: np.float32) -> None:
        from .kernels import depth_noise

        if self._scratch is None or len(self._scratch) < len(depth):
            self._scratch = np.empty(depth.shape, np.float32)
        clean, table = self._scratch[: len(depth)], normal_table()

        def work(part: slice) -> None:
            np.copyto(clean[part], depth[part])
            depth_noise(clean[part], keys[part], table, multiplier, depth[part])

        self._for_all(depth, work)

    def _rgb_noise(self, rgb: NDArray[np.uint8], keys: Words, intensity: np.float32) -> None:
        from .kernels import rgb_noise

        table = normal_table()
        self._for_all(rgb, lambda part: rgb_noise(rgb[part], keys[part], table, intensity))

    def _for_all(self, images: NDArray[Any], work: Callable[[slice], None]) -> None:
        """Do the work on all images, in threads where they are many; no image is shared."""
        count = len(images)
        if count < 2 or images.shape[0] * images.shape[1] * images.shape[2] < ENOUGH_FOR_THREADS:
            work(slice(0, count))
            return
        size = -(-count // (4 * usable_cores()))
        list(self._threads.map(work, (slice(first, first + size) for first in range(0, count, size))))

    @cached_property
    def _threads(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(thread_name_prefix="batchnav-noise", max_workers=usable_cores())
