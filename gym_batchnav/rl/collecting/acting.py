"""The policy at work on one frame, its rows shared among the cores of a CPU."""

from __future__ import annotations

from itertools import pairwise

import torch
from torch import Tensor

from gym_batchnav.rl.learning.parallel import GradientThreads
from gym_batchnav.rl.nets.policy import ActorCritic, Observations, PolicyOutput

FEWEST_ROWS = 32
"""Fewer rows in a thread cost more to hand over than they save."""


class Actor:
    """Runs ``ActorCritic.step`` without gradients.

    Args:
        policy: the network.
        threads: take some of the rows each; None for the caller's thread alone.
        most: how many of them at most.
    """

    def __init__(self, policy: ActorCritic, threads: GradientThreads | None = None, most: int = 1) -> None:
        self.policy = policy
        self._threads = threads
        self._most = 1 if threads is None else min(threads.count, most)

    def step(
        self, obs: Observations, state: Tensor, previous: Tensor, starts: Tensor
    ) -> tuple[PolicyOutput, Tensor]:
        """As ``ActorCritic.step``; how the rows are shared depends on their number alone."""
        count = min(self._most, len(previous) // FEWEST_ROWS)
        if self._threads is None or count < 2:
            with torch.no_grad():
                return self.policy.step(obs, state, previous, starts)

        def of_rows(rows: slice) -> tuple[PolicyOutput, Tensor]:
            # Whether gradients are kept is a setting of each thread.
            with torch.no_grad():
                some = {key: value[rows] for key, value in obs.items()}
                return self.policy.step(some, state[:, rows], previous[rows], starts[rows])

        found = self._threads.map(of_rows, _shares(len(previous), count))
        logits, values = (torch.cat(parts) for parts in zip(*(output for output, _ in found), strict=True))
        return PolicyOutput(logits, values), torch.cat([after for _, after in found], dim=1)


def _shares(rows: int, count: int) -> list[slice]:
    """``rows`` cut into ``count`` slices of nearly equal length."""
    edges = [rows * number // count for number in range(count + 1)]
    return [slice(first, last) for first, last in pairwise(edges)]
