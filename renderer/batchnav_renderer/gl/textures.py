"""Texture arrays of all resident scenes, one for each size class; shared by the contexts of one display."""

from __future__ import annotations

import ctypes

import numpy as np
from numpy.typing import NDArray

from .api import GLApi


class TextureArrays:
    """Square sRGB images with all mipmaps, stored by their side ("size"), one layer an image.

    All methods run on the thread of the context that made it, but for ``bind``, which may run on any that
    shares its objects.
    """

    def __init__(self, api: GLApi) -> None:
        """No array yet."""
        self._api = api
        self.names: dict[int, int] = {}
        """Size to the GL name of its ``GL_TEXTURE_2D_ARRAY``."""
        self._layers: dict[int, int] = {}

    def grow(self, size: int, layers: int) -> None:
        """Make room for ``layers`` images of a size and keep what is there."""
        api, old = self._api, self._layers.get(size, 0)
        if layers <= old:
            return
        name = ctypes.c_uint()
        api.glCreateTextures(api.GL_TEXTURE_2D_ARRAY, 1, ctypes.byref(name))
        api.glTextureStorage3D(name.value, size.bit_length(), api.GL_SRGB8_ALPHA8, size, size, layers)
        if old:
            kind = api.GL_TEXTURE_2D_ARRAY
            for level in range(size.bit_length()):
                api.glCopyImageSubData(
                    self.names[size], kind, level, 0, 0, 0, name.value, kind, level, 0, 0, 0,
                    size >> level, size >> level, old,
                )  # fmt: skip
            api.glDeleteTextures(1, ctypes.byref(ctypes.c_uint(self.names[size])))
        self.names[size], self._layers[size] = name.value, layers

    def write(self, size: int, layer: int, images: NDArray[np.uint8]) -> None:
        """Copy (n, size, size, 4) images to the layers from ``layer`` on and make their mipmaps."""
        api = self._api
        api.glPixelStorei(api.GL_UNPACK_ALIGNMENT, 1)
        api.glTextureSubImage3D(
            self.names[size], 0, 0, 0, layer, size, size, len(images),
            api.GL_RGBA, api.GL_UNSIGNED_BYTE, images.ctypes.data,
        )  # fmt: skip
        # Mipmaps of the new layers alone, through a view of them; the driver averages in linear light.
        view = ctypes.c_uint()
        api.glGenTextures(1, ctypes.byref(view))
        api.glTextureView(
            view.value, api.GL_TEXTURE_2D_ARRAY, self.names[size], api.GL_SRGB8_ALPHA8,
            0, size.bit_length(), layer, len(images),
        )  # fmt: skip
        api.glGenerateTextureMipmap(view.value)
        api.glDeleteTextures(1, ctypes.byref(view))

    def bind(self, size: int, unit: int) -> None:
        """Bind the array of a size to a texture unit."""
        self._api.glBindTextureUnit(unit, self.names[size])
