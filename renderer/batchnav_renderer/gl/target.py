"""The layered render target: one texture array per output, one layer a view."""

from __future__ import annotations

import ctypes

import numpy as np
from numpy.typing import NDArray

from ..errors import CapacityError
from .api import GLApi


class LayeredTarget:
    """A framebuffer whose attachments are whole texture arrays; depth alone takes no colour attachment."""

    def __init__(self, api: GLApi, layers: int, height: int, width: int, rgb: bool) -> None:
        """Allocate; raises ``CapacityError`` when the driver cannot."""
        self._api, self._height, self._width = api, height, width
        self.layers = layers
        self.depth = self._array(api.GL_DEPTH_COMPONENT32F)
        self.color = self._array(api.GL_SRGB8_ALPHA8) if rgb else 0
        name = ctypes.c_uint()
        api.glCreateFramebuffers(1, ctypes.byref(name))
        self.framebuffer = name.value
        api.glNamedFramebufferTexture(self.framebuffer, api.GL_DEPTH_ATTACHMENT, self.depth, 0)
        if rgb:
            api.glNamedFramebufferTexture(self.framebuffer, api.GL_COLOR_ATTACHMENT0, self.color, 0)
        else:
            api.glNamedFramebufferDrawBuffer(self.framebuffer, api.GL_NONE)
            api.glNamedFramebufferReadBuffer(self.framebuffer, api.GL_NONE)
        status = int(api.glCheckNamedFramebufferStatus(self.framebuffer, api.GL_DRAW_FRAMEBUFFER))
        if status != api.GL_FRAMEBUFFER_COMPLETE:
            raise CapacityError(
                f"a target of {layers} layers of {width} x {height} is refused (status {status:#x}, GL "
                f"errors {api.errors()}); lower num_views, max_layers or the resolution"
            )

    def _array(self, kind: int) -> int:
        api, name = self._api, ctypes.c_uint()
        api.glCreateTextures(api.GL_TEXTURE_2D_ARRAY, 1, ctypes.byref(name))
        api.glTextureStorage3D(name.value, 1, kind, self._width, self._height, self.layers)
        return name.value

    def bind_and_clear(self) -> None:
        """Make it the draw target and clear to "nothing hit": depth 0 (infinitely far), black."""
        api = self._api
        zeros = (ctypes.c_float * 4)()
        api.glBindFramebuffer(api.GL_DRAW_FRAMEBUFFER, self.framebuffer)
        api.glViewport(0, 0, self._width, self._height)
        api.glClearNamedFramebufferfv(self.framebuffer, api.GL_DEPTH, 0, zeros)
        if self.color:
            api.glClearNamedFramebufferfv(self.framebuffer, api.GL_COLOR, 0, zeros)

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
            texture,
            0,
            0,
            0,
            0,
            self._width,
            self._height,
            len(out),
            layout,
            kind,
            out.nbytes,
            out.ctypes.data,
        )

    def delete(self) -> None:
        """Free the textures and the framebuffer."""
        api = self._api
        api.glDeleteFramebuffers(1, ctypes.byref(ctypes.c_uint(self.framebuffer)))
        for texture in (self.depth, self.color):
            if texture:
                api.glDeleteTextures(1, ctypes.byref(ctypes.c_uint(texture)))
