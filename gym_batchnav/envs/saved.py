"""Checks of a state that was saved by ``get_state``, before anything of it is taken over."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..errors import ConfigError

_KEYS = ("seeds", "numbers", "slots", "simulator")


def check_state(state: Any, num_envs: int, slots: tuple[int, list[int]] | None) -> None:
    """Check all but the arrays of the simulator.

    Args:
        state: what the user gave.
        num_envs: rows of the environment.
        slots: the state of its scene slots now; None where it has none.

    Raises:
        ConfigError: a part is missing, of another type, or of an environment with other arguments.
    """
    if not isinstance(state, Mapping):
        raise ConfigError(f"state is a {type(state).__name__}; expected the mapping that get_state() gave")
    if missing := [key for key in _KEYS if key not in state]:
        raise ConfigError(f"the saved state lacks {', '.join(missing)}; give what get_state() gave")
    if not isinstance(state["simulator"], Mapping):
        raise ConfigError(
            f"the saved state's 'simulator' is a {type(state['simulator']).__name__}, no mapping"
        )
    _check_integers("seeds", state["seeds"], num_envs, 0)
    _check_integers("numbers", state["numbers"], num_envs, -1)
    given = state["slots"]
    if (given is None) != (slots is None):
        raise ConfigError("the saved state belongs to an environment with another number of resident scenes")
    if slots is not None:
        if not isinstance(given, tuple | list) or len(given) != 2:
            raise ConfigError("the saved state's 'slots' is no pair of a seed and a list")
        _check_integers("slots", [given[0]], 1, 0)
        _check_integers("slots", given[1], len(slots[1]), 0)


def check_finished(finished: Any, num_envs: int) -> None:
    """Check the flags of the rows whose episode is over; raises ``ConfigError``."""
    flags = np.asarray(finished)
    if flags.ndim != 1 or flags.dtype != np.bool_:
        raise ConfigError("the saved state's 'finished' is missing or no array (N,) of bool")
    if len(flags) != num_envs:
        raise ConfigError(f"the saved state has {len(flags)} rows; this environment has {num_envs} rows")


def _check_integers(name: str, values: Any, count: int, low: int) -> None:
    if not isinstance(values, tuple | list | np.ndarray) or len(values) != count:
        found = f"{len(values)} entries" if hasattr(values, "__len__") else repr(values)
        raise ConfigError(
            f"the saved state's {name!r} has {found}; expected {count}: the state belongs to an environment "
            "of another size"
        )
    if any(isinstance(item, bool) or not isinstance(item, int | np.integer) or item < low for item in values):
        raise ConfigError(f"the saved state's {name!r} holds something else than integers of at least {low}")
