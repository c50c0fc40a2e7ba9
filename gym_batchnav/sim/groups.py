"""Rows of the batch grouped by scene, so that each navigation mesh is called once a step."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..cores import usable_cores

if TYPE_CHECKING:
    from .ground import Crowd, Ground

ENOUGH_FOR_THREADS = 512
"""Walking rows from which on threads share the work."""
BLOCK = 256
"""Rows that a thread takes at a time."""


_Block = tuple["Crowd", int, int]
"""A crowd, and the first and last of its agents that are meant."""


def _blocks(crowd: Crowd, walking: NDArray[np.bool_]) -> Iterator[_Block]:
    """The parts of a crowd in which anybody walks."""
    for first in range(0, len(crowd), BLOCK):
        last = min(first + BLOCK, len(crowd))
        if walking[crowd.rows[first:last]].any():
            yield crowd, first, last


class SceneGroups:
    """Which rows are in which scene."""

    def __init__(self, num_envs: int) -> None:
        self._crowds: dict[int, Crowd] = {}
        self._scene_of_row = np.full(num_envs, -1, dtype=np.int64)
        self._number_of_row = np.zeros(num_envs, dtype=np.int64)
        self._warned = False

    @cached_property
    def _threads(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(thread_name_prefix="batchnav-walk", max_workers=usable_cores())

    def assign(
        self,
        row: int,
        scene: int,
        ground: Ground,
        goal: NDArray[np.float32],
        table: NDArray[np.float32],
    ) -> None:
        """Take ``row`` out of its crowd and put it into that of ``scene``."""
        old = int(self._scene_of_row[row])
        if old >= 0:
            crowd, number = self._crowds[old], int(self._number_of_row[row])
            self._number_of_row[crowd.remove(number)] = number
            if not len(crowd):
                del self._crowds[old]
        if scene not in self._crowds:
            self._crowds[scene] = ground.crowd()
        self._scene_of_row[row] = scene
        self._number_of_row[row] = self._crowds[scene].add(row, goal, table)

    def move(
        self,
        positions: NDArray[np.float32],
        targets: NDArray[np.float32],
        walking: NDArray[np.bool_],
        distances: NDArray[np.float64],
        sliding: bool,
    ) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
        """Walk the ``walking`` rows to ``targets``; fresh positions (N, 3) and goal distances (N,)."""
        after, distance = positions.copy(), distances.copy()

        def walk(block: _Block) -> None:
            block[0].walk(walking, targets, sliding, after, distance, *block[1:])

        self._for_all(walking, walk, ENOUGH_FOR_THREADS)
        self._hold_last_finite(after, positions, distance, distances)
        return after, distance

    def best_turns(
        self,
        acting: NDArray[np.bool_],
        positions: NDArray[np.float32],
        headings: NDArray[np.float64],
        *,
        turn_angle: float,
        forward_step: float,
        sliding: bool,
    ) -> NDArray[np.int64]:
        """How often (N,) the ``acting`` rows should turn left (negative: right) before a step forward."""
        turns = np.zeros(len(acting), np.int64)

        def look(block: _Block) -> None:
            crowd, first, last = block
            crowd.best_turns(
                acting, positions, headings, turns,
                turn_angle=turn_angle, forward_step=forward_step, sliding=sliding,
                first=first, last=last,
            )  # fmt: skip

        self._for_all(acting, look, 1)
        return turns

    def _for_all(self, rows: NDArray[np.bool_], work: Callable[[_Block], None], enough: int) -> None:
        """Do the work for all blocks with one of ``rows``, in threads from ``enough`` of these on."""
        blocks = [block for crowd in self._crowds.values() for block in _blocks(crowd, rows)]
        if len(blocks) == 1 or np.count_nonzero(rows) < enough:
            for block in blocks:
                work(block)
        else:
            # Each block writes its own rows, so the threads change no number.
            list(self._threads.map(work, blocks))

    def _hold_last_finite(
        self,
        after: NDArray[np.float32],
        before: NDArray[np.float32],
        distance: NDArray[np.float64],
        last: NDArray[np.float64],
    ) -> None:
        """Rows that a broken navigation mesh sent to NaN or cut off from their goal stay where they were."""
        bad = ~(np.isfinite(distance) & np.isfinite(after).all(axis=1))
        if not bad.any():
            return
        if not self._warned:
            self._warned = True
            rows = np.flatnonzero(bad).tolist()
            warnings.warn(
                f"the navigation mesh lost the agents of rows {rows} (no finite position or distance to the "
                "goal); they stay where they were. The mesh probably has overlapping or broken polygons.",
                stacklevel=5,
            )
        after[bad], distance[bad] = before[bad], last[bad]
