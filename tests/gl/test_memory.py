"""What is allocated is counted, within the bounds that are promised, and stays where it was."""

from __future__ import annotations

import numpy as np
import pytest

from batchnav_renderer import Material, Texture
from batchnav_renderer.gl.buffers import GLBuffer
from gym_batchnav.scenes import load_scene

MIB = 1 << 20


def test_buffers_and_textures_by_hand(make_renderer, quads, facing):
    renderer = make_renderer(2, outputs=("depth", "rgb"), num_workers=1, occlusion_culling="off")
    assert renderer.memory["scenes"] == 0
    # Two layers of 8 x 8 pixels, 4 bytes of depth and 4 of colour, are made at once.
    assert renderer.memory["images"] == 2 * 8 * 8 * (4 + 4)
    pixels = np.zeros((512, 512, 4), np.uint8)
    scene = quads(
        facing(-1, 1, -1, 1, 1.0),
        [[0, 0], [0, 1], [1, 1], [1, 0]],
        materials=(Material(texture=0),),
        textures=(Texture(pixels=pixels),),
    )
    number = renderer.add_scene(scene)
    # 1024 vertices of 12 and 20 bytes, 2048 triangles of 12, 32 chunks of 32, and BC1: 16384 blocks of 8,
    # 4096, 1024, ... 1 and two more for 2 x 2 and 1 x 1, 21847 in all.
    assert renderer.memory["scenes"] == 1024 * 32 + 2048 * 12 + 32 * 32 + 8 * 21847
    renderer.set_views([number] * 2, np.tile(np.eye(4), (2, 1, 1)))
    renderer.render()
    assert renderer.memory["images"] == 2 * 8 * 8 * (4 + 4)


def test_every_buffer_is_counted(make_renderer, clutter, random_poses, monkeypatch):
    buffers = []
    make = GLBuffer.__init__
    monkeypatch.setattr(GLBuffer, "__init__", lambda self, api: buffers.append(self) or make(self, api))
    renderer = make_renderer(
        6, outputs=("depth", "rgb", "ids", "normals"), occlusion_culling="on", num_workers=1
    )
    renderer.set_views(np.full(6, renderer.add_scene(clutter(1, 40))), random_poses(6))
    renderer.render()
    # Depth, colour and triangle numbers, and the pyramid of 4 x 4, 2 x 2 and 1 x 1 floats.
    targets = 6 * (8 * 8 * 12 + 4 * 21)
    assert sum(renderer.memory.values()) == sum(buffer.size for buffer in buffers) + targets


def test_512_views_take_at_most_64_mib(make_renderer, clutter, random_poses):
    renderer = make_renderer(512, height=64, width=64, outputs=("depth", "rgb"))
    renderer.set_views(np.full(512, renderer.add_scene(clutter(1, 10))), random_poses(512))
    renderer.render()
    assert 0 < renderer.memory["images"] + renderer.memory["work"] <= 64 * MIB


@pytest.mark.slow
def test_a_scanned_house_takes_at_most_150_mib(make_renderer, shared_data):
    renderer = make_renderer(4, outputs=("depth", "rgb"), num_workers=2)
    renderer.add_scene(load_scene(shared_data / "scenes" / "aws_small_house.glb").arrays)
    assert 10 * MIB < renderer.memory["scenes"] <= 150 * MIB
