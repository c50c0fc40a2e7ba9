"""What people see while something takes long: on standard error, so that output stays clean."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

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

LINES_S = 20.0
"""Time between lines that say how much is done, there."""


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
            yield _Lines(text, total).advance if total and not still else lambda parts=1: None
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


class _Lines:
    """How much is done, in a line now and then: for files, in which nothing can move."""

    def __init__(self, text: str, total: int) -> None:
        self.text, self.total = text, total
        self.done = 0
        self.said = time.monotonic()

    def advance(self, parts: int = 1) -> None:
        self.done += parts
        if time.monotonic() - self.said >= LINES_S:
            self.said = time.monotonic()
            _say(f"{self.text}, {self.done:,} of {self.total:,}")


@contextmanager
def _told_late(text: str) -> Iterator[None]:
    timer = threading.Timer(PATIENCE_S, _say, [text])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _say(text: str) -> None:
    print(f"batchnav: {text} ...", file=sys.stderr, flush=True)
