"""Checks of settings; each raises ``ConfigError`` with the name, the value and the limit."""

from __future__ import annotations

import math

from gym_batchnav.errors import ConfigError


def at_least(config: object, low: float, *names: str) -> None:
    """Refuses fields that are not finite or below ``low``."""
    for name in names:
        value = getattr(config, name)
        if not (value >= low and math.isfinite(value)):
            raise ConfigError(f"{name} is {value}; it must be at least {low}")


def within(config: object, low: float, high: float, *names: str) -> None:
    """Refuses fields outside [``low``, ``high``]."""
    for name in names:
        if not low <= getattr(config, name) <= high:
            raise ConfigError(f"{name} is {getattr(config, name)}; it must be in [{low}, {high}]")


def positive(config: object, *names: str) -> None:
    """Refuses fields that are not finite or not above 0."""
    for name in names:
        value = getattr(config, name)
        if not (value > 0 and math.isfinite(value)):
            raise ConfigError(f"{name} is {value}; it must be above 0")


def one_of(config: object, name: str, allowed: tuple[str, ...]) -> None:
    """Refuses a field that is not one of ``allowed``."""
    if getattr(config, name) not in allowed:
        raise ConfigError(f"{name} is {getattr(config, name)!r}; allowed are {', '.join(allowed)}")


def optional_count(config: object, low: int, *names: str) -> None:
    """Refuses fields that are neither None nor an integer of at least ``low``."""
    for name in names:
        value = getattr(config, name)
        if value is not None and not _is_count(value, low):
            raise ConfigError(f"{name} is {value!r}; it must be None or an integer, at least {low}")


def optional_counts(config: object, low: int, *names: str) -> None:
    """Refuses fields that are neither None nor a tuple of integers of at least ``low``."""
    for name in names:
        value = getattr(config, name)
        if value is None:
            continue
        if not (isinstance(value, tuple) and value and all(_is_count(item, low) for item in value)):
            raise ConfigError(
                f"{name} is {value!r}; it must be None or integers such as (8, 16), at least {low}"
            )


def _is_count(value: object, low: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= low
