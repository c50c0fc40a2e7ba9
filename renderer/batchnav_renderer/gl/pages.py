"""Hands out equal pages of a growing store; pure Python."""

from __future__ import annotations

import heapq

import numpy as np
from numpy.typing import NDArray

from ..errors import CapacityError


class PagePool:
    """Numbers of pages [0, capacity) that are free or taken.

    Any free page serves any need, so nothing fragments: the capacity follows the most pages held at once.
    """

    def __init__(self, limit: int, name: str) -> None:
        """Start empty.

        Args:
            limit: greatest number of pages.
            name: what the pages are, for the error message.
        """
        self.capacity = 0
        """Pages that there is to be room for."""
        self._limit = limit
        self._name = name
        self._free: list[int] = []

    @property
    def used(self) -> int:
        """Pages taken."""
        return self.capacity - len(self._free)

    def allocate(self, count: int) -> NDArray[np.int64]:
        """(count,) page numbers, the lowest that are free; raises ``CapacityError`` beyond the limit."""
        if count > len(self._free):
            self._grow(self.used + count)
        return np.array([heapq.heappop(self._free) for _ in range(count)], np.int64)

    def release(self, pages: NDArray[np.int64]) -> None:
        """Give back pages that ``allocate`` returned."""
        for page in pages.tolist():
            heapq.heappush(self._free, page)

    def _grow(self, needed: int) -> None:
        if needed > self._limit:
            raise CapacityError(
                f"{self._name}: {needed:,} are needed and {self._limit:,} can be held; remove scenes first"
            )
        # A quarter more than before, so that growing is rare; exactly what is needed at first.
        grown = min(max(needed, self.capacity + self.capacity // 4), self._limit)
        for page in range(self.capacity, grown):
            heapq.heappush(self._free, page)
        self.capacity = grown
