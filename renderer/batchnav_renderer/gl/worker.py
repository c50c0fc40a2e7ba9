"""A thread that owns one GL context; every GL call of the context is made there."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import ParamSpec, TypeVar

from .api import GLApi
from .egl import Display

P = ParamSpec("P")
T = TypeVar("T")
_Task = Callable[[], None]


class GLWorker:
    """Runs functions one after another on its own thread, where its context is current."""

    def __init__(self, display: Display, share: GLWorker | None, debug: bool) -> None:
        """Start the thread and make the context; raises ``EGLError``."""
        self.display = display
        self.api = GLApi(display.egl, debug)
        self.context = 0
        self._tasks: queue.SimpleQueue[_Task | None] = queue.SimpleQueue()
        self._thread = threading.Thread(
            target=_serve, args=(self._tasks,), daemon=True, name="batchnav-renderer-gl"
        )
        self._thread.start()
        try:
            self.context = self.run(_open, display, share.context if share else None)
        except BaseException:
            self._tasks.put(None)
            raise

    def submit(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Queue a call; the future holds its result or its exception."""
        future: Future[T] = Future()

        def task() -> None:
            try:
                future.set_result(function(*args, **kwargs))
            except BaseException as error:
                future.set_exception(error)

        self._tasks.put(task)
        return future

    def run(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Call a function on the thread and wait for its result."""
        return self.submit(function, *args, **kwargs).result()

    def stop(self, wait: bool = True) -> None:
        """Destroy the context on its thread and end the thread. Makes no GL call on the caller's thread."""
        if self._thread.is_alive() and self.context:
            display, context = self.display, self.context
            self._tasks.put(lambda: display.destroy(context))
        self._tasks.put(None)
        if wait:
            self._thread.join()


def _open(display: Display, share: int | None) -> int:
    context = display.create_context(share)
    display.make_current(context)
    return context


def _serve(tasks: queue.SimpleQueue[_Task | None]) -> None:
    while (task := tasks.get()) is not None:
        task()
        del task  # else the last task would keep its arrays alive until the next
