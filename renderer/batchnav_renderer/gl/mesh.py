"""What the GL backend makes of a scene's arrays before anything is uploaded; pure NumPy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..types import Material, SceneArrays, Texture, Wrap
from .chunks import build_chunks

CHUNK_RECORD = np.dtype(
    [("center", "<f4", 3), ("first_index", "<u4"), ("extent", "<f4", 3), ("index_count", "<u4")]
)
ATTRIBUTE_RECORD = np.dtype([("uv", "<f4", 2), ("color", "<u2", 4), ("info", "<u4")])
_CUTOFF_SHIFT, _CUTOFF_MAX = 12, (1 << 20) - 1


class DrawGroup(NamedTuple):
    """Triangles that one indirect draw call can draw: one program, one texture array, one sampler."""

    cutout: bool = False
    """Whether texels below the alpha cut-off are holes."""
    texture_size: int = 0
    """Side of the texture array's layers; 0 without texture."""
    wrap: tuple[Wrap, Wrap] = ("repeat", "repeat")


@dataclass(frozen=True, slots=True)
class Mesh:
    """One scene, ready to be copied into the shared buffers; indices count from the scene's first vertex."""

    positions: NDArray[np.float32]
    attributes: NDArray[np.void]
    indices: NDArray[np.uint32]
    chunks: NDArray[np.void]
    segments: tuple[tuple[DrawGroup, int, int], ...]
    """(group, first chunk, number of chunks), by group."""


def group_of(
    material: Material, textures: Sequence[Texture], sizes: Mapping[int, int], rgb: bool
) -> DrawGroup:
    """The draw group of a material; without colours all opaque materials are alike."""
    cutout = material.alpha_cutoff > 0.0
    if material.texture not in sizes or not (rgb or cutout):
        return DrawGroup(cutout)
    return DrawGroup(cutout, sizes[material.texture], textures[material.texture].wrap)


def build_mesh(
    arrays: SceneArrays, groups: Sequence[DrawGroup], layers: Mapping[int, int], chunk_triangles: int
) -> Mesh:
    """Cluster, order and pack a scene.

    Args:
        arrays: the scene.
        groups: draw group of each of its materials.
        layers: texture array layer of each texture in use.
        chunk_triangles: triangles of a full chunk.
    """
    kinds = sorted(set(groups))
    kind_of_material = np.array([kinds.index(group) for group in groups], np.int64)
    triangles = arrays.triangles
    corners = arrays.positions[triangles]
    chunks = build_chunks(corners.mean(axis=1), kind_of_material[arrays.material_ids], chunk_triangles)
    ordered = triangles[chunks.order]
    vertices, materials, indices = _split_vertices(
        ordered, arrays.material_ids[chunks.order], len(arrays.positions)
    )
    return Mesh(
        positions=np.ascontiguousarray(arrays.positions[vertices]),
        attributes=_attributes(arrays, vertices, materials, layers),
        indices=indices,
        chunks=_chunk_records(corners[chunks.order], chunks.starts),
        segments=_segments(chunks.groups, kinds),
    )


def _split_vertices(
    triangles: NDArray[np.uint32], materials: NDArray[np.int32], num_vertices: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.uint32]]:
    """One vertex per (vertex, material) pair, in order of first use: its source, material, new indices."""
    pairs = np.repeat(materials.astype(np.int64), 3) * num_vertices + triangles.ravel()
    unique, first, inverse = np.unique(pairs, return_index=True, return_inverse=True)
    rank = np.argsort(first)
    place = np.empty(len(rank), np.uint32)
    place[rank] = np.arange(len(rank), dtype=np.uint32)
    kept = unique[rank]
    return kept % max(num_vertices, 1), kept // max(num_vertices, 1), place[inverse.ravel()]


def _attributes(
    arrays: SceneArrays, vertices: NDArray[np.int64], materials: NDArray[np.int64], layers: Mapping[int, int]
) -> NDArray[np.void]:
    records = np.zeros(len(vertices), ATTRIBUTE_RECORD)
    if arrays.uvs is not None:
        records["uv"] = arrays.uvs[vertices]
    factors = np.array([material.base_color for material in arrays.materials], np.float64).reshape(-1, 4)
    colors = np.ones((len(vertices), 4)) if arrays.colors is None else arrays.colors[vertices] / 255.0
    records["color"] = np.rint(np.clip(colors * factors[materials], 0.0, 1.0) * 65535.0)
    info = [
        layers.get(material.texture, 0)
        | round(min(material.alpha_cutoff, 1.0) * _CUTOFF_MAX) << _CUTOFF_SHIFT
        for material in arrays.materials
    ]
    records["info"] = np.array(info, np.uint32)[materials]
    return records


def _chunk_records(corners: NDArray[np.float32], starts: NDArray[np.int64]) -> NDArray[np.void]:
    records = np.zeros(len(starts) - 1, CHUNK_RECORD)
    if not len(records):
        return records
    low = np.minimum.reduceat(corners.min(axis=1), starts[:-1]).astype(np.float64)
    high = np.maximum.reduceat(corners.max(axis=1), starts[:-1]).astype(np.float64)
    records["center"] = (low + high) / 2.0
    # Padded for the rounding of the centre and of the culling arithmetic: culling may never be too eager.
    records["extent"] = (
        (high - low) / 2.0 + 1e-5 * np.abs(np.concatenate([low, high], 1)).max(1, keepdims=True) + 1e-6
    )
    records["first_index"], records["index_count"] = starts[:-1] * 3, np.diff(starts) * 3
    return records


def _segments(
    chunk_groups: NDArray[np.int64], kinds: Sequence[DrawGroup]
) -> tuple[tuple[DrawGroup, int, int], ...]:
    used, first, counts = np.unique(chunk_groups, return_index=True, return_counts=True)
    return tuple(
        (kinds[kind], int(start), int(count)) for kind, start, count in zip(used, first, counts, strict=True)
    )
