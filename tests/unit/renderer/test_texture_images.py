"""Resampling of texture images."""

from __future__ import annotations

import numpy as np
import pytest

from batchnav_renderer import Texture
from batchnav_renderer.images import fit, size_class


@pytest.mark.parametrize(
    ("shape", "size"),
    [((1, 1), 1), ((2, 2), 2), ((3, 2), 4), ((64, 64), 64), ((100, 60), 128), ((600, 5000), 1024)],
)
def test_size_classes(shape, size):
    assert size_class(Texture(pixels=np.zeros((*shape, 4), np.uint8)), 1024) == size


def test_fitting_images_are_untouched(rng):
    pixels = rng.integers(0, 256, (8, 8, 4), dtype=np.uint8)
    np.testing.assert_array_equal(fit(Texture(pixels=pixels), 8), pixels)


def test_a_ramp_keeps_its_values():
    # Twice the width: new centres lie a quarter texel off the old ones, between 30 and 60: 37.5 and 52.5.
    pixels = np.repeat(np.array([[30, 60, 90]], np.uint8), 3, axis=0)[..., None].repeat(4, axis=2)
    row = fit(Texture(pixels=pixels, wrap=("clamp", "clamp")), 6)[3, :, 0].astype(float)
    np.testing.assert_allclose(row, [30, 37.5, 52.5, 67.5, 82.5, 90], atol=1)


def test_colours_under_zero_alpha_survive():
    pixels = np.full((3, 3, 4), (10, 200, 30, 0), np.uint8)
    np.testing.assert_array_equal(fit(Texture(pixels=pixels), 8), np.full((8, 8, 4), (10, 200, 30, 0)))


@pytest.mark.parametrize(("wrap", "edge"), [("repeat", 60), ("clamp", 0), ("mirror", 0)])
def test_borders_follow_the_wrap_mode(wrap, edge):
    # The first new centre lies a quarter texel left of the first old one: 3/4 of 0 and 1/4 of what is beyond,
    # the last texel when the image repeats: 0.25 * 240 = 60.
    pixels = np.repeat(np.array([[0, 0, 240]], np.uint8), 3, axis=0)[..., None].repeat(4, axis=2)
    row = fit(Texture(pixels=pixels, wrap=(wrap, "clamp")), 6)[3, :, 0]
    assert int(row[0]) == pytest.approx(edge, abs=1)
