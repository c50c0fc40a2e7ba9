"""Where the agents of a batch have been in their episodes, and maps that show it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ..nav import NavMesh
from ..sim.state import BatchState
from .maps import GOAL, SHORTEST, START, STOREY_M, WAY, Board, SceneMap

KEPT_MAPS = 64
"""Maps of scenes and storeys that are kept."""


class Ways:
    """The positions of each row since its episode began."""

    def __init__(self, num_envs: int) -> None:
        self._ways: list[list[NDArray[np.float32]]] = [[] for _ in range(num_envs)]
        self._maps: dict[tuple[int, float | None], SceneMap] = {}

    def note(self, state: BatchState) -> None:
        """Take down where all rows are; a row that has taken no step yet begins anew."""
        for row, (place, steps) in enumerate(zip(state.position.copy(), state.steps, strict=True)):
            if steps == 0:
                self._ways[row].clear()
            self._ways[row].append(place)

    def of(self, row: int) -> NDArray[np.float32]:
        """(S, 3) positions of a row, the start first."""
        return np.array(self._ways[row], dtype=np.float32).reshape(-1, 3)

    def maps(
        self,
        state: BatchState,
        ground_of: Callable[[int], NavMesh],
        side: int,
        *,
        goals: bool,
        radius_m: float,
    ) -> list[NDArray[np.uint8]]:
        """A map (side, side, 3) of each row: ground, start, way so far and agent; the goal, where it has one.

        Args:
            state: of the rows.
            ground_of: navigation mesh by index of the scene.
            side: pixels.
            goals: whether there are goals; the shortest way to it from the start is shown then.
            radius_m: distance from the goal within which stop succeeds, metres.
        """
        pictures = []
        for row in range(len(self._ways)):
            mesh = ground_of(int(state.scene[row]))
            way, start, goal = self.of(row), state.start[row], state.goal[row]
            shown = np.concatenate([way, start[None], goal[None] if goals else way[:0]])
            board = Board.of(
                self._map(int(state.scene[row]), mesh, float(state.position[row, 1])), shown, side
            )
            if goals:
                board.line(mesh.shortest_path(start, state.anchor[row]), SHORTEST)
                board.disc(goal, GOAL, radius_m=radius_m)
            board.disc(start, START)
            board.line(way, WAY)
            board.agent(state.position[row], float(state.heading[row]))
            pictures.append(np.asarray(board.picture()))
        return pictures

    def _map(self, scene: int, mesh: NavMesh, height: float) -> SceneMap:
        low, high = mesh.bounds[:, 1]
        storey = None if high - low < STOREY_M else round(2.0 * height) / 2.0
        key = (scene, storey)
        if key not in self._maps:
            while len(self._maps) >= KEPT_MAPS:
                del self._maps[next(iter(self._maps))]
            self._maps[key] = SceneMap.of(mesh, storey)
        return self._maps[key]
