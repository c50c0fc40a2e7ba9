"""Observations, infos and actions of any space: copied, taken apart into rows, compared."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import numpy as np
from gymnasium.vector import VectorEnv
from gymnasium.vector.utils import concatenate, create_empty_array, iterate
from numpy.typing import NDArray

AnyVectorEnv = VectorEnv[Any, Any, Any]


def host(value: Any) -> Any:
    """The same with arrays in the place of tensors; arrays themselves are not copied."""
    if isinstance(value, dict):
        return {key: host(item) for key, item in value.items()}
    if isinstance(value, tuple):
        return tuple(host(item) for item in value)
    if isinstance(value, np.ndarray) and value.dtype == object:
        items = np.full(value.shape, None, dtype=object)
        for place, item in np.ndenumerate(value):
            items[place] = host(item)
        return items
    return value.detach().cpu().numpy() if hasattr(value, "detach") else value


def frozen(value: Any) -> Any:
    """A deep copy that no later step can change, tensors as arrays."""
    return copy.deepcopy(host(value))


def rows_of(env: AnyVectorEnv, observations: Any) -> list[Any]:
    """Copies of the N observations of a batch that fits the observation space."""
    return [frozen(item) for item in iterate(env.observation_space, host(observations))]


def mixed(env: AnyVectorEnv, actions: Any, others: Any, rows: NDArray[np.bool_]) -> Any:
    """Actions with those of ``others`` in ``rows`` (N,)."""
    pairs = zip(iterate(env.action_space, others), iterate(env.action_space, actions), rows, strict=True)
    chosen = [other if row else action for other, action, row in pairs]
    empty: Any = create_empty_array(env.single_action_space, n=env.num_envs, fn=np.zeros)
    return concatenate(env.single_action_space, chosen, empty)


def leaves(value: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """Everything in nested dicts and tuples, with its place as ``['key'][0]``."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from leaves(item, f"{name}[{key!r}]")
    elif isinstance(value, tuple):
        for number, item in enumerate(value):
            yield from leaves(item, f"{name}[{number}]")
    else:
        yield name, value


def difference(one: Any, two: Any) -> str | None:
    """Where two values first differ by a bit, and how; None where they are the same."""
    first, second = dict(leaves(one)), dict(leaves(two))
    if first.keys() != second.keys():
        return f"there are {sorted(first)}, and {sorted(second)}"
    for name, value in first.items():
        if not _same(value, second[name]):
            return f"{name or 'value'} {shown(value)} against {shown(second[name])}"
    return None


def shown(value: Any, length: int = 80) -> str:
    """A value in one short line."""
    text = " ".join(str(value).split())
    return text if len(text) <= length else f"{text[: length - 4]} ..."


def _same(one: Any, two: Any) -> bool:
    if isinstance(one, np.ndarray | np.generic) and isinstance(two, np.ndarray | np.generic):
        if one.shape != two.shape or one.dtype != two.dtype:
            return False
        if one.dtype == object:
            pairs = zip(one.ravel(), two.ravel(), strict=True)
            return all(difference(first, second) is None for first, second in pairs)
        return bool(np.array_equal(one, two, equal_nan=one.dtype.kind == "f"))
    return type(one) is type(two) and bool(one == two)
