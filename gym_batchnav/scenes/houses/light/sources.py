"""Windows, lamps and screens as sources of light."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .grid import PER_MM, UNIT, Ints
from .points import unit_normals

Floats = NDArray[np.float64]

_STEP_OUT = 110
"""Millimetres from a flat source to where its light starts, past the bars of windows."""
_FLAT_PERCENT = 60
"""Share of its surface that a source must show one way to be flat."""
_DAYLIGHT = 3.4
"""Strength of a flat source of a square metre; large windows are weaker for their size, as if curtained."""
_LAMP = 1.9
"""Strength of a lamp of ``_LAMP_AREA`` and more."""
_LAMP_AREA = 0.15
"""Square metres."""

# Where the samples of a source lie in its bounding box, in eighths, along its two longer sides.
_SAMPLES = np.array([[1, 2], [7, 6], [7, 2], [1, 6]])


class Sources(NamedTuple):
    """S sources of light with K samples each."""

    samples: Ints
    """(S, K, 3) grid positions."""
    unit: Ints
    """(S, 3) where flat ones face, ``UNIT`` long; 0 for those that shine all around."""
    color: Floats
    """(S, 3) strength: irradiance at one metre straight ahead, linear RGB."""


def make_sources(corners: Ints, emission: Floats, owners: Ints, origin: Ints) -> Sources:
    """Sources of glowing quads (G, 4, 3): one for each owner (G,), as bright as its ``emission`` (G, 3)."""
    numbers, group = np.unique(owners, return_inverse=True)
    across, down = corners[:, 2] - corners[:, 0], corners[:, 3] - corners[:, 1]
    twice = np.cross(across, down)
    x, y, z = (twice[:, axis].astype(np.float64) for axis in range(3))
    areas = np.rint(np.sqrt(x * x + y * y + z * z)).astype(np.int64)
    area, facing = np.zeros(len(numbers), np.int64), np.zeros((len(numbers), 3), np.int64)
    low, high = np.full((len(numbers), 3), 1 << 40), np.full((len(numbers), 3), -(1 << 40))
    color = np.zeros((len(numbers), 3))
    np.add.at(area, group, areas)
    np.add.at(facing, group, twice)
    np.minimum.at(low, group, corners.min(axis=1))
    np.maximum.at(high, group, corners.max(axis=1))
    np.maximum.at(color, group, emission)
    x, y, z = (facing[:, axis].astype(np.float64) for axis in range(3))
    net = np.sqrt(x * x + y * y + z * z)
    flat = net * 100.0 >= area * float(_FLAT_PERCENT)
    unit = np.where(flat[:, None], unit_normals(facing), 0)
    size = net / 2e6
    lamp = _LAMP * np.sqrt(np.minimum(area / 8e6 / _LAMP_AREA, 1.0))
    strength = np.where(flat, _DAYLIGHT * np.sqrt(size), lamp)
    place = low + unit * _STEP_OUT // UNIT
    samples = _spread(place, high - low)
    return Sources((samples - origin) * PER_MM, unit, color * strength[:, None])


def _spread(low: Ints, size: Ints) -> Ints:
    """(S, K, 3) samples in boxes: along the two longer sides, in the middle of the third."""
    order = np.argsort(-size, axis=1, kind="stable")
    eighths = np.full((len(low), len(_SAMPLES), 3), 4)
    for rank in range(2):
        np.put_along_axis(
            eighths,
            np.broadcast_to(order[:, None, rank, None], (len(low), len(_SAMPLES), 1)),
            np.broadcast_to(_SAMPLES[None, :, rank, None], (len(low), len(_SAMPLES), 1)),
            axis=2,
        )
    return np.asarray(low[:, None] + size[:, None] * eighths // 8, np.int64)
