"""Which pages and texture layers each scene holds; pure Python, the same for every store."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from .mesh import ATTRIBUTE_RECORD, CHUNK_RECORD, LAYER_BITS, DrawGroup, Mesh, MeshSettings
from .pages import PagePool
from .textures import ImageKind

VERTEX_PAGE = 1024
_TEXTURE_ARRAY_BYTES = 1 << 30  # llvmpipe refuses larger textures
_NUM_INDICES = 1 << 32  # that an index can be counted by


@dataclass(frozen=True, slots=True)
class Capacity:
    """What a store must have room for."""

    vertex_pages: int
    """Pages of ``VERTEX_PAGE`` vertices."""
    pages: int
    """Pages of triangles."""
    layers: dict[ImageKind, int]
    """Layers of each texture array."""
    attributes: bool
    """Whether vertices have attributes."""


@dataclass(frozen=True, slots=True)
class Resident:
    """The pages that a scene holds."""

    vertex_pages: NDArray[np.int64]
    pages: NDArray[np.int64]
    layers: dict[ImageKind, NDArray[np.int64]] = field(repr=False)
    segments: tuple[tuple[DrawGroup, NDArray[np.int64]], ...]
    """(group, its pages in drawing order)."""


@dataclass(frozen=True, slots=True)
class Upload:
    """A scene and where it goes."""

    mesh: Mesh
    resident: Resident
    image_layers: NDArray[np.int64]
    """Layer of each of the mesh's images."""
    capacity: Capacity


class Residency:
    """Hands out pages to scenes; may be used from several threads."""

    def __init__(self, settings: MeshSettings, max_layers: int, storage_bytes: int) -> None:
        """Start empty.

        Args:
            settings: those of the meshes.
            max_layers: the driver's limit for array textures.
            storage_bytes: bytes of a buffer that a shader can reach.
        """
        self._lock = threading.Lock()
        self._max_layers = min(max_layers, 1 << LAYER_BITS)
        vertex_bytes = VERTEX_PAGE * max(ATTRIBUTE_RECORD.itemsize, 12)
        self.vertex_pages = PagePool(storage_bytes // vertex_bytes, f"pages of {VERTEX_PAGE} vertices")
        index_bytes = 12 * settings.page_triangles
        chunk_bytes = settings.page_chunks * CHUNK_RECORD.itemsize
        limit = min(storage_bytes // max(index_bytes, chunk_bytes), _NUM_INDICES // (index_bytes // 4))
        self.pages = PagePool(limit, f"pages of {settings.page_triangles} triangles")
        self.layers: dict[ImageKind, PagePool] = {}
        self._attributes = False

    def place(self, mesh: Mesh) -> Upload:
        """Find room for a scene; raises ``CapacityError`` and then holds nothing."""
        with self._lock:
            held: list[tuple[PagePool, NDArray[np.int64]]] = []
            try:
                return self._place(mesh, held)
            except BaseException:
                for pool, pages in held:
                    pool.release(pages)
                raise

    def remove(self, resident: Resident) -> None:
        """Give back the pages of a scene."""
        with self._lock:
            self.vertex_pages.release(resident.vertex_pages)
            self.pages.release(resident.pages)
            for kind, layers in resident.layers.items():
                self.layers[kind].release(layers)

    def _place(self, mesh: Mesh, held: list[tuple[PagePool, NDArray[np.int64]]]) -> Upload:
        def hold(pool: PagePool, count: int) -> NDArray[np.int64]:
            pages = pool.allocate(count)
            held.append((pool, pages))
            return pages

        vertex_pages = hold(self.vertex_pages, -(-len(mesh.positions) // VERTEX_PAGE))
        pages = hold(self.pages, len(mesh.triangles))
        image_layers = np.zeros(len(mesh.images), np.int64)
        layers: dict[ImageKind, NDArray[np.int64]] = {}
        for kind in sorted({image.kind for image in mesh.images}):
            numbers = [number for number, image in enumerate(mesh.images) if image.kind == kind]
            layers[kind] = image_layers[numbers] = hold(self._pool(kind), len(numbers))
        segments = tuple((group, pages[first : first + count]) for group, first, count in mesh.segments)
        self._attributes |= mesh.attributes is not None
        return Upload(mesh, Resident(vertex_pages, pages, layers, segments), image_layers, self._capacity())

    def _pool(self, kind: ImageKind) -> PagePool:
        if kind not in self.layers:
            limit = min(self._max_layers, _TEXTURE_ARRAY_BYTES // kind.num_bytes)
            self.layers[kind] = PagePool(limit, f"texture layers of {kind.size} x {kind.size}")
        return self.layers[kind]

    def _capacity(self) -> Capacity:
        layers = {kind: pool.capacity for kind, pool in self.layers.items()}
        return Capacity(self.vertex_pages.capacity, self.pages.capacity, layers, self._attributes)
