"""Work that a thread with a GL context does in short steps between other tasks, one job after another."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future

from .worker import GLWorker


def gathered(parts: Sequence[Future[None]], failed: Callable[[], None]) -> Future[None]:
    """A future that is done when all of some are, with the first error among them, after ``failed()``."""
    whole: Future[None] = Future()
    lock, left = threading.Lock(), len(parts)

    def count(_: Future[None]) -> None:
        nonlocal left
        with lock:
            left -= 1
            done = left == 0
        if not done:
            return
        errors = [error for part in parts if (error := part.exception()) is not None]
        if errors:
            failed()
            whole.set_exception(errors[0])
        else:
            whole.set_result(None)

    for part in parts:
        part.add_done_callback(count)
    return whole


class UploadQueue:
    """Runs iterators on a worker; after each step the tasks that were queued meanwhile go first."""

    def __init__(self, worker: GLWorker) -> None:
        """Nothing to do yet."""
        self._worker = worker
        self._lock = threading.Lock()
        self._jobs: deque[tuple[Iterator[None], Future[None]]] = deque()

    def add(self, steps: Iterator[None]) -> Future[None]:
        """Queue a job; the future is done when its last step is, or holds what a step raised."""
        future: Future[None] = Future()
        with self._lock:
            self._jobs.append((steps, future))
            idle = len(self._jobs) == 1
        if idle:
            self._continue()
        return future

    def _continue(self) -> None:
        self._worker.submit(self._step).add_done_callback(self._fail)

    def _step(self) -> None:
        steps, future = self._jobs[0]
        try:
            next(steps)
        except StopIteration:
            self._finish()
            future.set_result(None)
        except Exception as error:
            self._finish()
            future.set_exception(error)
        else:
            self._continue()

    def _finish(self) -> None:
        with self._lock:
            self._jobs.popleft()
            more = bool(self._jobs)
        if more:
            self._continue()

    def _fail(self, step: Future[None]) -> None:
        """Where the worker cannot run steps any more (its context is lost), no job will ever be done."""
        if (error := step.exception()) is not None:
            with self._lock:
                jobs = list(self._jobs)
                self._jobs.clear()
            for _, future in jobs:
                future.set_exception(error)
