"""A ground whose answers are known by heart."""

from __future__ import annotations

import numpy as np
import pytest


class HallCrowd:
    """Agents of a hall, one by one."""

    def __init__(self, hall):
        self.hall, self.agents = hall, []

    def __len__(self):
        return len(self.agents)

    @property
    def rows(self):
        return np.array([row for row, _, _ in self.agents], dtype=np.intp)

    def add(self, row, goal, table):
        self.agents.append((row, np.array(goal), np.array(table)))
        return len(self.agents) - 1

    def remove(self, number):
        last = self.agents.pop()
        if number < len(self.agents):
            self.agents[number] = last
        return last[0]

    def walk(self, walking, targets, sliding, positions, distances, first=0, last=None):
        for row, goal, table in self.agents[first:last]:
            if walking[row]:
                end = self.hall.move(positions[row : row + 1], targets[row : row + 1], sliding)
                positions[row] = end[0]
                distances[row] = self.hall.distance_to_goal(end, goal[None], table[None])[0]


class Hall:
    """A flat, empty square of 10 x 10 m around the origin at height 0: every way is straight."""

    half = 5.0

    def points_at(self, draws):
        points = ((2.0 * draws - 1.0) * self.half).astype(np.float32)
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

    def crowd(self):
        return HallCrowd(self)

    def move(self, positions, targets, sliding=True):
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

    def points_at(self, draws):
        points = super().points_at(draws)
        points[:, 1] = np.where(points[:, 0] > 0, 3.0, 0.0)
        return points


@pytest.fixture
def hall():
    return Hall()


@pytest.fixture
def halls():
    return {"hall": Hall(), "split": SplitHall(), "storeys": TwoStoreys()}
