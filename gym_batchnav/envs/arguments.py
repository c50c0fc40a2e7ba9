"""Checks and conversions of what users pass to ``reset`` and ``step``, and of what they get back."""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..config import EnvConfig
from ..errors import ActionError, ConfigError
from ..sim.control import NUM_ACTIONS

MAX_ENVS = 2**20
"""More would fill any machine before an error could say so: spaces and images grow with the number."""
_MEANINGS = ("stop", "forward", "turn left", "turn right", "look up", "look down")


def checked_actions(actions: Any, num_envs: int, config: EnvConfig) -> NDArray[Any]:
    """Actions as (N,) int64, or as (N, 2) or (N, 3) float64 for speeds.

    Arrays, lists and tensors of any device are taken.

    Raises:
        ActionError: wrong shape or dtype, or out of range; the message names the row and the value.
    """
    if hasattr(actions, "detach"):
        actions = actions.detach().cpu().numpy()
    try:
        array = np.asarray(actions)
    except (TypeError, ValueError) as error:
        raise ActionError(f"actions are no array: {error}") from error
    if config.actions == "velocity":
        return _checked_speeds(array, num_envs, config.velocity.size)
    return _checked_numbers(array, num_envs, NUM_ACTIONS[config.actions])


def _checked_numbers(array: NDArray[Any], num_envs: int, num_actions: int) -> NDArray[np.int64]:
    if array.shape != (num_envs,):
        raise ActionError(
            f"actions have shape {array.shape}; expected ({num_envs},), one for each environment"
        )
    if array.dtype.kind not in "iu":
        raise ActionError(f"actions have dtype {array.dtype}; expected integers from 0 to {num_actions - 1}")
    bad = (array < 0) | (array >= num_actions)
    if bad.any():
        row = int(np.argmax(bad))
        allowed = ", ".join(f"{number} {meaning}" for number, meaning in enumerate(_MEANINGS[:num_actions]))
        raise ActionError(f"action of row {row} is {array[row]}; allowed: {allowed}")
    return array.astype(np.int64)


def _checked_speeds(array: NDArray[Any], num_envs: int, size: int) -> NDArray[np.float64]:
    if array.shape != (num_envs, size):
        raise ActionError(
            f"actions have shape {array.shape}; expected ({num_envs}, {size}), speeds for each environment"
        )
    if array.dtype.kind not in "fiu":
        raise ActionError(f"actions have dtype {array.dtype}; expected numbers from -1 to 1")
    values = array.astype(np.float64)
    # NaN is in no interval.
    bad = ~((values >= -1.0) & (values <= 1.0)).all(axis=1)
    if bad.any():
        row = int(np.argmax(bad))
        raise ActionError(f"action of row {row} is {array[row].tolist()}; allowed: numbers from -1 to 1")
    return values


def checked_config(config: Any) -> EnvConfig | None:
    """The config; raises ``ConfigError`` where it is none, as when arguments are given by position."""
    if config is None or isinstance(config, EnvConfig):
        return config
    raise ConfigError(
        f"config={config!r} is not allowed; expected an EnvConfig or None, and all else by name (scenes=...)"
    )


def checked_count(num_envs: Any) -> int:
    """Number of environments; raises ``ConfigError`` where it is no integer from 1 to ``MAX_ENVS``."""
    try:
        number = 0 if isinstance(num_envs, bool) else operator.index(num_envs)
    except TypeError:
        number = 0
    if not 1 <= number <= MAX_ENVS:
        raise ConfigError(f"num_envs={num_envs!r} is not allowed; expected an integer from 1 to {MAX_ENVS:,}")
    return number


def row_seeds(seed: Any, num_envs: int, index_offset: int = 0) -> list[int | None]:
    """One seed a row: ``seed`` + ``index_offset`` + i for a number, the list itself, or all None.

    Raises:
        ConfigError: a seed is no number of at least 0, or a list has the wrong length.
    """
    if seed is None:
        return [None] * num_envs
    if isinstance(seed, Sequence | np.ndarray) and not isinstance(seed, str):
        if len(seed) != num_envs:
            raise ConfigError(f"seed is a list of {len(seed)}; expected {num_envs}, one for each environment")
        return [None if item is None else _seed(item) for item in seed]
    first = _seed(seed) + index_offset
    return [first + row for row in range(num_envs)]


def _seed(value: Any) -> int:
    try:
        number = operator.index(value)
    except TypeError as error:
        raise ConfigError(f"seed={value!r} is not allowed; expected an integer of at least 0") from error
    if number < 0:
        raise ConfigError(f"seed={value!r} is not allowed; expected an integer of at least 0")
    return number


def checked_options(options: Any) -> None:
    """Raise ``ConfigError`` where the options of ``reset`` are no mapping."""
    if options is not None and not isinstance(options, Mapping):
        raise ConfigError(f"options={options!r} is not allowed; expected None or {{'reset_mask': (N,) bool}}")


def reset_mask(options: dict[str, Any] | None, num_envs: int) -> NDArray[np.bool_] | None:
    """``options["reset_mask"]`` as (N,) bool; None where it is not given. The options are left as they are.

    Raises:
        ConfigError: the options are no mapping, or the mask has a wrong shape or dtype or is all False.
    """
    checked_options(options)
    if options is None or options.get("reset_mask") is None:
        return None
    given = options["reset_mask"]
    mask = np.asarray(given.cpu() if hasattr(given, "cpu") else given)
    if mask.shape != (num_envs,) or mask.dtype != np.bool_:
        raise ConfigError(
            f"options['reset_mask'] has shape {mask.shape} and dtype {mask.dtype}; expected "
            f"({num_envs},) bool"
        )
    if not mask.any():
        raise ConfigError("options['reset_mask'] is all False; name at least one environment to reset")
    return mask.copy()


def masked_infos(values: dict[str, NDArray[Any]], mask: NDArray[np.bool_]) -> dict[str, Any]:
    """Infos as Gymnasium's vector environments give them: zero where masked out, and a ``_key`` each."""
    whole = bool(mask.all())
    infos: dict[str, Any] = {}
    for key, value in values.items():
        infos[key] = value if whole else np.where(mask, value, np.zeros((), dtype=value.dtype))
        infos[f"_{key}"] = mask.copy()
    return infos


def rows_as_objects(
    observations: dict[str, Any], rows: NDArray[np.intp], num_envs: int
) -> NDArray[np.object_]:
    """(N,) objects: a dict with copies of the row's observation for ``rows``, None elsewhere."""
    objects = np.full(num_envs, None, dtype=object)
    for row in rows:
        objects[row] = {key: _copied(value[row]) for key, value in observations.items()}
    return objects


def _copied(value: Any) -> Any:
    """A copy of an array or a tensor."""
    return value.copy() if isinstance(value, np.ndarray | np.generic) else value.clone()
