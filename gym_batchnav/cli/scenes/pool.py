"""Work on many items side by side; a process that dies is told of, and the others go on."""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


def spread(
    work: Callable[[Item], Result],
    items: Sequence[Item],
    workers: int,
    lost: Callable[[Item], Result],
) -> Iterator[tuple[int, Result]]:
    """Do ``work`` on all items.

    Args:
        work: Done on each item; a function of a module, as it is sent to other processes.
        items: What to work on.
        workers: Processes; 1 works in this one.
        lost: Gives the result of an item whose process died.

    Yields:
        The number of an item and its result, in the order in which they are done.
    """
    if workers <= 1:
        for number, item in enumerate(items):
            yield number, work(item)
        return
    left = set(range(len(items)))
    with _open_pool(min(workers, len(items))) as pool:
        futures = {pool.submit(work, item): number for number, item in enumerate(items)}
        for number, result in _results(futures):
            left.discard(number)
            yield number, result
    # A process that died took the pool with it: what is left goes one by one, so that the culprit is known.
    for number in sorted(left):
        with _open_pool(1) as pool:
            results = list(_results({pool.submit(work, items[number]): number}))
        yield results[0] if results else (number, lost(items[number]))


@contextmanager
def _open_pool(workers: int) -> Iterator[ProcessPoolExecutor]:
    # Threads of the renderer do not survive a fork.
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(workers, mp_context=context, initializer=_end_at_interrupt)
    try:
        yield pool
    finally:
        # After Ctrl-C, or where nobody wants the rest, what has not begun is not begun.
        pool.shutdown(wait=True, cancel_futures=True)


def _end_at_interrupt() -> None:
    """Let Ctrl-C end this process at once and without a traceback."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def _results(futures: dict[Future[Result], int]) -> Iterator[tuple[int, Result]]:
    for future in as_completed(futures):
        try:
            yield futures[future], future.result()
        except BrokenProcessPool:
            continue
