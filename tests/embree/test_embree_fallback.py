"""Rays that go through embreex's own call draw what packets draw."""

from __future__ import annotations

import numpy as np
import pytest

from batchnav_renderer import Material, SceneArrays, Texture
from batchnav_renderer.embree import library

ALL = ("depth", "rgb", "ids", "normals")


@pytest.fixture
def make_slow(make_renderer, monkeypatch):
    def make(*arguments, **fields):
        with monkeypatch.context() as patch:
            patch.setattr(library, "candidates", lambda: ["libembree4-that-is-not-there.so"])
            renderer = make_renderer(*arguments, **fields)
        assert renderer.info["packet_rays"] == 1
        return renderer

    return make


@pytest.fixture
def cut_out(clutter, rng):
    """Textured boxes with holes, and an id for each."""
    plain = clutter(1, 80)
    pixels = np.repeat(np.repeat(rng.integers(0, 256, (4, 4, 4), dtype=np.uint8), 8, axis=0), 8, axis=1)
    return SceneArrays(
        positions=plain.positions,
        triangles=plain.triangles,
        material_ids=plain.material_ids,
        uvs=rng.uniform(0, 2, (len(plain.positions), 2)).astype(np.float32),
        object_ids=np.repeat(np.arange(80, dtype=np.int32), 12),
        materials=(Material(texture=0, alpha_cutoff=0.5),),
        textures=(Texture(pixels=pixels),),
    )


@pytest.mark.parametrize("fields", [{}, {"depth_dtype": "float16", "shading": "headlight"}], ids=str)
def test_all_outputs_of_a_scene_with_holes(make_renderer, make_slow, cut_out, random_poses, fields):
    poses, images = random_poses(10), []
    for make in (make_renderer, make_slow):
        renderer = make(10, height=21, width=33, outputs=ALL, **fields)
        renderer.set_views([renderer.add_scene(cut_out)] * 10, poses)
        images.append(renderer.render())
    fast, slow = images
    assert (np.abs(fast["depth"].astype(float) - slow["depth"]) < 1e-3).mean() > 0.995
    assert (fast["ids"] == slow["ids"]).mean() > 0.995
    assert (np.abs(fast["normals"] - slow["normals"]).max(axis=-1) < 1e-4).mean() > 0.995
    assert (np.abs(fast["rgb"].astype(int) - slow["rgb"]).max(axis=-1) <= 1).mean() > 0.99
    assert len(np.unique(slow["ids"])) > 20


def test_near_and_far_by_hand(make_slow, quads, facing):
    renderer = make_slow(outputs=ALL, near=1.0, far=4.0, width=70)
    corners = [facing(-99, 99, -99, 99, distance) for distance in (0.5, 3.0, 5.0)]
    behind = quads(corners, object_ids=np.repeat([1, 2, 3], 2).astype(np.int32))
    renderer.set_views([renderer.add_scene(behind)], np.eye(4)[None])
    images = renderer.render()
    np.testing.assert_allclose(images["depth"], 3.0, rtol=1e-6)
    assert (images["ids"] == 2).all()
    np.testing.assert_array_equal(images["normals"][0, 3, 5], [0, 0, 1])


def test_empty_scenes_swaps_and_workers(make_slow, quads, facing, clutter, random_poses):
    poses, images = random_poses(6), []
    for workers in (1, 3):
        renderer = make_slow(6, outputs=ALL, num_workers=workers)
        fixed = renderer.add_scene(clutter(1, 30))
        empty = renderer.add_scene(quads(np.zeros((0, 3))))
        renderer.remove_scene(renderer.add_scene(clutter(2, 30)))
        renderer.set_views([fixed, empty] * 3, poses)
        images.append(renderer.render())
    assert (images[0]["ids"][1::2] == -1).all()
    assert (images[0]["ids"][::2] == 0).any()
    for name in ALL:
        np.testing.assert_array_equal(images[0][name], images[1][name])
    assert renderer.memory["scenes"] == renderer._backend._scenes[fixed].surface.nbytes + 20 + 32
