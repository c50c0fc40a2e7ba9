"""Scenes of more triangles that look the same."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
from numpy.typing import NDArray

from batchnav_renderer.types import SceneArrays

Array = NDArray[Any]


def subdivide(arrays: SceneArrays, parts: int) -> SceneArrays:
    """Cut every edge into ``parts`` and so every triangle into ``parts`` squared; 1 changes nothing."""
    if parts == 1:
        return arrays
    weights, pieces = _lattice(parts)
    corners = len(weights)
    first = np.arange(arrays.num_triangles, dtype=np.uint32)[:, None, None] * np.uint32(corners)
    return dataclasses.replace(
        arrays,
        positions=_between(arrays.positions, arrays.triangles, weights),
        uvs=None if arrays.uvs is None else _between(arrays.uvs, arrays.triangles, weights),
        colors=None if arrays.colors is None else _between(arrays.colors, arrays.triangles, weights),
        triangles=np.ascontiguousarray((first + pieces).reshape(-1, 3)),
        material_ids=np.repeat(arrays.material_ids, len(pieces)),
        object_ids=None if arrays.object_ids is None else np.repeat(arrays.object_ids, len(pieces)),
    )


def _lattice(parts: int) -> tuple[Array, NDArray[np.uint32]]:
    """Barycentric weights (P, 3) of a triangle's new vertices, and its pieces (parts squared, 3).

    Row r holds r + 1 vertices; row 0 is the first corner, the last row the side across from it.
    """
    rows, columns = np.tril_indices(parts + 1)
    weights = np.stack([parts - rows, rows - columns, columns], axis=1) / parts
    number = np.zeros((parts + 1, parts + 1), dtype=np.uint32)
    number[rows, columns] = np.arange(len(rows))
    r, c = np.tril_indices(parts)
    upright = np.stack([number[r, c], number[r + 1, c], number[r + 1, c + 1]], axis=1)
    r, c = np.tril_indices(parts, -1)
    turned = np.stack([number[r, c], number[r + 1, c + 1], number[r, c + 1]], axis=1)
    return weights, np.concatenate([upright, turned])


def _between(values: Array, triangles: Array, weights: Array) -> Array:
    """Values (V, C) of the vertices at the new vertices (F * P, C), in their own dtype."""
    corners = values[triangles].astype(np.float64)
    made: Array = np.einsum("pk,fkc->fpc", weights, corners).reshape(-1, values.shape[1])
    return (np.rint(made) if values.dtype == np.uint8 else made).astype(values.dtype)
