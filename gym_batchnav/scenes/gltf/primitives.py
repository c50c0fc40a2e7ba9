"""Mesh primitives: which vertices make which triangles."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..scene import SceneWarning
from .accessors import Accessors
from .document import Document
from .fields import Fields

_TRIANGLES, _STRIP, _FAN = 4, 5, 6
_MODE_NAMES = ("POINTS", "LINES", "LINE_LOOP", "LINE_STRIP")


@dataclass(frozen=True, slots=True)
class Primitive:
    """Triangles of one primitive in object space, without vertices that no triangle uses."""

    positions: NDArray[np.float32]
    """(V, 3) float32."""
    triangles: NDArray[np.int64]
    """(F, 3) int64."""
    uvs: NDArray[np.float32] | None
    """(V, 2) float32 of the texture coordinate set that was asked for."""
    colors: NDArray[np.uint8] | None
    """(V, 4) uint8 linear."""


def read_primitive(
    document: Document, accessors: Accessors, fields: Fields, uv_set: int | None
) -> Primitive | None:
    """Read one primitive.

    Args:
        document: the opened asset.
        accessors: its accessors.
        fields: the primitive.
        uv_set: number of the texture coordinate set to read; None for none.

    Returns:
        The triangles, or None where there are none (points and lines are left out with a ``SceneWarning``).

    Raises:
        SceneError: an attribute or index is broken.
    """
    mode = fields.integer("mode", _TRIANGLES, high=_FAN)
    if mode < _TRIANGLES:
        warnings.warn(
            f"{document.path}: {fields.place} holds {_MODE_NAMES[mode]}, which are not drawn",
            SceneWarning,
            stacklevel=2,
        )
        return None
    attributes = fields.child_or_empty("attributes")
    if not attributes.has("POSITION"):
        return None
    positions = accessors.floats(attributes.integer("POSITION"), f"{attributes.place}.POSITION", (3,))
    triangles = _triangles(document, accessors, fields, len(positions), mode)
    if not len(triangles):
        return None
    used, triangles = _compact(triangles, len(positions))
    uvs = _attribute(accessors, attributes, f"TEXCOORD_{uv_set}", (2,), len(positions))
    colors = _attribute(accessors, attributes, "COLOR_0", (3, 4), len(positions))
    return Primitive(
        positions[used],
        triangles,
        None if uvs is None else uvs[used],
        None if colors is None else _color_bytes(colors[used]),
    )


def _triangles(
    document: Document, accessors: Accessors, fields: Fields, num_vertices: int, mode: int
) -> NDArray[np.int64]:
    """(F, 3) vertex indices, without triangles that name a vertex twice."""
    if fields.has("indices"):
        place = f"{fields.place}.indices"
        indices = accessors.indices(fields.integer("indices"), place)
        if len(indices) and int(indices.max()) >= num_vertices:
            raise document.error(
                place, f"names vertex {int(indices.max())}, but there are {num_vertices} positions"
            )
    else:
        indices = np.arange(num_vertices, dtype=np.int64)
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


def _compact(triangles: NDArray[np.int64], num_vertices: int) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """Mask of the vertices in use, and the triangles renumbered to them."""
    used = np.zeros(num_vertices, np.bool_)
    used[triangles.ravel()] = True
    return used, (np.cumsum(used) - 1)[triangles]


def _attribute(
    accessors: Accessors, attributes: Fields, name: str, widths: tuple[int, ...], num_vertices: int
) -> NDArray[np.float32] | None:
    """(V, width) float32 values of an attribute, or None where the primitive lacks it."""
    if not attributes.has(name):
        return None
    place = f"{attributes.place}.{name}"
    array: NDArray[Any] = accessors.floats(attributes.integer(name), place, widths)
    if len(array) != num_vertices:
        raise attributes.error(name, f"has {len(array)} elements, but POSITION has {num_vertices}")
    return array


def _color_bytes(colors: NDArray[np.float32]) -> NDArray[np.uint8]:
    rgba = np.full((len(colors), 4), 255, np.uint8)
    rgba[:, : colors.shape[1]] = np.rint(np.clip(colors, 0.0, 1.0) * 255.0).astype(np.uint8)
    return rgba
