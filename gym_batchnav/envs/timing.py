"""Seconds spent in each stage."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager


class StageTimer:
    """Adds up wall-clock seconds by stage; a stage inside another counts for the inner one alone."""

    def __init__(self, *stages: str) -> None:
        self.seconds = dict.fromkeys(stages, 0.0)
        self._inner = [0.0]

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Count the time of the block for ``name``."""
        begin = time.perf_counter()
        self._inner.append(0.0)
        try:
            yield
        finally:
            spent = time.perf_counter() - begin
            self.seconds[name] += spent - self._inner.pop()
            self._inner[-1] += spent

    def count_rest(self, name: str, begin: float) -> None:
        """Count for ``name`` what no stage has counted since ``begin`` (``time.perf_counter``)."""
        self.seconds[name] += max(0.0, time.perf_counter() - begin - self._inner[0])
        self._inner[0] = 0.0
