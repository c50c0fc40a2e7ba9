"""Results by how far the goal is, and by how winding the way to it is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ...rl.intervals import Interval, group_labels, mean_interval
from ..report import AgentResult, EpisodeTrace, Stratum
from ..report.stats import distance_bins

RATIO_EDGES = (1.0, 1.1, 1.25, 1.5, 2.0, math.inf)
"""Of geodesic to straight distance; Habitat's generator calls episodes under 1.1 straight."""
METRICS = ("success", "spl")


def strata(results: Sequence[AgentResult]) -> list[Stratum]:
    """By distance, then by ratio; ranges without episodes are left out.

    Args:
        results: Of agents on the same episodes.
    """
    episodes = results[0].episodes
    ranges: list[tuple[str, float, float, NDArray[np.intp]]] = [
        ("distance", chosen.low, chosen.high, chosen.members)
        for chosen in distance_bins([episode.start_distance for episode in episodes])
    ]
    ratios = np.array([episode.ratio for episode in episodes])
    for low, high in pairwise(RATIO_EDGES):
        # Rounding may bring a straight way just below 1.
        inside = (ratios >= (low if low > 1 else 0.0)) & (ratios < high)
        ranges.append(("ratio", low, high, np.flatnonzero(inside)))
    return [
        Stratum(kind=kind, low=low, high=high, members=members, metrics=_metrics(results, members))
        for kind, low, high, members in ranges
        if members.size
    ]


def _metrics(results: Sequence[AgentResult], members: NDArray[np.intp]) -> dict[str, dict[str, Interval]]:
    chosen = {result.name: [result.episodes[int(place)] for place in members] for result in results}
    return {name: {key: _interval(episodes, key) for key in METRICS} for name, episodes in chosen.items()}


def _interval(episodes: Sequence[EpisodeTrace], key: str) -> Interval:
    groups = group_labels([episode.scene_id for episode in episodes])
    return mean_interval([episode.metrics[key] for episode in episodes], groups=groups)
