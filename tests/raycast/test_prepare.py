"""What is prepared off the device, and what is kept of it."""

from __future__ import annotations

import pickle
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from batchnav_renderer import Material
from batchnav_renderer.gl import raycast_scene
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
