"""A CUDA side that reads GL buffers where the real one would map them."""

from __future__ import annotations

import numpy as np

from batchnav_renderer import InteropError


class ReadingCuda:
    """Maps a buffer by reading it: what CUDA would find there."""

    def __init__(self, api, refuse=False):
        self._api, self._refuse = api, refuse
        self._contents = []
        self.mapped, self.registered = set(), set()

    def open(self):
        pass

    def register(self, buffer):
        if self._refuse:
            raise InteropError("refused")
        self.registered.add(buffer)
        return buffer

    def unregister(self, resource):
        self.registered.remove(resource)

    def map(self, resources, stream):
        addresses = []
        for buffer in resources:
            assert buffer not in self.mapped
            self.mapped.add(buffer)
            size = np.zeros(1, np.int32)
            self._api.glGetNamedBufferParameteriv(buffer, self._api.GL_BUFFER_SIZE, size.ctypes.data)
            contents = np.zeros(int(size[0]), np.uint8)
            self._api.glGetNamedBufferSubData(buffer, 0, contents.nbytes, contents.ctypes.data)
            self._contents.append(contents)
            addresses.append(len(self._contents) - 1)
        return addresses

    def unmap(self, resources, stream):
        self.mapped -= set(resources)

    def stream(self):
        return 0

    def tensor(self, address, shape, dtype):
        count = int(np.prod(shape))
        return self._contents[address][: count * dtype.itemsize].view(dtype).reshape(shape)
