"""Gradients of parts of a minibatch, side by side on the cores of a CPU."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import torch

from gym_batchnav.cores import usable_cores

_Part = TypeVar("_Part")
_Result = TypeVar("_Result")


def choose_threads(threads: int | None, device: str) -> int:
    """Threads of the learner: as configured, else one per core that this process may use; one on a GPU."""
    if threads is not None:
        return threads
    if torch.device(device).type != "cpu":
        return 1
    return usable_cores()


class GradientThreads:
    """Threads that each compute in one torch thread.

    Torch's own threads wait for each other in every operation; for small networks, and most of all on busy
    machines, that costs more than it gains.
    """

    def __init__(self, count: int) -> None:
        self.count = count
        self._pool: ThreadPoolExecutor | None = None
        if count > 1:
            self._pool = ThreadPoolExecutor(
                count, "batchnav-gradient", initializer=torch.set_num_threads, initargs=(1,)
            )

    def map(self, function: Callable[[_Part], _Result], parts: Sequence[_Part]) -> list[_Result]:
        """Results of all parts, in their order."""
        if self._pool is None or len(parts) == 1:
            return [function(part) for part in parts]
        return list(self._pool.map(function, parts))

    def close(self) -> None:
        """End the threads; safe to call twice."""
        if self._pool is not None:
            self._pool.shutdown()
            self._pool = None
