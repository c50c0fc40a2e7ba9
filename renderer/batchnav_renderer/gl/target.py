"""The layered render target: one texture array per attachment, one layer a view."""

from __future__ import annotations

import ctypes

import numpy as np
from numpy.typing import NDArray

from ..errors import CapacityError
from .api import GLApi
from .drawing import Targets

DEPTH_UNIT, COLOR_UNIT, NUMBER_UNIT = 1, 3, 4
"""Texture units where shaders find the attachments."""
_Clear = ctypes.c_float * 4


class LayeredTarget:
    """A framebuffer whose attachments are whole texture arrays; depth alone takes no colour attachment."""

    def __init__(self, api: GLApi, layers: int, height: int, width: int, targets: Targets) -> None:
        """Allocate; raises ``CapacityError`` when the driver cannot."""
        self._api, self._height, self._width = api, height, width
        self.layers = layers
        self.depth = self.color = self.numbers = self._bytes = self._full = self._bare = 0
        api.errors()
        try:
            self._allocate(targets)
        except BaseException:
            self.delete()
            raise

    def _allocate(self, targets: Targets) -> None:
        api = self._api
        self.depth = self._array(api.GL_DEPTH_COMPONENT32F)
        self.color = self._array(api.GL_SRGB8_ALPHA8) if targets.rgb else 0
        self.numbers = self._array(api.GL_R32I) if targets.triangles else 0
        self._bytes = self._view(self.color, api.GL_RGBA8UI) if self.color else 0
        attached = [texture for texture in (self.color, self.numbers) if texture]
        self._full = self._framebuffer(attached)
        self._bare = self._framebuffer([]) if attached else self._full

    @property
    def num_bytes(self) -> int:
        """Bytes of the attachments."""
        attachments = sum(bool(texture) for texture in (self.depth, self.color, self.numbers))
        return self.layers * self._height * self._width * 4 * attachments

    def begin(self, depth_only: bool = False) -> None:
        """Make it the draw target, or its depth alone, and clear to "nothing hit": infinitely far, black."""
        api = self._api
        framebuffer = self._bare if depth_only else self._full
        api.glBindFramebuffer(api.GL_DRAW_FRAMEBUFFER, framebuffer)
        api.glViewport(0, 0, self._width, self._height)
        api.glClearNamedFramebufferfv(framebuffer, api.GL_DEPTH, 0, _Clear())
        if self.color and not depth_only:
            api.glClearNamedFramebufferfv(framebuffer, api.GL_COLOR, 0, _Clear())
        if self.numbers and not depth_only:
            nothing = (ctypes.c_int * 4)(-1, -1, -1, -1)
            api.glClearNamedFramebufferiv(framebuffer, api.GL_COLOR, int(self.color > 0), nothing)

    def bind_textures(self) -> None:
        """Let shaders fetch from the attachments: metres as near / distance, sRGB bytes, triangle numbers."""
        units = {DEPTH_UNIT: self.depth, COLOR_UNIT: self._bytes, NUMBER_UNIT: self.numbers}
        for unit, texture in units.items():
            if texture:
                self._api.glBindTextureUnit(unit, texture)

    def read_depth(self, out: NDArray[np.float32], near: float, far: float) -> None:
        """Read planar metres of the first n layers, clamped to ``far``, into a contiguous (n, H, W, 1)."""
        api = self._api
        self._read(self.depth, api.GL_DEPTH_COMPONENT, api.GL_FLOAT, out)
        with np.errstate(divide="ignore"):
            np.divide(np.float32(near), out, out=out)
        np.minimum(out, np.float32(far), out=out)

    def read_rgb(self, out: NDArray[np.uint8]) -> None:
        """Read sRGB bytes of the first n layers into a contiguous (n, H, W, 3)."""
        api = self._api
        texels = np.empty((*out.shape[:3], 4), np.uint8)
        self._read(self.color, api.GL_RGBA, api.GL_UNSIGNED_BYTE, texels)
        for channel in range(3):  # five times as fast as one copy of [..., :3]
            out[..., channel] = texels[..., channel]

    def _read(self, texture: int, layout: int, kind: int, out: NDArray[np.generic]) -> None:
        self._api.glGetTextureSubImage(
            texture, 0, 0, 0, 0, self._width, self._height, len(out),
            layout, kind, out.nbytes, out.ctypes.data,
        )  # fmt: skip

    def _array(self, kind: int) -> int:
        api, name = self._api, ctypes.c_uint()
        api.glCreateTextures(api.GL_TEXTURE_2D_ARRAY, 1, ctypes.byref(name))
        api.glTextureStorage3D(name.value, 1, kind, self._width, self._height, self.layers)
        self._set_nearest(name.value)
        return name.value

    def _view(self, texture: int, kind: int) -> int:
        api, name = self._api, ctypes.c_uint()
        api.glGenTextures(1, ctypes.byref(name))
        api.glTextureView(name.value, api.GL_TEXTURE_2D_ARRAY, texture, kind, 0, 1, 0, self.layers)
        self._set_nearest(name.value)
        return name.value

    def _set_nearest(self, texture: int) -> None:
        api = self._api  # integer textures that are filtered count as incomplete
        for parameter in (api.GL_TEXTURE_MIN_FILTER, api.GL_TEXTURE_MAG_FILTER):
            api.glTextureParameteri(texture, parameter, api.GL_NEAREST)

    def _framebuffer(self, attached: list[int]) -> int:
        api, name = self._api, ctypes.c_uint()
        api.glCreateFramebuffers(1, ctypes.byref(name))
        framebuffer = name.value
        api.glNamedFramebufferTexture(framebuffer, api.GL_DEPTH_ATTACHMENT, self.depth, 0)
        for number, texture in enumerate(attached):
            api.glNamedFramebufferTexture(framebuffer, api.GL_COLOR_ATTACHMENT0 + number, texture, 0)
        buffers = [api.GL_COLOR_ATTACHMENT0 + number for number in range(len(attached))] or [api.GL_NONE]
        api.glNamedFramebufferDrawBuffers(framebuffer, len(buffers), (ctypes.c_uint * len(buffers))(*buffers))
        api.glNamedFramebufferReadBuffer(framebuffer, api.GL_NONE)
        status = int(api.glCheckNamedFramebufferStatus(framebuffer, api.GL_DRAW_FRAMEBUFFER))
        if status != api.GL_FRAMEBUFFER_COMPLETE or api.errors():
            api.glDeleteFramebuffers(1, ctypes.byref(name))
            raise CapacityError(
                f"a target of {self.layers} layers of {self._width} x {self._height} is refused (status "
                f"{status:#x}); lower num_views, max_layers or the resolution"
            )
        return framebuffer

    def delete(self) -> None:
        """Free the textures and the framebuffers."""
        api = self._api
        for framebuffer in {self._full, self._bare}:
            api.glDeleteFramebuffers(1, ctypes.byref(ctypes.c_uint(framebuffer)))
        for texture in (self._bytes, self.depth, self.color, self.numbers):
            if texture:
                api.glDeleteTextures(1, ctypes.byref(ctypes.c_uint(texture)))
