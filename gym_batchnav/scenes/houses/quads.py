"""Cuts long quads for the light that is baked into their corners, and quads into triangles."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]

LONGEST = 1200
"""Millimetres beyond which a quad is cut."""
_NARROW = 12
"""Millimetres below which a quad is left as it is."""
_WHOLE = 1 << 20 | 1

_PLAIN = np.array([[0, 1, 2], [0, 2, 3]], np.uint32)
_CROSSED = np.array([[0, 1, 3], [1, 2, 3]], np.uint32)


class Quads(NamedTuple):
    """Q quads in world coordinates."""

    corners: Ints
    """(Q, 4, 3) millimetres, counter-clockwise from the front."""
    texture: Ints
    """(Q, 4, 2)."""
    normals: Ints
    """(Q, 4, 3) of any length."""
    finish: Ints
    """(Q,)."""
    owner: Ints
    """(Q,)."""

    @property
    def is_flat_sided(self) -> NDArray[np.bool_]:
        """(Q,) whether it is a parallelogram, to 3 mm, with the texture on it alike."""
        across = self.corners[:, 0] + self.corners[:, 2] - self.corners[:, 1] - self.corners[:, 3]
        skewed = self.texture[:, 0] + self.texture[:, 2] - self.texture[:, 1] - self.texture[:, 3]
        return np.asarray((np.abs(across) <= 3).all(axis=1) & (np.abs(skewed) <= 3).all(axis=1), np.bool_)


def cut_long(quads: Quads, keep: NDArray[np.bool_], longest: int = LONGEST) -> Quads:
    """Cut parallelograms into equal parts no longer than ``longest``, but those to ``keep`` (Q,).

    Edges of equal ends are cut at equal places, whichever quad they belong to.
    """
    corners = quads.corners
    across = np.maximum(_length(corners[:, 1] - corners[:, 0]), _length(corners[:, 2] - corners[:, 3]))
    down = np.maximum(_length(corners[:, 3] - corners[:, 0]), _length(corners[:, 2] - corners[:, 1]))
    parts = np.maximum((np.stack([across, down], axis=1) + longest - 1) // longest, 1)
    narrow = np.minimum(across, down) < _NARROW
    parts[keep | narrow | ~quads.is_flat_sided] = 1
    key = parts[:, 0] << 20 | parts[:, 1]
    whole = key == _WHOLE
    groups = [Quads(*(array[whole] for array in quads))]
    rest, key = Quads(*(array[~whole] for array in quads)), key[~whole]
    for value in np.unique(key).tolist():
        group = Quads(*(array[key == value] for array in rest))
        groups.append(_cut(group, value >> 20, value & 0xFFFFF))
    return Quads(*(np.concatenate(arrays) for arrays in zip(*groups, strict=True)))


def _length(edges: Ints) -> Ints:
    """(Q,) lengths but for the last three millimetres, so that a piece is cut alike however it is turned."""
    x, y, z = edges.astype(np.float64).T
    return np.asarray(np.rint(np.sqrt(x * x + y * y + z * z)).astype(np.int64) - 3, np.int64)


def _cut(quads: Quads, columns: int, rows: int) -> Quads:
    """Every quad into ``columns`` x ``rows``."""
    i, j = (axis.ravel() for axis in np.meshgrid(np.arange(columns), np.arange(rows), indexing="ij"))
    u, v = i[:, None] + np.array([0, 1, 1, 0]), j[:, None] + np.array([0, 0, 1, 1])
    weights = np.stack([(columns - u) * (rows - v), u * (rows - v), u * v, (columns - u) * v], axis=2)
    count, total = columns * rows, columns * rows

    def between(values: Ints) -> Ints:
        # Whole numbers far below 2**53, so that their products and sums are exact in any order.
        flat = weights.reshape(1, -1, 4).astype(np.float64) @ values.astype(np.float64)
        mixed = flat.astype(np.int64).reshape(-1, 4, values.shape[2])
        return np.asarray((2 * mixed + total) // (2 * total), np.int64)

    return Quads(
        between(quads.corners),
        between(quads.texture),
        between(quads.normals),
        np.repeat(quads.finish, count),
        np.repeat(quads.owner, count),
    )


def triangles(quads: Quads, light: NDArray[np.uint8]) -> tuple[NDArray[np.uint32], NDArray[np.bool_]]:
    """Cut quads into triangles, flat-sided ones along the diagonal of more equal light.

    Args:
        quads: the quads; corner ``4 q + c`` is corner c of quad q.
        light: (Q, 4, 3).

    Returns:
        (F, 3) corners of the triangles that have an area (in whole millimetres small ones may not), and
        (2 Q,) which of each quad's two triangles have.
    """
    grey = light.sum(axis=2, dtype=np.int64)
    crossed = np.abs(grey[:, 1] - grey[:, 3]) < np.abs(grey[:, 0] - grey[:, 2])
    crossed &= quads.is_flat_sided
    halves = np.where(crossed[:, None, None], _CROSSED, _PLAIN)
    first = np.arange(len(grey), dtype=np.uint32)[:, None, None] * np.uint32(4)
    faces = (first + halves).reshape(-1, 3)
    a, b, c = (quads.corners.reshape(-1, 3)[faces[:, corner]] for corner in range(3))
    drawn = np.asarray(np.cross(b - a, c - a).any(axis=1), np.bool_)
    return np.asarray(faces[drawn], np.uint32), drawn
