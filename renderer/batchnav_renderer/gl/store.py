"""Buffers and texture arrays that hold all resident scenes, shared by the contexts of one display."""

from __future__ import annotations

import ctypes

import numpy as np
from numpy.typing import NDArray

from ..errors import CapacityError
from .api import GLApi
from .mesh import ATTRIBUTE_RECORD, CHUNK_RECORD
from .residency import Residency, Upload
from .textures import TextureArrays


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

    def delete(self) -> None:
        """Free the storage."""
        if self.name:
            self._api.glDeleteBuffers(1, ctypes.byref(ctypes.c_uint(self.name)))
        self.name = self.size = 0

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
        self.textures = TextureArrays(api)
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
            self.textures.grow(size, where.capacity)
        self.version += any(grown)
        self._write_mesh(upload)
        for size, (layer, images) in upload.images.items():
            self.textures.write(size, layer, np.stack(images))
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
