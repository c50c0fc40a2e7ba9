"""A free-list allocator of ranges in a growing array; pure Python."""

from __future__ import annotations

from bisect import bisect_left, insort

from ..errors import CapacityError


class FreeList:
    """Hands out ranges [offset, offset + size) of a capacity that doubles when nothing fits.

    Best fit, neighbours merged on release, so that equal additions and removals for ever keep the capacity.
    """

    def __init__(self, capacity: int, limit: int, name: str) -> None:
        """Start empty.

        Args:
            capacity: initial number of elements.
            limit: greatest number of elements.
            name: what the elements are, for the error message.
        """
        self.capacity = capacity
        self.used = 0
        self._limit = limit
        self._name = name
        self._free: list[tuple[int, int]] = [(0, capacity)] if capacity else []

    def allocate(self, size: int) -> int:
        """Offset of a new range of ``size`` elements; raises ``CapacityError`` beyond the limit."""
        if size == 0:
            return 0
        fitting = [(length, offset) for offset, length in self._free if length >= size]
        if not fitting:
            self._grow(size)
            return self.allocate(size)
        length, offset = min(fitting)
        self._free.remove((offset, length))
        if length > size:
            insort(self._free, (offset + size, length - size))
        self.used += size
        return offset

    def release(self, offset: int, size: int) -> None:
        """Give back a range that ``allocate`` returned."""
        if size == 0:
            return
        self.used -= size
        place = bisect_left(self._free, (offset, size))
        if place < len(self._free) and self._free[place][0] == offset + size:
            size += self._free.pop(place)[1]
        if place and sum(self._free[place - 1]) == offset:
            offset, before = self._free.pop(place - 1)
            size += before
        insort(self._free, (offset, size))

    def _grow(self, size: int) -> None:
        tail = self._free[-1] if self._free and sum(self._free[-1]) == self.capacity else (self.capacity, 0)
        needed = tail[0] + size
        if needed > self._limit:
            raise CapacityError(
                f"{self._name}: {needed:,} are needed and {self._limit:,} can be held; remove scenes first"
            )
        grown = min(max(2 * self.capacity, needed), self._limit)
        if tail[1]:
            self._free.pop()
        insort(self._free, (tail[0], grown - tail[0]))
        self.capacity = grown
