"""Made-up textures: sizes, seams, means, and the bytes that are the same everywhere."""

from __future__ import annotations

import hashlib
import json
import platform
from pathlib import Path

import numpy as np
import pytest

from gym_batchnav.scenes.houses import textures
from gym_batchnav.scenes.houses.textures import TEXTURES, linear_mean, texture_pixels
from gym_batchnav.scenes.houses.textures.noise import SIZE, cells, clouds, mix, noise, stamp, wave, words

GOLDEN = Path(__file__).parents[3] / "golden" / "house_textures.json"
FITTED = ("view", "picture", "rug", "screen", "mirror", "books")
TILED = [name for name in TEXTURES if not name.startswith(FITTED)]


@pytest.mark.parametrize("name", TEXTURES)
def test_bytes_and_form(name):
    """Equal bytes on every machine (a change needs a new version of the house sets), 256 x 256, read-only."""
    pixels = texture_pixels(name)
    assert pixels.shape == (SIZE, SIZE, 4)
    assert pixels.dtype == np.uint8
    assert not pixels.flags.writeable
    assert pixels is texture_pixels(name)
    assert hashlib.sha256(pixels.tobytes()).hexdigest() == json.loads(GOLDEN.read_text())[name], (
        f"{name} on {platform.machine()}"
    )
    # Something to see, and only frosted panes have holes.
    assert len(np.unique(pixels[..., :3])) >= 8
    assert (pixels[..., 3] == 255).all()


def test_golden_file_names_all_textures():
    assert set(json.loads(GOLDEN.read_text())) == set(TEXTURES)
    assert len(TEXTURES) >= 60


@pytest.mark.parametrize("name", TILED)
def test_no_seam(name):
    """Across the border neighbours differ no more than somewhere inside."""
    image = texture_pixels(name)[..., :3].astype(int)
    for axis in (0, 1):
        step = np.abs(image - np.roll(image, 1, axis)).mean(axis=(1 - axis, 2))
        assert step[0] <= step[1:].max() * 1.1


@pytest.mark.parametrize("name", TILED)
def test_mean_is_what_tints_expect(name):
    """Every channel of a tintable texture is brought to one mean, but for what saturates."""
    own, by = linear_mean(name)
    if by == (1.0, 1.0, 1.0):
        assert name == "red_brick"
        return
    assert own == by
    means = texture_pixels(name)[..., :3].reshape(-1, 3).mean(axis=0)
    assert np.ptp(means) <= 1.5
    expected = textures._TINTED[name][1]
    assert means == pytest.approx([expected] * 3, abs=6)
    # The linear mean by the exact sRGB curve.
    value = texture_pixels(name)[..., :3].reshape(-1, 3) / 255.0
    exact = np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4).mean(axis=0)
    assert own == pytest.approx(exact, abs=0.004)


@pytest.mark.parametrize(
    "name", ["planks", "boards", "wood", "plaster", "carpet", "linen", "marble", "concrete"]
)
def test_halves_are_not_alike(name):
    """No texture is made of a smaller one: shifted by a half or a quarter it is another."""
    image = texture_pixels(name)[..., 1].astype(float)
    image -= image.mean()
    for shift in ((128, 0), (0, 128), (128, 128), (64, 0), (0, 64)):
        assert (image * np.roll(image, shift, (0, 1))).mean() < 0.6 * (image * image).mean()


@pytest.mark.parametrize("family", ["view", "picture", "rug", "books"])
def test_designs_differ(family):
    """Every two designs of a kind differ on a good part of their pixels; pictures share their mounts."""
    kinds = [texture_pixels(name)[..., :3].astype(int) for name in TEXTURES if name.startswith(family)]
    assert len(kinds) == {"view": 6, "picture": 12, "rug": 7, "books": 4}[family]
    for i, a in enumerate(kinds):
        for b in kinds[i + 1 :]:
            assert (np.abs(a - b).max(axis=2) > 16).mean() > 0.12


def test_noise_stays_in_range_and_repeats():
    for image in (noise(5, 4, 32), clouds(5, 3, 3, 6), wave(np.arange(-600, 600))):
        assert image.min() >= 0
        assert image.max() <= 255
    image = noise(9, 8, 8)
    # A knot's value is hit exactly at its pixel.
    assert (image[::32, ::32].ravel() == words(9, 64)).all()
    assert wave(np.array([0, 128, 256, 384])).tolist() == [0, 255, 0, 255]


def test_words_depend_on_the_key_alone():
    assert words(3, 20).tolist() == words(3, 40)[:20].tolist()
    assert words(3, 20).tolist() != words(4, 20).tolist()


def test_cells_are_those_of_the_nearest_point():
    """Against all points of a 4 x 4 torus by brute force; both roots are cut to 1/16 pixel."""
    at_x, at_y = words(21, 32).reshape(2, 4, 4) * 64 // 256 + np.stack(np.meshgrid(*[np.arange(4) * 64] * 2))
    y, x = np.indices((SIZE, SIZE))
    away = [
        np.hypot((x - px + 128) % SIZE - 128, (y - py + 128) % SIZE - 128)
        for px, py in zip(at_x.ravel(), at_y.ravel(), strict=True)
    ]
    found = cells(21, 4)
    assert np.abs(found.near / 16 - np.min(away, axis=0)).max() <= 1 / 16
    # Ties aside, the number is that of the nearest point.
    assert (found.number == np.argmin(away, axis=0)).mean() > 0.995
    assert found.edge.min() >= 0


def test_mix_and_stamp():
    a, b = np.array([0, 100, 200]), np.array([255, 50, 200])
    assert mix(a, b, 0).tolist() == a.tolist()
    assert mix(a, b, 255).tolist() == b.tolist()
    assert mix(a, b, np.full((2, 2), 128)).shape == (2, 2, 3)
    image = np.zeros((SIZE, SIZE), int)
    index, dx, dy = stamp(image, (254, 1), 3)
    image[index] = 10 * dx + dy
    assert image[1, 254] == 0
    assert image[1, 1] == 30  # Three to the right wraps to column 1.
    assert image[254, 254] == -3  # Three up wraps to row 254.
