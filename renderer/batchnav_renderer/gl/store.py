"""Buffers and texture arrays that hold all resident scenes, shared by the contexts of one display."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import CapacityError
from .buffers import GLBuffer, delete_buffers
from .mesh import ATTRIBUTE_RECORD, CHUNK_RECORD, MeshSettings
from .residency import VERTEX_PAGE, Capacity, Upload
from .textures import SLICE_BYTES, TextureArrays
from .worker import GLWorker


class SceneStore:
    """The scenes in one display's memory; all methods run on the thread of the worker that owns it."""

    def __init__(self, worker: GLWorker, settings: MeshSettings, sharers: Sequence[GLWorker]) -> None:
        """An empty store.

        Args:
            worker: the owner.
            settings: those of the meshes.
            sharers: other workers whose contexts draw from the store.
        """
        self._api, self._settings, self._sharers = worker.api, settings, sharers
        self.positions, self.attributes = GLBuffer(self._api), GLBuffer(self._api)
        self.indices, self.chunks = GLBuffer(self._api), GLBuffer(self._api)
        self.objects = GLBuffer(self._api)
        self.textures = TextureArrays(self._api)

    @property
    def names(self) -> tuple[int, ...]:
        """GL names of the buffers that vertices come from; they change when a buffer grows."""
        return (self.positions.name, self.attributes.name, self.indices.name)

    @property
    def num_bytes(self) -> int:
        """Bytes of all buffers and textures."""
        buffers = (self.positions, self.attributes, self.indices, self.chunks, self.objects)
        return sum(buffer.size for buffer in buffers) + self.textures.num_bytes

    def upload(self, upload: Upload) -> Iterator[None]:
        """Copy a scene in, in steps of well below a millisecond or two; raises ``CapacityError``."""
        self._api.errors()
        yield from self._grow(upload.capacity)
        yield from self._write_mesh(upload)
        for image, layer in zip(upload.mesh.images, upload.image_layers.tolist(), strict=True):
            yield from self.textures.write(image, layer)
        if self._sharers:
            self._api.glFinish()
        self._check("copying a scene")

    def _grow(self, capacity: Capacity) -> Iterator[None]:
        settings, vertices = self._settings, capacity.vertex_pages * VERTEX_PAGE
        triangles = capacity.pages * settings.page_triangles
        sizes = (
            (self.positions, vertices * 12),
            (self.attributes, vertices * ATTRIBUTE_RECORD.itemsize * capacity.attributes),
            (self.indices, triangles * 12),
            (self.chunks, capacity.pages * settings.page_chunks * CHUNK_RECORD.itemsize),
            (self.objects, triangles * 4 * settings.ids),
        )
        old_buffers: list[int] = []
        for buffer, size in sizes:
            for replaced in buffer.grow(size):
                old_buffers += replaced
                yield
        old_textures: list[int] = []
        for replaced in self.textures.grow(capacity.layers):
            old_textures += replaced
            yield
        self._check("making room for a scene")
        if old_buffers or old_textures:
            yield from self._delete(old_buffers, old_textures)

    def _delete(self, buffers: list[int], textures: list[int]) -> Iterator[None]:
        """Delete what was replaced, once no other context is in the middle of drawing from it."""
        if self._sharers:
            self._api.glFinish()
        passed = [worker.submit(_nothing) for worker in self._sharers]
        while not all(future.done() for future in passed):
            yield
        delete_buffers(self._api, buffers)
        self.textures.delete(textures)

    def _write_mesh(self, upload: Upload) -> Iterator[None]:
        mesh, resident, settings = upload.mesh, upload.resident, self._settings
        vertex_pages, pages = resident.vertex_pages, resident.pages
        yield from _write(self.positions, vertex_pages, mesh.positions, VERTEX_PAGE)
        if mesh.attributes is not None and mesh.vertex_images is not None:
            with_layers = partial(_with_layers, mesh.attributes, mesh.vertex_images, upload.image_layers)
            yield from _write(self.attributes, vertex_pages, mesh.attributes, VERTEX_PAGE, with_layers)
        triangles = mesh.triangles.reshape(-1, 3)
        in_pages = partial(_in_pages, triangles, vertex_pages)
        yield from _write(self.indices, pages, triangles, settings.page_triangles, in_pages)
        yield from _write(self.chunks, pages, mesh.chunks.reshape(-1), settings.page_chunks)
        if mesh.objects is not None:
            yield from _write(self.objects, pages, mesh.objects.reshape(-1), settings.page_triangles)

    def _check(self, what: str) -> None:
        if pending := self._api.errors():
            raise CapacityError(
                f"{what} left GL errors {', '.join(pending)} (0x505 is out of memory); lower "
                "max_texture_size or hold fewer scenes"
            )


def _write(
    buffer: GLBuffer,
    pages: NDArray[np.int64],
    rows: NDArray[Any],
    page_rows: int,
    changed: Callable[[slice], NDArray[Any]] | None = None,
) -> Iterator[None]:
    """Copy rows, or what they are changed to, into pages, neighbouring pages at once, in steps."""
    row_bytes = rows.dtype.itemsize * int(np.prod(rows.shape[1:]))
    # Changing rows holds the interpreter's lock, which all workers need to draw.
    slice_bytes = SLICE_BYTES if changed is None else SLICE_BYTES // 8
    most = max(1, slice_bytes // (page_rows * row_bytes))
    first = 0
    while first < len(pages):
        last = first + 1
        while last < len(pages) and last - first < most and pages[last] == pages[last - 1] + 1:
            last += 1
        part = slice(first * page_rows, last * page_rows)
        content = rows[part] if changed is None else changed(part)
        buffer.write(int(pages[first]) * page_rows * row_bytes, content)
        first = last
        yield


def _with_layers(
    attributes: NDArray[np.void],
    vertex_images: NDArray[np.int32],
    image_layers: NDArray[np.int64],
    rows: slice,
) -> NDArray[np.void]:
    """Attributes with the layers of their images."""
    part = attributes[rows].copy()
    part["info"] |= np.append(image_layers, 0)[vertex_images[rows]].astype(np.uint32)
    return part


def _in_pages(
    triangles: NDArray[np.uint32], vertex_pages: NDArray[np.int64], rows: slice
) -> NDArray[np.uint32]:
    """Triangles with numbers of vertices in the buffer for those in the scene."""
    local = triangles[rows]
    first = (vertex_pages * VERTEX_PAGE).astype(np.uint32)
    numbers: NDArray[np.uint32] = first[local // np.uint32(VERTEX_PAGE)] + local % np.uint32(VERTEX_PAGE)
    return numbers


def _nothing() -> None:
    pass
