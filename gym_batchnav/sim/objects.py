"""Objects of a scene as goals."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol, cast

import numpy as np
from numpy.typing import NDArray


class GoalSet(Protocol):
    """Goals that a navigation mesh has prepared."""

    @property
    def points(self) -> NDArray[np.float32]:
        """(G, 3) metres."""


class ObjectGround(Protocol):
    """What objects need of a navigation mesh (``gym_batchnav.nav.NavMesh`` has it)."""

    def goal_set(self, goals: NDArray[np.float32]) -> GoalSet:
        """Prepare goals (G, 3)."""

    def closest_of(
        self, starts: NDArray[np.float32], goals: GoalSet
    ) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Geodesic distances (B,) to the closest of the goals, and which it is."""


class ObjectGoals:
    """Answers how far the nearest object of a class is; prepares each class when it is first asked for."""

    def __init__(self, ground: object, places: Mapping[str, NDArray[np.float32]]) -> None:
        """Keep the places.

        Args:
            ground: the navigation mesh of the scene, an ``ObjectGround``.
            places: (V, 3) points of it for each class, where one stands at an object of the class.
        """
        self._ground = cast("ObjectGround", ground)
        self._places = places
        self._prepared: dict[str, GoalSet] = {}

    @property
    def classes(self) -> tuple[str, ...]:
        """Classes that there are."""
        return tuple(self._places)

    def closest(
        self, name: str, positions: NDArray[np.float32]
    ) -> tuple[NDArray[np.float64], NDArray[np.float32]]:
        """The nearest place at an object of a class.

        Args:
            name: one of ``classes``.
            positions: (B, 3) metres.

        Returns:
            (B,) geodesic distances in metres, infinite where there is no way; (B, 3) the places, any where
            there is no way.
        """
        if name not in self._prepared:
            self._prepared[name] = self._ground.goal_set(self._places[name])
        goals = self._prepared[name]
        distances, index = self._ground.closest_of(positions, goals)
        return distances, goals.points[index]
