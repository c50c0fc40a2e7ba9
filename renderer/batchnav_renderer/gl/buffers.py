"""GL buffer objects that grow."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from .api import GLApi

_COPY_BYTES = 4 << 20  # that a step of growing copies, below a millisecond in software


class GLBuffer:
    """A buffer object; its name changes when it grows."""

    def __init__(self, api: GLApi) -> None:
        """An empty buffer without storage."""
        self._api = api
        self.name = 0
        self.size = 0

    def resize(self, size: int) -> bool:
        """Have room for at least ``size`` bytes, dropping the contents; says whether the name changed."""
        if size <= self.size:
            return False
        self.delete()
        self.name, self.size = make_buffer(self._api, size), size
        return True

    def grow(self, size: int) -> Iterator[list[int]]:
        """Grow to at least ``size`` bytes and keep the contents, in steps; yields the name replaced."""
        if size <= self.size:
            return
        name = make_buffer(self._api, size)
        for first in range(0, self.size, _COPY_BYTES):
            length = min(_COPY_BYTES, self.size - first)
            self._api.glCopyNamedBufferSubData(self.name, name, first, first, length)
            yield []
        replaced = [self.name] if self.name else []
        self.name, self.size = name, size
        yield replaced

    def delete(self) -> None:
        """Free the storage."""
        if self.name:
            delete_buffers(self._api, [self.name])
        self.name = self.size = 0

    def write(self, offset: int, data: NDArray[np.generic]) -> None:
        """Copy an array to a byte offset."""
        if data.nbytes:
            flat = np.ascontiguousarray(data)
            self._api.glNamedBufferSubData(self.name, offset, flat.nbytes, flat.ctypes.data)


def make_buffer(api: GLApi, size: int) -> int:
    """The name of a new buffer of so many bytes; where they cannot be had, a GL error is pending."""
    name = ctypes.c_uint()
    api.glCreateBuffers(1, ctypes.byref(name))
    api.glNamedBufferData(name.value, size, None, api.GL_DYNAMIC_DRAW)
    return name.value


def delete_buffers(api: GLApi, names: list[int]) -> None:
    """Delete buffers."""
    api.glDeleteBuffers(len(names), (ctypes.c_uint * len(names))(*names))
