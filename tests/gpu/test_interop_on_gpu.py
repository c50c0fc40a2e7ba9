"""Images that CUDA maps equal images that are read back, on an NVIDIA GPU."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from batchnav_renderer import BatchRenderer, InteropError, RenderConfig

pytestmark = pytest.mark.gpu
OUTPUTS = ("depth", "rgb", "ids", "normals")


@pytest.fixture(params=["gl", "gl-raycast"])
def backend(request):
    return request.param


@pytest.fixture
def shares(device):
    """The device, where CUDA and GL can share memory on it; skips, saying why, where they cannot."""
    with BatchRenderer(RenderConfig(num_views=1, device=device, backend="gl", images="torch")) as renderer:
        if not renderer.info["interop"].startswith("shared"):
            pytest.skip(renderer.info["interop"])
    return device


def renderer_of(device, backend, num_views, images, **fields):
    return BatchRenderer(
        RenderConfig(
            num_views=num_views, device=device, backend=backend, outputs=OUTPUTS, images=images, **fields
        )
    )


def read_back(device, backend, scene, batches):
    with renderer_of(device, backend, len(batches[0]), "numpy") as renderer:
        number, found = renderer.add_scene(scene), []
        for poses in batches:
            renderer.set_views(np.full(len(poses), number), poses)
            found.append(renderer.render())
        return found


def assert_same(tensors, arrays):
    for name, array in arrays.items():
        np.testing.assert_array_equal(tensors[name].cpu().numpy(), array)


def test_bytes_are_equal_and_a_batch_is_used_while_the_next_is_drawn(shares, backend, clutter, random_poses):
    scene, batches = clutter(1, 200), [random_poses(3000) for _ in range(4)]
    truth = read_back(shares, backend, scene, batches)
    with renderer_of(shares, backend, 3000, "torch") as renderer:
        number, last = renderer.add_scene(scene), None
        for turn, poses in enumerate(batches):
            renderer.set_views(np.full(len(poses), number), poses)
            renderer.submit()
            if last is not None:
                assert_same(last, truth[turn - 1])
            last = renderer.collect()
            assert last["depth"].device == torch.device(shares)
            assert_same(last, truth[turn])


def test_drawing_again_waits_for_what_was_queued(shares, backend, clutter, random_poses):
    """Slow work on the current stream reads a set just before it is drawn into again."""
    scene, batches = clutter(1, 200), [random_poses(512) for _ in range(3)]
    truth = read_back(shares, backend, scene, batches)
    with renderer_of(shares, backend, 512, "torch") as renderer, torch.cuda.stream(torch.cuda.Stream(shares)):
        number, copies = renderer.add_scene(scene), []
        for poses in batches:
            renderer.set_views(np.full(len(poses), number), poses)
            images = renderer.render()
            torch.cuda._sleep(50_000_000)
            copies.append({name: image.clone() for name, image in images.items()})
        torch.cuda.current_stream(shares).synchronize()
        for copy, arrays in zip(copies, truth, strict=True):
            assert_same(copy, arrays)


def test_dlpack(shares, clutter, random_poses):
    with renderer_of(shares, "gl", 4, "torch") as renderer:
        renderer.set_views(np.full(4, renderer.add_scene(clutter(1, 20))), random_poses(4))
        depth = renderer.render()["depth"]
        again = torch.from_dlpack(depth)
        assert again.data_ptr() == depth.data_ptr()


def test_refused_sharing_copies(device, backend, clutter, random_poses, monkeypatch, caplog):
    def refuse(name):
        raise InteropError("refused for a test")

    monkeypatch.setattr("batchnav_renderer.interop.CudaGL", refuse)
    scene, poses = clutter(1, 100), random_poses(64)
    truth = read_back(device, backend, scene, [poses])
    with renderer_of(device, backend, 64, "torch") as renderer:
        assert renderer.info["interop"] == "copied: refused for a test"
        renderer.set_views(np.full(64, renderer.add_scene(scene)), poses)
        images = renderer.render()
        assert images["depth"].device == torch.device(device)
        assert_same(images, truth[0])
    assert "refused for a test" in caplog.text


def test_two_devices_in_one_process(shares, backend, clutter, random_poses):
    if torch.cuda.device_count() < 2:
        pytest.skip("this machine has one CUDA device")
    scene, poses = clutter(1, 100), random_poses(64)
    truth = read_back("cuda:0", backend, scene, [poses])[0]
    with (
        renderer_of("cuda:0", backend, 64, "torch") as one,
        renderer_of("cuda:1", backend, 64, "torch") as two,
    ):
        for renderer in (one, two):
            renderer.set_views(np.full(64, renderer.add_scene(scene)), poses)
            renderer.submit()
        for number, renderer in enumerate((one, two)):
            images = renderer.collect()
            assert images["depth"].device == torch.device("cuda", number)
            assert_same(images, truth)
