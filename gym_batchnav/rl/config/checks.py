"""Checks of settings; each raises ``ConfigError`` with the name, the value and the limit."""

from __future__ import annotations

import math
import types
from collections.abc import Iterable
from functools import cache
from numbers import Integral, Real
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from gym_batchnav.errors import ConfigError

_NOUNS = {int: "an integer", float: "a number", bool: "true or false", str: "text"}


def bring_to_types(config: Any) -> None:
    """Gives each field of a frozen dataclass the plain type of its annotation; for ``__post_init__``.

    Numbers without a fraction become integers (1e6), integers become floats and lists tuples, as they come
    from JSON, YAML and NumPy; all else is refused.
    """
    for name, kind in _annotations(config.__class__).items():
        object.__setattr__(config, name, _fitted(name, getattr(config, name), kind))


@cache
def _annotations(cls: Any) -> dict[str, Any]:
    return get_type_hints(cls)


def _fitted(name: str, value: Any, kind: Any, none: str = "") -> Any:
    """The value as a ``kind``; ``none`` is said where None would be allowed too."""
    origin, arguments = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        (inner,) = (argument for argument in arguments if argument is not types.NoneType)
        return None if value is None else _fitted(name, value, inner, " or None")
    if origin is Literal:
        if isinstance(value, bool) and {"on", "off"} <= set(arguments):
            value = "on" if value else "off"  # as YAML reads these words
        if not isinstance(value, str) or value not in arguments:
            raise ConfigError(f"{name} is {value!r}; allowed are {', '.join(arguments)}")
        return value
    if origin is tuple:
        return _fitted_tuple(name, value, arguments, none)
    number: Any = value if isinstance(value, Real) and not isinstance(value, bool) else None
    if kind is int and number is not None and (isinstance(number, Integral) or float(number).is_integer()):
        return int(number)
    if kind is float and number is not None:
        return float(number)
    if kind not in (int, float) and isinstance(value, kind):
        return value
    raise ConfigError(f"{name} is {value!r}; it must be {_NOUNS.get(kind, f'a {kind.__name__}')}{none}")


def _fitted_tuple(name: str, value: Any, arguments: tuple[Any, ...], none: str) -> tuple[Any, ...]:
    """A tuple with the given types of entries, or any number of one type."""
    open_end = arguments[-1] is Ellipsis
    kind, count = arguments[0], None if open_end else len(arguments)
    if not isinstance(value, list | tuple) or count not in (None, len(value)):
        several = "a list" if count is None else f"a list of {count}"
        example = {int: "[8, 16]", float: "[0.25, 0.75]"}.get(kind, '["success"]')
        raise ConfigError(f"{name} is {value!r}; it must be {several}, such as {example}{none}")
    return tuple(_fitted(f"{name}[{number}]", item, kind) for number, item in enumerate(value))


def at_least(config: object, low: float, *names: str) -> None:
    """Refuses fields that are not finite or below ``low``; of tuples each entry; None is left alone."""
    for name in names:
        for value in _entries(getattr(config, name)):
            if not (value >= low and math.isfinite(value)):
                raise ConfigError(f"{name} is {getattr(config, name)}; it must be at least {low}")


def within(config: object, low: float, high: float, *names: str) -> None:
    """Refuses fields outside [``low``, ``high``]."""
    for name in names:
        if not low <= getattr(config, name) <= high:
            raise ConfigError(f"{name} is {getattr(config, name)}; it must be in [{low}, {high}]")


def positive(config: object, *names: str) -> None:
    """Refuses fields that are not finite or not above 0; None is left alone."""
    for name in names:
        for value in _entries(getattr(config, name)):
            if not (value > 0 and math.isfinite(value)):
                raise ConfigError(f"{name} is {getattr(config, name)}; it must be above 0")


def _entries(value: Any) -> Iterable[Any]:
    if value is None:
        return ()
    return value if isinstance(value, tuple) else (value,)
