"""Confidence intervals of means over episodes."""

from __future__ import annotations

from statistics import NormalDist
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

_RESAMPLES = 2000


class Interval(NamedTuple):
    """A mean and its confidence interval."""

    mean: float
    """Of the sample."""
    low: float
    """Lower end."""
    high: float
    """Upper end."""


def wilson_interval(successes: int, count: int, confidence: float = 0.95) -> Interval:
    """Of a proportion (Wilson 1927); right near 0 and 1 too.

    Args:
        successes: in [0, count].
        count: at least 1.
        confidence: in (0, 1).
    """
    z = NormalDist().inv_cdf(0.5 + confidence / 2)
    share = successes / count
    centre = (share + z * z / (2 * count)) / (1 + z * z / count)
    half = z / (1 + z * z / count) * (share * (1 - share) / count + z * z / (4 * count * count)) ** 0.5
    return Interval(share, max(0.0, centre - half), min(1.0, centre + half))


def bootstrap_interval(values: npt.ArrayLike, confidence: float = 0.95, seed: int = 0) -> Interval:
    """Of a mean: percentiles of the means of 2,000 resamples (Efron 1979), the same for equal seeds."""
    sample = np.asarray(values, np.float64)
    rng = np.random.default_rng(seed)
    # One resample at a time holds memory to the sample's size, whatever the number of episodes.
    means = [sample[rng.integers(sample.size, size=sample.size)].mean() for _ in range(_RESAMPLES)]
    tail = 50 * (1 - confidence)
    low, high = np.percentile(means, [tail, 100 - tail])
    return Interval(float(sample.mean()), float(low), float(high))


def mean_interval(values: npt.ArrayLike, confidence: float = 0.95, seed: int = 0) -> Interval:
    """Wilson's interval where all values are 0 or 1, else the bootstrap's."""
    sample = np.asarray(values, np.float64)
    if np.isin(sample, (0.0, 1.0)).all():
        return wilson_interval(int(sample.sum()), sample.size, confidence)
    return bootstrap_interval(sample, confidence, seed)
