"""Rows of the batch grouped by scene, so that each navigation mesh is called once a step."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from .simulator import Ground


class _Group:
    """Rows that are in one scene, with their goals and goal tables packed without gaps."""

    def __init__(self, ground: Ground, width: int) -> None:
        self.ground = ground
        self.count = 0
        self._rows = np.zeros(4, dtype=np.intp)
        self._goals = np.zeros((4, 3), dtype=np.float32)
        self._tables = np.zeros((4, width), dtype=np.float32)

    @property
    def rows(self) -> NDArray[np.intp]:
        return self._rows[: self.count]

    @property
    def goals(self) -> NDArray[np.float32]:
        return self._goals[: self.count]

    @property
    def tables(self) -> NDArray[np.float32]:
        return self._tables[: self.count]

    def add(self, row: int, goal: NDArray[np.float32], table: NDArray[np.float32]) -> int:
        """Append a row; returns its place."""
        if self.count == len(self._rows):
            self._rows, self._goals, self._tables = (
                np.concatenate([array, np.zeros_like(array)])
                for array in (self._rows, self._goals, self._tables)
            )
        place = self.count
        self._rows[place], self._goals[place], self._tables[place] = row, goal, table
        self.count += 1
        return place

    def remove(self, place: int) -> int:
        """Fill the hole at ``place`` with the last row; returns that row."""
        self.count -= 1
        for array in (self._rows, self._goals, self._tables):
            array[place] = array[self.count]
        return int(self._rows[place])


class SceneGroups:
    """Which rows are in which scene."""

    def __init__(self, num_envs: int) -> None:
        self._groups: dict[int, _Group] = {}
        self._scene_of_row = np.full(num_envs, -1, dtype=np.int64)
        self._place_of_row = np.zeros(num_envs, dtype=np.int64)
        self._warned = False

    def assign(
        self,
        row: int,
        scene: int,
        ground: Ground,
        goal: NDArray[np.float32],
        table: NDArray[np.float32],
    ) -> None:
        """Take ``row`` out of its group and put it into that of ``scene``."""
        old = int(self._scene_of_row[row])
        if old >= 0:
            group, place = self._groups[old], int(self._place_of_row[row])
            self._place_of_row[group.remove(place)] = place
            if group.count == 0:
                del self._groups[old]
        if scene not in self._groups:
            self._groups[scene] = _Group(ground, len(table))
        self._scene_of_row[row] = scene
        self._place_of_row[row] = self._groups[scene].add(row, goal, table)

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
        for group in self._groups.values():
            places = np.flatnonzero(walking[group.rows])
            if not len(places):
                continue
            rows = group.rows[places]
            # As habitat-sim's tryStep: no step towards ground of another island.
            ends = group.ground.move(positions[rows], targets[rows], sliding, refuse_other_island=True)
            after[rows] = ends
            distance[rows] = group.ground.distance_to_goal(ends, group.goals[places], group.tables[places])
        self._hold_last_finite(after, positions, distance, distances)
        return after, distance

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
