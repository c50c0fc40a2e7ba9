"""Metrics of an episode, batched. S is success, l the geodesic distance at the start, p the path length."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating]


def path_efficiency(shortest: Floats, path_length: Floats) -> NDArray[np.float64]:
    """Ratio l / max(p, l) in [0, 1], (N,); 1 where l is 0 (start and goal coincide)."""
    longest = np.maximum(path_length, shortest)
    return np.where(shortest > 0.0, shortest / np.where(longest > 0.0, longest, 1.0), 1.0)


def spl(success: NDArray[np.bool_], shortest: Floats, path_length: Floats) -> NDArray[np.float64]:
    """Success weighted by path length, S l / max(p, l), (N,) (Anderson et al. 2018); S where l is 0."""
    return success * path_efficiency(shortest, path_length)


def soft_spl(distance: Floats, shortest: Floats, path_length: Floats) -> NDArray[np.float64]:
    """SoftSPL (Datta et al. 2020), (N,): max(0, 1 - d / l) l / max(p, l), d the distance to the goal now.

    Where l is 0 it is 1 while the agent stands on the goal, else 0.
    """
    ratio = np.where(shortest > 0.0, distance / np.where(shortest > 0.0, shortest, 1.0), distance > 0.0)
    return np.clip(1.0 - ratio, 0.0, 1.0) * path_efficiency(shortest, path_length)
