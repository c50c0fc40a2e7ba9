"""One window of a measurement."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple


class Window(NamedTuple):
    """What was done in one stretch of time."""

    frames: int
    """Frames of all calls."""
    seconds: float
    """From the first call's begin to the last one's end."""
    call_s: tuple[float, ...]
    """Seconds of each call."""


def run_window(
    call: Callable[[], int], seconds: float, clock: Callable[[], float] = time.perf_counter
) -> Window:
    """Call at least once, and again until the time is over.

    Args:
        call: Does one batch; returns its frames.
        seconds: Length of the window; the last call may take longer.
        clock: Seconds that never go back.
    """
    begun = last = clock()
    frames, calls = 0, []
    while True:
        frames += call()
        now = clock()
        calls.append(now - last)
        last = now
        if now - begun >= seconds:
            return Window(frames, now - begun, tuple(calls))
