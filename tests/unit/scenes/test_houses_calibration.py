"""Episodes in the built-in houses are as hard as they are meant to be."""

from __future__ import annotations

import numpy as np
import pytest

from gym_batchnav.nav import navmesh_for
from gym_batchnav.scenes import resolve_scenes

FORWARD, TURN, REACHED = 0.25, np.deg2rad(10.0), 0.2


def draw_episodes(mesh, count, rng):
    """Starts, goals, geodesic distances and ratios by Habitat's rule."""
    found = [[], [], [], []]
    while sum(len(part) for part in found[0]) < count:
        start, goal = mesh.sample(400, rng), mesh.sample(400, rng)
        geodesic = mesh.geodesic_distance(start, goal)
        ratio = geodesic / np.maximum(np.linalg.norm(start - goal, axis=1), 1e-9)
        kept = (ratio >= 1.1) | (rng.random(400) < 20.0 * (ratio - 0.98) ** 2)
        kept &= (geodesic >= 1.0) & (geodesic <= 30.0) & (np.abs(start[:, 1] - goal[:, 1]) <= 0.5)
        for part, values in zip(found, (start, goal, geodesic, ratio), strict=True):
            part.append(values[kept])
    return tuple(np.concatenate(part)[:count] for part in found)


def straight_walk(mesh, start, goal, rng, actions=500):
    """Whether an agent that turns to the goal, walks with sliding and stops there succeeds."""
    position, heading = start.copy(), rng.uniform(0.0, 2.0 * np.pi, len(start))
    done, success = np.zeros(len(start), bool), np.zeros(len(start), bool)
    for _ in range(actions):
        offset = goal - position
        near = (np.hypot(offset[:, 0], offset[:, 2]) < REACHED) & ~done
        if near.any():
            success[near] = mesh.geodesic_distance(position[near], goal[near]) < REACHED
            done |= near
        error = (np.arctan2(offset[:, 0], offset[:, 2]) - heading + np.pi) % (2.0 * np.pi) - np.pi
        turning = np.abs(error) > TURN / 2.0 + 1e-4
        heading = np.where(turning, heading + np.sign(error) * TURN, heading)
        walking = ~turning & ~done
        if walking.any():
            step = np.stack([np.sin(heading), np.zeros_like(heading), np.cos(heading)], axis=1)[walking]
            position[walking] = mesh.move(position[walking], position[walking] + FORWARD * step)
    return success


@pytest.mark.slow
@pytest.mark.parametrize("houses", ["houses:val[:30]", "houses:train[100:130]"])
def test_calibration(houses):
    rng = np.random.default_rng(0)
    geodesic, ratio, success = [], [], []
    for ref in resolve_scenes(houses):
        mesh = navmesh_for(ref.load())
        assert mesh.num_islands == 1
        start, goal, distances, ratios = draw_episodes(mesh, 20, rng)
        geodesic.append(distances)
        ratio.append(ratios)
        success.append(straight_walk(mesh, start, goal, rng))
    assert 6.0 <= np.concatenate(geodesic).mean() <= 8.0
    assert (np.concatenate(ratio) < 1.1).mean() <= 0.2
    assert np.concatenate(success).mean() <= 0.3
