"""Which scene lies where in the shared buffers and texture arrays; pure Python, the same for every store."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..images import fit, texture_sizes
from ..types import SceneArrays
from .allocator import FreeList
from .mesh import DrawGroup, Mesh, build_mesh, group_of

_TEXTURE_ARRAY_BYTES = 1 << 30  # llvmpipe refuses larger textures


@dataclass(frozen=True, slots=True)
class Upload:
    """The contents of a scene and the place of each part."""

    mesh: Mesh
    vertex: int
    index: int
    chunk: int
    images: dict[int, tuple[int, list[NDArray[np.uint8]]]]
    """Texture size to (first layer, images)."""


@dataclass(frozen=True, slots=True)
class Resident:
    """The ranges that a scene holds."""

    ranges: tuple[tuple[FreeList, int, int], ...]
    segments: tuple[tuple[DrawGroup, int, int], ...]
    """(group, first chunk in the shared buffer, number of chunks)."""


class Residency:
    """Allocates ranges for scenes."""

    def __init__(self, rgb: bool, max_texture_size: int, max_layers: int, chunk_triangles: int) -> None:
        """Start empty; ``max_layers`` is the driver's limit for array textures."""
        self._rgb, self._max_texture_size, self._max_layers = rgb, max_texture_size, max_layers
        self._chunk_triangles = chunk_triangles
        self.vertices = FreeList(0, 1 << 31, "vertices")
        self.indices = FreeList(0, (1 << 32) - 1, "triangle indices")
        self.chunks = FreeList(0, 1 << 22, "chunks of triangles")
        self.layers: dict[int, FreeList] = {}

    def place(self, arrays: SceneArrays) -> tuple[Upload, Resident]:
        """Build a scene's mesh and find room for it; raises ``CapacityError`` and then holds nothing."""
        held: list[tuple[FreeList, int, int]] = []
        try:
            return self._place(arrays, held)
        except BaseException:
            self._release(held)
            raise

    def remove(self, resident: Resident) -> None:
        """Give back the ranges of a scene."""
        self._release(list(resident.ranges))

    def _place(self, arrays: SceneArrays, held: list[tuple[FreeList, int, int]]) -> tuple[Upload, Resident]:
        sizes = texture_sizes(arrays, self._rgb, self._max_texture_size)
        layers: dict[int, int] = {}
        images: dict[int, tuple[int, list[NDArray[np.uint8]]]] = {}
        for size in sorted(set(sizes.values())):
            numbers = [number for number, its_size in sizes.items() if its_size == size]
            first = self._hold(held, self._layer_list(size), len(numbers))
            layers.update({number: first + place for place, number in enumerate(numbers)})
            images[size] = (first, [fit(arrays.textures[number], size) for number in numbers])
        groups = [group_of(material, arrays.textures, sizes, self._rgb) for material in arrays.materials]
        mesh = build_mesh(arrays, groups, layers, self._chunk_triangles)
        vertex = self._hold(held, self.vertices, len(mesh.positions))
        index = self._hold(held, self.indices, len(mesh.indices))
        chunk = self._hold(held, self.chunks, len(mesh.chunks))
        segments = tuple((group, chunk + first, count) for group, first, count in mesh.segments)
        return Upload(mesh, vertex, index, chunk, images), Resident(tuple(held), segments)

    def _layer_list(self, size: int) -> FreeList:
        if size not in self.layers:
            limit = min(self._max_layers, _TEXTURE_ARRAY_BYTES // (6 * size * size))
            self.layers[size] = FreeList(0, limit, f"texture layers of {size} x {size}")
        return self.layers[size]

    @staticmethod
    def _hold(held: list[tuple[FreeList, int, int]], where: FreeList, size: int) -> int:
        offset = where.allocate(size)
        held.append((where, offset, size))
        return offset

    @staticmethod
    def _release(held: list[tuple[FreeList, int, int]]) -> None:
        for where, offset, size in held:
            where.release(offset, size)
