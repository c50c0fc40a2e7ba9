"""One environment as Stable-Baselines3 takes it."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
from gymnasium.utils import RecordConstructorArgs

from .infos import with_success
from .observations import CNN_SIZE, Depth, Observations


class SB3Wrapper(gym.Wrapper[Any, Any, Any, Any], RecordConstructorArgs):
    """A single environment of this library with the observations and infos of ``SB3VecEnv``.

    For what Stable-Baselines3 does with single environments: its ``check_env``, and its ``make_vec_env`` with
    ``wrapper_class=SB3Wrapper``. To train, ``make_sb3_vec_env`` is many times as fast.

    Args:
        env: as ``gym.make("BatchPointNav-v0")`` gives it.
        depth: as for ``SB3VecEnv``, and so are the other two.
        flatten_images: whether images become vectors of float32 in [0, 1].
        min_image_size: fewest pixels per side of an image.

    Raises:
        ConfigError: an image is too small, or an argument has a value that is not allowed.
    """

    def __init__(
        self,
        env: gym.Env[Any, Any],
        *,
        depth: Depth = "uint8",
        flatten_images: bool = False,
        min_image_size: int = CNN_SIZE,
    ) -> None:
        how: dict[str, Any] = {
            "depth": depth,
            "flatten_images": flatten_images,
            "min_image_size": min_image_size,
        }
        RecordConstructorArgs.__init__(self, **how)
        gym.Wrapper.__init__(self, env)
        self._convert = Observations(env.observation_space, **how)
        self.observation_space = self._convert.space

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begin an episode."""
        obs, info = self.env.reset(seed=seed, options=options)
        return self._convert(obs), info

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Act."""
        obs, reward, terminated, truncated, info = self.env.step(action)
        return self._convert(obs), reward, terminated, truncated, with_success(info)
