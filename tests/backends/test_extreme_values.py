"""Every finite scene is drawn, however large its numbers are."""

from __future__ import annotations

import numpy as np
import pytest

from batchnav_renderer import Material, RenderConfigError, Texture

ORIGIN = np.eye(4)[None]


@pytest.fixture
def draw(make_renderer, quads, facing):
    def run(uvs, size=4, color=(1.0, 1.0, 1.0, 1.0), cutoff=0.0, wrap="repeat"):
        pixels = np.full((size, size, 4), 255, np.uint8)
        renderer = make_renderer(outputs=("rgb", "depth"))
        number = renderer.add_scene(
            quads(
                facing(-9, 9, -9, 9, 1.0),
                uvs,
                materials=(Material(base_color=color, texture=0, alpha_cutoff=cutoff),),
                textures=(Texture(pixels=pixels, wrap=(wrap, wrap)),),
            )
        )
        renderer.set_views([number], ORIGIN)
        return renderer.render()

    return run


@pytest.mark.parametrize("wrap", ["repeat", "clamp", "mirror"])
@pytest.mark.parametrize(("size", "far"), [(4, 1e19), (1024, 1e16), (1, 1e30)])
def test_huge_texture_coordinates_read_some_texel(draw, size, far, wrap):
    # All texels are white, so whichever is read, the image is white.
    for corners in ([[far, -far]] * 4, [[-far, far], [far, far], [far, -far], [-far, -far]]):
        for cutoff in (0.0, 0.5):
            images = draw(corners, size, cutoff=cutoff, wrap=wrap)
            assert (images["rgb"] == 255).all()
            np.testing.assert_allclose(images["depth"], 1.0, rtol=1e-5)


@pytest.mark.parametrize("wrap", ["repeat", "clamp", "mirror"])
def test_differences_beyond_float32_are_survived(draw, wrap):
    # 6e38 apart, which float32 cannot hold: the colour is anybody's guess, the depth is not.
    images = draw([[-3e38, 3e38], [3e38, 3e38], [3e38, -3e38], [-3e38, -3e38]], wrap=wrap)
    np.testing.assert_allclose(images["depth"], 1.0, rtol=1e-5)


def test_light_outside_of_0_to_1_is_clipped(draw):
    rgb = draw([[0, 0]] * 4, color=(3e38, -3e38, 0.0, 1.0))["rgb"]
    np.testing.assert_array_equal(rgb[0, 4, 4], [255, 0, 0])


@pytest.mark.parametrize(
    "out", [[], 3, {"depth": [[0.0]]}, {"depth": None}, {1: None, "depth": None}], ids=str
)
def test_images_are_written_into_arrays_only(make_renderer, quads, facing, out):
    renderer = make_renderer()
    renderer.set_views([renderer.add_scene(quads(facing(-9, 9, -9, 9, 1.0)))], ORIGIN)
    with pytest.raises(RenderConfigError, match=r"out.* expected"):
        renderer.render(out=out)
