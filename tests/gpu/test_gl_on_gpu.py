"""Each GL backend on an NVIDIA GPU equals itself in software."""

from __future__ import annotations

import numpy as np
import pytest

from batchnav_renderer import BatchRenderer, Material, RenderConfig, SceneArrays, Texture
from batchnav_renderer.camera import world_from_camera

pytestmark = pytest.mark.gpu


@pytest.fixture
def scene(rng) -> SceneArrays:
    """Two hundred textured triangles around the origin."""
    positions = (rng.uniform(-4, 4, (200, 1, 3)) + rng.normal(0, 0.7, (200, 3, 3))).reshape(-1, 3)
    pixels = rng.integers(0, 256, (32, 32, 4), dtype=np.uint8)
    return SceneArrays(
        positions=positions.astype(np.float32),
        triangles=np.arange(600, dtype=np.uint32).reshape(-1, 3),
        material_ids=np.zeros(200, np.int32),
        uvs=rng.uniform(0, 1, (600, 2)).astype(np.float32),
        materials=(Material(texture=0),),
        textures=(Texture(pixels=pixels),),
    )


def draw(scene, poses, device, backend):
    config = RenderConfig(num_views=len(poses), outputs=("depth", "rgb"), device=device, backend=backend)
    with BatchRenderer(config) as renderer:
        renderer.set_views(np.full(len(poses), renderer.add_scene(scene)), poses)
        return renderer.render(), renderer.info


@pytest.mark.parametrize("backend", ["gl", "gl-raycast"])
def test_gpu_equals_software(device, scene, rng, backend):
    poses = world_from_camera(rng.uniform(-1, 1, (3000, 3)), rng.uniform(-np.pi, np.pi, 3000))
    on_gpu, info = draw(scene, poses, device, backend)
    in_software, _ = draw(scene, poses[:64], "cpu", backend)
    assert not info["software"]
    wrong = np.abs(on_gpu["depth"][:64] - in_software["depth"]) > 0.01 + 0.005 * in_software["depth"]
    assert wrong.mean() < 0.002
    shades = np.abs(on_gpu["rgb"][:64].astype(int) - in_software["rgb"])
    assert shades.mean() < 2.0


def test_default_takes_the_gpu(device, scene):
    with BatchRenderer(RenderConfig(num_views=1)) as renderer:
        assert not renderer.info["software"]
        assert "NVIDIA" in renderer.info["gl_vendor"]
