"""A clean stop on SIGTERM, SIGINT and SIGUSR1."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Any

_NAMES = ("SIGTERM", "SIGINT", "SIGUSR1")
# Windows has no SIGUSR1.
_SIGNALS = tuple(getattr(signal, name) for name in _NAMES if hasattr(signal, name))


class StopSignals:
    """While active, SIGTERM, SIGINT and SIGUSR1 set ``reason`` and end nothing; a second SIGINT interrupts.

    SIGUSR1 is what SLURM sends ahead of a job's end if told so (``#SBATCH --signal=USR1@120``).
    Outside of the main thread, where Python takes no signal handlers, it does nothing.

    Args:
        told: hears the name of the first signal, within its handler.
    """

    def __init__(self, told: Callable[[str], None] = lambda name: None) -> None:
        self.told = told
        self.reason: str | None = None
        self._previous: dict[signal.Signals, Any] = {}

    def __enter__(self) -> StopSignals:
        if threading.current_thread() is threading.main_thread():
            for number in _SIGNALS:
                self._previous[number] = signal.signal(number, self._handle)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, handler in self._previous.items():
            signal.signal(number, handler)
        self._previous.clear()

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self.reason is not None and number == signal.SIGINT:
            raise KeyboardInterrupt
        first, self.reason = self.reason is None, signal.Signals(number).name
        if first:
            self.told(self.reason)
