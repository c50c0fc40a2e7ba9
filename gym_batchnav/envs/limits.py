"""Limits of steps: which one counts, of those that Gymnasium, a config, a preset and the user give."""

from __future__ import annotations

from typing import Any

from ..config import EnvConfig
from ..errors import ConfigError

REGISTERED_STEPS = 500
"""The limit under which all environments are registered; ``make_vec`` passes it where the user gives none."""


def without_registered_limit(kwargs: dict[str, Any]) -> dict[str, Any]:
    """The arguments without the registered limit where there is a preset, which has its own."""
    limit = kwargs.get("max_episode_steps")
    if kwargs.get("preset") is None or limit != REGISTERED_STEPS:
        return kwargs
    return {name: value for name, value in kwargs.items() if name != "max_episode_steps"}


def check_same_limit(config: EnvConfig | None, kwargs: dict[str, Any]) -> None:
    """``make_vec`` always passes a limit of steps; it must not quietly beat the one of a config."""
    limit = kwargs.get("max_episode_steps")
    if isinstance(limit, int) and limit == -1:
        limit = None
        if config is not None and config.max_episode_steps is not None:
            raise ConfigError(
                f"max_episode_steps=-1 differs from config.max_episode_steps={config.max_episode_steps}"
            )
    if config is not None and limit is not None and limit != config.max_episode_steps:
        raise ConfigError(
            f"max_episode_steps={limit!r} (500 unless given to make_vec) differs from "
            f"config.max_episode_steps={config.max_episode_steps}; pass "
            f"max_episode_steps={config.max_episode_steps} too"
        )
