"""Placed files to one scene: each file is read once, and textures and materials are kept once."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from batchnav_renderer.types import Material, SceneArrays, Texture

from ...errors import SceneError
from ..budget import Budget
from ..loading import load_arrays
from ..pieces import join_per_vertex
from .instances import Placed

_BYTES_PER_VERTEX, _BYTES_PER_TRIANGLE = 40, 32


def merge(parts: Iterable[Placed], budget: Budget, place: str) -> SceneArrays:
    """Join the files of a scene, in their order, a stage first.

    The object ids of the stage are kept; each other part is one object, and their ids follow.

    Args:
        parts: the files and where they stand.
        budget: what the scene may unpack to; the files' sizes add to it.
        place: the scene, for messages.

    Raises:
        SceneError: a file cannot be read, the scene is empty, a vertex lands beyond float32, or the scene is
            too large for its files.
    """
    merger = _Merger(budget, place)
    next_id = 1
    for part in parts:
        arrays = merger.read(part.file)
        if part.is_stage:
            ids = np.zeros(arrays.num_triangles, np.int32) if arrays.object_ids is None else arrays.object_ids
            next_id = int(ids.max(initial=0)) + 1
        else:
            ids = np.full(arrays.num_triangles, next_id, np.int32)
            next_id += 1
        merger.add(part, arrays, ids)
    return merger.finish()


@dataclass(frozen=True, slots=True)
class _Part:
    """A file where it stands; arrays as in ``SceneArrays``."""

    positions: NDArray[np.float32]
    triangles: NDArray[np.uint32]
    material_ids: NDArray[np.int32]
    object_ids: NDArray[np.int32]
    uvs: NDArray[np.float32] | None
    colors: NDArray[np.uint8] | None


@dataclass(slots=True)
class _Merger:
    budget: Budget
    place: str
    _files: dict[Path, tuple[SceneArrays, NDArray[np.int32]]] = field(default_factory=dict)
    _palette: _Palette = field(default_factory=lambda: _Palette())
    _parts: list[_Part] = field(default_factory=list)

    def read(self, file: Path) -> SceneArrays:
        """The arrays of a file in its own frame."""
        if file not in self._files:
            self.budget.read(file.stat().st_size)
            arrays = load_arrays(file)
            self._files[file] = (arrays, self._palette.add(arrays))
        return self._files[file][0]

    def add(self, part: Placed, arrays: SceneArrays, object_ids: NDArray[np.int32]) -> None:
        """Place a file once."""
        size = _BYTES_PER_VERTEX * len(arrays.positions) + _BYTES_PER_TRIANGLE * arrays.num_triangles
        self.budget.spend(size, self.place)
        positions = _place(part, arrays.positions)
        if not np.isfinite(positions).all():
            raise SceneError(f"{self.place}: {part.file} lands beyond the range of float32")
        mirrored = np.linalg.det(part.pose.rotation @ part.frame) < 0.0
        self._parts.append(
            _Part(
                positions=positions,
                triangles=arrays.triangles[:, ::-1] if mirrored else arrays.triangles,
                material_ids=self._files[part.file][1][arrays.material_ids],
                object_ids=object_ids,
                uvs=arrays.uvs,
                colors=arrays.colors,
            )
        )

    def finish(self) -> SceneArrays:
        """Join what was placed."""
        parts = self._parts
        if not any(len(part.triangles) for part in parts):
            raise SceneError(f"{self.place}: holds neither a stage nor objects with triangles")
        counts = [len(part.positions) for part in parts]
        starts = np.concatenate([[0], np.cumsum(counts)[:-1]]).astype(np.uint32)
        triangles = [part.triangles + start for part, start in zip(parts, starts, strict=True)]
        return SceneArrays(
            positions=np.concatenate([part.positions for part in parts]),
            triangles=np.concatenate(triangles),
            material_ids=np.concatenate([part.material_ids for part in parts]),
            object_ids=np.concatenate([part.object_ids for part in parts]),
            uvs=join_per_vertex([part.uvs for part in parts], counts, np.zeros(2, np.float32)),
            colors=join_per_vertex([part.colors for part in parts], counts, np.full(4, 255, np.uint8)),
            materials=tuple(self._palette.materials),
            textures=tuple(self._palette.textures),
        )


@dataclass(slots=True)
class _Palette:
    """Materials and textures of all files, equal ones once."""

    materials: list[Material] = field(default_factory=list)
    textures: list[Texture] = field(default_factory=list)
    _material_numbers: dict[Material, int] = field(default_factory=dict)
    _texture_numbers: dict[tuple[object, ...], int] = field(default_factory=dict)

    def add(self, arrays: SceneArrays) -> NDArray[np.int32]:
        """Numbers of a file's materials in the whole."""
        textures = [self._texture(texture) for texture in arrays.textures]
        return np.array([self._material(item, textures) for item in arrays.materials], np.int32)

    def _material(self, material: Material, textures: Sequence[int]) -> int:
        red, green, blue, alpha = (float(value) for value in material.base_color)
        texture = textures[material.texture] if material.texture >= 0 else -1
        whole = replace(material, base_color=(red, green, blue, alpha), texture=texture)
        if whole not in self._material_numbers:
            self._material_numbers[whole] = len(self.materials)
            self.materials.append(whole)
        return self._material_numbers[whole]

    def _texture(self, texture: Texture) -> int:
        digest = hashlib.blake2b(np.ascontiguousarray(texture.pixels).data, digest_size=16).digest()
        key = (texture.pixels.shape, tuple(texture.wrap), digest)
        if key not in self._texture_numbers:
            self._texture_numbers[key] = len(self.textures)
            self.textures.append(texture)
        return self._texture_numbers[key]


def _place(part: Placed, positions: NDArray[np.float32]) -> NDArray[np.float32]:
    """(V, 3) world positions, metres."""
    with np.errstate(over="ignore", invalid="ignore"):
        local = positions.astype(np.float64) @ part.frame.T
        center = part.center
        if center is None:
            center = (local.min(axis=0) + local.max(axis=0)) / 2.0
        return ((local - center) @ part.pose.rotation.T + part.pose.translation).astype(np.float32)
