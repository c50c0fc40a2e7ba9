"""Which texture layers a scene takes."""

from __future__ import annotations

import numpy as np

from batchnav_renderer import Material
from batchnav_renderer.gl.textures import ImageKind
from tests.backends.pictures import TOP_LEFT_FIRST, halves, solid

ORIGIN = np.eye(4)[None]


def test_large_images_are_shrunk_to_the_cap(make_renderer, quads, facing):
    renderer = make_renderer(outputs=("rgb",), max_texture_size=16)
    image = halves(256, [255, 0, 0, 255], [0, 0, 255, 255])
    scene = quads(
        facing(-1, 1, -1, 1, 1.0), TOP_LEFT_FIRST, materials=(Material(texture=0),), textures=(image,)
    )
    renderer.set_views([renderer.add_scene(scene)], ORIGIN)
    rgb = renderer.render()["rgb"][0]
    np.testing.assert_array_equal(rgb[4, [1, 6]], [[255, 0, 0], [0, 0, 255]])
    assert list(renderer._backend._residency.layers) == [ImageKind(16, False)]


def test_materials_that_nothing_uses(make_renderer, quads, facing):
    scene = quads(
        facing(-9, 9, -9, 9, 1.0),
        TOP_LEFT_FIRST,
        materials=(
            Material(base_color=(0, 1, 0, 1)),
            Material(texture=0),
            Material(texture=0, alpha_cutoff=0.5),
        ),
        textures=(solid([255, 0, 0, 255]),),
    )
    for outputs in (("rgb",), ("depth",)):
        renderer = make_renderer(outputs=outputs)
        renderer.set_views([renderer.add_scene(scene)], ORIGIN)
        renderer.render()
        assert not renderer._backend._residency.layers
