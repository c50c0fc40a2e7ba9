"""A thread that owns one GL context; every GL call of the context is made there."""

from __future__ import annotations

import contextlib
import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import ParamSpec, TypeVar

from ..errors import ContextLostError, RendererError
from .api import GLApi
from .display import Display

P = ParamSpec("P")
T = TypeVar("T")
_Task = Callable[[], None]
_RESETS = {
    0x8253: "this process did something that the driver could not bear (GL_GUILTY_CONTEXT_RESET)",
    0x8254: "another process brought the GPU down (GL_INNOCENT_CONTEXT_RESET)",
    0x8255: "of an unknown cause (GL_UNKNOWN_CONTEXT_RESET)",
}


class GLWorker:
    """Runs functions one after another on its own thread, where its context is current.

    ``at_stop`` holds what is to be done there before the context ends.
    """

    def __init__(self, display: Display, share: GLWorker | None, debug: bool) -> None:
        """Start the thread and make the context; raises ``EGLError``."""
        self.display = display
        self.api = GLApi(display, debug)
        self.context = 0
        self.at_stop: list[Callable[[], None]] = []
        self._lost: ContextLostError | None = None
        self._tasks: queue.SimpleQueue[_Task | None] = queue.SimpleQueue()
        self._thread = threading.Thread(
            target=_serve, args=(self._tasks,), daemon=True, name="batchnav-renderer-gl"
        )
        self._thread.start()
        try:
            self.context = self.run(_open, display, share.context if share else None)
        except BaseException:
            self.stop()
            raise

    def submit(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Queue a call; the future holds its result or its exception.

        The exception is a ``ContextLostError``, whatever the call did, where the driver has lost the context.
        """
        future: Future[T] = Future()

        def task() -> None:
            try:
                result = self._guarded(function, *args, **kwargs)
            except BaseException as error:
                future.set_exception(error)
            else:
                future.set_result(result)

        self._tasks.put(task)
        return future

    def run(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Call a function on the thread and wait for its result."""
        return self.submit(function, *args, **kwargs).result()

    def stop(self, wait: bool = True) -> None:
        """Destroy the context on its thread and end the thread. Makes no GL call on the caller's thread."""
        if self._thread.is_alive() and self.context:
            display, context, at_stop = self.display, self.context, self.at_stop
            self._tasks.put(lambda: _end(display, context, at_stop))
        self._tasks.put(None)
        if wait:
            self._thread.join()

    def _guarded(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Call, unless the context is lost; where it is lost in the call, that is the error."""
        if self._lost is not None:
            raise self._lost
        try:
            return function(*args, **kwargs)
        finally:
            self._check_context()

    def _check_context(self) -> None:
        """Raise where the driver has lost the context; it tells of a loss only once."""
        if self.context and self._lost is None and (status := self.api.glGetGraphicsResetStatus()):
            self._lost = ContextLostError(
                f"the driver has lost the GL context of {self.display.name}: "
                f"{_RESETS.get(status, hex(status))}; close this renderer and make a new one, and look into "
                "the kernel's log (dmesg) for what happened to the GPU"
            )
        if self._lost is not None:
            raise self._lost


def _open(display: Display, share: int | None) -> int:
    context = display.create_context(share)
    display.make_current(context)
    return context


def _end(display: Display, context: int, at_stop: list[Callable[[], None]]) -> None:
    for function in reversed(at_stop):
        # What a lost context held cannot be given back one by one, and goes with it.
        with contextlib.suppress(RendererError):
            function()
    display.destroy(context)


def _serve(tasks: queue.SimpleQueue[_Task | None]) -> None:
    while (task := tasks.get()) is not None:
        task()
        del task  # else the last task would keep its arrays alive until the next
