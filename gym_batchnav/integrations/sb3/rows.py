"""Attributes and methods of the rows of a vector environment."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from gymnasium import Wrapper
from gymnasium.vector import SyncVectorEnv, VectorEnv, VectorWrapper

from ...envs import BatchPointNavEnv
from ...errors import ConfigError

Indices = None | int | Iterable[int]


class Rows:
    """Single environments one by one where there are such; else what the whole says of its rows."""

    def __init__(self, envs: VectorEnv[Any, Any, Any]) -> None:
        self._outer, self._inner = envs, envs.unwrapped
        self._singles: Sequence[Any] | None = None
        if isinstance(self._inner, SyncVectorEnv):
            self._singles = self._inner.envs

    def get(self, name: str, rows: list[int]) -> list[Any]:
        """An attribute of some rows."""
        if self._singles is not None:
            return [self._singles[row].get_wrapper_attr(name) for row in rows]
        inner: Any = self._inner
        values = (
            inner.get_attr(name) if hasattr(inner, "get_attr") else (getattr(inner, name),) * inner.num_envs
        )
        return [values[row] for row in rows]

    def set(self, name: str, value: Any, rows: list[int]) -> None:
        """Set an attribute of some rows."""
        if self._singles is not None:
            for row in rows:
                self._singles[row].set_wrapper_attr(name, value)
            return
        inner: Any = self._inner
        if not hasattr(inner, "set_attr"):
            raise ConfigError(f"cannot set {name!r}: {type(inner).__name__} has no set_attr")
        everyone = list(range(inner.num_envs))
        values = [value] * inner.num_envs if self._are_all(rows) else self._known(name, everyone)
        for row in rows:
            values[row] = value
        inner.set_attr(name, values)

    def call(self, name: str, rows: list[int], *args: Any, **kwargs: Any) -> list[Any]:
        """Call a method of some rows."""
        if self._singles is not None:
            return [self._singles[row].get_wrapper_attr(name)(*args, **kwargs) for row in rows]
        inner: Any = self._inner
        # Methods of rows of this library change nothing, so that it does not matter which rows are asked.
        if not isinstance(inner, BatchPointNavEnv) and not self._are_all(rows):
            raise ConfigError(
                f"cannot call {name!r} of rows {rows} alone: {type(inner).__name__} calls all its rows; "
                "leave indices out"
            )
        if not hasattr(inner, "call"):
            raise ConfigError(f"cannot call {name!r}: {type(inner).__name__} has no call(); call it directly")
        values = inner.call(name, *args, **kwargs)
        return [values[row] for row in rows]

    def wrapped(self, wrapper: type[Any], rows: list[int]) -> list[bool]:
        """Whether some rows, or all together, are wrapped by a wrapper."""
        layer: Any = self._outer
        while isinstance(layer, VectorWrapper):
            if isinstance(layer, wrapper):
                return [True] * len(rows)
            layer = layer.env
        return [self._singles is not None and _is_wrapped(self._singles[row], wrapper) for row in rows]

    def _known(self, name: str, rows: list[int]) -> list[Any]:
        try:
            return self.get(name, rows)
        except AttributeError:
            return [None] * len(rows)

    def _are_all(self, rows: list[int]) -> bool:
        count = self._inner.num_envs
        return {row % count for row in rows} == set(range(count))


def _is_wrapped(env: Any, wrapper: type[Any]) -> bool:
    while isinstance(env, Wrapper):
        if isinstance(env, wrapper):
            return True
        env = env.env
    return False
