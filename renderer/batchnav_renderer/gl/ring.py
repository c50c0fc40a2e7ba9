"""A ring of packed GL buffers that CUDA maps in turn."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from typing import Any, Protocol

import numpy as np


class CudaSide(Protocol):
    """What ``interop.CudaGL`` does; here, so that nothing of CUDA is loaded for this module."""

    def open(self) -> None:
        """Take the device on this thread."""

    def register(self, buffer: int) -> Any:
        """Make a GL buffer known to CUDA."""

    def unregister(self, resource: Any) -> None:
        """Forget it."""

    def map(self, resources: Sequence[Any], stream: int) -> list[int]:
        """Lend buffers to CUDA; returns addresses."""

    def unmap(self, resources: Sequence[Any], stream: int) -> None:
        """Give them back to GL."""

    def stream(self) -> int:
        """Torch's current stream of the calling thread."""

    def tensor(self, address: int, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Any:
        """A tensor over mapped memory."""


class Worker(Protocol):
    """What a ``GLWorker`` does: all calls run one after another where its context is current."""

    at_stop: list[Callable[[], None]]

    def submit(self, function: Callable[..., Any], *args: Any) -> Future[Any]:
        """Queue a call."""


class SharedRing:
    """Hands out the images of the last S renders as CUDA tensors over S sets of GL buffers.

    A set belongs to CUDA from ``finish`` until ``begin`` comes round to it S renders later. ``begin`` and
    ``finish`` are called on the thread of the consumer, whose current stream of torch is what both order by:
    work that was queued on it is done before GL draws into the set again, and GL has drawn before work that
    is queued later begins.
    """

    def __init__(
        self,
        cuda: CudaSide,
        worker: Worker,
        sets: Sequence[Mapping[str, int]],
        shapes: Mapping[str, tuple[int, ...]],
        dtypes: Mapping[str, np.dtype[Any]],
    ) -> None:
        """Register all buffers and try one mapping.

        Args:
            cuda: the CUDA side.
            worker: the thread of the GL context that made the buffers.
            sets: S times output to buffer name.
            shapes: output to the shape of one image.
            dtypes: output to the type of the images.

        Raises:
            InteropError: CUDA refuses; nothing stays registered.
        """
        self._cuda, self._worker = cuda, worker
        self._shapes, self._dtypes = dict(shapes), dict(dtypes)
        self._resources: list[dict[str, Any]] = []
        self._mapped: set[int] = set()
        self._next = 0
        self._stream = cuda.stream()
        self._giving_back: Future[None] | None = None
        worker.submit(self._register, sets).result()
        worker.at_stop.append(self._release)

    def begin(self) -> int:
        """Take the next set back from CUDA, without waiting; GL calls of later tasks may write it."""
        number = self._next
        self._next = (number + 1) % len(self._resources)
        self._stream = self._cuda.stream()
        self._giving_back = self._worker.submit(self._unmap, number, self._stream)
        return number

    def finish(self, number: int, count: int) -> dict[str, Any]:
        """Lend a set to CUDA behind the GL calls so far; waits until they are issued, not done.

        Returns:
            Output to a tensor (count, ...) that lives until ``begin`` has come round to the set.

        Raises:
            InteropError: CUDA refuses.
        """
        if self._giving_back is not None:
            self._giving_back.result()
        self._stream = self._cuda.stream()
        addresses = self._worker.submit(self._map, number, self._stream).result()
        return {
            name: self._cuda.tensor(address, (count, *self._shapes[name]), self._dtypes[name])
            for name, address in zip(self._resources[number], addresses, strict=True)
        }

    def _register(self, sets: Sequence[Mapping[str, int]]) -> None:
        try:
            self._cuda.open()
            for buffers in sets:
                self._resources.append({})
                for name, buffer in buffers.items():
                    self._resources[-1][name] = self._cuda.register(buffer)
            self._map(0, self._stream)
            self._unmap(0, self._stream)
        except BaseException:
            self._release()
            raise

    def _map(self, number: int, stream: int) -> list[int]:
        addresses = self._cuda.map(list(self._resources[number].values()), stream)
        self._mapped.add(number)
        return addresses

    def _unmap(self, number: int, stream: int) -> None:
        if number in self._mapped:
            self._mapped.discard(number)
            self._cuda.unmap(list(self._resources[number].values()), stream)

    def _release(self) -> None:
        """Unmap and unregister all; on the thread of the context, before it ends."""
        for number in sorted(self._mapped):
            self._unmap(number, self._stream)
        while self._resources:
            for resource in self._resources.pop().values():
                self._cuda.unregister(resource)
