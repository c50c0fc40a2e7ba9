"""Timing in windows: the median of five is steadier than one long measurement."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass

NUM_WINDOWS = 5


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
    clock: Callable[[], float] = time.perf_counter,
    started: Callable[[], None] | None = None,
) -> Measurement:
    """Call again and again in five windows, each as long as it takes to fill its share of the time.

    Args:
        call: Does one batch; returns its frames.
        seconds: Length of all windows together; a window holds at least one call.
        clock: Seconds that never go back.
        started: Called once before the first window, after the warm-up (a tenth of the time or one call).
    """
    _until(call, seconds / 10, clock)
    if started is not None:
        started()
    rates: list[float] = []
    durations: list[float] = []
    frames = 0
    for _ in range(NUM_WINDOWS):
        count, spent, calls = _until(call, seconds / NUM_WINDOWS, clock)
        rates.append(count / spent)
        durations += calls
        frames += count
    return Measurement(tuple(rates), tuple(1000 * d for d in durations), frames)


def _until(
    call: Callable[[], int], seconds: float, clock: Callable[[], float]
) -> tuple[int, float, list[float]]:
    begun = last = clock()
    frames, calls = 0, []
    while True:
        frames += call()
        now = clock()
        calls.append(now - last)
        last = now
        if now - begun >= seconds:
            return frames, now - begun, calls
