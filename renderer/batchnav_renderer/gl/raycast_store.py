"""The scenes that one context of the ray caster holds."""

from __future__ import annotations

from collections.abc import Generator, Iterator

import numpy as np
from numpy.typing import NDArray

from ..bvh import NODE_WORDS
from ..errors import CapacityError
from .api import GLApi
from .heap import Heap
from .pages import PagePool
from .raycast_scene import CORNER_WORDS, MATERIAL_RECORD, NO_IMAGE, SURFACE_WORDS, RaycastScene
from .textures import ImageKind, TextureArrays

_SLICE_BYTES = 1 << 20  # of an upload between two renders
_TEXTURE_ARRAY_BYTES = 1 << 30  # llvmpipe refuses larger textures


class RaycastStore:
    """Trees, triangles, materials and images; all methods run on the thread of the context that made it."""

    def __init__(self, api: GLApi, storage_bytes: int, max_layers: int) -> None:
        """An empty store.

        Args:
            api: of the context.
            storage_bytes: the driver's limit for a buffer that a shader reads.
            max_layers: the driver's limit for array textures.
        """
        self._api, self._max_layers = api, max_layers
        self.nodes = Heap(api, 4 * NODE_WORDS, storage_bytes, "nodes of trees")
        self.corners = Heap(api, 4 * CORNER_WORDS, storage_bytes, "triangles")
        self.surfaces = Heap(api, 4 * SURFACE_WORDS, storage_bytes, "surfaces of triangles")
        self.materials = Heap(api, MATERIAL_RECORD.itemsize, storage_bytes, "materials")
        self.heaps = (self.nodes, self.corners, self.surfaces, self.materials)
        self.textures = TextureArrays(api)
        self._pools: dict[ImageKind, PagePool] = {}
        self._layers: dict[int, list[tuple[ImageKind, int]]] = {}
        self._holes: dict[int, bool] = {}

    def add(self, scene_id: int, scene: RaycastScene) -> Iterator[None]:
        """Copy a scene in, a slice at each step; it can be drawn when the steps are at their end.

        Raises:
            CapacityError: there is no room; nothing is held then.
        """
        try:
            materials = yield from self._reserve(scene_id, scene)
            yield
            tables = (scene.nodes, scene.corners, scene.surfaces, materials)
            for heap, rows in zip(self.heaps, tables, strict=True):
                step = max(1, _SLICE_BYTES * len(rows) // max(rows.nbytes, 1))
                for first in range(0, len(rows), step):
                    heap.write(scene_id, first, rows[first : first + step])
                    yield
            for (_, layer), image in zip(self._layers[scene_id], scene.images, strict=True):
                yield from self.textures.write(image, layer)
            self._check(scene)
        except BaseException:
            self.remove(scene_id)
            raise
        self._holes[scene_id] = scene.has_holes

    def remove(self, scene_id: int) -> None:
        """Free the room of a scene."""
        for heap in self.heaps:
            heap.release(scene_id)
        for kind, layer in self._layers.pop(scene_id, []):
            self._pools[kind].release(np.array([layer]))
        self._holes.pop(scene_id, None)

    def offsets(self, scene_ids: NDArray[np.int64]) -> tuple[NDArray[np.uint32], NDArray[np.bool_]]:
        """Where the scenes of some views lie at present, and which of them have holes.

        Returns:
            (n, 4) uint32 first node, triangle, surface and material, and (n,) bool.
        """
        scenes, views = np.unique(scene_ids, return_inverse=True)
        keys = scenes.tolist()
        places = [[heap.offset(key) for heap in self.heaps] for key in keys]
        holes = [self._holes[key] for key in keys]
        return np.array(places, np.uint32)[views], np.array(holes, bool)[views]

    def nbytes(self) -> int:
        """Bytes of buffers and texture arrays."""
        return sum(heap.nbytes for heap in self.heaps) + self.textures.num_bytes

    def _reserve(self, scene_id: int, scene: RaycastScene) -> Generator[None, None, NDArray[np.void]]:
        """Room for all parts, in steps; returns the materials with the layers of their images."""
        self._api.errors()
        tables = (scene.nodes, scene.corners, scene.surfaces, scene.materials)
        for heap, rows in zip(self.heaps, tables, strict=True):
            yield from heap.hold(scene_id, len(rows))
        layers = self._layers.setdefault(scene_id, [])
        for image in scene.images:
            layers.append((image.kind, self._layer(image.kind)))
        capacities = {kind: pool.capacity for kind, pool in self._pools.items()}
        for replaced in self.textures.grow(capacities):
            self.textures.delete(replaced)
            yield
        self._check(scene)
        materials = scene.materials.copy()
        textured = materials["image"][:, 1] != NO_IMAGE
        numbers = np.array([layer for _, layer in layers], np.uint32)
        materials["image"][textured, 0] = numbers[materials["image"][textured, 0]]
        return materials

    def _layer(self, kind: ImageKind) -> int:
        if kind not in self._pools:
            limit = min(self._max_layers, _TEXTURE_ARRAY_BYTES // kind.num_bytes)
            self._pools[kind] = PagePool(limit, f"texture layers of {kind.size} x {kind.size}")
        return int(self._pools[kind].allocate(1)[0])

    def _check(self, scene: RaycastScene) -> None:
        if pending := self._api.errors():
            raise CapacityError(
                f"uploading a scene of {len(scene.corners):,} triangles left GL errors {pending} (0x505 is "
                "out of memory); lower max_texture_size or hold fewer scenes"
            )
