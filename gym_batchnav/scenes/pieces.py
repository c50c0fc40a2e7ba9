"""Parts of a scene in world space, and how they are joined."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from batchnav_renderer.types import Material, SceneArrays, Texture

Scalar = TypeVar("Scalar", bound=np.generic)


@dataclass(slots=True)
class Piece:
    """Triangles of one material, in world space."""

    positions: NDArray[np.float32]
    """(V, 3) float32."""
    triangles: NDArray[np.int64]
    """(F, 3) int64."""
    uvs: NDArray[np.float32] | None
    colors: NDArray[np.uint8] | None
    material: int
    object_ids: NDArray[np.int32]
    """(F,) int32."""


def join_pieces(
    pieces: list[Piece], materials: tuple[Material, ...], textures: tuple[Texture, ...]
) -> SceneArrays:
    """Concatenate pieces, of which there is at least one; materials lose cut-offs that cut nothing."""
    counts = [len(piece.positions) for piece in pieces]
    starts = np.concatenate([[0], np.cumsum(counts)[:-1]])
    faces = [len(piece.triangles) for piece in pieces]
    return SceneArrays(
        positions=np.concatenate([piece.positions for piece in pieces]),
        triangles=np.concatenate(
            [piece.triangles + start for piece, start in zip(pieces, starts, strict=True)]
        ).astype(np.uint32),
        material_ids=np.repeat([piece.material for piece in pieces], faces).astype(np.int32),
        object_ids=np.concatenate([piece.object_ids for piece in pieces]),
        uvs=join_per_vertex([piece.uvs for piece in pieces], counts, np.zeros(2, np.float32)),
        colors=join_per_vertex([piece.colors for piece in pieces], counts, np.full(4, 255, np.uint8)),
        materials=without_idle_cutoffs(materials, textures),
        textures=textures,
    )


def join_per_vertex(
    arrays: list[NDArray[Scalar] | None], counts: list[int], default: NDArray[Scalar]
) -> NDArray[Scalar] | None:
    """Concatenate per-vertex arrays, ``default`` standing in for absent ones; None where all are absent."""
    if all(array is None for array in arrays):
        return None
    return np.concatenate(
        [
            np.tile(default, (count, 1)) if array is None else array
            for array, count in zip(arrays, counts, strict=True)
        ]
    )


def without_idle_cutoffs(
    materials: tuple[Material, ...], textures: tuple[Texture, ...]
) -> tuple[Material, ...]:
    """Drop cut-outs where nothing falls below them, as many exporters mark opaque things as blended."""
    cut = {material.texture for material in materials if material.alpha_cutoff > 0.0}
    lowest = {
        number: int(textures[number].pixels[..., 3].min()) / 255.0 if number >= 0 else 1.0 for number in cut
    }
    return tuple(
        replace(material, alpha_cutoff=0.0)
        if material.alpha_cutoff > 0.0
        and material.base_color[3] * lowest[material.texture] >= material.alpha_cutoff
        else material
        for material in materials
    )
