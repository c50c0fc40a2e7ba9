"""Images that stay on the device, through the whole renderer; where CUDA would map buffers they are read."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from batchnav_renderer import BatchRenderer, RenderConfig, interop
from batchnav_renderer.gl.api import GLApi
from batchnav_renderer.gl.egl import EGL
from batchnav_renderer.gl.workers import Limits
from tests.gl.reading_cuda import ReadingCuda

SIZE = {"height": 6, "width": 10, "num_workers": 1, "outputs": ("depth", "rgb", "ids", "normals")}


@pytest.fixture(params=["gl", "gl-raycast"])
def backend(request, monkeypatch):
    """A GL backend that takes its software driver for NVIDIA's."""
    api = GLApi(EGL().software_displays()[0])
    monkeypatch.setattr(Limits, "nvidia", True)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(interop, "CudaGL", lambda device: ReadingCuda(api))
    return request.param


def expected(backend, scene, batches, monkeypatch, **fields):
    with BatchRenderer(
        RenderConfig(num_views=len(batches[0]), backend=backend, **SIZE, **fields)
    ) as renderer:
        number = renderer.add_scene(scene)
        images = []
        for poses in batches:
            renderer.set_views(np.full(len(poses), number), poses)
            images.append(renderer.render())
        return images


def assert_same(found, images):
    assert found.keys() == images.keys()
    for name, image in images.items():
        np.testing.assert_array_equal(found[name], image)
        assert found[name].dtype == image.dtype


@pytest.mark.parametrize("fields", [{}, {"max_layers": 2}, {"depth_dtype": "float16"}])
def test_shared_images_equal_read_ones(backend, clutter, random_poses, monkeypatch, fields):
    scene, batches = clutter(1, 30), [random_poses(5) for _ in range(4)]
    truth = expected(backend, scene, batches, monkeypatch, **fields)
    config = RenderConfig(num_views=5, backend=backend, images="torch", **SIZE, **fields)
    with BatchRenderer(config) as renderer:
        assert renderer.info["interop"] == "shared: a ring of 2 on cuda"
        number = renderer.add_scene(scene)
        before = renderer.memory["images"]
        found = []
        for turn, poses in enumerate(batches):
            renderer.set_views(np.full(5, number), poses)
            renderer.submit()
            if found:
                assert_same(found[-1], truth[turn - 1])
            found.append(renderer.collect())
            assert_same(found[-1], truth[turn])
        depth = 2 if "depth_dtype" in fields else 4
        assert before >= 2 * 5 * 6 * 10 * (depth + 3 + 4 + 12)  # two sets of five views, all four outputs


def test_fewer_views_than_the_ring_holds(backend, clutter, random_poses, monkeypatch):
    scene, poses = clutter(1, 30), random_poses(5)
    (truth,) = expected(backend, scene, [poses], monkeypatch)
    with BatchRenderer(RenderConfig(num_views=5, backend=backend, images="torch", **SIZE)) as renderer:
        renderer.set_views(np.full(2, renderer.add_scene(scene)), poses[:2])
        assert_same(renderer.render(), {name: image[:2] for name, image in truth.items()})
