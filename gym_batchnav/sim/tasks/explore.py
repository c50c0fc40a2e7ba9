"""See as much of the scene as possible."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, cast

import numpy as np
from numpy.typing import NDArray

from ...config import EnvConfig
from ..sensors import SensorSpec
from ..state import BatchState
from ..task import Array, Task

CELL = 1.0
"""Side of a cell, metres."""
CELL_REWARD = 0.25
"""Reward of entering a cell for the first time."""
_UNUSED = np.int64(-1)
_FIRST_ROOM = 32


class Explore(Task):
    """Each newly entered cell of 1 m gives 0.25 (Shacklett et al. 2021); the one of the start gives nothing.

    Cells lie on whole metres of x and z; storeys are told apart by whole metres over the start, rounded. A
    stop ends the episode.
    """

    has_goal: ClassVar[bool] = False

    def __init__(self, config: EnvConfig, num_envs: int) -> None:
        super().__init__(config, num_envs)
        # (N, M) keys of the cells that each row has been in, filled from the left; M grows.
        self._visited = np.full((num_envs, _FIRST_ROOM), _UNUSED)

    def begin(self, rows: Sequence[int], state: BatchState) -> None:
        """Forget the last episode; the start counts as visited."""
        self._visited[rows] = _UNUSED
        self._visited[rows, 0] = _keys(state)[rows]

    def sensors(self) -> dict[str, SensorSpec]:
        """None: the agent has its images alone."""
        return {}

    def observe(self, state: BatchState) -> dict[str, Array]:
        """Nothing."""
        return {}

    def advance(self, state: BatchState) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """The reward of the cells that were entered for the first time."""
        keys = _keys(state)
        fresh = ~(self._visited == keys[:, None]).any(axis=1)
        rows = np.flatnonzero(fresh)
        places = self._counts()[rows]
        if len(rows) and places.max() == self._visited.shape[1]:
            more = np.full((len(fresh), max(self._visited.shape[1], _FIRST_ROOM)), _UNUSED)
            self._visited = np.concatenate([self._visited, more], axis=1)
        self._visited[rows, places] = keys[rows]
        return CELL_REWARD * fresh, state.stopped.copy()

    def metrics(self, state: BatchState) -> dict[str, Array]:
        """How many cells the agent has been in, the first one included, and the length of its way."""
        return {
            "cells_visited": self._counts().astype(np.int32),
            "path_length": state.path_length.astype(np.float32),
        }

    def get_state(self) -> dict[str, Array]:
        """The cells that each row has been in."""
        return {"visited": self._visited.copy()}

    def set_state(self, arrays: Mapping[str, Array]) -> None:
        """Go on with them."""
        self._visited = cast("NDArray[np.int64]", arrays["visited"].copy())

    def _counts(self) -> NDArray[np.intp]:
        counts: NDArray[np.intp] = (self._visited != _UNUSED).sum(axis=1)
        return counts


def _keys(state: BatchState) -> NDArray[np.int64]:
    """A number (N,) of at least 0 for the cell that each agent is in: 21 bits for each axis."""
    place = state.position.astype(np.float64)
    place[:, 1] -= state.start[:, 1] - 0.5 * CELL
    x, y, z = (np.floor(place / CELL).astype(np.int64) & 0x1FFFFF).T
    keys: NDArray[np.int64] = (x << 42) | (y << 21) | z
    return keys
