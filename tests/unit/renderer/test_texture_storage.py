"""Mipmaps and block compression."""

from __future__ import annotations

import numpy as np
import pytest

from batchnav_renderer import Texture
from batchnav_renderer.gl.bc1 import compress
from batchnav_renderer.gl.textures import ImageKind, make_image
from batchnav_renderer.mipmaps import mipmaps


def decoded(blocks):
    """BC1 by the letter of the specification, texel by texel, in whole numbers as far as it goes."""
    rows, columns, _ = blocks.shape
    image = np.zeros((4 * rows, 4 * columns, 3))
    for row, column in np.ndindex(rows, columns):
        first, second = (int(word) for word in blocks[row, column, :4].view("<u2"))
        ends = [
            np.array([(word >> 11) * 255 / 31, (word >> 5 & 63) * 255 / 63, (word & 31) * 255 / 31])
            for word in (first, second)
        ]
        if first > second:
            table = [*ends, (2 * ends[0] + ends[1]) / 3, (ends[0] + 2 * ends[1]) / 3]
        else:
            table = [*ends, (ends[0] + ends[1]) / 2, np.zeros(3)]
        codes = int(blocks[row, column, 4:].view("<u4")[0])
        for texel in range(16):
            image[4 * row + texel // 4, 4 * column + texel % 4] = table[codes >> 2 * texel & 3]
    return image


def test_colours_that_the_format_holds_are_kept():
    # Ends 0 and 255 and their thirds, 85 and 170, in every channel; and a block of one colour.
    row = np.array([0, 85, 170, 255], np.uint8)
    image = np.zeros((4, 8, 3), np.uint8)
    image[:, :4] = row[:, None]
    image[:, 4:] = (255, 0, 255)
    np.testing.assert_allclose(decoded(compress(image)), image, atol=0.5)


def test_channels_that_run_against_each_other():
    # Red rises while green and blue fall: along the wrong diagonal of the colour box all would be grey.
    row = np.array([[0, 255, 255], [85, 170, 170], [170, 85, 85], [255, 0, 0]], np.uint8)
    image = np.broadcast_to(row, (4, 4, 3))
    np.testing.assert_allclose(decoded(compress(image)), image, atol=0.5)


def test_smooth_pictures_change_little(rng):
    y, x = np.mgrid[:64, :64] / 63
    image = np.rint(255 * np.stack([x, y, (x + y) / 2], -1)).astype(np.uint8)
    difference = np.abs(decoded(compress(image)) - image)
    assert difference.mean() < 3.0  # steps of 5 and 6 bits are 8 and 4 apart, so off by 2 and 1 on average
    assert difference.max() < 16


def test_noise_stays_within_its_box(rng):
    image = rng.integers(100, 156, (32, 32, 3), dtype=np.uint8)
    texels = decoded(compress(image))
    assert np.abs(texels - image).mean() < 14  # uniform in 56 values; their middle would be 14 off
    assert texels.min() > 100 - 16
    assert texels.max() < 156 + 16


@pytest.mark.parametrize("shape", [(1, 1), (2, 2), (5, 3)])
def test_sides_that_are_no_multiple_of_four(shape, rng):
    image = np.broadcast_to(np.array([255, 0, 0], np.uint8), (*shape, 3))
    blocks = compress(image)
    assert blocks.shape == (-(-shape[0] // 4), -(-shape[1] // 4), 8)
    np.testing.assert_allclose(decoded(blocks)[: shape[0], : shape[1]], image, atol=0.5)


def test_mipmaps_average_light_not_bytes():
    # Half the light of a white texel among black ones, and the sRGB byte of 0.5 is 188, of 0.25 is 137.
    image = np.zeros((2, 2, 4), np.uint8)
    image[0, :, :3] = 255
    image[..., 3] = (0, 255)
    assert mipmaps(image)[1].tolist() == [[[188, 188, 188, 128]]]
    image[0, 0, :3] = 0
    assert mipmaps(image)[1][0, 0, 0] == 137


def test_mipmaps_halve_to_one_texel():
    image = np.full((16, 16, 4), 77, np.uint8)
    levels = mipmaps(image)
    assert [len(level) for level in levels] == [16, 8, 4, 2, 1]
    assert all((level == 77).all() for level in levels)


def test_what_is_compressed_and_how_much_it_takes(rng):
    texture = Texture(pixels=rng.integers(0, 256, (600, 600, 4), dtype=np.uint8))
    # 1024 texels a side: 65536 blocks of 8 bytes, then 16384, 4096, ... 1, and one each for 2 x 2 and 1 x 1.
    opaque = make_image(texture, ImageKind(1024, False))
    assert opaque.kind.num_bytes == sum(level.nbytes for level in opaque.levels) == 8 * (87381 + 2)
    cutout = make_image(texture, ImageKind(1024, True))
    assert cutout.kind.num_bytes == sum(level.nbytes for level in cutout.levels) == 4 * 1398101
    assert not ImageKind(256, False).compressed
