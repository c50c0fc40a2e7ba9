"""Timing in windows: the median of five is steadier than one long measurement."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from ..waiting import counting
from .peers.window import Window, run_window

NUM_WINDOWS = 5
Contestant = Callable[[float], Window]
"""Does its work for as many seconds as it is told."""


@dataclass(frozen=True, slots=True)
class Measurement:
    """Frames per second in each window, and the time of every call."""

    windows: tuple[float, ...]
    """Frames/s of each window."""
    call_ms: tuple[float, ...]
    """Milliseconds of each call."""
    frames: int
    """Frames in all windows."""

    @property
    def frames_per_second(self) -> float:
        """Median over the windows."""
        return statistics.median(self.windows)

    def quantile_ms(self, share: float) -> float:
        """Milliseconds that this share of the calls stayed within."""
        ordered = sorted(self.call_ms)
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def measure(
    call: Callable[[], int],
    seconds: float,
    *,
    rivals: Sequence[Contestant] = (),
    clock: Callable[[], float] = time.perf_counter,
    started: Callable[[], None] | None = None,
) -> tuple[Measurement, ...]:
    """Five windows of the call, and between them those of its rivals, so that noise hits all alike.

    Args:
        call: Does one batch; returns its frames.
        seconds: Length of all windows of each contestant together; a window holds at least one call.
        rivals: What is measured beside it.
        clock: Seconds that never go back.
        started: Called once before the first window, after the warm-up (a tenth of the time or one call).

    Returns:
        The measurement of the call, and of each rival.
    """
    contestants: list[Contestant] = [partial(run_window, call, clock=clock), *rivals]
    windows = (1 + NUM_WINDOWS) * len(contestants)
    # Nothing moves on the screen within a window, so that what is measured has the machine for itself.
    with counting(f"measuring for {seconds * len(contestants):g} s", windows, still=True) as advance:

        def run(contestant: Contestant, length: float) -> Window:
            window = contestant(length)
            advance()
            return window

        for contestant in contestants:
            run(contestant, seconds / 10)
        if started is not None:
            started()
        rounds = [[run(one, seconds / NUM_WINDOWS) for one in contestants] for _ in range(NUM_WINDOWS)]
    return tuple(_measurement(windows) for windows in zip(*rounds, strict=True))


def _measurement(windows: Sequence[Window]) -> Measurement:
    return Measurement(
        windows=tuple(window.frames / window.seconds for window in windows),
        call_ms=tuple(1000 * seconds for window in windows for seconds in window.call_s),
        frames=sum(window.frames for window in windows),
    )
