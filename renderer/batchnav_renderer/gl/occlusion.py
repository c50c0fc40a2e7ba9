"""The depth pyramid that hidden chunks are found with."""

from __future__ import annotations

import ctypes

from .api import GLApi
from .shaders import build_program
from .target import DEPTH_UNIT

_PYRAMID_UNIT = 2


class DepthPyramid:
    """A texture array whose level l holds the least depth of squares of 2^(l + 1) pixels of each layer."""

    def __init__(self, api: GLApi, layers: int, height: int, width: int) -> None:
        """Allocate."""
        self._api, self.layers = api, layers
        # Sides that halve evenly, so that each texel covers exactly four of the level below.
        self._sides = tuple(1 << max(0, (side - 1).bit_length() - 1) for side in (width, height))
        self._levels = max(self._sides).bit_length()
        name = ctypes.c_uint()
        api.glCreateTextures(api.GL_TEXTURE_2D_ARRAY, 1, ctypes.byref(name))
        api.glTextureStorage3D(name.value, self._levels, api.GL_R32F, *self._sides, layers)
        api.glTextureParameteri(name.value, api.GL_TEXTURE_MIN_FILTER, api.GL_NEAREST_MIPMAP_NEAREST)
        api.glTextureParameteri(name.value, api.GL_TEXTURE_MAG_FILTER, api.GL_NEAREST)
        self._name = name.value
        self._programs = [
            build_program(api, ("farthest.comp",), {"SOURCE": str(unit)})
            for unit in (DEPTH_UNIT, _PYRAMID_UNIT)
        ]

    @property
    def num_bytes(self) -> int:
        """Bytes of the pyramid."""
        sides = [[max(1, side >> level) for side in self._sides] for level in range(self._levels)]
        return 4 * self.layers * sum(width * height for width, height in sides)

    def build(self) -> None:
        """Reduce the depths at their texture unit, and bind the pyramid to its own."""
        api = self._api
        api.glBindTextureUnit(_PYRAMID_UNIT, self._name)
        for level in range(self._levels):
            api.glUseProgram(self._programs[level > 0])
            api.glUniform1i(0, max(0, level - 1))
            api.glBindImageTexture(0, self._name, level, 1, 0, api.GL_WRITE_ONLY, api.GL_R32F)
            wide, high = (-(-max(1, side >> level) // 8) for side in self._sides)
            api.glDispatchCompute(wide, high, self.layers)
            api.glMemoryBarrier(api.GL_TEXTURE_FETCH_BARRIER_BIT)

    def delete(self) -> None:
        """Free the texture."""
        self._api.glDeleteTextures(1, ctypes.byref(ctypes.c_uint(self._name)))
