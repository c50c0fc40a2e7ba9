"""Interquartile means over runs and houses, as rliable has them (Agarwal et al. 2021, arXiv 2108.13264).

That library pins an ``arch`` without wheels for Python 3.14, so its few lines are written anew here. Both
gave the same mean and ends of the interval within 0.001 for random scores of three runs in a hundred houses.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.stats import trim_mean

Scores = NDArray[np.float64]
REPEATS = 10_000
_BLOCK = 500


def scores(houses_of_runs: Sequence[Mapping[str, Mapping[str, float]]], key: str) -> Scores:
    """Means of a metric, (runs, houses); the houses of all runs must be the same."""
    names = list(houses_of_runs[0])
    if any(set(houses) != set(names) for houses in houses_of_runs):
        raise ValueError("the runs were evaluated in different houses")
    return np.array([[houses[name][key] for name in names] for houses in houses_of_runs])


def interquartile_mean(values: Scores) -> float:
    """Mean of the middle half of all runs and houses."""
    return float(trim_mean(values, 0.25, axis=None))


def interquartile_interval(
    values: Scores, confidence: float = 0.95, seed: int = 0, repeats: int = REPEATS
) -> tuple[float, float]:
    """Percentiles of the interquartile mean over stratified resamples: each house draws its runs anew.

    Args:
        values: (runs, houses).
        confidence: of the interval.
        seed: of the resamples.
        repeats: resamples.
    """
    return _interval(resampled(values, seed, repeats), confidence)


def difference_interval(
    ours: Scores, theirs: Scores, confidence: float = 0.95, seed: int = 0, repeats: int = REPEATS
) -> tuple[float, float]:
    """The same of the difference of two interquartile means, whose runs are drawn apart."""
    return _interval(resampled(ours, seed, repeats) - resampled(theirs, seed + 1, repeats), confidence)


def resampled(values: Scores, seed: int, repeats: int) -> NDArray[np.float64]:
    """Interquartile means (repeats,) of stratified resamples."""
    rng = np.random.default_rng(seed)
    runs, houses = values.shape
    means = []
    for first in range(0, repeats, _BLOCK):
        size = min(_BLOCK, repeats - first)
        drawn = rng.integers(runs, size=(size, runs, houses))
        flat = np.take_along_axis(np.broadcast_to(values, drawn.shape), drawn, axis=1).reshape(size, -1)
        means.append(trim_mean(flat, 0.25, axis=1))
    return np.concatenate(means)


def _interval(means: NDArray[np.float64], confidence: float) -> tuple[float, float]:
    tail = (1 - confidence) / 2
    low, high = np.quantile(means, [tail, 1 - tail])
    return float(low), float(high)
