"""Colours against numbers worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from batchnav_renderer import Material, Texture
from tests.backends.pictures import TOP_LEFT_FIRST, halves, solid

ORIGIN = np.eye(4)[None]


@pytest.fixture
def draw(make_renderer, quads):
    def run(corners, uvs=None, width=8, height=8, **fields):
        renderer = make_renderer(outputs=("rgb", "depth"), width=width, height=height)
        number = renderer.add_scene(quads(corners, uvs, **fields))
        renderer.set_views([number], ORIGIN)
        images = renderer.render()
        return images["rgb"][0].astype(int), images["depth"][0, ..., 0]

    return run


def test_misses_are_black_and_far_does_not_cut_colours(draw, facing):
    rgb, depth = draw(facing(-99, 0, -99, 99, 50.0))
    assert (rgb[:, :4] == 255).all()
    assert (rgb[:, 4:] == 0).all()
    assert (depth == 10.0).all()


def test_factor_and_texture_multiply_in_linear_light(draw, facing):
    # sRGB 128 is linear 0.21586; halved 0.10793; encoded 1.055 * 0.10793^(1/2.4) - 0.055 = 0.36223, times 255
    # is 92.4.
    rgb, _ = draw(
        facing(-9, 9, -9, 9, 1.0),
        TOP_LEFT_FIRST,
        materials=(Material(base_color=(0.5, 1.0, 0.0, 1.0), texture=0),),
        textures=(solid([128, 128, 128, 255]),),
    )
    np.testing.assert_allclose(rgb[4, 4], [92.4, 128, 0], atol=1.1)


def test_vertex_colours_are_linear(draw, facing):
    # Linear 128 / 255 = 0.50196 encodes to 1.055 * 0.50196^(1/2.4) - 0.055 = 0.73671, times 255: 187.9.
    colors = np.tile(np.array([128, 255, 0, 255], np.uint8), (4, 1))
    rgb, _ = draw(facing(-9, 9, -9, 9, 1.0), colors=colors)
    np.testing.assert_allclose(rgb[4, 4], [187.9, 255, 0], atol=1.1)


def test_the_first_row_of_an_image_is_its_top(draw, facing):
    pixels = np.zeros((8, 8, 4), np.uint8)
    pixels[:4, :4], pixels[:4, 4:] = [255, 0, 0, 255], [0, 255, 0, 255]
    pixels[4:, :4], pixels[4:, 4:] = [0, 0, 255, 255], [255, 255, 0, 255]
    rgb, _ = draw(
        facing(-1, 1, -1, 1, 1.0),
        TOP_LEFT_FIRST,
        materials=(Material(texture=0),),
        textures=(Texture(pixels=pixels),),
    )
    corners = [rgb[1, 1], rgb[1, 6], rgb[6, 1], rgb[6, 6]]
    np.testing.assert_array_equal(corners, [[255, 0, 0], [0, 255, 0], [0, 0, 255], [255, 255, 0]])


def test_mipmaps_average_in_linear_light(draw, facing):
    # Black and white texels, 100 of them under each pixel: linear 0.5 encodes to 0.73536 * 255 = 187.5, where
    # an average of bytes would give 127.5 and a lookup without mipmaps 0 or 255.
    board = np.indices((64, 64)).sum(0) % 2 * 255
    pixels = np.repeat(board[..., None], 4, axis=2).astype(np.uint8)
    pixels[..., 3] = 255
    rgb, _ = draw(
        facing(-1, 1, -1, 1, 1.0),
        np.array(TOP_LEFT_FIRST) * 1.25,
        materials=(Material(texture=0),),
        textures=(Texture(pixels=pixels),),
    )
    np.testing.assert_allclose(rgb, 187.5, atol=2)


@pytest.mark.parametrize(
    ("wrap", "expected"), [("repeat", "RGRGRG"), ("clamp", "RRRGGG"), ("mirror", "GRRGGR")]
)
def test_wrap_modes(draw, facing, wrap, expected):
    # u runs from -1 to 2 over 48 pixels; the image is red in its left half and green in its right half.
    red, green = [255, 0, 0, 255], [0, 255, 0, 255]
    rgb, _ = draw(
        facing(-1, 1, -1, 1, 1.0),
        np.array(TOP_LEFT_FIRST) * [3, 1] - [1, 0],
        width=48,
        height=48,
        materials=(Material(texture=0),),
        textures=(halves(64, red, green, wrap=(wrap, "repeat")),),
    )
    middle = rgb[24, 4::8]
    assert "".join("R" if red > green else "G" for red, green, _ in middle) == expected


def test_wrap_modes_of_the_other_axis(draw, facing):
    pixels = np.zeros((64, 64, 4), np.uint8)
    pixels[:32, :, 0], pixels[32:, :, 1], pixels[..., 3] = 255, 255, 255
    rgb, _ = draw(
        facing(-1, 1, -1, 1, 1.0),
        np.array(TOP_LEFT_FIRST) * [1, 3] - [0, 1],
        width=48,
        height=48,
        materials=(Material(texture=0),),
        textures=(Texture(pixels=pixels, wrap=("clamp", "mirror")),),
    )
    assert "".join("R" if red > green else "G" for red, green, _ in rgb[4::8, 24]) == "GRRGGR"


def test_cut_out_shows_what_lies_behind(draw, facing):
    clear, opaque = [0, 255, 0, 0], [0, 255, 0, 255]
    rgb, depth = draw(
        [facing(-1, 1, -1, 1, 1.0), facing(-9, 9, -9, 9, 3.0)],
        TOP_LEFT_FIRST * 2,
        materials=(Material(texture=0, alpha_cutoff=0.5), Material(base_color=(0, 0, 1, 1))),
        textures=(halves(8, clear, opaque),),
        material_ids=np.array([0, 0, 1, 1], np.int32),
    )
    np.testing.assert_array_equal(rgb[4, [1, 6]], [[0, 0, 255], [0, 255, 0]])
    np.testing.assert_allclose(depth[4, [1, 6]], [3, 1], rtol=1e-6)


def test_cut_out_holes_in_depth_alone(make_renderer, quads, facing):
    scene = quads(
        [facing(-1, 1, -1, 1, 1.0), facing(-9, 9, -9, 9, 3.0)],
        TOP_LEFT_FIRST * 2,
        materials=(Material(texture=0, alpha_cutoff=0.5), Material()),
        textures=(halves(8, [0, 0, 0, 0], [0, 0, 0, 255]),),
        material_ids=np.array([0, 0, 1, 1], np.int32),
    )
    renderer = make_renderer()
    renderer.set_views([renderer.add_scene(scene)], ORIGIN)
    depth = renderer.render()["depth"][0, ..., 0]
    np.testing.assert_allclose(depth[4, [1, 6]], [3, 1], rtol=1e-6)


def test_blending_alpha_without_cut_off_draws_opaque(draw, facing):
    rgb, depth = draw(
        facing(-9, 9, -9, 9, 1.0),
        TOP_LEFT_FIRST,
        materials=(Material(texture=0),),
        textures=(solid([10, 20, 30, 0]),),
    )
    np.testing.assert_allclose(rgb[4, 4], [10, 20, 30], atol=1)
    assert depth[4, 4] == pytest.approx(1.0)


def test_images_of_all_sizes_share_a_scene(draw, facing):
    colors = [[255, 0, 0, 255], [0, 255, 0, 255], [0, 0, 255, 255], [255, 255, 0, 255]]
    sizes = [(1, 1), (100, 60), (64, 64), (3, 200)]
    textures = tuple(
        Texture(pixels=np.broadcast_to(np.array(color, np.uint8), (*size, 4)).copy())
        for color, size in zip(colors, sizes, strict=True)
    )
    tiles = [(-1, 0, 0, 1), (0, 1, 0, 1), (-1, 0, -1, 0), (0, 1, -1, 0)]
    rgb, _ = draw(
        [facing(*tile, 1.0) for tile in tiles],
        TOP_LEFT_FIRST * 4,
        materials=tuple(Material(texture=number) for number in range(4)),
        textures=textures,
        material_ids=np.repeat(np.arange(4, dtype=np.int32), 2),
    )
    corners = [rgb[1, 1], rgb[1, 6], rgb[6, 1], rgb[6, 6]]
    np.testing.assert_array_equal(corners, np.array(colors)[:, :3])


def test_a_vertex_shared_by_two_materials(make_renderer, quads, facing):
    scene = quads(
        facing(-9, 9, -9, 9, 1.0),
        materials=(Material(base_color=(1, 0, 0, 1)), Material(base_color=(0, 0, 1, 1))),
        material_ids=np.array([0, 1], np.int32),
    )
    renderer = make_renderer(outputs=("rgb",))
    renderer.set_views([renderer.add_scene(scene)], ORIGIN)
    rgb = renderer.render()["rgb"][0]
    # The diagonal runs from the top left to the bottom right; the first triangle lies below it.
    np.testing.assert_array_equal([rgb[6, 1], rgb[1, 6]], [[255, 0, 0], [0, 0, 255]])
