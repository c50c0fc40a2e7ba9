"""Solids of revolution."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from .circle import ring, scaled
from .shape import UNIT, Floats, Ints, Shape, join, surface

Profile = tuple[tuple[int, int], ...]

_SMOOTH = 0.7
"""Cosine between neighbouring parts of a profile from which on the edge between them is smooth."""


@lru_cache(maxsize=512)
def lathe(profile: Profile, sides: int = 12) -> Shape:
    """Revolve a profile about +Y.

    Args:
        profile: (radius, y) from below to above along the outside; a radius of 0 closes the shape.
        sides: 6, 8, 12 or 24.
    """
    around = np.concatenate([ring(sides), ring(sides)[:1]])
    ends = tilts(profile)
    widest = max(radius for radius, _ in profile)
    parts, run = [], 0
    for number in range(len(profile) - 1):
        (r0, y0), (r1, y1) = profile[number : number + 2]
        length = round(math.sqrt((r1 - r0) ** 2 + (y1 - y0) ** 2))
        if max(r0, r1) and length:
            flat = abs(y1 - y0) < abs(r1 - r0)
            bands = (_row(around, r0, y0, ends[number][0]), _row(around, r1, y1, ends[number][1]))
            texture = _texture(bands, flat, widest, (-run, -run - length))
            parts.append(_band(bands, texture, (r0, r1)))
        run += length
    return join(*parts)


def tilts(profile: Profile) -> list[tuple[Ints, Ints]]:
    """Normals (outwards, up) at both ends of each part of a profile."""
    step = np.diff(np.array(profile, np.float64), axis=0)
    length = np.sqrt(step[:, 0] ** 2 + step[:, 1] ** 2)
    normal = np.stack([step[:, 1], -step[:, 0]], axis=1) / np.where(length == 0, 1, length)[:, None]
    ends = [[normal[k], normal[k]] for k in range(len(normal))]
    for k in range(len(normal) - 1):
        a, b = normal[k], normal[k + 1]
        if a[0] * b[0] + a[1] * b[1] > _SMOOTH:
            ends[k][1] = ends[k + 1][0] = (a + b) / 2
    return [(_whole(a), _whole(b)) for a, b in ends]


def _whole(value: Floats) -> Ints:
    return np.asarray(np.rint(value * UNIT), np.int64)


def _row(around: Ints, radius: int, y: int, tilt: Ints) -> tuple[Ints, Ints]:
    """(N, 3) points and normals of one ring."""
    flat, out = scaled(around, radius), scaled(around, tilt[0])
    points = np.stack([flat[:, 0], np.full(len(flat), y), flat[:, 1]], axis=1)
    return points, np.stack([out[:, 0], np.full(len(out), tilt[1]), out[:, 1]], axis=1)


def _texture(bands: tuple[tuple[Ints, Ints], ...], flat: bool, widest: int, run: tuple[int, int]) -> Ints:
    """(2, N, 2) texture coordinates: around and along the profile, or from above where it is rather flat."""
    if flat:
        return np.stack([points[:, [0, 2]] for points, _ in bands])
    count = len(bands[0][0])
    across = np.arange(count) * (widest * 6283 // 1000) // (count - 1)
    return np.stack([np.stack([across, np.full(count, v)], axis=1) for v in run])


def _band(bands: tuple[tuple[Ints, Ints], ...], texture: Ints, radii: tuple[int, int]) -> Shape:
    """Quads between two rings; where one is a point, each quad takes two steps around it."""
    points, normals = (np.stack([band[part] for band in bands]) for part in range(2))
    if all(radii):
        return surface(points, texture, normals)
    first = np.arange(0, points.shape[1] - 1, 2)
    if radii[1]:
        rows, columns = [0, 1, 1, 1], [first, first + 2, first + 1, first]
    else:
        rows, columns = [1, 0, 0, 0], [first, first, first + 1, first + 2]
    pick = np.stack(columns, axis=1)
    return Shape(*(array[np.array(rows), pick] for array in (points, texture, normals)))
