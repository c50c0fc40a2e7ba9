"""A shape in its own frame: quads with texture coordinates and normals."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
UNIT = 10_000
"""Length of the normals."""
_SHEET = 3
"""Thickness of a sheet that is seen from both sides, millimetres."""


class Shape(NamedTuple):
    """Quads, counter-clockwise from the front. Shapes are cached: their arrays are never written to."""

    corners: Ints
    """(Q, 4, 3) millimetres."""
    texture: Ints
    """(Q, 4, 2) millimetres along the surface; a grain runs along the second."""
    normals: Ints
    """(Q, 4, 3) directions of any length."""


def join(*shapes: Shape) -> Shape:
    """All quads of several shapes."""
    return Shape(*(np.concatenate(arrays) for arrays in zip(*shapes, strict=True)))


def moved(shape: Shape, x: int = 0, y: int = 0, z: int = 0) -> Shape:
    """The shape somewhere else."""
    return shape._replace(corners=shape.corners + np.array([x, y, z], np.int64))


def mirrored(shape: Shape) -> Shape:
    """The shape with left and right exchanged."""
    flip = np.array([-1, 1, 1], np.int64)
    return Shape(
        (shape.corners * flip)[:, ::-1], shape.texture[:, ::-1], np.asarray(shape.normals * flip)[:, ::-1]
    )


def tipped(shape: Shape, towards: Literal["x", "z"]) -> Shape:
    """The shape laid down: what pointed up points along +x or +z (and z or x up)."""
    order = [1, 2, 0] if towards == "x" else [2, 0, 1]
    return Shape(shape.corners[..., order], shape.texture, shape.normals[..., order])


def turned(shape: Shape, c: int, s: int, d: int) -> Shape:
    """The shape turned about +Y by the angle with cosine ``c / d`` and sine ``s / d``."""
    return _rotated(shape, 0, 2, (c, s, d))


def tilted(shape: Shape, c: int, s: int, d: int) -> Shape:
    """The shape leant about the x axis: what pointed up leans towards +z by the sine ``s / d``."""
    return _rotated(shape, 2, 1, (c, -s, d))


def _rotated(shape: Shape, first: int, second: int, turn: tuple[int, int, int]) -> Shape:
    """Turn from axis ``first`` towards axis ``second``."""
    c, s, d = turn
    arrays = []
    for array in (shape.corners, shape.normals):
        out = array.copy()
        a, b = array[..., first], array[..., second]
        out[..., first] = (2 * (c * a - s * b) + d) // (2 * d)
        out[..., second] = (2 * (s * a + c * b) + d) // (2 * d)
        arrays.append(out)
    return Shape(arrays[0], shape.texture, arrays[1])


def surface(points: Ints, texture: Ints, normals: Ints) -> Shape:
    """Quads between neighbours of a grid; columns x rows point to the front.

    Args:
        points: (R, C, 3).
        texture: (R, C, 2).
        normals: (R, C, 3).
    """
    return Shape(*(_quads(array) for array in (points, texture, normals)))


def _quads(grid: Ints) -> Ints:
    """(Q, 4, K) corners of the cells of an (R, C, K) grid."""
    cells = np.stack([grid[:-1, :-1], grid[:-1, 1:], grid[1:, 1:], grid[1:, :-1]], axis=2)
    return cells.reshape(-1, 4, grid.shape[2])


def two_sided(shape: Shape) -> Shape:
    """A thin sheet that is seen from both sides, which lie apart: the light on them differs."""
    outward = (2 * _SHEET * unit(shape.normals) + UNIT) // (2 * UNIT)
    back = Shape(shape.corners[:, ::-1], shape.texture[:, ::-1], -shape.normals[:, ::-1])
    return join(shape._replace(corners=shape.corners + outward), back)


def flat(corners: Ints, texture: Ints) -> Shape:
    """Flat quads with their own normals."""
    normal = unit(np.cross(corners[:, 2] - corners[:, 0], corners[:, 3] - corners[:, 1]))
    return Shape(corners, texture, np.repeat(normal[:, None], 4, axis=1))


def unit(vectors: NDArray[np.generic]) -> Ints:
    """(..., 3) vectors brought to the length ``UNIT``; plain IEEE arithmetic, alike on every machine."""
    x, y, z = (vectors[..., axis].astype(np.float64) for axis in range(3))
    length = np.sqrt(x * x + y * y + z * z)
    length = np.where(length == 0.0, 1.0, length)
    return np.stack([np.rint(part * UNIT / length) for part in (x, y, z)], axis=-1).astype(np.int64)


def grid_normals(points: Ints) -> Ints:
    """(R, C, 3) unit normals of a smooth grid, from the differences of neighbours."""
    across, along = np.empty_like(points), np.empty_like(points)
    across[:, 1:-1], along[1:-1] = points[:, 2:] - points[:, :-2], points[2:] - points[:-2]
    across[:, 0], across[:, -1] = points[:, 1] - points[:, 0], points[:, -1] - points[:, -2]
    along[0], along[-1] = points[1] - points[0], points[-1] - points[-2]
    return unit(np.cross(across, along))


def lengths(points: Ints, axis: int) -> Ints:
    """(R, C) millimetres along a grid's axis up to each point, rounded to whole ones."""
    step = np.diff(points, axis=axis).astype(np.float64)
    size = np.rint(np.sqrt(step[..., 0] ** 2 + step[..., 1] ** 2 + step[..., 2] ** 2)).astype(np.int64)
    shape = list(points.shape[:2])
    shape[axis] = 1
    return np.concatenate([np.zeros(shape, np.int64), np.cumsum(size, axis=axis)], axis=axis)
