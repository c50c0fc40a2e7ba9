"""Images packed in GL buffers in their final type, for read-back in one call and for CUDA."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from .api import GLApi
from .buffers import GLBuffer
from .culling import INDICES, POSITIONS, VIEWS
from .shaders import build_program
from .store import SceneStore
from .target import LayeredTarget

_OUT, _OBJECTS = 9, 1
_MOST_GROUPS_X = 32768
_KINDS = {"depth": "DEPTH", "rgb": "COLOR", "ids": "IDS", "normals": "NORMALS"}


class DeviceImages(Protocol):
    """Images that stay on the device."""

    def take(self, api: GLApi, source: int) -> None:
        """Queue a copy of the images, which lie at the beginning of another buffer in their final form."""


class PackedImages:
    """A buffer for each output, (views, H, W, channels) without gaps, and the programs that fill it.

    All methods run on the thread of the context.
    """

    def __init__(
        self,
        api: GLApi,
        shapes: Mapping[str, tuple[int, int, int]],
        dtypes: Mapping[str, np.dtype[Any]],
        defines: Mapping[str, str],
    ) -> None:
        """Compile the programs.

        Args:
            api: GL.
            shapes: (H, W, channels) of each output.
            dtypes: type of each output.
            defines: NEAR and FAR, metres, WIDTH and HEIGHT.
        """
        self._api, self._shapes, self._dtypes = api, dict(shapes), dict(dtypes)
        self.buffers = {output: GLBuffer(api) for output in shapes}
        """Output to buffer."""
        self._programs = {
            output: build_program(api, ("pack.comp",), {**defines, **_flags(output, dtypes[output])})
            for output in shapes
        }

    @property
    def num_bytes(self) -> int:
        """Bytes of all buffers."""
        return sum(buffer.size for buffer in self.buffers.values())

    def fill(self, count: int, target: LayeredTarget, views: GLBuffer, store: SceneStore) -> None:
        """Pack the first ``count`` layers of a target."""
        api = self._api
        target.bind_textures()
        bound = {VIEWS: views, INDICES: store.indices, POSITIONS: store.positions, _OBJECTS: store.objects}
        for binding, buffer in bound.items():
            if buffer.name:
                api.glBindBufferBase(api.GL_SHADER_STORAGE_BUFFER, binding, buffer.name)
        for output in self.buffers:
            self._fill(output, count)
        api.glMemoryBarrier(api.GL_BUFFER_UPDATE_BARRIER_BIT)

    def _fill(self, output: str, count: int) -> None:
        api, (height, width, channels) = self._api, self._shapes[output]
        pixels = count * height * width
        num_bytes = pixels * channels * self._dtypes[output].itemsize
        buffer = self.buffers[output]
        buffer.resize(-(-num_bytes // 4) * 4)
        api.glBindBufferBase(api.GL_SHADER_STORAGE_BUFFER, _OUT, buffer.name)
        api.glUseProgram(self._programs[output])
        api.glUniform1ui(0, pixels)
        invocations = pixels if self._dtypes[output].itemsize == 4 else -(-num_bytes // 4)
        groups = -(-invocations // 64)
        wide = min(groups, _MOST_GROUPS_X)
        api.glDispatchCompute(wide, -(-groups // wide), 1)

    def deliver(self, output: str, out: NDArray[Any] | DeviceImages) -> None:
        """Copy images into a contiguous array, waiting until they are drawn, or queue a copy of them."""
        name = self.buffers[output].name
        if isinstance(out, np.ndarray):
            self._api.glGetNamedBufferSubData(name, 0, out.nbytes, out.ctypes.data)
        else:
            out.take(self._api, name)


def _flags(output: str, dtype: np.dtype[Any]) -> dict[str, str]:
    flags = {_KINDS[output]: "1"}
    if dtype == np.float16:
        flags["HALF"] = "1"
    return flags
