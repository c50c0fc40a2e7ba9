"""Go to any object of a class."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ...config import EnvConfig
from ..episodes import Episode, NoEpisodeError, SamplingGround
from ..objects import ObjectGoals
from ..sensors import SensorSpec
from ..state import BatchState
from ..task import Array, PointNav

_MOST_STARTS = 200


class ObjectNav(PointNav):
    """Find an object of a class and stop at it; reward and metrics are those of ``PointNav``.

    ``objectgoal`` (N, 1) int64 is the class, as its place in ``object_categories``. Distances are geodesic
    and go to the nearest place at any object of the class; a stop within ``object_distance`` of it succeeds.
    """

    needs_objects: ClassVar[bool] = True

    def __init__(self, config: EnvConfig, num_envs: int) -> None:
        super().__init__(config, num_envs)
        # Where each row was measured last, and what came out.
        self._positions = np.full((num_envs, 3), np.nan, dtype=np.float32)
        self._distances = np.zeros(num_envs)

    @property
    def success_distance(self) -> float:
        """``object_distance``."""
        return self.config.object_distance

    def adapt(self, episode: Episode, ground: SamplingGround, generator: np.random.Generator) -> Episode:
        """Draw a class whose nearest object is between ``min_geodesic`` and ``max_geodesic`` away.

        Where there is none, another start is drawn, but not in place of one that a file gives. ``goal`` and
        ``anchor`` are the place at the object that is nearest to the start.
        """
        fixed = isinstance(self.config.episodes, str | os.PathLike)
        for _ in range(1 if fixed else _MOST_STARTS):
            found = self._drawn(episode, generator)
            if found is not None:
                number, distance, place = found
                return replace(
                    episode, goal=place, anchor=place, table=ground.goal_table(place[None])[0],
                    distance=distance, goal_class=number,
                )  # fmt: skip
            start = ground.points_at(generator.random((1, 3)))
            if ground.island_radius(start)[0] >= self.config.min_island_radius:
                episode = replace(episode, start=start[0])
        raise NoEpisodeError(
            f"episode {episode.number}: no object of {', '.join(self._objects(episode.scene).classes)} is "
            f"{self.config.min_geodesic:g} to {self.config.max_geodesic:g} m from where an agent may start; "
            "loosen min_geodesic or name more object_categories"
        )

    def begin(self, rows: Sequence[int], state: BatchState) -> None:
        """The start has been measured."""
        self._positions[rows] = state.position[rows]
        self._distances[rows] = state.distance[rows]

    def sensors(self) -> dict[str, SensorSpec]:
        """The class."""
        last = len(self.config.object_categories) - 1
        return {"objectgoal": SensorSpec((0,), (last,), np.int64)}

    def observe(self, state: BatchState) -> dict[str, Array]:
        """The class, (N, 1) int64."""
        return {"objectgoal": state.goal_class[:, None].copy()}

    def advance(self, state: BatchState) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """As ``PointNav``, with the distance to the nearest object of the class."""
        moved = (state.position != self._positions).any(axis=1)
        state.distance = np.where(moved, self._measured(state, np.flatnonzero(moved)), self._distances)
        self._positions, self._distances = state.position.copy(), state.distance.copy()
        return super().advance(state)

    def _measured(self, state: BatchState, rows: NDArray[np.intp]) -> NDArray[np.float64]:
        """Distances (N,) of which those of ``rows`` are to the nearest object."""
        distances = state.distance.copy()
        kinds = np.stack([state.scene[rows], state.goal_class[rows]], axis=1)
        for scene, number in np.unique(kinds, axis=0).tolist():
            own = rows[(kinds == (scene, number)).all(axis=1)]
            name = self.config.object_categories[number]
            distances[own] = self._objects(scene).closest(name, state.position[own])[0]
        return distances

    def _drawn(
        self, episode: Episode, generator: np.random.Generator
    ) -> tuple[int, float, NDArray[np.float32]] | None:
        """Number of a class that fits the start, distance and place; None where none does."""
        objects = self._objects(episode.scene)
        for number in generator.permutation(len(self.config.object_categories)).tolist():
            name = self.config.object_categories[number]
            if name not in objects.classes:
                continue
            distances, places = objects.closest(name, episode.start[None])
            if self.config.min_geodesic <= distances[0] <= self.config.max_geodesic:
                return number, float(distances[0]), places[0]
        return None

    def _objects(self, scene: int) -> ObjectGoals:
        assert self.objects_of is not None, "the environment gives objects_of to tasks that need objects"
        return self.objects_of(scene)
