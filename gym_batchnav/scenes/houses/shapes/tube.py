"""Tubes along a path: lamp arms, taps, handles, frames of chairs."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from .circle import COSINES, SINES
from .shape import UNIT, Floats, Ints, Shape, join, lengths, surface, unit

Path = tuple[tuple[int, int, int], ...]


@lru_cache(maxsize=512)
def tube(path: Path, radius: int, sides: int = 6, *, end: int | None = None) -> Shape:
    """A round tube with flat ends.

    Args:
        path: (x, y, z) of its middle line; no two neighbours alike.
        radius: at its beginning.
        sides: 4, 6, 8 or 12.
        end: radius at its end, where it tapers.
    """
    middle = np.array(path, np.int64)
    along = _tangents(middle)
    first, second = _frames(along)
    radii = np.array(
        [radius + ((radius if end is None else end) - radius) * k / (len(path) - 1) for k in range(len(path))]
    )
    steps = np.arange(sides + 1) * (24 // sides) % 24
    c, s = COSINES[steps] / UNIT, SINES[steps] / UNIT
    out = first[:, None] * c[None, :, None] + second[:, None] * s[None, :, None]
    points = np.rint(middle[:, None] + out * radii[:, None, None]).astype(np.int64)
    points[:, -1] = points[:, 0]
    texture = np.stack(
        [lengths(points, 1), np.broadcast_to(lengths(middle[:, None], 0), points.shape[:2])], -1
    )
    mantle = surface(points, texture, np.rint(out * UNIT).astype(np.int64))
    return join(mantle, _lid(points[0][::-1], -along[0]), _lid(points[-1], along[-1]))


def _tangents(middle: Ints) -> Floats:
    """(P, 3) unit directions: mean of the steps before and after."""
    step = unit(np.diff(middle, axis=0)) / UNIT
    mean = np.concatenate([step[:1], step[:-1] + step[1:], step[-1:]])
    return unit(mean * 1000.0) / UNIT


def _frames(along: Floats) -> tuple[Floats, Floats]:
    """Two unit directions across the path at each point, carried along so that the tube does not twist."""
    axis = np.zeros(3)
    axis[int(np.argmin(np.abs(along[0])))] = 1.0
    first = []
    for tangent in along:
        dot = axis[0] * tangent[0] + axis[1] * tangent[1] + axis[2] * tangent[2]
        axis = unit((axis - dot * tangent) * 1000.0) / UNIT
        first.append(axis)
    a = np.stack(first)
    return a, np.cross(along, a)


def _lid(points: Ints, normal: Floats) -> Shape:
    """A flat end: a fan of quads."""
    count = (len(points) - 3) // 2
    fan = np.array([[0, 2 * k + 1, 2 * k + 2, 2 * k + 3] for k in range(count)])
    corners = points[fan]
    normals = np.broadcast_to(np.rint(normal * UNIT).astype(np.int64), corners.shape)
    return Shape(corners, corners[..., :2], np.array(normals))
