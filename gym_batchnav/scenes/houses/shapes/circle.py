"""Directions around a circle from a table, so that they are alike on every machine."""

from __future__ import annotations

import numpy as np

from .shape import UNIT, Ints

_COS = (10000, 9659, 8660, 7071, 5000, 2588, 0, -2588, -5000, -7071, -8660, -9659)
COSINES = np.array(_COS + tuple(-value for value in _COS), np.int64)
"""Cosines of multiples of 15 degrees, in ``UNIT``."""
SINES = np.roll(COSINES, 6)
"""Sines of multiples of 15 degrees, in ``UNIT``."""


def ring(sides: int) -> Ints:
    """(sides, 2) directions (x, z), from +x by way of -z: with +y up, columns of an outward surface."""
    assert 24 % sides == 0, sides
    step = 24 // sides
    return np.stack([COSINES[::step], -SINES[::step]], axis=1)


def scaled(directions: Ints, radius: Ints | int) -> Ints:
    """Directions times a radius, in whole millimetres."""
    return (2 * directions * radius + UNIT) // (2 * UNIT)
