"""The ring of shared images over real GL buffers; CUDA's side is faked by reading them where it would map."""

from __future__ import annotations

import numpy as np
import pytest

from batchnav_renderer import CapacityError, InteropError, RenderConfig
from batchnav_renderer.gl.buffers import GLBuffer
from batchnav_renderer.gl.egl import EGL
from batchnav_renderer.gl.shared import DeviceImages, SharedImages
from batchnav_renderer.gl.worker import GLWorker
from tests.gl.reading_cuda import ReadingCuda

CONFIG = RenderConfig(
    num_views=5, height=2, width=3, outputs=("depth", "rgb"), depth_dtype="float16",
    images="torch", image_ring=3,
)  # fmt: skip


@pytest.fixture
def worker(monkeypatch):
    monkeypatch.delenv("BATCHNAV_GL_DEBUG")
    made = GLWorker(EGL().software_displays()[0], None, False)
    yield made
    if made._thread.is_alive():
        assert made.run(made.api.errors) == []
    made.stop()


def fill(worker, images, data):
    """Write an array into device images as a pipeline does: from the beginning of a buffer of its own."""

    def draw():
        buffer = GLBuffer(worker.api)
        buffer.resize(data.nbytes)
        buffer.write(0, data)
        images.take(worker.api, buffer.name)

    worker.run(draw)


def test_batches_land_where_their_views_are(worker, rng):
    shared = SharedImages(CONFIG, worker, ReadingCuda(worker.api))
    assert shared.nbytes == 3 * 5 * (2 * 3 * 2 + 2 * 3 * 3)  # sets, views, float16 depth and RGB bytes
    expected = []
    for count in (5, 4, 5, 3):
        data = {
            "depth": rng.uniform(0, 9, (count, 2, 3, 1)).astype(np.float16),
            "rgb": rng.integers(0, 256, (count, 2, 3, 3), dtype=np.uint8),
        }
        images = shared.fresh(count)
        assert all(len(image) == count for image in images.values())
        for name, array in data.items():
            for rows in (slice(0, 2), slice(2, count)):  # two batches of one render
                fill(worker, images[name][rows], array[rows])
        found = shared.delivered(images)
        for name, array in data.items():
            np.testing.assert_array_equal(found[name], array)
        expected.append((found, data))
    for found, data in expected[-3:]:  # what the last three renders returned is still there
        for name, array in data.items():
            np.testing.assert_array_equal(found[name], array)


def test_sets_take_turns(worker):
    cuda = ReadingCuda(worker.api)
    shared = SharedImages(CONFIG, worker, cuda)
    buffers = []
    for _ in range(7):
        images = shared.fresh(5)
        buffers.append(images["depth"].buffer)
        # A later task of the worker may write it.
        assert worker.run(lambda buffer: buffer not in cuda.mapped, images["depth"].buffer)
        shared.delivered(images)
    assert len(set(buffers)) == 3
    assert buffers[:3] == buffers[3:6]


def test_slices_of_slices():
    images = DeviceImages(7, 10, 0, 8)[2:7][1:3]
    assert images == DeviceImages(7, 10, 3, 2)
    assert len(images[5:]) == 0


def test_a_refusal_keeps_nothing(worker):
    before = GLBuffer(worker.api)
    worker.run(before.resize, 4)
    with pytest.raises(InteropError, match="refused"):
        SharedImages(CONFIG, worker, ReadingCuda(worker.api, refuse=True))
    assert worker.run(worker.api.glIsBuffer, before.name + 1) == 0
    assert worker.at_stop == []


def test_what_does_not_fit_is_named_and_freed(worker, monkeypatch):
    monkeypatch.setattr(worker.api, "errors", iter([[], ["0x505"]]).__next__)
    made = []
    original = GLBuffer.resize
    monkeypatch.setattr(
        GLBuffer, "resize", lambda self, *a, **k: made.append(self) or original(self, *a, **k)
    )
    with pytest.raises(CapacityError, match=r"3 sets of images of 150 bytes .*out of memory.*image_ring"):
        SharedImages(CONFIG, worker, ReadingCuda(worker.api))
    assert [buffer.name for buffer in made] == [0] * 6
    monkeypatch.undo()


def test_the_end_of_the_worker_unregisters(worker):
    cuda = ReadingCuda(worker.api)
    shared = SharedImages(CONFIG, worker, cuda)
    shared.delivered(shared.fresh(5))
    assert len(cuda.registered) == 6
    worker.stop()
    assert cuda.registered == cuda.mapped == set()
