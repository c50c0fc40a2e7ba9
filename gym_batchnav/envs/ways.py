"""Where the agents of a batch have been in their episodes, and maps that show it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from ..nav import NavMesh
from ..sim.state import BatchState
from .maps import GOAL, SHORTEST, START, STOREY_M, WAY, Board, SceneMap
from .watching.overhead import MapFrame

Plan = Callable[[int, float, MapFrame], Image.Image]
"""Draws a scene, given by its index, from above, cut open over a floor of that height."""
RIM, RIM_WIDTH = "#ffffff", 6.0
"""Lines and marks on plans have a rim, since plans have all colours."""
KEPT_MAPS = 64
"""Maps of scenes and storeys that are kept."""


class Ways:
    """The positions of each row since its episode began."""

    def __init__(self, num_envs: int) -> None:
        self._ways: list[list[NDArray[np.float32]]] = [[] for _ in range(num_envs)]
        self._maps: dict[tuple[int, float | None], SceneMap] = {}
        self._boards: dict[int, tuple[Any, Board]] = {}

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
        plan: Plan | None = None,
        rows: Sequence[int] | None = None,
    ) -> list[NDArray[np.uint8]]:
        """A map (side, side, 3) of each row: ground, start, way so far and agent; the goal, where it has one.

        Args:
            state: of the rows.
            ground_of: navigation mesh by index of the scene.
            side: pixels.
            goals: whether there are goals; the shortest way to it from the start is shown then.
            radius_m: distance from the goal within which stop succeeds, metres.
            plan: draws the scene below the lines; None shows the walkable ground.
            rows: whose maps to draw, in this order; None for all.
        """
        pictures = []
        for row in range(len(self._ways)) if rows is None else rows:
            way = self.of(row)
            board = self._board(row, state, ground_of, side, goals=goals, radius_m=radius_m, plan=plan)
            if plan is not None:
                board.line(way, RIM, RIM_WIDTH)
            board.line(way, WAY)
            board.agent(state.position[row], float(state.heading[row]))
            pictures.append(np.asarray(board.picture()))
        return pictures

    def _board(
        self,
        row: int,
        state: BatchState,
        ground_of: Callable[[int], NavMesh],
        side: int,
        *,
        goals: bool,
        radius_m: float,
        plan: Plan | None,
    ) -> Board:
        """A fresh board of a row without what moves; made once an episode, while the agent stays on it."""
        scene, start, goal, height = (
            int(state.scene[row]), state.start[row], state.goal[row], float(state.position[row, 1]),
        )  # fmt: skip
        mesh, way = ground_of(scene), self.of(row)
        key = (scene, _floor(mesh, height), start.tobytes(), goal.tobytes(), side, goals, radius_m, plan)
        old = self._boards.get(row)
        if old is not None and old[0] == key and old[1].shows(way):
            return old[1].copied()
        shown = np.concatenate([way, start[None], goal[None] if goals else way[:0]])
        backdrop = None if plan is None else partial(plan, scene, _floor(mesh, height))
        board = Board.of(self._map(scene, mesh, height), shown, side, backdrop)
        shortest = mesh.shortest_path(start, state.anchor[row]) if goals else way[:0]
        if plan is not None:
            board.line(shortest, RIM, RIM_WIDTH)
            board.disc(start, RIM, 6.0)
        board.line(shortest, SHORTEST)
        if goals:
            if plan is not None:
                board.disc(goal, RIM, 6.5, radius_m)
            board.disc(goal, GOAL, radius_m=radius_m)
        board.disc(start, START)
        self._boards[row] = (key, board)
        return board.copied()

    def _map(self, scene: int, mesh: NavMesh, height: float) -> SceneMap:
        storey = _storey(mesh, height)
        key = (scene, storey)
        if key not in self._maps:
            while len(self._maps) >= KEPT_MAPS:
                del self._maps[next(iter(self._maps))]
            self._maps[key] = SceneMap.of(mesh, storey)
        return self._maps[key]


def _storey(mesh: NavMesh, height: float) -> float | None:
    """Height of the storey that a place belongs to, in halves of metres; None where there is one storey."""
    low, high = mesh.bounds[:, 1]
    return None if high - low < STOREY_M else round(2.0 * height) / 2.0


def _floor(mesh: NavMesh, height: float) -> float:
    storey = _storey(mesh, height)
    return float(mesh.bounds[0, 1]) if storey is None else storey
