"""Random points of the walkable ground."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gym_batchnav.errors import ConfigError
from gym_batchnav.nav.ground import Ground, GroundFacts


def points_at(ground: Ground, facts: GroundFacts, draws: NDArray[np.float64]) -> NDArray[np.float32]:
    """Points (B, 3) for random numbers (B, 3) in [0, 1): uniform over the area where these are uniform."""
    return _in_triangles(ground, facts.sample_tri, facts.sample_cdf, draws)


def on_island(
    ground: Ground, facts: GroundFacts, island: int, draws: NDArray[np.float64]
) -> NDArray[np.float32]:
    """As ``points_at`` for one island; raises ``ConfigError`` where there is no such island."""
    owner = np.searchsorted(ground.detail_start, facts.sample_tri, side="right") - 1
    chosen = ground.poly_island[owner] == island
    if not chosen.any():
        raise ConfigError(f"island={island}; the mesh has islands 0 to {len(facts.island_radius) - 1}")
    area = np.diff(facts.sample_cdf, prepend=0.0)[chosen]
    cdf = np.cumsum(area)
    return _in_triangles(ground, facts.sample_tri[chosen], cdf / cdf[-1], draws)


def _in_triangles(
    ground: Ground, triangles: NDArray[np.int32], cdf: NDArray[np.float64], draws: NDArray[np.float64]
) -> NDArray[np.float32]:
    chosen = np.searchsorted(cdf, draws[:, 0], side="right")
    index = triangles[np.minimum(chosen, len(triangles) - 1)]
    a, b, c = np.moveaxis(ground.detail_tri[index].astype(np.float64), 1, 0)
    # Uniform in a triangle: Osada et al. 2002, Shape Distributions, equation 1.
    root, share = np.sqrt(draws[:, 1:2]), draws[:, 2:3]
    points: NDArray[np.float64] = (1 - root) * a + root * (1 - share) * b + root * share * c
    return points.astype(np.float32)
