"""Triangle scenes made of boxes, for tests of baking."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

Box = tuple[Sequence[float], Sequence[float]]
"""Lower and upper corner, metres."""

# Corners are numbered by x, y, z bits; faces are counter-clockwise seen from outside.
_FACES = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))


def solids(*boxes: Box) -> tuple[np.ndarray, np.ndarray]:
    """Positions (V, 3) and triangles (F, 3) of the boxes' surfaces."""
    unit = np.array([[k >> 2 & 1, k >> 1 & 1, k & 1] for k in range(8)])
    positions = [np.where(unit, high, low) for low, high in boxes]
    faces = np.array([[(a, b, c), (a, c, d)] for a, b, c, d in _FACES]).reshape(-1, 3)
    triangles = faces + 8 * np.arange(len(boxes))[:, None, None]
    return np.concatenate(positions).astype(np.float32), triangles.reshape(-1, 3)


def floor(width: float, depth: float, height: float = 0.0) -> Box:
    """A slab from the origin, its top at `height`."""
    return (0, height - 0.1, 0), (width, height, depth)


def two_storeys() -> list[Box]:
    """8 x 6 m; 15 steps of 0.18 m lead along x from the ground floor to the upper one, through a gap in it.

    The upper floor lies at 2.7 m; over the stairs (x from 2 to 5.75, z from 4 to 5.4) it is open.
    """
    top = 15 * 0.18
    steps: list[Box] = [((2 + 0.25 * k, 0, 4.2), (2.25 + 0.25 * k, 0.18 * (k + 1), 5.4)) for k in range(15)]
    upper: list[Box] = [
        ((0, top - 0.2, 0), (8, top, 4)),
        ((0, top - 0.2, 4), (1, top, 6)),
        ((5.75, top - 0.2, 4), (8, top, 6)),
    ]
    return [floor(8, 6), *upper, *steps]
