"""Attributes and methods of single rows, as Gymnasium's vectors of single environments offer them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..errors import ConfigError
from .output import on_host

_OTHER_NAMES = {"observation_space": "single_observation_space", "action_space": "single_action_space"}
_WHOLE = (
    "reset",
    "step",
    "close",
    "close_extras",
    "set_state",
    "get_state",
    "mosaic",
    "panels",
    "moments",
    "call",
    "get_attr",
    "set_attr",
)
"""Methods that act on all rows together."""


def _rendered(env: Any) -> tuple[Any, ...]:
    frames = env.render()
    return (None,) * env.num_envs if frames is None else tuple(frames)


def _states(env: Any) -> tuple[dict[str, Any], ...]:
    state = env.agent_state()
    return tuple({key: value[row] for key, value in state.items()} for row in range(env.num_envs))


def _expert_actions(env: Any) -> tuple[Any, ...]:
    actions = on_host(env.expert_actions())
    return tuple(actions) if actions.ndim > 1 else tuple(actions.tolist())


_OF_ROWS: dict[str, Callable[[Any], tuple[Any, ...]]] = {
    "render": _rendered,
    "agent_state": _states,
    "expert_action": _expert_actions,
    "np_random_seed": lambda env: env.row_seeds,
}
"""What differs from row to row."""


class RowAccess:
    """``call``, ``get_attr`` and ``set_attr`` of ``BatchPointNavEnv``, as ``SyncVectorEnv`` has them."""

    num_envs: int
    _row_values: dict[str, tuple[Any, ...]]

    def call(self, name: str, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """What N single environments would answer to a method or attribute, one answer a row.

        ``render``, ``agent_state``, ``expert_action`` and ``np_random_seed`` differ by row, as does what
        ``set_attr`` has set; anything else belongs to all rows, and so is N times the same.

        Raises:
            AttributeError: there is no such attribute.
            ConfigError: a private one, or a method that acts on all rows together.
        """
        if name in self._row_values:
            return self._row_values[name]
        if name in _OF_ROWS:
            return _OF_ROWS[name](self, *args, **kwargs)
        if name.startswith("_") or name in _WHOLE:
            raise ConfigError(
                f"call({name!r}) is not allowed: it does not act on single rows; call it directly"
            )
        value = getattr(self, _OTHER_NAMES.get(name, name))
        return (value(*args, **kwargs) if callable(value) else value,) * self.num_envs

    def get_attr(self, name: str) -> tuple[Any, ...]:
        """An attribute of each row, as ``call`` gives it."""
        return self.call(name)

    def set_attr(self, name: str, values: Any) -> None:
        """Keep a value for each row under a new name, for ``get_attr`` to give back.

        Args:
            name: not that of an attribute of the environment: those are fixed when it is made.
            values: a list or tuple of N values, or one value for all rows.

        Raises:
            ConfigError: the name is taken, or there are not N values.
        """
        if name in _OF_ROWS or hasattr(self, name):
            raise ConfigError(
                f"set_attr({name!r}) is not allowed: it is fixed; make an environment with other arguments"
            )
        row_values = tuple(values) if isinstance(values, list | tuple) else (values,) * self.num_envs
        if len(row_values) != self.num_envs:
            raise ConfigError(f"set_attr({name!r}) got {len(row_values)} values; expected {self.num_envs}")
        self._row_values[name] = row_values
