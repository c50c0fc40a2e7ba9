"""Running means of what episodes ended with."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from gym_batchnav.errors import ConfigError
from gym_batchnav.rl.collecting.rollout import ALL_ROWS
from gym_batchnav.rl.collecting.stepping import Transition, info_column

Sums = dict[str, tuple[float, int]]
"""Sum and number of values by key."""


def means_of(parts: Sequence[Sums]) -> dict[str, float]:
    """Means over several parts together, in which every value counts once; keys without any are left out."""
    means = {}
    for key in parts[0]:
        totals, counts = zip(*(part[key] for part in parts), strict=True)
        if sum(counts):
            means[key] = math.fsum(totals) / sum(counts)
    return means


def _number(key: str, value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError) as error:
        raise ConfigError(
            f"the infos hold {key}={value!r} at the end of an episode, which is no number; leave {key!r} out "
            "of metric_keys"
        ) from error


class EpisodeMetrics:
    """Collects returns, lengths and chosen info keys of ended episodes, over a window of episodes.

    Args:
        keys: keys of the episode-end infos.
        window: episodes over which ``means`` go.
        num_envs: rows of the environment.
    """

    def __init__(self, keys: Sequence[str], window: int, num_envs: int) -> None:
        self.keys = tuple(keys)
        self.values: dict[str, deque[float]] = {
            key: deque(maxlen=window) for key in (*self.keys, "return", "length")
        }
        self.episodes = 0
        self.returns: npt.NDArray[np.float64] = np.zeros(num_envs)
        self.lengths: npt.NDArray[np.int64] = np.zeros(num_envs, np.int64)

    def add(self, step: Transition, rows: slice = ALL_ROWS) -> None:
        """Takes in one step of some rows."""
        returns, lengths = self.returns[rows], self.lengths[rows]
        returns += step.rewards
        lengths += ~step.skipped
        ended = np.flatnonzero(step.ended)
        if not ended.size:
            return
        self.episodes += ended.size
        self.values["return"].extend(returns[ended].tolist())
        self.values["length"].extend(lengths[ended].tolist())
        for key in self.keys:
            column = info_column(step.final_infos, key, len(returns))
            if column is not None:
                values, present = column
                self.values[key].extend(_number(key, values[row]) for row in ended if present[row])
        returns[ended] = 0
        lengths[ended] = 0

    def sums(self) -> Sums:
        """Sum and number of each key's values over the window; those of several ranks add up."""
        return {key: (math.fsum(values), len(values)) for key, values in self.values.items()}

    def means(self) -> dict[str, float]:
        """Mean of each key over the window; keys that no episode gave are left out."""
        return means_of([self.sums()])

    def state(self) -> dict[str, Any]:
        """Plain data for a checkpoint."""
        return {
            "values": {key: list(values) for key, values in self.values.items()},
            "episodes": self.episodes,
            "returns": self.returns.tolist(),
            "lengths": self.lengths.tolist(),
        }

    def load(self, state: Mapping[str, Any], *, same_rows: bool) -> None:
        """The inverse of ``state``; episodes in progress are taken over only where the rows are the same."""
        for key, values in state["values"].items():
            if key in self.values:
                self.values[key].extend(values)
        self.episodes = int(state["episodes"])
        if same_rows:
            self.returns = np.asarray(state["returns"], np.float64)
            self.lengths = np.asarray(state["lengths"], np.int64)
