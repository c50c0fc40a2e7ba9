"""Checks of single values: each takes a field's name and value and returns the value in its plain type.

All of them raise ``ConfigError`` naming the field, the value and what is allowed.
"""

from __future__ import annotations

import math
import operator
import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, cast

import numpy as np

from ..errors import ConfigError

Check = Callable[[str, Any], Any]

IMAGE_SENSORS: Final = ("depth", "rgb", "semantic", "normals")
"""Images that an observation may hold."""
STATE_SENSORS: Final = ("gps", "compass", "heading", "collision")
"""Numbers of the agent's state that an observation may hold."""
SENSORS: Final = IMAGE_SENSORS + STATE_SENSORS
"""All that ``sensors`` may name."""
AUTORESET_MODES: Final = ("SameStep", "NextStep", "Disabled")
"""Values of ``gymnasium.vector.AutoresetMode``."""
_DEVICE: Final = re.compile(r"cpu(:0)?|cuda(:(0|[1-9][0-9]{0,2}))?")


def fail(name: str, value: object, allowed: str) -> ConfigError:
    """The error to raise for a value."""
    return ConfigError(f"{name}={shown(value)} is not allowed; expected {allowed}")


def shown(value: object) -> str:
    """``repr``, shortened where it is very long."""
    try:
        text = repr(value)
    except ValueError:
        # Python refuses to write integers of more than 4,300 digits.
        return "<a huge integer>"
    return text if len(text) <= 400 else f"{text[:200]}..."


def as_int(value: Any) -> int | None:
    """The integer that ``value`` is; None for booleans, fractions, arrays and all else."""
    if isinstance(value, bool | np.bool_):
        return None
    try:
        return operator.index(value)
    except TypeError:
        return None


def as_float(value: Any) -> float:
    """The number that ``value`` is; NaN for what is none or does not fit a float."""
    if (
        isinstance(value, bool | str | np.bool_)
        or getattr(value, "ndim", 0) != 0
        or not hasattr(value, "__float__")
    ):
        return math.nan
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return math.nan


def integers(low: int, *, high: int = 2**63 - 1, optional: bool = False) -> Check:
    """An integer from ``low`` to ``high``; with ``optional`` also None."""

    def normalize(name: str, value: Any) -> int | None:
        if value is None and optional:
            return None
        number = as_int(value)
        if number is None or number < low:
            raise fail(name, value, f"an integer of at least {low}" + (" or None" if optional else ""))
        if number > high:
            raise fail(name, value, f"an integer of at most {high}")
        return number

    return normalize


def steps(name: str, value: Any) -> int | None:
    """A limit of steps; -1 means none, as in ``gym.make``."""
    if as_int(value) == -1:
        return None
    return cast("int | None", integers(1, optional=True)(name, value))


def numbers(
    low: float = -math.inf, high: float = math.inf, *, open_low: bool = False, open_high: bool = False
) -> Check:
    """Finite number in [low, high], without the ends that are open."""
    interval = f"{'(' if open_low else '['}{low:g}, {high:g}{')' if open_high else ']'}"
    bounds = f"in {interval}" if low > -math.inf else ""

    def normalize(name: str, value: Any) -> float:
        number = as_float(value)
        inside = low <= number <= high and not (open_low and number == low)
        if not math.isfinite(number) or not inside or (open_high and number == high):
            raise fail(name, value, f"a finite number {bounds}".rstrip())
        return number

    return normalize


def choices(*allowed: str, optional: bool = False) -> Check:
    """One of these words; with ``optional`` also None."""

    def normalize(name: str, value: Any) -> str | None:
        if value is None and optional:
            return None
        if not isinstance(value, str) or value not in allowed:
            raise fail(
                name, value, "one of " + ", ".join(map(repr, allowed)) + (" or None" if optional else "")
            )
        return value

    return normalize


def flag(name: str, value: Any) -> bool:
    """True or False."""
    if not isinstance(value, bool) and type(value).__name__ not in ("bool", "bool_"):
        raise fail(name, value, "True or False")
    return bool(value)


def scenes(name: str, value: Any) -> Any:
    """A name, a path, or a non-empty tuple of names, paths or scene references."""
    if isinstance(value, str | os.PathLike):
        if not os.fspath(value):
            raise fail(name, value, "a scene name such as 'houses:train', a path, or a list of them")
        return value
    if not isinstance(value, Sequence) or not len(value):
        raise fail(name, value, "a scene name such as 'houses:train', a path, or a non-empty list of them")
    for item in value:
        if not isinstance(item, str | os.PathLike) and not hasattr(item, "load"):
            raise fail(name, value, "a list of scene names, paths or scene references")
    return tuple(value)


def paths(name: str, value: Any) -> Path | None:
    """A path or None."""
    if value is not None and not isinstance(value, str | os.PathLike):
        raise fail(name, value, "a path or None")
    return None if value is None else Path(value)


def sensors(name: str, value: Any) -> tuple[str, ...]:
    """A tuple of different sensors; one name stands for itself."""
    items = (value,) if isinstance(value, str) else tuple(value) if isinstance(value, Sequence) else None
    if (
        items is None
        or any(not isinstance(item, str) or item not in SENSORS for item in items)
        or len(set(items)) != len(items)
    ):
        raise fail(name, value, f"a tuple of {', '.join(map(repr, SENSORS))}, each at most once")
    return items


def resolution(name: str, value: Any) -> tuple[int, int]:
    """Height and width in pixels; one number is both."""
    allowed = "(height, width), or one number for both: integers from 1 to 4096"
    if as_int(value) is not None:
        value = (value, value)
    if not isinstance(value, Sequence) or isinstance(value, str) or len(value) != 2:
        raise fail(name, value, allowed)
    height, width = (as_int(side) for side in value)
    if height is None or width is None or not (1 <= height <= 4096 and 1 <= width <= 4096):
        raise fail(name, value, allowed)
    return height, width


def optional_resolution(name: str, value: Any) -> tuple[int, int] | None:
    """As ``resolution``, or None."""
    return None if value is None else resolution(name, value)


def autoreset(name: str, value: Any) -> str:
    """Gymnasium's enum, its value (``"SameStep"``) or its name (``"SAME_STEP"``) to its value."""
    text = getattr(value, "value", value)
    if isinstance(text, str):
        for mode in AUTORESET_MODES:
            if text.replace("_", "").lower() == mode.lower():
                return mode
    raise fail(name, value, "a gymnasium.vector.AutoresetMode: SAME_STEP, NEXT_STEP or DISABLED")


def device(name: str, value: Any) -> str | None:
    """A device's name, or a ``torch.device``, or None."""
    if value is None:
        return None
    text = str(value) if isinstance(value, str) or type(value).__name__ == "device" else ""
    if not _DEVICE.fullmatch(text):
        raise fail(name, value, "None, 'cpu', 'cuda', 'cuda:<number>' or such a torch.device")
    return "cpu" if text == "cpu:0" else text


positive = numbers(0.0, open_low=True)
"""A number above 0."""
