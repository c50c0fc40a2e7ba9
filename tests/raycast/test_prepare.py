"""What is prepared off the device, and what is kept of it."""

from __future__ import annotations

import pickle
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from batchnav_renderer import EGLError, Material, RenderConfig, Texture
from batchnav_renderer.gl import raycast, raycast_scene
from batchnav_renderer.gl.textures import ImageKind
from batchnav_renderer.gl.workers import Limits
from batchnav_renderer.prepare import FolderStore, Preparer


@pytest.fixture
def preparer():
    return Preparer("gl-raycast", partial(raycast_scene.prepare, rgb=True, limit=64), derives=True)


@pytest.fixture
def no_builds(monkeypatch):
    """After it is called, building a tree fails."""

    def refuse(*_):
        raise AssertionError("a tree was built")

    return lambda: monkeypatch.setattr(raycast_scene, "build_bvh", refuse)


def same(left, right):
    return left.nodes.tobytes() == right.nodes.tobytes() and left.corners.tobytes() == right.corners.tobytes()


@pytest.mark.parametrize("kind", ["dict", "folder"])
def test_a_kept_tree_is_not_built_again(preparer, clutter, no_builds, tmp_path, kind):
    store = {} if kind == "dict" else FolderStore(tmp_path / "trees")
    fresh = preparer(clutter(1, 30)).payload
    first = preparer.keeping(store)(clutter(1, 30)).payload
    no_builds()
    # Another process: the store travels with the preparer.
    again = pickle.loads(pickle.dumps(preparer.keeping(store)))(clutter(1, 30)).payload
    assert same(first, fresh)
    assert same(again, fresh)


def test_the_key_is_the_shape_alone(preparer, clutter, no_builds):
    store = {}
    scene = clutter(1, 30)
    preparer.keeping(store)(scene)
    no_builds()
    preparer.keeping(store)(replace(scene, colors=None, materials=(Material(base_color=(1, 0, 0, 1)),)))
    moved = replace(scene, positions=scene.positions + np.float32(1))
    with pytest.raises(AssertionError, match="a tree was built"):
        preparer.keeping(store)(moved)
    assert len(store) == 1


def test_a_preparer_that_derives_nothing_leaves_the_store_alone(clutter):
    store = {}
    plain = Preparer("plain", len_of_triangles)
    assert plain.keeping(store)(clutter(1, 2)).payload == 24
    assert store == {}


def len_of_triangles(arrays):
    return len(arrays.triangles)


def test_triangles_travel_in_the_order_of_the_tree(clutter):
    scene = replace(clutter(1, 4), object_ids=np.arange(100, 148, dtype=np.int32))
    prepared = raycast_scene.prepare(scene, rgb=True, limit=64)
    words = prepared.corners.reshape(-1, 3, 4)
    number = words.view(np.int32)[:, 1, 3] - 100
    assert sorted(number.tolist()) == list(range(48))
    np.testing.assert_array_equal(words[:, :, :3], scene.positions[scene.triangles[number]])
    colors = prepared.surfaces.view(np.uint8).reshape(48, 9, 4)[:, 6:]
    np.testing.assert_array_equal(colors, scene.colors[scene.triangles[number]])


def test_surfaces_are_left_out_where_only_the_shape_counts(clutter):
    assert raycast_scene.prepare(clutter(1, 4), rgb=False, limit=64).surfaces.shape == (0, 9)


def test_each_kind_of_image_has_a_unit_of_its_own():
    # 9 sizes below 512, then two kinds for each: the last of 1,024 is unit 8 + 4; of 8,192 unit 8 + 2 * 5.
    kinds = [ImageKind(1 << power, alpha=True) for power in range(14)]
    kinds += [ImageKind(1 << power, alpha=False) for power in range(9, 14)]
    assert sorted(raycast_scene.unit_of(kind) for kind in kinds) == list(range(19))
    assert [raycast_scene.num_units(limit) for limit in (1, 256, 1024, 8192)] == [1, 9, 13, 19]


def test_opaque_images_are_compressed_and_cut_out_ones_keep_their_alpha(quads, facing):
    pixels = np.full((512, 512, 4), 255, np.uint8)
    scene = quads(
        [facing(-1, 1, -1, 1, 1.0 + number) for number in range(3)],
        [[0, 0], [0, 1], [1, 1], [1, 0]] * 3,
        materials=(Material(texture=0), Material(texture=1), Material(texture=1, alpha_cutoff=0.5)),
        textures=(Texture(pixels=pixels), Texture(pixels=pixels)),
        material_ids=np.array([0, 0, 1, 1, 2, 2], np.int32),
    )
    prepared = raycast_scene.prepare(scene, rgb=True, limit=512)
    assert [image.kind for image in prepared.images] == [ImageKind(512, False), ImageKind(512, True)]
    # Number of the image, unit (512 texels are 9 and, compressed, 10), wrap modes, mipmaps (512 to 1).
    np.testing.assert_array_equal(prepared.materials["image"], [[0, 10, 0, 10], [1, 9, 0, 10], [1, 9, 0, 10]])


def test_images_that_need_more_units_than_there_are_are_refused():
    limits = Limits({"gl_renderer": "Small GPU"}, frozenset(), 2048, 1 << 27, 16)
    raycast.check_units(RenderConfig(num_views=1, max_texture_size=2048), limits)
    with pytest.raises(EGLError, match="max_texture_size=8192 needs 19 texture units, and Small GPU has 16"):
        raycast.check_units(RenderConfig(num_views=1, max_texture_size=8192), limits)
