"""What people see while something takes long: on standard error, so that output stays clean."""

from __future__ import annotations

import importlib
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
)

PATIENCE_S = 2.0
"""Time after which work that has said nothing says what it is, where nothing can move on the screen."""
COMPILING = "compiling kernels for this machine; this happens once, takes up to a minute, and is kept on disk"


@contextmanager
def waiting(text: str) -> Iterator[None]:
    """Show that something goes on; nothing should be printed meanwhile.

    On a terminal a spinner with the time; elsewhere a line, if it takes over two seconds.

    Args:
        text: What goes on, such as "loading scenes".
    """
    with _shown(text, None, still=False):
        yield


@contextmanager
def counting(text: str, total: int, *, still: bool = False) -> Iterator[Callable[..., None]]:
    """Show how much is done; nothing should be printed meanwhile.

    Args:
        text: What goes on.
        total: Number of parts.
        still: Redraw only when a part is done, and so not while time is measured.

    Yields:
        To be called with the number of parts that are done, by default one.
    """
    with _shown(text, total, still=still) as advance:
        yield advance


@contextmanager
def _shown(text: str, total: int | None, *, still: bool) -> Iterator[Callable[..., None]]:
    err = Console(stderr=True, highlight=False)
    if not err.is_terminal:
        with _told_late(text):
            yield lambda parts=1: None
        return
    parts = (BarColumn(), MofNCompleteColumn()) if total is not None else ()
    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), *parts, TimeElapsedColumn())
    with Progress(
        *columns, console=err, transient=True, auto_refresh=not still, redirect_stdout=False
    ) as progress:
        task = progress.add_task(text, total=total)

        def advance(parts: int = 1) -> None:
            progress.advance(task, parts)
            if still:
                progress.refresh()

        progress.refresh()
        yield advance


@contextmanager
def _told_late(text: str) -> Iterator[None]:
    timer = threading.Timer(PATIENCE_S, _say, [text])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


@contextmanager
def compiling_told() -> Iterator[None]:
    """Say once that kernels are being compiled, as on the first use of a machine; loads numba."""
    events: Any = importlib.import_module("numba.core.event")

    class Told(events.Listener):  # type: ignore[misc]  # numba has no types
        told = False

        def on_start(self, event: Any) -> None:
            if not self.told:
                self.told = True
                _say(COMPILING)

        def on_end(self, event: Any) -> None:
            pass

    listener = Told()
    events.register("numba:compile", listener)
    try:
        yield
    finally:
        events.unregister("numba:compile", listener)


def _say(text: str) -> None:
    print(f"batchnav: {text} ...", file=sys.stderr, flush=True)
