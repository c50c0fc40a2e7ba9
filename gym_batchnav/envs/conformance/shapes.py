"""Laws of what one call returns: spaces, shapes, dtypes, finite numbers, masks of infos."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.spaces.utils import is_space_dtype_shape_equiv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from ...errors import ConformanceError
from .values import AnyVectorEnv, host, shown

NUMERIC = (gym.spaces.Box, gym.spaces.MultiDiscrete, gym.spaces.MultiBinary)


def check_spaces(env: AnyVectorEnv) -> None:
    """``num_envs`` counts; the spaces of a batch are those of one environment, N times."""
    count = env.num_envs
    if isinstance(count, bool) or not isinstance(count, int | np.integer) or count < 1:
        raise ConformanceError("num_envs", f"expected an integer of at least 1, found {count!r}")
    for name in ("observation_space", "action_space"):
        single, batch = getattr(env, f"single_{name}"), getattr(env, name)
        expected = batch_space(single, int(count))
        if type(batch) is not type(expected) or not is_space_dtype_shape_equiv(batch, expected):
            raise ConformanceError(
                "spaces", f"expected {name} to be single_{name} {count} times, {expected}; found {batch}"
            )


def check_reset(env: AnyVectorEnv, result: Any) -> tuple[Any, dict[str, Any]]:
    """``reset`` returns observations in their space and infos; gives both."""
    if not isinstance(result, tuple) or len(result) != 2:
        raise ConformanceError("reset", f"expected (observations, infos), found {shown(result)}")
    observations, infos = result
    check_member(env.observation_space, observations, "the observations of reset")
    check_infos(infos, env.num_envs)
    return observations, infos


def check_step(env: AnyVectorEnv, result: Any) -> tuple[Any, Any, NDArray[Any], NDArray[Any], dict[str, Any]]:
    """``step`` returns five things of the right shapes and dtypes; gives them."""
    if not isinstance(result, tuple) or len(result) != 5:
        raise ConformanceError(
            "step", f"expected (observations, rewards, terminations, truncations, infos), found {result!r}"
        )
    observations, rewards, terminations, truncations, infos = result
    check_member(env.observation_space, observations, "the observations of step")
    _check_column(rewards, env.num_envs, "rewards", "f")
    _check_column(terminations, env.num_envs, "terminations", "b")
    _check_column(truncations, env.num_envs, "truncations", "b")
    check_infos(infos, env.num_envs)
    return observations, rewards, host(terminations), host(truncations), infos


def check_member(space: gym.Space[Any], value: Any, name: str, *, batched: bool = True) -> None:
    """A value is in its space, with the very dtype of it, and finite.

    Raises:
        ConformanceError: the message names the key, the row, and what is wrong.
    """
    value = host(value)
    if isinstance(space, gym.spaces.Dict):
        found = sorted(value) if isinstance(value, dict) else type(value).__name__
        if found != sorted(space.spaces):
            raise ConformanceError("observations", f"expected {name} with {sorted(space)}, found {found}")
        for key, part in space.spaces.items():
            check_member(part, value[key], f"{name}, {key!r},", batched=batched)
    elif isinstance(space, gym.spaces.Tuple):
        if not isinstance(value, tuple) or len(value) != len(space.spaces):
            raise ConformanceError("observations", f"expected {name} as {space}, found {shown(value)}")
        for number, part in enumerate(space.spaces):
            check_member(part, value[number], f"{name}, {number},", batched=batched)
    elif isinstance(space, NUMERIC):
        _check_array(space, value, name, batched)
    elif not space.contains(value):
        raise ConformanceError("observations", f"expected {name} in {space}, found {shown(value)}")


def check_infos(infos: Any, count: int, name: str = "infos", *, masked: bool = True) -> None:
    """Every key of infos has N entries, and a mask ``_key`` (N,) bool beside it."""
    if not isinstance(infos, dict):
        raise ConformanceError("infos", f"expected {name} to be a dict, found {type(infos).__name__}")
    for key, value in infos.items():
        mask = infos.get(f"_{key}")
        if mask is None:
            if str(key).startswith("_") and key[1:] in infos:
                continue  # itself a mask
            if masked:
                raise ConformanceError(
                    "infos", f"expected a mask {f'_{key}'!r} beside {name}[{key!r}], found none"
                )
        else:
            _check_column(mask, count, f"{name}['_{key}']", "b", law="infos")
        if isinstance(value, dict):
            check_infos(value, count, f"{name}[{key!r}]", masked=key == "final_info")
        elif hasattr(value, "__len__") and len(value) != count:
            raise ConformanceError(
                "infos", f"expected {count} entries in {name}[{key!r}], found {len(value)}"
            )


def _check_array(space: Any, value: Any, name: str, batched: bool) -> None:
    found = (type(value).__name__, getattr(value, "shape", None), str(getattr(value, "dtype", "")))
    if not isinstance(value, np.ndarray | np.generic) or found[1:] != (space.shape, str(space.dtype)):
        raise ConformanceError(
            "observations", f"expected {name} with shape {space.shape} and dtype {space.dtype}, found {found}"
        )
    good = np.isfinite(value)
    _check_all(good, value, f"{name} to be finite", batched)
    if isinstance(space, gym.spaces.Box):
        inside = (value >= space.low) & (value <= space.high)
        _check_all(
            inside, value, f"{name} from {shown(space.low.min())} to {shown(space.high.max())}", batched
        )
    elif not space.contains(value):
        raise ConformanceError("observations", f"expected {name} in {space}, found {shown(value)}")


def _check_all(good: Any, value: Any, expected: str, batched: bool) -> None:
    if not np.all(good):
        place = tuple(int(index) for index in np.argwhere(~np.asarray(good))[0])
        row = place[0] if batched and place else None
        raise ConformanceError(
            "observations", f"expected {expected}, found {value[place]} at index {list(place)}", row
        )


def _check_column(value: Any, count: int, name: str, kind: str, law: str = "step") -> None:
    array = host(value)
    words = {"f": "floats", "b": "bools"}[kind]
    if not isinstance(array, np.ndarray) or array.shape != (count,) or array.dtype.kind != kind:
        found = f"{type(value).__name__} of shape {getattr(array, 'shape', None)}"
        raise ConformanceError(
            law, f"expected {name} ({count},) of {words}, found {found} and {getattr(array, 'dtype', None)}"
        )
    if kind == "f" and not np.isfinite(array).all():
        row = int(np.argmin(np.isfinite(array)))
        raise ConformanceError(law, f"expected finite {name}, found {array[row]}", row)
