"""Scenes come and go, holes in a row, and threads that end."""

from __future__ import annotations

import gc
import threading
import weakref

import numpy as np
import pytest

from batchnav_renderer import ClosedError, Material, RenderConfigError, Texture
from batchnav_renderer.embree.library import Embree
from batchnav_renderer.embree.tree import Tree

ORIGIN = np.eye(4)[None]
TOP_LEFT_FIRST = [[0, 0], [0, 1], [1, 1], [1, 0]]


def test_removing_frees_the_tree(make_renderer, clutter):
    renderer = make_renderer()
    number = renderer.add_scene(clutter(1, 5))
    tree = renderer._backend._scenes[number].tree
    assert tree.close.alive
    renderer.remove_scene(number)
    renderer._backend._builder.submit(int).result()  # it frees in the background
    assert not tree.close.alive
    with pytest.raises(RenderConfigError, match="resident are"):
        renderer.set_views([number], ORIGIN)


def test_a_row_of_holes(make_renderer, quads, facing):
    # Forty panes, 1 cm apart, open in their left halves, in front of a wall 3 m away.
    panes = [facing(-9, 9, -9, 9, 1 + pane / 100) for pane in range(40)]
    pixels = np.full((8, 8, 4), 255, np.uint8)
    pixels[:, :4, 3] = 0
    scene = quads(
        [*panes, facing(-9, 9, -9, 9, 3.0)],
        TOP_LEFT_FIRST * 41,
        materials=(Material(texture=0, alpha_cutoff=0.5), Material(base_color=(0, 0, 1, 1))),
        textures=(Texture(pixels=pixels),),
        material_ids=np.repeat([0, 1], [80, 2]).astype(np.int32),
    )
    for outputs in (("depth",), ("depth", "rgb")):
        renderer = make_renderer(outputs=outputs, height=5, width=7)
        renderer.set_views([renderer.add_scene(scene)], ORIGIN)
        images = renderer.render()
        np.testing.assert_allclose(images["depth"][0, 2, [1, 5], 0], [3, 1], rtol=1e-6)
    np.testing.assert_array_equal(images["rgb"][0, 2, [1, 5]], [[0, 0, 255], [255, 255, 255]])


def test_holes_reach_beyond_far_without_colours(make_renderer, quads, facing):
    scene = quads(
        facing(-9, 9, -9, 9, 1.0), materials=(Material(base_color=(1, 1, 1, 0.2), alpha_cutoff=0.5),)
    )
    renderer = make_renderer()
    renderer.set_views([renderer.add_scene(scene)], ORIGIN)
    assert (renderer.render()["depth"] == 10.0).all()


def test_vertex_alpha_cuts_out(make_renderer, quads, facing):
    # Alpha falls from 255 at the left edge to 0 at the right one; half of it lies at the middle, x = 0.
    colors = np.array([[255, 255, 255, 255]] * 2 + [[255, 255, 255, 0]] * 2, np.uint8)
    scene = quads(facing(-1, 1, -1, 1, 1.0), colors=colors, materials=(Material(alpha_cutoff=0.5),))
    renderer = make_renderer(outputs=("depth", "rgb"))
    renderer.set_views([renderer.add_scene(scene)], ORIGIN)
    images = renderer.render()
    np.testing.assert_allclose(images["depth"][0, :, :4], 1.0, rtol=1e-6)
    assert (images["depth"][0, :, 4:] == 10.0).all()
    assert (images["rgb"][0, :, :4] == 255).all()
    assert not images["rgb"][0, :, 4:].any()


def test_every_packet_width_draws_the_same(make_renderer, clutter, random_poses, monkeypatch):
    images, poses = [], random_poses(12)
    for lanes in (4, 8, 16):
        monkeypatch.setattr(Embree, "lanes", lanes)
        renderer = make_renderer(12, outputs=("depth", "rgb"), height=19, width=21)
        assert renderer.info["packet_rays"] == lanes
        renderer.set_views(np.full(12, renderer.add_scene(clutter(4, 100))), poses)
        images.append(renderer.render())
    for other in images[1:]:
        assert (np.abs(other["depth"] - images[0]["depth"]) > 1e-4).mean() < 1e-3


def test_threads_end_with_close(make_renderer, quads, facing):
    def drawn():
        renderer = make_renderer(8, num_workers=3)
        renderer.set_views(
            [renderer.add_scene(quads(facing(-9, 9, -9, 9, 2.0)))] * 8, np.tile(ORIGIN, (8, 1, 1))
        )
        renderer.render()
        return renderer

    before = threading.active_count()
    renderer = drawn()
    assert threading.active_count() > before
    renderer.close()
    renderer.close()
    assert threading.active_count() == before
    with pytest.raises(ClosedError):
        renderer.render()


def test_info_and_timings(make_renderer, quads, facing):
    renderer = make_renderer(4, num_workers=2)
    renderer.set_views([renderer.add_scene(quads(facing(-9, 9, -9, 9, 1.0)))] * 4, np.tile(ORIGIN, (4, 1, 1)))
    renderer.render()
    info = renderer.info
    assert (info["backend"], info["device"], info["workers"]) == ("embree", "cpu", 2)
    assert info["embree_version"].startswith("4.")
    assert info["packet_rays"] in (4, 8, 16)
    assert "asked for" in info["reason"]
    assert renderer.timings["draw"] > 0


def test_sizes_of_jobs_by_hand():
    from batchnav_renderer.embree.backend import job_sizes

    # Two workers, a quarter of what is left each time, rounded up, but at least 256 / 32 = 8.
    assert job_sizes(256, 2) == [64, 48, 36, 27, 21, 15, 12, 9, 8, 8, 8]
    assert job_sizes(1, 2) == [1]
    # 5 over 2 * 3 workers is 1.
    assert job_sizes(5, 3) == [1] * 5


def test_a_tree_keeps_what_counts_its_memory():
    """Dropped in any order: freeing a tree tells its device's counter, so that must be there still."""
    embree = Embree()
    kept = weakref.ref(embree)
    tree = Tree(embree, np.eye(3, dtype=np.float32), np.array([[0, 1, 2]], np.uint32), watertight=False)
    allocated = embree.allocated
    built = int(allocated[0])
    assert built > 0
    del embree
    gc.collect()
    assert kept() is not None
    tree.close()
    assert allocated[0] < built
    gc.collect()
    assert kept() is None
