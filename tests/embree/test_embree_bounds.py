"""The kernels' own guards against numbers that index outside of a table."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit

from batchnav_renderer.embree.shading import _bounded
from batchnav_renderer.embree.srgb import encode


@njit
def encoded(light):
    return encode(light)


@njit
def bounded(coordinate):
    return _bounded(coordinate)


@pytest.mark.parametrize(
    ("light", "code"),
    [(np.nan, 0), (-np.inf, 0), (np.inf, 255), (-1.0, 0), (2.0, 255), (0.0, 0), (1.0, 255), (3e38, 255)],
)
def test_all_light_has_a_byte(light, code):
    assert encoded(np.float32(light)) == code


@pytest.mark.parametrize(
    ("coordinate", "expected"),
    [(np.nan, 0), (np.inf, 2**20), (-np.inf, -(2**20)), (1e19, 2**20), (-1e16, -(2**20)), (-3.25, -3.25)],
)
def test_texture_coordinates_are_bounded(coordinate, expected):
    assert bounded(np.float32(coordinate)) == expected
