"""Mesh primitives: which vertices make which triangles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .accessors import Accessors
from .document import Document
from .draco import DracoMesh, read_draco
from .fields import Fields

_TRIANGLES, _STRIP, _FAN = 4, 5, 6
MODE_NAMES = ("POINTS", "LINES", "LINE_LOOP", "LINE_STRIP")
_MAX_JOINT_SETS = 4
_BYTES_PER_INDEX = 24  # a strip makes a triangle of each


@dataclass(frozen=True, slots=True)
class Primitive:
    """Triangles of one primitive in object space, without vertices that no triangle uses."""

    positions: NDArray[np.float32]
    """(V, 3) float32, morphed as the weights say."""
    triangles: NDArray[np.int64]
    """(F, 3) int64."""
    uvs: NDArray[np.float32] | None
    """(V, 2) float32 of the texture coordinate set that was asked for."""
    colors: NDArray[np.uint8] | None
    """(V, 4) uint8 linear."""
    joints: NDArray[np.int64] | None = None
    """(V, 4 k) int64 joints of the node's skin; None where the primitive is not skinned."""
    joint_weights: NDArray[np.float32] | None = None
    """(V, 4 k) float32 weights of ``joints``."""


def is_drawn(fields: Fields) -> bool:
    """Whether a primitive has triangles; raises ``SceneError`` where its mode is unknown."""
    return fields.integer("mode", _TRIANGLES, high=_FAN) >= _TRIANGLES


def read_primitive(
    document: Document,
    accessors: Accessors,
    fields: Fields,
    uv_set: int | None,
    morph_weights: tuple[float, ...] = (),
) -> Primitive | None:
    """Read one primitive.

    Args:
        document: the opened asset.
        accessors: its accessors.
        fields: the primitive, one with triangles.
        uv_set: number of the texture coordinate set to read; None for none.
        morph_weights: how much of each morph target is added.

    Returns:
        The triangles, or None where there are none.

    Raises:
        SceneError: an attribute or index is broken.
    """
    attributes = fields.child_or_empty("attributes")
    if not attributes.has("POSITION"):
        return None
    source = _Attributes(document, accessors, fields, read_draco(document, fields), morph_weights)
    positions = source.required("POSITION", (3,))
    triangles = _triangles(source, len(positions))
    if not len(triangles):
        return None
    used, triangles = _compact(triangles, len(positions))
    uvs = source.optional(f"TEXCOORD_{uv_set}", (2,), len(positions))
    colors = source.optional("COLOR_0", (3, 4), len(positions))
    joints, weights = _joints(source, len(positions))
    return Primitive(
        positions[used],
        triangles,
        None if uvs is None else uvs[used],
        None if colors is None else _color_bytes(colors[used]),
        None if joints is None else joints[used],
        None if weights is None else weights[used],
    )


@dataclass(frozen=True, slots=True)
class _Attributes:
    """Reads the attributes of one primitive from wherever they are stored."""

    document: Document
    accessors: Accessors
    fields: Fields
    draco: DracoMesh | None
    morph_weights: tuple[float, ...]

    def optional(self, name: str, widths: tuple[int, ...], num_vertices: int) -> NDArray[np.float32] | None:
        """(V, width) float32 morphed values, or None where the primitive lacks the attribute."""
        attributes = self.fields.child_or_empty("attributes")
        if not attributes.has(name):
            return None
        array = self.required(name, widths)
        if len(array) != num_vertices:
            raise attributes.error(name, f"has {len(array)} elements, but POSITION has {num_vertices}")
        return array

    def required(self, name: str, widths: tuple[int, ...]) -> NDArray[np.float32]:
        """(n, width) float32 morphed values."""
        attributes = self.fields.child_or_empty("attributes")
        number, place = attributes.integer(name), f"{attributes.place}.{name}"
        is_color = name.startswith("COLOR_")  # integers of these are always normalised
        if self.draco is None or name not in self.draco.attributes:
            read = self.accessors.fractions if is_color else self.accessors.floats
            array = read(number, place, widths)
        else:
            array = self.accessors.cast(number, place, self.draco.attributes[name], fractions=is_color)
            if array.shape[1] not in widths:
                raise attributes.error(name, f"has {array.shape[1]} components; allowed: {widths}")
        return self._morphed(name, array)

    def indices(self, num_vertices: int) -> tuple[NDArray[np.int64], int]:
        """Vertex indices and the primitive mode that they are of."""
        mode = self.fields.integer("mode", _TRIANGLES, high=_FAN)
        if self.draco is not None:
            return self.draco.indices, _TRIANGLES
        if not self.fields.has("indices"):
            return np.arange(num_vertices, dtype=np.int64), mode
        place = f"{self.fields.place}.indices"
        indices = self.accessors.indices(self.fields.integer("indices"), place)
        if len(indices) and int(indices.max()) >= num_vertices:
            raise self.document.error(
                place, f"names vertex {int(indices.max())}, but there are {num_vertices} positions"
            )
        return indices, mode

    def _morphed(self, name: str, array: NDArray[np.float32]) -> NDArray[np.float32]:
        """Add the morph targets' displacements, each times its weight."""
        for weight, target in zip(self.morph_weights, self.fields.items("targets"), strict=False):
            if not weight or not target.has(name):
                continue
            place = f"{target.place}.{name}"
            change = self.accessors.floats(target.integer(name), place, (3, array.shape[1]))
            if change.shape[0] != len(array):
                raise target.error(name, f"has {len(change)} elements, but there are {len(array)} vertices")
            self.document.budget.spend(array.nbytes, place)
            width = min(change.shape[1], array.shape[1])
            array = array.copy()
            array[:, :width] += np.float32(weight) * change[:, :width]
        return array


