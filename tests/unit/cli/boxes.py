"""Boxes as OBJ files."""

from __future__ import annotations

from pathlib import Path

import numpy as np

_SIDES = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))


def box(low, high, *, inward=False):
    """Eight corners and six sides (as corner numbers) of a box, seen from outside or from inside."""
    steps = np.stack(np.meshgrid([0, 1], [0, 1], [0, 1], indexing="ij"), -1).reshape(-1, 3)
    corners = np.array(low) + steps * (np.array(high) - np.array(low))
    return corners, [side[::-1] if inward else side for side in _SIDES]


def write_obj(path: Path, boxes, axes=(0, 1, 2), scale=1.0, head="") -> Path:
    lines, first = [head] if head else [], 1
    for corners, sides in boxes:
        lines += [f"v {x} {y} {z}" for x, y, z in (corners[:, axes] * scale).tolist()]
        lines += ["f " + " ".join(str(first + corner) for corner in side) for side in sides]
        first += len(corners)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path
