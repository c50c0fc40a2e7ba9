"""Buffers and texture arrays that hold all resident scenes, shared by the contexts of one display."""

from __future__ import annotations

import ctypes

import numpy as np
from numpy.typing import NDArray

from ..errors import CapacityError
from .api import GLApi
from .mesh import ATTRIBUTE_RECORD, CHUNK_RECORD
from .residency import Residency, Upload


class GLBuffer:
    """A buffer object whose size is set by ``resize``; its name changes when it grows."""

    def __init__(self, api: GLApi) -> None:
        """An empty buffer without storage."""
        self._api = api
        self.name = 0
        self.size = 0

    def resize(self, size: int, keep: bool) -> bool:
        """Grow to at least ``size`` bytes, keeping the contents if asked; says whether the name changed."""
        if size <= self.size:
            return False
        api = self._api
        name = ctypes.c_uint()
        api.glCreateBuffers(1, ctypes.byref(name))
        api.glNamedBufferData(name.value, size, None, api.GL_DYNAMIC_DRAW)
        if keep and self.size:
            api.glCopyNamedBufferSubData(self.name, name.value, 0, 0, self.size)
        if self.name:
            api.glDeleteBuffers(1, ctypes.byref(ctypes.c_uint(self.name)))
        self.name, self.size = name.value, size
        return True

    def write(self, offset: int, data: NDArray[np.generic]) -> None:
        """Copy an array to a byte offset."""
        if data.nbytes:
            flat = np.ascontiguousarray(data)
            self._api.glNamedBufferSubData(self.name, offset, flat.nbytes, flat.ctypes.data)


class SceneStore:
    """All methods run on the thread of the context that made it."""

    def __init__(self, api: GLApi) -> None:
        """An empty store."""
        self._api = api
        self.positions, self.attributes = GLBuffer(api), GLBuffer(api)
        self.indices, self.chunks = GLBuffer(api), GLBuffer(api)
        self.textures: dict[int, int] = {}
        self._layers: dict[int, int] = {}
        self.version = 0

    def write(self, upload: Upload, residency: Residency) -> None:
        """Grow to the allocators' capacities and copy a scene in; raises ``CapacityError``."""
        self._api.errors()
        grown = [
            self.positions.resize(residency.vertices.capacity * 12, keep=True),
            self.attributes.resize(residency.vertices.capacity * ATTRIBUTE_RECORD.itemsize, keep=True),
            self.indices.resize(residency.indices.capacity * 4, keep=True),
            self.chunks.resize(residency.chunks.capacity * CHUNK_RECORD.itemsize, keep=True),
        ]
        for size, where in residency.layers.items():
            self._grow_texture(size, where.capacity)
        self.version += any(grown)
        self._write_mesh(upload)
        for size, (layer, images) in upload.images.items():
            self._write_images(size, layer, np.stack(images))
        self._api.glFinish()
        if pending := self._api.errors():
            raise CapacityError(
                f"uploading a scene of {len(upload.mesh.indices) // 3:,} triangles left GL errors {pending} "
                "(0x505 is out of memory); lower max_texture_size or hold fewer scenes"
            )

    def _write_mesh(self, upload: Upload) -> None:
        mesh = upload.mesh
        chunks = mesh.chunks.copy()
        chunks["first_index"] += np.uint32(upload.index)
        self.positions.write(upload.vertex * 12, mesh.positions)
        self.attributes.write(upload.vertex * ATTRIBUTE_RECORD.itemsize, mesh.attributes)
        self.indices.write(upload.index * 4, mesh.indices + np.uint32(upload.vertex))
        self.chunks.write(upload.chunk * CHUNK_RECORD.itemsize, chunks)

    def _grow_texture(self, size: int, layers: int) -> None:
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
                    self.textures[size], kind, level, 0, 0, 0, name.value, kind, level, 0, 0, 0,
                    size >> level, size >> level, old,
                )  # fmt: skip
            api.glDeleteTextures(1, ctypes.byref(ctypes.c_uint(self.textures[size])))
        self.textures[size], self._layers[size] = name.value, layers

    def _write_images(self, size: int, layer: int, images: NDArray[np.uint8]) -> None:
        api = self._api
        api.glPixelStorei(api.GL_UNPACK_ALIGNMENT, 1)
        api.glTextureSubImage3D(
            self.textures[size], 0, 0, 0, layer, size, size, len(images),
            api.GL_RGBA, api.GL_UNSIGNED_BYTE, images.ctypes.data,
        )  # fmt: skip
        # Mipmaps of the new layers alone, through a view of them; the driver averages in linear light.
        view = ctypes.c_uint()
        api.glGenTextures(1, ctypes.byref(view))
        api.glTextureView(
            view.value, api.GL_TEXTURE_2D_ARRAY, self.textures[size], api.GL_SRGB8_ALPHA8,
            0, size.bit_length(), layer, len(images),
        )  # fmt: skip
        api.glGenerateTextureMipmap(view.value)
        api.glDeleteTextures(1, ctypes.byref(view))
