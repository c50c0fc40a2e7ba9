"""A growing buffer of records in which scenes come and go without fragmentation."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ..errors import CapacityError
from .api import GLApi
from .buffers import delete_buffers, make_buffer

_COPY_BYTES = 4 << 20  # that a step of moving copies, below a millisecond in software
_SPARE = 8  # at least one part in this many is free after the ranges are moved together


class Heap:
    """Ranges of records by key; whoever reads them asks where they are before each use, for they may move.

    When no gap holds a new range, all are copied together into a new buffer, on the device, which is larger
    only if the ranges fill the old one nearly. So the buffer is never larger than about twice what was held
    at once. All methods run on the thread of the context.
    """

    def __init__(self, api: GLApi, record_bytes: int, limit_bytes: int, name: str) -> None:
        """Start empty.

        Args:
            api: of the context.
            record_bytes: size of a record.
            limit_bytes: size that the buffer may have.
            name: what the records are, for the error message.
        """
        self._api, self._record, self._name = api, record_bytes, name
        self._limit = limit_bytes // record_bytes
        self._ranges: dict[int, tuple[int, int]] = {}
        self.capacity = 0
        self.buffer = 0

    @property
    def used(self) -> int:
        """Records held."""
        return sum(count for _, count in self._ranges.values())

    @property
    def nbytes(self) -> int:
        """Bytes of the buffer."""
        return self.capacity * self._record

    def offset(self, key: int) -> int:
        """Where a range begins at present."""
        return self._ranges[key][0]

    def hold(self, key: int, count: int) -> Iterator[None]:
        """Make room for a range of ``count`` records, in steps; it is there when they are at their end.

        Between steps ranges may be read and released, and no other be held or written.

        Raises:
            CapacityError: there is no room; nothing has changed.
        """
        if self._gap(count) is None:
            yield from self._rebuild(count)
        place = self._gap(count)
        assert place is not None
        self._ranges[key] = (place, count)

    def release(self, key: int) -> None:
        """Give a range back; nothing happens where the key holds none."""
        self._ranges.pop(key, None)

    def write(self, key: int, first: int, rows: NDArray[np.generic]) -> None:
        """Copy records into a range, from its record ``first`` on."""
        if rows.nbytes:
            flat = np.ascontiguousarray(rows)
            start = (self.offset(key) + first) * self._record
            self._api.glNamedBufferSubData(self.buffer, start, flat.nbytes, flat.ctypes.data)

    def _gap(self, count: int) -> int | None:
        """Start of the smallest gap that holds ``count`` records."""
        best: tuple[int, int] | None = None
        end = 0
        for start, length in sorted([*self._ranges.values(), (self.capacity, 0)]):
            if start - end >= count and (best is None or (start - end, end) < best):
                best = (start - end, end)
            end = max(end, start + length)
        return None if best is None else best[1]

    def _rebuild(self, count: int) -> Iterator[None]:
        """Move all ranges together into a new buffer with room for ``count`` records behind them."""
        needed = self.used + count
        if needed > self._limit:
            raise CapacityError(
                f"{self._name}: {needed:,} are needed and the driver can hold {self._limit:,}; remove "
                "scenes first"
            )
        capacity = self.capacity
        if needed > capacity - capacity // _SPARE:
            capacity = min(max(2 * capacity, needed), self._limit)
        target, end, places = self._make(capacity), 0, {}
        try:
            for key, (start, length) in sorted(self._ranges.items(), key=lambda item: item[1]):
                places[key] = end
                yield from self._copy(target, start, end, length)
                end += length
        except BaseException:
            delete_buffers(self._api, [target])
            raise
        self._ranges = {key: (places[key], length) for key, (_, length) in self._ranges.items()}
        self.delete()
        self.buffer, self.capacity = target, capacity

    def _make(self, capacity: int) -> int:
        api, size = self._api, capacity * self._record
        api.errors()
        name = make_buffer(api, size)
        if pending := api.errors():
            delete_buffers(api, [name])
            raise CapacityError(
                f"a buffer of {size:,} bytes for {self._name} left GL errors {pending} (0x505 is out of "
                "memory); hold fewer scenes"
            )
        return name

    def _copy(self, target: int, start: int, end: int, length: int) -> Iterator[None]:
        """Copy records from ``start`` in the buffer to ``end`` in another one, in steps."""
        step = max(1, _COPY_BYTES // self._record)
        for first in range(0, length, step):
            self._api.glCopyNamedBufferSubData(
                self.buffer,
                target,
                (start + first) * self._record,
                (end + first) * self._record,
                min(step, length - first) * self._record,
            )
            yield

    def delete(self) -> None:
        """Free the buffer."""
        if self.buffer:
            delete_buffers(self._api, [self.buffer])
            self.buffer = 0
