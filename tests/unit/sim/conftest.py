"""A ground whose answers are known by heart."""

from __future__ import annotations

import numpy as np
import pytest


class Hall:
    """A flat, empty square of 10 x 10 m around the origin at height 0: every way is straight."""

    half = 5.0

    def sample(self, n, generator):
        points = generator.uniform(-self.half, self.half, (n, 3)).astype(np.float32)
        points[:, 1] = 0.0
        return points

    def snap(self, points):
        inside = np.abs(np.asarray(points)[:, [0, 2]]).max(axis=1) <= self.half
        flat = np.array(points, dtype=np.float32)
        flat[:, 1] = 0.0
        return np.where(inside[:, None], flat, np.float32(np.nan))

    def island(self, points):
        return np.zeros(len(points), dtype=np.int32)

    def island_radius(self, points):
        return np.full(len(points), self.half)

    def move(self, positions, targets, sliding=True, *, refuse_other_island=False):
        return np.clip(targets, -self.half, self.half).astype(np.float32)

    def geodesic_distance(self, starts, goals):
        return np.sqrt(np.square(np.asarray(goals, dtype=np.float64) - starts).sum(axis=1))

    def goal_table(self, goals):
        return np.asarray(goals, dtype=np.float32).copy()

    def distance_to_goal(self, positions, goals, tables):
        assert np.array_equal(goals, tables)
        return self.geodesic_distance(positions, goals)


class SplitHall(Hall):
    """The same hall, cut in two at x = 0."""

    def island(self, points):
        return (np.asarray(points)[:, 0] > 0).astype(np.int32)


class TwoStoreys(Hall):
    """The hall where points with x > 0 lie 3 m higher."""

    def sample(self, n, generator):
        points = super().sample(n, generator)
        points[:, 1] = np.where(points[:, 0] > 0, 3.0, 0.0)
        return points


@pytest.fixture
def hall():
    return Hall()


@pytest.fixture
def halls():
    return {"hall": Hall(), "split": SplitHall(), "storeys": TwoStoreys()}
