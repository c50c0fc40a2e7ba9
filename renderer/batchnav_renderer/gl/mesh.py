"""What the GL backend makes of a scene's arrays before anything is uploaded; pure NumPy, in any process."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..images import texture_sizes
from ..types import SceneArrays, Wrap
from .chunks import Chunks, build_chunks
from .textures import ImageKind, TextureImage, make_image

CHUNK_RECORD = np.dtype(
    [("center", "<f4", 3), ("index_count", "<u4"), ("extent", "<f4", 3), ("unused", "<u4")]
)
ATTRIBUTE_RECORD = np.dtype([("uv", "<f4", 2), ("color", "<u2", 4), ("info", "<u4")])
LAYER_BITS = 11  # of "info"; then two for each wrap mode, and the alpha cut-off
_WRAP_SHIFTS, _CUTOFF_SHIFT, _CUTOFF_MAX = (11, 13), 15, (1 << 17) - 1
_WRAPS: dict[Wrap, int] = {"repeat": 0, "clamp": 1, "mirror": 2}
_PAGE_TRIANGLES = 2048
_PAGE_CHUNKS = 32  # what a work group of cull.comp tests at once


class DrawGroup(NamedTuple):
    """Triangles that one indirect draw call can draw: one program, one texture array."""

    cutout: bool = False
    """Whether texels below the alpha cut-off are holes."""
    texture_size: int = 0
    """Side of the texture array's layers; 0 without texture."""

    @property
    def kind(self) -> ImageKind:
        """The texture array."""
        return ImageKind(self.texture_size, self.cutout)