def _triangles(source: _Attributes, num_vertices: int) -> NDArray[np.int64]:
    """(F, 3) vertex indices, without triangles that name a vertex twice."""
    indices, mode = source.indices(num_vertices)
    source.document.budget.spend(_BYTES_PER_INDEX * len(indices), source.fields.place)
    triangles: NDArray[np.int64] = _unroll(indices, mode)
    a, b, c = triangles.T
    whole: NDArray[np.bool_] = (a != b) & (b != c) & (c != a)
    return np.ascontiguousarray(triangles[whole])


def _unroll(indices: NDArray[np.int64], mode: int) -> NDArray[np.int64]:
    if mode == _TRIANGLES:
        return indices[: len(indices) // 3 * 3].reshape(-1, 3)
    steps = np.arange(max(len(indices) - 2, 0))
    if mode == _STRIP:
        # Every second triangle of a strip is turned over to keep the winding (glTF 2.0, section 3.7.2.1).
        odd = steps % 2
        return np.stack([indices[steps], indices[steps + 1 + odd], indices[steps + 2 - odd]], axis=1)
    first = indices[np.zeros_like(steps)]
    return np.stack([indices[steps + 1], indices[steps + 2], first], axis=1)


def _compact(triangles: NDArray[np.int64], num_vertices: int) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Numbers of the vertices in use, and the triangles renumbered to them."""
    if triangles.size < num_vertices // 8:  # a small part of a table that many primitives share
        used, renumbered = np.unique(triangles, return_inverse=True)
        return used, renumbered.reshape(-1, 3)
    mask = np.zeros(num_vertices, np.bool_)
    mask[triangles.ravel()] = True
    return np.nonzero(mask)[0], (np.cumsum(mask) - 1)[triangles]


def _joints(
    source: _Attributes, num_vertices: int
) -> tuple[NDArray[np.int64] | None, NDArray[np.float32] | None]:
    """(V, 4 k) joints and weights of all sets that the primitive has."""
    attributes = source.fields.child_or_empty("attributes")
    joints, weights = [], []
    for number in range(_MAX_JOINT_SETS):
        weight = source.optional(f"WEIGHTS_{number}", (4,), num_vertices)
        joint = source.optional(f"JOINTS_{number}", (4,), num_vertices)
        if weight is None or joint is None:
            break
        if (joint < 0).any() or (weight < 0).any():
            raise attributes.error(f"JOINTS_{number}", "or its weights are negative")
        joints.append(joint.astype(np.int64))
        weights.append(weight)
    if not joints:
        return None, None
    return np.concatenate(joints, axis=1), np.concatenate(weights, axis=1)


def _color_bytes(colors: NDArray[np.float32]) -> NDArray[np.uint8]:
    rgba = np.full((len(colors), 4), 255, np.uint8)
    rgba[:, : colors.shape[1]] = np.rint(np.clip(colors, 0.0, 1.0) * 255.0).astype(np.uint8)
    return rgba
