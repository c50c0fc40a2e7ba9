"""Agents on one mesh, each on its way to a goal."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gym_batchnav.nav._crowd import UNPLACED, Members, place_goals, step_crowd
from gym_batchnav.nav._expert import Walker, best_turns
from gym_batchnav.nav._motion import make_scratch, nudged
from gym_batchnav.nav._visibility import make_flood

if TYPE_CHECKING:
    from gym_batchnav.nav.navmesh import NavMesh

_FIRST_ROOM = 4


class Crowd:
    """Agents on one mesh; remembers where each stands on it, so that a step need not search for that again.

    Made by ``NavMesh.crowd``. An agent's row is its place in the arrays that ``walk`` gets.
    """

    def __init__(self, mesh: NavMesh) -> None:
        self._mesh = mesh
        self._members = _make_members(_FIRST_ROOM, mesh)
        self._strayed = np.empty(_FIRST_ROOM, np.int32)
        self._count = 0

    def __len__(self) -> int:
        return self._count

    @property
    def rows(self) -> NDArray[np.intp]:
        """(n,) rows of the agents; a view."""
        return self._members.rows[: self._count]

    def add(self, row: int, goal: NDArray[np.float32], table: NDArray[np.float32]) -> int:
        """Take in the agent of ``row``.

        Args:
            row: of the arrays that ``walk`` will get.
            goal: (3,) metres, finite.
            table: (C,) float32, the goal's row of ``NavMesh.goal_table``.

        Returns:
            The agent's number, for ``remove``.
        """
        if self._count == len(self._strayed):
            self._grow()
        number, members = self._count, self._members
        members.rows[number], members.goals[number], members.tables[number] = row, goal, table
        members.goal_polys[number], members.places[number] = UNPLACED, np.nan
        self._count += 1
        return number

    def remove(self, number: int) -> int:
        """Let an agent go; the last one takes over its number. Returns that one's row."""
        self._count -= 1
        for array in self._members:
            array[number] = array[self._count]
        return int(self._members.rows[number])

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
        """Walk the agents that are ``walking``, as ``NavMesh.move`` with ``refuse_other_island``.

        Args:
            walking: (N,) by row.
            targets: (N, 3) metres, finite.
            sliding: whether to slide along walls.
            positions: (N, 3) where they are, metres; overwritten with where they end.
            distances: (N,) overwritten with ``NavMesh.distance_to_goal``, metres.
            first: first of the agents that are looked at; threads may share a crowd, each with its own ones.
            last: the one after the last; None for all.
        """
        last = self._count if last is None else last
        self._place_goals(first, last)
        ground, sight = self._mesh.tables
        num_strayed = step_crowd(
            ground, self._mesh.num_islands == 1, sight, self._members, first, last, walking, targets, sliding,
            make_scratch(), np.empty(self._mesh.num_corners), np.empty(3, np.int64), positions, distances,
            self._strayed,
        )  # fmt: skip
        if num_strayed:
            strayed = first + np.flatnonzero(self._strayed[first:last] >= 0)
            self._bring_back(strayed, positions, distances)

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
        """Find how often each agent should turn before its next step forward.

        Of all numbers of turns it takes the one after which a step forward ends nearest to the goal (geodesic
        distance), the smaller one of two that are as good as equal.

        Args:
            acting: (N,) by row; the others are left alone.
            positions: (N, 3) metres.
            headings: (N,) radians, 0 along -Z, positive to the left.
            turns: (N,) overwritten with the number of turns to the left, negative to the right.
            turn_angle: of one turn, radians.
            forward_step: metres.
            sliding: whether the agents slide along walls.
            first: first of the agents that are looked at, as in ``walk``.
            last: the one after the last; None for all.
        """
        last = self._count if last is None else last
        self._place_goals(first, last)
        ground, sight = self._mesh.tables
        walker = Walker(
            ground=ground, one_island=self._mesh.num_islands == 1, sight=sight, members=self._members,
            half=math.ceil(math.pi / turn_angle), turn_angle=float(turn_angle),
            forward_step=float(forward_step), sliding=bool(sliding),
            scratch=make_scratch(), bound=np.empty(self._mesh.num_corners), spot=np.empty(3, np.int64),
            target=np.empty(3, np.float32), between=np.empty(3, np.float32),
        )  # fmt: skip
        best_turns(walker, first, last, acting, positions, headings, turns)

    def _place_goals(self, first: int, last: int) -> None:
        """Put new goals on the mesh."""
        if (self._members.goal_polys[first:last] == UNPLACED).any():
            ground, sight = self._mesh.tables
            place_goals(ground, sight, make_flood(len(sight.tri_xz)), self._members, first, last)

    def _bring_back(
        self, strayed: NDArray[np.intp], positions: NDArray[np.float32], distances: NDArray[np.float64]
    ) -> None:
        members, (ground, _) = self._members, self._mesh.tables
        rows = members.rows[strayed]
        positions[rows] = nudged(ground, self._strayed[strayed], positions[rows])
        distances[rows] = self._mesh.distance_to_goal(
            positions[rows], members.goals[strayed], members.tables[strayed]
        )

    def _grow(self) -> None:
        spare = _make_members(self._count, self._mesh)
        arrays: list[tuple[NDArray[Any], NDArray[Any]]] = list(zip(self._members, spare, strict=True))
        self._members = Members(*(np.concatenate(pair) for pair in arrays))
        self._strayed = np.empty(2 * self._count, np.int32)


def _make_members(room: int, mesh: NavMesh) -> Members:
    num_corners, num_triangles = mesh.num_corners, len(mesh.tables[1].tri_xz)
    return Members(
        rows=np.zeros(room, np.intp),
        goals=np.zeros((room, 3), np.float32),
        tables=np.zeros((room, num_corners), np.float32),
        goal_polys=np.full(room, UNPLACED, np.int32),
        goal_points=np.zeros((room, 3), np.float32),
        goal_spots=np.zeros((room, 3), np.int64),
        goal_views=np.zeros((room, num_triangles), np.uint8),
        places=np.full((room, 3), np.nan, np.float32),
        polys=np.full(room, -1, np.int32),
        points=np.zeros((room, 3), np.float32),
    )
