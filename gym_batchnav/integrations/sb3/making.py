"""Environments of this library for Stable-Baselines3 in one call."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
from gymnasium.envs.registration import load_env_creator
from stable_baselines3.common.vec_env import VecMonitor

from ...config import EnvConfig
from ...envs import BatchPointNavEnv
from ...envs.arguments import checked_config
from ...errors import ConfigError
from .observations import CNN_SIZE, Depth
from .vec_env import SB3VecEnv


def make_sb3_vec_env(
    num_envs: int = 1,
    config: EnvConfig | None = None,
    *,
    env_id: str = "BatchPointNav-v0",
    seed: int | None = None,
    depth: Depth = "uint8",
    flatten_images: bool = False,
    min_image_size: int = CNN_SIZE,
    monitor_file: str | None = None,
    info_keywords: tuple[str, ...] = (),
    **kwargs: Any,
) -> VecMonitor:
    """Environments for any algorithm of Stable-Baselines3.

    Args:
        num_envs: number of environments N, at least 1.
        config: starting point for the keyword arguments; None for the defaults.
        env_id: the task: ``"BatchPointNav-v0"``, ``"BatchImageNav-v0"``, ``"BatchObjectNav-v0"``,
            ``"BatchFlee-v0"``, ``"BatchExplore-v0"``, or an id of your own for a subclass.
        seed: of the first ``reset``; algorithms with a ``seed`` give theirs. None for a new run each time.
        depth: ``"uint8"``: depth and normals are bytes, 255ths of their range, which the policies' CNN reads;
            ``"float32"``: as they are. All images have their channels first.
        flatten_images: whether images become vectors of float32 in [0, 1], for policies without a CNN.
        min_image_size: fewest pixels per side of an image.
        monitor_file: where ``VecMonitor`` writes a line for each episode; None for nowhere.
        info_keywords: of the infos at the end of an episode, what goes into that file and into
            ``info["episode"]``, e.g. ``("is_success", "spl")``.
        **kwargs: as for ``BatchPointNavEnv``: ``task``, ``render_mode``, ``preset``, fields of ``EnvConfig``.

    Returns:
        An ``SB3VecEnv`` in Stable-Baselines3's ``VecMonitor``. ``envs`` of it is the environment itself.

    Raises:
        ConfigError: an argument is unknown or has a value that is not allowed; the message names it.
        EpisodeError: the episode file cannot be used.
    """
    _check_id(env_id)
    if isinstance(info_keywords, str):
        raise ConfigError(
            f"info_keywords={info_keywords!r} is not allowed; give a tuple of names: ({info_keywords!r},)"
        )
    # make_vec puts the registered limit where there is None.
    config = checked_config(config)
    if config is not None:
        kwargs.setdefault("max_episode_steps", config.max_episode_steps)
    if kwargs.get("max_episode_steps", 0) is None:
        kwargs["max_episode_steps"] = -1
    envs = gym.make_vec(env_id, num_envs=num_envs, config=config, **kwargs)
    try:
        adapted = SB3VecEnv(envs, depth=depth, flatten_images=flatten_images, min_image_size=min_image_size)
        if seed is not None:
            adapted.seed(seed)
    except ConfigError:
        envs.close()
        raise
    return VecMonitor(adapted, monitor_file, info_keywords)


def _check_id(env_id: str) -> None:
    """Raise ``ConfigError`` unless the id is registered for a batch of this library."""
    try:
        entry = gym.spec(env_id).vector_entry_point
    except gym.error.Error as error:
        raise ConfigError(f"env_id={env_id!r} is not allowed: {error}") from error
    made = load_env_creator(entry) if isinstance(entry, str) else entry
    if not (isinstance(made, type) and issubclass(made, BatchPointNavEnv)):
        raise ConfigError(
            f"env_id={env_id!r} is no task of this library; for other environments, use "
            "SB3VecEnv(gym.make_vec(..., vector_kwargs={'autoreset_mode': AutoresetMode.SAME_STEP}))"
        )