@dataclass(frozen=True, slots=True, kw_only=True)
class MeshSettings:
    """What the form of a scene depends on."""

    rgb: bool
    """Whether colours are drawn."""
    ids: bool
    """Whether object ids are drawn."""
    max_texture_size: int
    """Texels a side of the largest texture."""
    chunk_triangles: int
    """Triangles of a full chunk."""

    @property
    def page_chunks(self) -> int:
        """Chunks of a page; a page belongs to one draw group of one scene."""
        return max(1, min(_PAGE_CHUNKS, _PAGE_TRIANGLES // self.chunk_triangles))

    @property
    def page_triangles(self) -> int:
        """Room for triangles in a page."""
        return self.page_chunks * self.chunk_triangles


@dataclass(frozen=True, slots=True)
class Mesh:
    """One scene, ready to be copied into pages; picklable."""

    positions: NDArray[np.float32]
    """(V, 3) metres."""
    attributes: NDArray[np.void] | None
    """(V,) ATTRIBUTE_RECORD without layers; None where only opaque depth is drawn."""
    vertex_images: NDArray[np.int32] | None
    """(V,) place in ``images`` of each vertex' image, -1 for none; with ``attributes``."""
    triangles: NDArray[np.uint32]
    """(P, page_triangles, 3) vertices, counted from the scene's first; 0 where a page holds no triangle."""
    chunks: NDArray[np.void]
    """(P, page_chunks) CHUNK_RECORD; a chunk without indices is none."""
    objects: NDArray[np.int32] | None
    """(P, page_triangles) object ids."""
    segments: tuple[tuple[DrawGroup, int, int], ...]
    """(group, first page, number of pages)."""
    images: tuple[TextureImage, ...]
    """Texture images, each stored once."""


def build_mesh(settings: MeshSettings, arrays: SceneArrays) -> Mesh:
    """Cluster, order and pack a scene, and prepare its images."""
    sizes = texture_sizes(arrays, settings.rgb, settings.max_texture_size)
    groups = _groups(arrays, sizes, settings.rgb)
    kinds = sorted(set(groups))
    kind_of_material = np.array([kinds.index(group) for group in groups], np.int64)
    corners = arrays.positions[arrays.triangles]
    chunks = build_chunks(
        corners.mean(axis=1), kind_of_material[arrays.material_ids], settings.chunk_triangles
    )
    ordered, materials = arrays.triangles[chunks.order], arrays.material_ids[chunks.order]
    surface = settings.rgb or any(group.cutout for group in groups)
    vertices, vertex_materials, indices = _split_vertices(
        ordered, materials if surface else np.zeros_like(materials), len(arrays.positions)
    )
    place, first_pages = _pages(chunks, settings)
    num_pages = int(first_pages[-1])
    numbers = _image_numbers(arrays, groups, sizes)
    objects = np.zeros(len(ordered), np.int32) if arrays.object_ids is None else arrays.object_ids
    return Mesh(
        positions=np.ascontiguousarray(arrays.positions[vertices]),
        attributes=_attributes(arrays, vertices, vertex_materials) if surface else None,
        vertex_images=_images_of(numbers, arrays, groups)[vertex_materials] if surface else None,
        triangles=_spread(indices, place, num_pages, settings.page_triangles),
        chunks=_chunk_records(corners[chunks.order], chunks, first_pages, settings.page_chunks),
        objects=_spread(objects[chunks.order], place, num_pages, settings.page_triangles)
        if settings.ids
        else None,
        segments=_segments(np.unique(chunks.groups), kinds, first_pages),
        images=tuple(
            make_image(arrays.textures[texture], ImageKind(sizes[texture], alpha))
            for texture, alpha in numbers
        ),
    )


def _groups(arrays: SceneArrays, sizes: Mapping[int, int], rgb: bool) -> list[DrawGroup]:
    """The draw group of each material; without colours all opaque materials are alike."""
    cutouts = [material.alpha_cutoff > 0.0 for material in arrays.materials]
    return [
        DrawGroup(cutout, sizes.get(material.texture, 0) if rgb or cutout else 0)
        for material, cutout in zip(arrays.materials, cutouts, strict=True)
    ]


def _image_numbers(
    arrays: SceneArrays, groups: Sequence[DrawGroup], sizes: Mapping[int, int]
) -> dict[tuple[int, bool], int]:
    """(texture, whether alpha matters) of each image to its number."""
    used = np.bincount(arrays.material_ids, minlength=len(groups)) > 0
    needed = {
        (material.texture, group.cutout): None
        for material, group, is_used in zip(arrays.materials, groups, used, strict=True)
        if is_used and group.texture_size
    }
    return {key: number for number, key in enumerate(needed)}


def _images_of(
    numbers: Mapping[tuple[int, bool], int], arrays: SceneArrays, groups: Sequence[DrawGroup]
) -> NDArray[np.int32]:
    """Image number of each material, -1 for none."""
    return np.array(
        [
            numbers.get((material.texture, group.cutout), -1) if group.texture_size else -1
            for material, group in zip(arrays.materials, groups, strict=True)
        ],
        np.int32,
    )


def _split_vertices(
    triangles: NDArray[np.uint32], materials: NDArray[np.int32], num_vertices: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.uint32]]:
    """One vertex per (vertex, material) pair, in order of first use: its source, material, new triangles."""
    pairs = np.repeat(materials.astype(np.int64), 3) * num_vertices + triangles.ravel()
    unique, first, inverse = np.unique(pairs, return_index=True, return_inverse=True)
    rank = np.argsort(first)
    place = np.empty(len(rank), np.uint32)
    place[rank] = np.arange(len(rank), dtype=np.uint32)
    kept = unique[rank]
    new = place[inverse.ravel()].reshape(-1, 3)
    return kept % max(num_vertices, 1), kept // max(num_vertices, 1), new


def _attributes(
    arrays: SceneArrays, vertices: NDArray[np.int64], materials: NDArray[np.int64]
) -> NDArray[np.void]:
    records = np.zeros(len(vertices), ATTRIBUTE_RECORD)
    if arrays.uvs is not None:
        records["uv"] = arrays.uvs[vertices]
    factors = np.array([material.base_color for material in arrays.materials], np.float64).reshape(-1, 4)
    colors = np.ones((len(vertices), 4)) if arrays.colors is None else arrays.colors[vertices] / 255.0
    records["color"] = np.rint(np.clip(colors * factors[materials], 0.0, 1.0) * 65535.0)
    info = [
        round(min(material.alpha_cutoff, 1.0) * _CUTOFF_MAX) << _CUTOFF_SHIFT
        | _wrap_bits(arrays, material.texture)
        for material in arrays.materials
    ]
    records["info"] = np.array(info, np.uint32)[materials]
    return records


def _wrap_bits(arrays: SceneArrays, texture: int) -> int:
    if texture < 0:
        return 0
    u, v = arrays.textures[texture].wrap
    return _WRAPS[u] << _WRAP_SHIFTS[0] | _WRAPS[v] << _WRAP_SHIFTS[1]


def _pages(chunks: Chunks, settings: MeshSettings) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Where triangles go, and the pages of the groups in use.

    Returns:
        (F,) place of each ordered triangle, pages counted from the scene's first, and (G + 1,) the first page
        of each group, and their number.
    """
    _, counts = np.unique(chunks.groups, return_counts=True)
    first_pages = np.concatenate([[0], np.cumsum(-(-counts // settings.page_chunks))])
    slots = _chunk_slots(counts, first_pages, settings.page_chunks)
    lengths = np.diff(chunks.starts)
    within = np.arange(len(chunks.order)) - np.repeat(chunks.starts[:-1], lengths)
    return np.repeat(slots, lengths) * settings.chunk_triangles + within, first_pages


def _chunk_slots(
    counts: NDArray[np.int64], first_pages: NDArray[np.int64], page_chunks: int
) -> NDArray[np.int64]:
    """Place of each chunk among those of all pages, given the number of chunks of each group."""
    shift = first_pages[:-1] * page_chunks - (np.cumsum(counts) - counts)
    slots: NDArray[np.int64] = np.arange(counts.sum()) + np.repeat(shift, counts)
    return slots


def _spread(rows: NDArray[Any], place: NDArray[np.int64], num_pages: int, page_rows: int) -> NDArray[Any]:
    spread = np.zeros((num_pages * page_rows, *rows.shape[1:]), rows.dtype)
    spread[place] = rows
    return spread.reshape(num_pages, page_rows, *rows.shape[1:])


def _chunk_records(
    corners: NDArray[np.float32], chunks: Chunks, first_pages: NDArray[np.int64], page_chunks: int
) -> NDArray[np.void]:
    records = np.zeros(int(first_pages[-1]) * page_chunks, CHUNK_RECORD)
    if len(records):
        starts = chunks.starts[:-1]
        low = np.minimum.reduceat(corners.min(axis=1), starts).astype(np.float64)
        high = np.maximum.reduceat(corners.max(axis=1), starts).astype(np.float64)
        _, counts = np.unique(chunks.groups, return_counts=True)
        slots = _chunk_slots(counts, first_pages, page_chunks)
        records["center"][slots] = (low + high) / 2.0
        # Padded for the rounding of the centre and of the culling arithmetic: culling may never be too eager.
        largest = np.abs(np.concatenate([low, high], axis=1)).max(axis=1, keepdims=True)
        records["extent"][slots] = (high - low) / 2.0 + 1e-5 * largest + 1e-6
        records["index_count"][slots] = np.diff(chunks.starts) * 3
    return records.reshape(-1, page_chunks)


def _segments(
    used: NDArray[np.int64], kinds: Sequence[DrawGroup], first_pages: NDArray[np.int64]
) -> tuple[tuple[DrawGroup, int, int], ...]:
    return tuple(
        (kinds[group], int(first), int(count))
        for group, first, count in zip(used, first_pages[:-1], np.diff(first_pages), strict=True)
    )
