"""What the simulator needs of the ground that agents walk on."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray


class Crowd(Protocol):
    """Agents on one navigation mesh, each with its goal (``gym_batchnav.nav.Crowd`` is one)."""

    def __len__(self) -> int: ...

    @property
    def rows(self) -> NDArray[np.intp]:
        """Rows of the agents."""

    def add(self, row: int, goal: NDArray[np.float32], table: NDArray[np.float32]) -> int:
        """Take in the agent of ``row``; returns its number."""

    def remove(self, number: int) -> int:
        """Let an agent go; the last one takes over its number. Returns that one's row."""

    def walk(
        self,
        walking: NDArray[np.bool_],
        targets: NDArray[np.float32],
        sliding: bool,
        positions: NDArray[np.float32],
        distances: NDArray[np.float64],
        first: int = 0,
        last: int | None = None,
    ) -> None:
        """Walk the rows that are ``walking`` (N,) to ``targets`` (N, 3), those of agents first to last alone.

        Overwrites their ``positions`` (N, 3) and geodesic ``distances`` (N,) to the goal.
        """

    def best_turns(
        self,
        acting: NDArray[np.bool_],
        positions: NDArray[np.float32],
        headings: NDArray[np.float64],
        turns: NDArray[np.int64],
        *,
        turn_angle: float,
        forward_step: float,
        sliding: bool,
        first: int = 0,
        last: int | None = None,
    ) -> None:
        """Overwrite ``turns`` (N,) of the ``acting`` rows: turns to the left before the next step forward."""


class Ground(Protocol):
    """What the simulator needs of a navigation mesh (``gym_batchnav.nav.NavMesh`` has it)."""

    def crowd(self) -> Crowd:
        """An empty crowd on the mesh."""

    def goal_table(self, goals: NDArray[np.float32]) -> NDArray[np.float32]:
        """What a crowd needs of goals (B, 3): (B, C)."""
