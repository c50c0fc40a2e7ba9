"""Images as torch tensors equal the NumPy ones, on every backend."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
import torch

from batchnav_renderer import BatchRenderer, RenderConfig, RenderConfigError


def drawn(backend, scene, poses, **fields):
    config = RenderConfig(num_views=len(poses), height=8, width=12, device="cpu", backend=backend, **fields)
    with BatchRenderer(config) as renderer:
        renderer.set_views(np.full(len(poses), renderer.add_scene(scene)), poses)
        return renderer.render(), renderer.render(), renderer.info


def test_tensors_equal_arrays(backend, clutter, random_poses):
    scene, poses, outputs = clutter(1, 20), random_poses(5), ("depth", "rgb")
    arrays, _, _ = drawn(backend, scene, poses, outputs=outputs)
    tensors, again, _ = drawn(backend, scene, poses, outputs=outputs, images="torch")
    assert set(tensors) == set(outputs)
    for name, tensor in tensors.items():
        assert isinstance(tensor, torch.Tensor)
        assert tensor.device == torch.device("cpu")
        np.testing.assert_array_equal(tensor.numpy(), arrays[name])
        assert tensor.data_ptr() != again[name].data_ptr()


def test_out_is_refused_with_tensors(backend, clutter, random_poses):
    config = RenderConfig(num_views=1, height=4, width=4, device="cpu", backend=backend, images="torch")
    with BatchRenderer(config) as renderer:
        renderer.set_views([renderer.add_scene(clutter(1, 2))], random_poses(1))
        with pytest.raises(RenderConfigError, match="out is not taken with images='torch'"):
            renderer.render({"depth": np.zeros((1, 4, 4, 1), np.float32)})


def test_numpy_images_load_no_torch(backend):
    code = (
        "import sys\nfrom batchnav_renderer import BatchRenderer, RenderConfig\n"
        f"BatchRenderer(RenderConfig(num_views=1, device='cpu', backend={backend!r})).close()\n"
        "print('torch' in sys.modules)"
    )
    found = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120
    )
    assert found.stdout.strip() == "False"
