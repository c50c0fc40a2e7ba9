"""Leaves as bent, two-sided strips."""

from __future__ import annotations

import numpy as np

from .circle import COSINES, SINES
from .shape import UNIT, Ints, Shape, two_sided, unit


def leaves(table: Ints, outline: tuple[int, ...] = (20, 100, 85, 8)) -> Shape:
    """Many leaves at once, each a strip of quads along its rib.

    Args:
        table: (L, 8) whole numbers, one leaf a row: x, y, z of its base; heading about +Y and rise above the
            level, both in steps of 15 degrees; length and width, mm; droop of its tip, percent of the length.
        outline: percent of the width at even steps along the rib, never 0.
    """
    base, heading, rise, length, width, droop = (
        table[:, :3],
        table[:, 3] % 24,
        table[:, 4] % 24,
        table[:, 5],
        table[:, 6],
        table[:, 7],
    )
    count = len(outline)
    part = np.arange(count)
    reach = (length * COSINES[rise] // UNIT)[:, None] * part // (count - 1)
    up = (length * SINES[rise] // UNIT)[:, None] * part // (count - 1)
    up = up - (length * droop // 100)[:, None] * part * part // (count - 1) ** 2
    ahead = np.stack([COSINES[heading], SINES[heading]], axis=1)
    side = np.stack([-ahead[:, 1], ahead[:, 0]], axis=1)
    half = width[:, None] * np.array(outline) // 200 + 1
    rib = np.stack(
        [
            base[:, :1] + reach * ahead[:, :1] // UNIT,
            base[:, 1:2] + up,
            base[:, 2:] + reach * ahead[:, 1:] // UNIT,
        ],
        axis=2,
    )
    across = np.stack([half * side[:, :1] // UNIT, np.zeros_like(half), half * side[:, 1:] // UNIT], axis=2)
    left, right = rib - across, rib + across
    corners = np.stack([right[:, :-1], left[:, :-1], left[:, 1:], right[:, 1:]], axis=2).reshape(-1, 4, 3)
    along = np.broadcast_to(length[:, None] * part // (count - 1), half.shape)
    u = np.stack([half, -half, -half, half], axis=2)
    texture = np.stack(
        [
            np.stack([u[:, :-1, 0], u[:, :-1, 1], u[:, 1:, 2], u[:, 1:, 3]], axis=2),
            np.stack([along[:, :-1], along[:, :-1], along[:, 1:], along[:, 1:]], axis=2),
        ],
        axis=3,
    )
    normal = unit(np.cross(corners[:, 2] - corners[:, 0], corners[:, 3] - corners[:, 1]))
    smooth = _smoothed(normal.reshape(len(table), count - 1, 3))
    ends = np.stack([smooth[:, :-1], smooth[:, :-1], smooth[:, 1:], smooth[:, 1:]], axis=2).reshape(-1, 4, 3)
    return two_sided(Shape(corners, texture.reshape(-1, 4, 2), ends))


def _smoothed(normals: Ints) -> Ints:
    """(L, S + 1, 3) means of neighbouring normals along each rib."""
    padded = np.concatenate([normals[:, :1], normals, normals[:, -1:]], axis=1)
    return np.asarray(padded[:, :-1] + padded[:, 1:], np.int64)
