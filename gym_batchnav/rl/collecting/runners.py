"""Where calls of an environment run: at once, or on a thread beside the policy."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Protocol, TypeVar

import torch

_Result = TypeVar("_Result")


class Runner(Protocol):
    """Makes calls, one after the other, always on the same thread."""

    beside: bool
    """Whether a call runs while its caller goes on."""

    def submit(self, function: Callable[[], _Result]) -> Future[_Result]:
        """Makes the call after those before it; the future has its result or its exception."""

    def run(self, function: Callable[[], _Result]) -> _Result:
        """Makes the call and waits for its result."""

    def close(self) -> None:
        """Waits for the calls that are under way; safe to call twice."""


class Inline:
    """Makes every call at once, on the caller's thread."""

    beside = False

    def submit(self, function: Callable[[], _Result]) -> Future[_Result]:
        """Makes the call; an exception is raised here and now."""
        future: Future[_Result] = Future()
        future.set_result(function())
        return future

    def run(self, function: Callable[[], _Result]) -> _Result:
        """Makes the call."""
        return function()

    def close(self) -> None:
        """Nothing to wait for."""


class EnvThread:
    """One thread that makes, steps and closes all environments.

    Contexts of renderers and of CUDA streams belong to a thread; and two environments that were stepped at
    once would only share the cores that one can use alone.
    """

    beside = True

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(
            1, "batchnav-env", initializer=torch.set_num_threads, initargs=(torch.get_num_threads(),)
        )

    def submit(self, function: Callable[[], _Result]) -> Future[_Result]:
        """Queues the call."""
        return self._pool.submit(function)

    def run(self, function: Callable[[], _Result]) -> _Result:
        """Queues the call and waits for its result."""
        return self._pool.submit(function).result()

    def close(self) -> None:
        """Waits for the calls that are queued and ends the thread."""
        self._pool.shutdown()
