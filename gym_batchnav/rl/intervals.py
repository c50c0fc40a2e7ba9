"""Confidence intervals of means over episodes, which may come in groups such as scenes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

CONFIDENCE = 0.95
"""Of intervals unless asked for otherwise."""
RESAMPLES = 10_000
"""Resamples of a bootstrap."""
MIN_GROUPS = 10
"""Groups from which on a bootstrap draws whole groups; fewer say too little about how groups differ."""
_BLOCK = 4_000_000
"""Counts (resamples times groups) that are held at once."""

Floats = npt.NDArray[np.float64]
Labels = npt.NDArray[np.intp]


class Interval(NamedTuple):
    """A mean and its confidence interval."""

    mean: float
    """Of the sample."""
    low: float
    """Lower end."""
    high: float
    """Upper end."""


def wilson_interval(successes: int, count: int, confidence: float = CONFIDENCE) -> Interval:
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


def group_labels(names: Sequence[str]) -> Labels | None:
    """Numbers of the groups that episodes belong to, for the ``groups`` of the intervals.

    Args:
        names: name of each episode's group, its scene say.

    Returns:
        (M,) numbers from 0 on; None, which takes every episode for itself, for fewer than 10 groups.
    """
    known = {name: number for number, name in enumerate(dict.fromkeys(names))}
    return np.array([known[name] for name in names], np.intp) if len(known) >= MIN_GROUPS else None


def bootstrap_interval(
    values: npt.ArrayLike,
    confidence: float = CONFIDENCE,
    seed: int = 0,
    *,
    groups: npt.NDArray[np.integer] | None = None,
    resamples: int = RESAMPLES,
) -> Interval:
    """Of a mean, by the bias-corrected and accelerated bootstrap (Efron 1987), the same for equal seeds.

    Episodes of one scene resemble each other, so that resampling them one by one gives intervals that are
    too narrow for other scenes. With groups whole groups are drawn (the cluster bootstrap, Davison and
    Hinkley 1997, section 3.8), and a group's episodes all count with it.

    Args:
        values: (M,) one of each episode.
        confidence: in (0, 1).
        seed: of the resamples.
        groups: (M,) number of each episode's group; None draws single episodes.
        resamples: how many.
    """
    sample = np.asarray(values, np.float64)
    labels = np.arange(sample.size) if groups is None else np.unique(groups, return_inverse=True)[1]
    counts = np.bincount(labels).astype(np.float64)
    sums = np.bincount(labels, weights=sample)
    mean = float(sample.mean())
    # Sums may differ by rounding alone, from which no interval follows.
    if len(counts) == 1 or np.ptp(sample) == 0:
        return Interval(mean, mean, mean)
    means = np.concatenate([(w @ sums) / (w @ counts) for w in _draws(len(counts), resamples, seed)])
    without = (sums.sum() - sums) / (counts.sum() - counts)
    low, high = np.quantile(means, _levels(means, mean, without, confidence))
    return Interval(mean, float(low), float(high))


def mean_interval(
    values: npt.ArrayLike,
    confidence: float = CONFIDENCE,
    seed: int = 0,
    *,
    groups: npt.NDArray[np.integer] | None = None,
    resamples: int = RESAMPLES,
) -> Interval:
    """The bootstrap's interval, but Wilson's for a proportion where the bootstrap has nothing to say.

    Wilson's is taken of zeros and ones without groups, and where all of them are equal: then of the number
    of groups, as if a group were one episode, which is never too narrow. Arguments: see
    ``bootstrap_interval``.
    """
    sample = np.asarray(values, np.float64)
    proportion = bool(np.isin(sample, (0.0, 1.0)).all())
    if proportion and (groups is None or np.ptp(sample) == 0):
        count = sample.size if groups is None else len(np.unique(groups))
        return wilson_interval(round(float(sample.mean()) * count), count, confidence)
    return bootstrap_interval(sample, confidence, seed, groups=groups, resamples=resamples)


def paired_interval(
    ours: npt.ArrayLike,
    theirs: npt.ArrayLike,
    confidence: float = CONFIDENCE,
    seed: int = 0,
    *,
    groups: npt.NDArray[np.integer] | None = None,
    resamples: int = RESAMPLES,
) -> Interval:
    """Of the mean difference ours - theirs over the same episodes; see ``bootstrap_interval``."""
    difference = np.asarray(ours, np.float64) - np.asarray(theirs, np.float64)
    return bootstrap_interval(difference, confidence, seed, groups=groups, resamples=resamples)


def _levels(means: Floats, mean: float, without: Floats, confidence: float) -> list[float]:
    """Quantiles of the resampled means that bound the interval (Efron 1987, equation 2.3).

    Args:
        means: of the resamples.
        mean: of the sample.
        without: means of the sample without each of its groups.
        confidence: of the interval.
    """
    normal = NormalDist()
    below = float((means < mean).mean() + (means <= mean).mean()) / 2
    edge = 0.5 / len(means)
    bias = normal.inv_cdf(min(max(below, edge), 1 - edge))
    lean = without.mean() - without
    spread = float((lean**2).sum()) ** 1.5
    acceleration = float((lean**3).sum()) / (6 * spread) if spread > 0 else 0.0
    levels = []
    for tail in ((1 - confidence) / 2, (1 + confidence) / 2):
        z = bias + normal.inv_cdf(tail)
        levels.append(normal.cdf(bias + z / (1 - acceleration * z)))
    return levels


def _draws(groups: int, resamples: int, seed: int) -> Iterator[npt.NDArray[np.float64]]:
    """How often each resample holds each group, (resamples, groups) in blocks."""
    if groups * resamples <= _BLOCK:
        yield _counts(groups, resamples, seed, 0).astype(np.float64)
        return
    size = max(1, _BLOCK // groups)
    for block, first in enumerate(range(0, resamples, size)):
        yield _counts(groups, min(size, resamples - first), seed, block).astype(np.float64)


@lru_cache(maxsize=8)
def _counts(groups: int, resamples: int, seed: int, block: int) -> npt.NDArray[np.uint16]:
    """A block of ``_draws``; many intervals in a row are of as many groups."""
    chosen = np.random.default_rng((seed, block)).integers(groups, size=(resamples, groups))
    flat = (chosen + groups * np.arange(resamples)[:, None]).ravel()
    return np.bincount(flat, minlength=resamples * groups).reshape(resamples, groups).astype(np.uint16)
