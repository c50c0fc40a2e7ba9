"""Cushions, covers and curtains."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from .circle import SINES
from .shape import UNIT, Ints, Shape, grid_normals, join, lengths, surface, two_sided, unit


@lru_cache(maxsize=256)
def cushion(width: int, depth: int, height: int, cells: int = 6) -> Shape:
    """A pillow that lies on its side: x and z about 0, y from 0, thick in the middle, corners drawn out."""
    mark = np.arange(2 * cells + 1)[::2] - cells
    u, v = np.meshgrid(mark, mark)
    n2, n4 = cells * cells, cells**4
    bulge = (n4 - u**4) * (n4 - v**4) // n4 * 1000 // n4
    x = width * u * (1000 - 70 * (n2 - v * v) // n2) // (2000 * cells)
    z = depth * v * (1000 - 70 * (n2 - u * u) // n2) // (2000 * cells)
    middle = height // 2
    upper = np.stack([x, middle + (height - middle) * bulge // 1000, -z], axis=2)
    lower = np.stack([x, middle - middle * bulge // 1000, z], axis=2)
    parts = []
    for points, up in ((upper, 1), (lower, -1)):
        normals = grid_normals(points)
        normals[[0, -1]] += np.array([0, -up * UNIT // 3, 0])
        parts.append(surface(points, np.abs(points[..., [0, 2]] + width), normals))
    return join(*parts)


@lru_cache(maxsize=128)
def cloth(width: int, length: int, height: int, drop: int, *, foot: bool = True) -> Shape:
    """A duvet or blanket over a box: x about 0, z from 0 (towards the pillows) to ``length``.

    Args:
        width: of the box below.
        length: from its upper end to the foot of the bed.
        height: thickness of the cloth on top; y = 0 is the top of the box.
        drop: how far it hangs down at the sides and at the foot.
        foot: whether it hangs down at the foot as well.
    """
    half, out = width // 2, 28
    xs = [
        -half - out - 4,
        -half - out,
        -half - out + 12,
        *(half * k // 4 for k in range(-3, 4)),
        half + out - 12,
        half + out,
        half + out + 4,
    ]
    down = [-drop, -drop // 2, height // 3, *(height,) * 7, height // 3, -drop // 2, -drop]
    zs = [0, 20, *(length * k // 7 for k in range(1, 7)), length - 6]
    sink = [height // 3, 0, *(0,) * 6, 4]
    if foot:
        zs, sink = (
            [*zs, length + out - 12, length + out, length + out + 4],
            [*sink, height // 2, height + drop // 2, height + drop],
        )
    ripple = np.array(
        [[SINES[(5 * i * j + 3 * i + 7 * j) % 24] for j in range(len(xs))] for i in range(len(zs))]
    )
    y = np.minimum(np.array(down)[None], height - np.array(sink)[:, None])
    lift = np.where(y == height, ripple * 5 // UNIT, 0)
    at_side, at_foot = np.array(down)[None] < 0, np.array(zs)[:, None] > length
    wave = np.where(at_side & at_foot, 0, ripple * 5 // UNIT)
    x = np.array(xs) + np.where(at_side, wave * np.sign(np.array(xs)), 0)
    z = np.array(zs)[:, None] + np.where(at_foot, wave, 0)
    points = np.stack([x, y + lift, z], axis=2)[::-1]
    return surface(points, np.stack([lengths(points, 1), lengths(points, 0)], axis=2), grid_normals(points))


@lru_cache(maxsize=256)
def folds(width: int, height: int, depth: int, waves: int, rows: int = 3, *, sheer: bool = False) -> Shape:
    """A curtain or hanging cloth: x about 0, y from 0 to ``height``, z from 0 to ``depth``, in waves.

    Args:
        width: along x.
        height: along y.
        depth: of the waves.
        waves: their number.
        rows: quads up.
        sheer: whether light goes through, so that the waves hardly show.
    """
    columns = 6 * waves + 1
    x = -(width // 2) + width * np.arange(columns) // (columns - 1)
    swing = SINES[(np.arange(columns) * 4 + 6) % 24]
    parts = []
    for row in range(rows + 1):
        amplitude = depth * (100 - 30 * row // rows) // 200
        z = depth // 2 + amplitude * swing // UNIT
        parts.append(np.stack([x, np.full(columns, height * row // rows), z], axis=1))
    points = np.stack(parts)
    texture = np.stack([lengths(points, 1), -points[..., 1]], axis=2)
    normals = grid_normals(points)
    normals[..., 0] = normals[..., 0] * (10 if sheer else 65) // 100
    return two_sided(surface(points, texture, unit(normals)))


def bent(points: Ints) -> Shape:
    """A smooth one-sided sheet through a grid of points (R, C, 3)."""
    return surface(points, np.stack([lengths(points, 1), lengths(points, 0)], axis=2), grid_normals(points))
