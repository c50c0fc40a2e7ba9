"""Observations in the form that Stable-Baselines3's policies read: images in bytes, channels first."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any, Final, Literal, TypeGuard

import gymnasium as gym
import numpy as np
from gymnasium.spaces import Box
from numpy.typing import NDArray

from ...errors import ConfigError

Array = NDArray[Any]
Convert = Callable[[Array], Array]
Depth = Literal["uint8", "float32"]

CNN_SIZE: Final = 36
"""Fewest pixels per side of an image that Stable-Baselines3's ``NatureCNN`` can read."""
_FEWEST = 3
_MOST_CLASSES = 1000


class Observations:
    """Turns observations of this library into those that Stable-Baselines3 takes.

    ========================= ================== =========================================================
    of this library           here               values
    ========================= ================== =========================================================
    rgb (H, W, 3) uint8       (3, H, W) uint8    the same
    depth, normals            (C, H, W) uint8    255ths of the range of their space, rounded to the nearest
    (H, W, C) float32
    a class (1,) int64        (K,) float32       1 at its place, else 0
    all others                the same           the same
    ========================= ================== =========================================================

    Args:
        space: of one environment.
        depth: ``"float32"`` leaves the values of float images as they are, and moves their channels alone.
        flatten_images: images become vectors of float32 in [0, 1], for policies without a CNN.
        min_image_size: images with fewer pixels per side are refused.

    Raises:
        ConfigError: an image is too small, or an argument has a value that is not allowed.
    """

    def __init__(
        self,
        space: gym.Space[Any],
        *,
        depth: Depth = "uint8",
        flatten_images: bool = False,
        min_image_size: int = CNN_SIZE,
    ) -> None:
        if depth not in ("uint8", "float32"):
            raise ConfigError(f"depth={depth!r} is not allowed; expected 'uint8' or 'float32'")
        if min_image_size < _FEWEST:
            raise ConfigError(
                f"min_image_size={min_image_size} is not allowed; expected at least {_FEWEST}, since "
                "Stable-Baselines3 takes the shortest axis of an image for its channels"
            )
        self._depth, self._flatten, self._smallest = depth, flatten_images, min_image_size
        self._entries: dict[str, Convert] = {}
        self._whole: Convert | None = None
        self.space: gym.Space[Any]
        """What comes out, of one environment; a space of its own."""
        if isinstance(space, gym.spaces.Dict):
            made = {key: self._entry(key, inner) for key, inner in space.spaces.items()}
            self._entries = {key: convert for key, (_, convert) in made.items()}
            self.space = gym.spaces.Dict({key: inner for key, (inner, _) in made.items()})
        else:
            self.space, self._whole = self._entry("observation", space)

    def __call__(self, observations: Any) -> Any:
        """Observations of one environment, or with an axis of environments in front."""
        if self._whole is not None:
            return self._whole(observations)
        return {key: convert(observations[key]) for key, convert in self._entries.items()}

    def _entry(self, key: str, space: gym.Space[Any]) -> tuple[gym.Space[Any], Convert]:
        if _is_image(space):
            return self._flat(space) if self._flatten else self._image(key, space)
        if _is_class(space):
            hot = np.eye(int(space.high[0]) + 1, dtype=np.float32)
            return Box(0.0, 1.0, (len(hot),), np.float32), lambda classes: hot[classes[..., 0]]
        return deepcopy(space), lambda values: values

    def _image(self, key: str, space: Box[Any]) -> tuple[Box[Any], Convert]:
        height, width, channels = space.shape
        if min(height, width) < self._smallest:
            raise ConfigError(
                f"{key!r} has {height} x {width} pixels, but Stable-Baselines3's CNN needs at least "
                f"{CNN_SIZE} a side; make resolution larger, give policies a vector instead of it with "
                f"flatten_images=True, or lower min_image_size={self._smallest} for a features extractor of "
                "your own"
            )
        shape = (channels, height, width)
        if space.dtype == np.uint8:
            return Box(0, 255, shape, np.uint8), _channels_first
        low, high = _range(space)
        if self._depth == "float32":
            return Box(low, high, shape, np.float32), _channels_first
        scale = np.float32(255.0 / (high - low))
        return Box(0, 255, shape, np.uint8), lambda image: _channels_first(_bytes(image, low, scale))

    def _flat(self, space: Box[Any]) -> tuple[Box[Any], Convert]:
        low, high = _range(space)
        size, scale = int(np.prod(space.shape)), np.float32(1.0 / (high - low))

        def flat(image: Array) -> Array:
            values = (image.astype(np.float32) - np.float32(low)) * scale
            flattened: Array = np.clip(values, 0.0, 1.0).reshape(*image.shape[:-3], size)
            return flattened

        return Box(0.0, 1.0, (size,), np.float32), flat


def _is_image(space: gym.Space[Any]) -> TypeGuard[Box[Any]]:
    """Whether it is one of (H, W, C) in colour, or of floats; ids of objects are none."""
    if not isinstance(space, Box) or len(space.shape) != 3:
        return False
    return space.dtype == np.uint8 or np.issubdtype(space.dtype, np.floating)


def _is_class(space: gym.Space[Any]) -> TypeGuard[Box[Any]]:
    """Whether it is a number from 0 to K - 1 that stands for a class."""
    if not isinstance(space, Box) or space.shape != (1,) or not np.issubdtype(space.dtype, np.integer):
        return False
    return bool(space.low[0] == 0 and space.high[0] < _MOST_CLASSES)


def _range(space: Box[Any]) -> tuple[float, float]:
    return float(space.low.min()), float(space.high.max())


def _bytes(image: Array, low: float, scale: np.float32) -> Array:
    values = (image - np.float32(low)) * scale
    np.clip(np.rint(values, out=values), 0.0, 255.0, out=values)
    return values.astype(np.uint8)


def _channels_first(image: Array) -> Array:
    """(..., H, W, C) to (..., C, H, W), side by side in memory; a view where there is one channel."""
    return np.ascontiguousarray(np.moveaxis(image, -1, -3))
