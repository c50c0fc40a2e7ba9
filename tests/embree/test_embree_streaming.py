"""Scenes come and go while others are drawn."""

from __future__ import annotations

import os
import pickle
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from batchnav_renderer import Material, PreparedScene, Texture

TOP_LEFT_FIRST = [[0, 0], [0, 1], [1, 1], [1, 0]]
ALL = ("depth", "rgb", "ids", "normals")


def resident_bytes():
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


def settled(renderer):
    """The renderer's memory once its builder has nothing to do."""
    renderer._backend._builder.submit(int).result()
    return renderer.memory["scenes"]


@pytest.fixture
def textured(quads, facing, rng):
    def build(distance):
        pixels = rng.integers(0, 256, (128, 128, 4), dtype=np.uint8)
        corners = facing(-99, 99, -99, 99, distance)
        return quads(
            corners, TOP_LEFT_FIRST, materials=(Material(texture=0),), textures=(Texture(pixels=pixels),)
        )

    return build


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="memory is read from /proc")
def test_a_thousand_swaps_in_flight(make_renderer, textured, clutter, random_poses):
    renderer = make_renderer(16, outputs=ALL, num_workers=2)
    fixed = [renderer.add_scene(clutter(2, 50)), renderer.add_scene(textured(2.0))]
    renderer.set_views(fixed * 8, random_poses(16))
    before, bytes_before = renderer.render(), settled(renderer)
    coming = [renderer.preparer(scene) for scene in (clutter(1, 200), textured(1.0))]
    held = []
    for swap in range(1000):
        if swap == 100:  # the allocators are warm
            used = resident_bytes()
        renderer.submit()
        held.append(renderer.add_scene(coming[swap % 2], wait=False))
        if len(held) > 3:
            renderer.remove_scene(held.pop(swap % 3))
        drawn = renderer.collect()
        assert all(np.array_equal(before[name], drawn[name]) for name in ALL), swap
    assert settled(renderer) > bytes_before
    for number in held:
        renderer.remove_scene(number)
    assert settled(renderer) == bytes_before
    # A swap holds 2,400 triangles (about 0.4 MB) or 90 kB of texels: 900 of them would be over 200 MB.
    assert resident_bytes() - used < 20e6


def test_what_is_shown_is_freed_after_it_is_drawn(make_renderer, clutter, random_poses):
    renderer = make_renderer(64, height=64, width=64, outputs=ALL)
    number = renderer.add_scene(clutter(1, 300))
    renderer.set_views([number] * 64, random_poses(64))
    expected, tree = renderer.render(), renderer._backend._scenes[number].tree
    renderer.submit()
    renderer._backend.remove_scene(number)  # the renderer itself would refuse
    drawn = renderer.collect()
    assert all(np.array_equal(expected[name], drawn[name]) for name in ALL)
    assert settled(renderer) == 0
    assert not tree.close.alive


def test_trees_and_tables_are_counted(make_renderer, clutter):
    renderer = make_renderer(outputs=("rgb",))
    assert renderer.memory["scenes"] == 0
    number = renderer.add_scene(clutter(1, 100))
    # 1,200 triangles take 64 bytes each in the table, 12 in the mesh and at least 9 floats in the leaves.
    assert 1200 * (64 + 12 + 36) < renderer.memory["scenes"] < 1200 * 1000
    renderer.remove_scene(number)
    assert settled(renderer) == 0


@pytest.mark.parametrize("outputs", [("depth",), ALL])
def test_scenes_prepared_elsewhere_look_the_same(make_renderer, textured, outputs):
    arrays, renderer = textured(1.5), make_renderer(outputs=outputs)
    prepare = pickle.loads(pickle.dumps(renderer.preparer))
    sent = pickle.loads(pickle.dumps(prepare(arrays)))
    assert isinstance(sent, PreparedScene)
    images = []
    for scene in (arrays, sent):
        renderer.set_views([renderer.add_scene(scene)], np.eye(4)[None])
        images.append(renderer.render())
    assert all(np.array_equal(images[0][name], images[1][name]) for name in outputs)
    assert len(np.unique(images[0]["depth"])) == 1


def test_depth_alone_is_sent_without_colours(make_renderer, textured):
    arrays = textured(1.5)
    sizes = {
        outputs: len(pickle.dumps(make_renderer(outputs=outputs).preparer(arrays)))
        for outputs in (("depth",), ("normals",), ("rgb",))
    }
    # 128 x 128 texels and their mipmaps are 4 * (4 * 128^2 - 1) / 3 = 87,380 bytes.
    assert sizes["rgb",] - sizes["depth",] > 87_380
    assert sizes["normals",] < sizes["depth",] + 100 < 2000


@pytest.mark.skipif(sys.platform != "linux", reason="only on Linux do threads have priorities of their own")
def test_building_gives_way_to_drawing(make_renderer):
    backend = make_renderer(num_workers=1)._backend

    def priority():
        return os.getpriority(os.PRIO_PROCESS, threading.get_native_id())

    assert backend._pool.submit(priority).result() == priority()
    assert backend._builder.submit(priority).result() == min(priority() + 10, 19)
