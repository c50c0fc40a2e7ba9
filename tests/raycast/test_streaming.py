"""Scenes come and go while others are drawn, and leave nothing behind."""

from __future__ import annotations

import numpy as np
import pytest

from batchnav_renderer import CapacityError, Material, Texture
from batchnav_renderer.errors import ContextLostError
from batchnav_renderer.gl.buffers import GLBuffer
from batchnav_renderer.gl.heap import Heap
from batchnav_renderer.gl.raycast_scene import prepare
from batchnav_renderer.gl.raycast_store import RaycastStore
from batchnav_renderer.gl.shared import DeviceImages


def draw(renderer, number, poses):
    renderer.set_views(np.full(len(poses), number), poses)
    return renderer.render()


@pytest.fixture
def store(make_renderer):
    """The store of one context, whose methods run on its worker."""
    backend = make_renderer(num_workers=1)._backend
    return backend._workers[0], backend._stores[0]


@pytest.fixture
def heap(make_renderer):
    """A heap of at most 100 records of 8 bytes, and a function that reads the range of a key."""
    worker = make_renderer()._backend._workers[0]
    heap = Heap(worker.api, 8, 800, "things")

    def on_worker(function, *arguments):
        return worker.run(function, *arguments)

    def read(key, count):
        rows = np.zeros((count, 2), np.uint32)
        worker.run(
            worker.api.glGetNamedBufferSubData,
            heap.buffer,
            heap.offset(key) * 8,
            rows.nbytes,
            rows.ctypes.data,
        )
        return rows

    yield heap, on_worker, read
    worker.run(heap.delete)


def hold(heap, key, count):
    """Take all steps at once."""
    for _ in heap.hold(key, count):
        pass


def rows_of(key, count):
    return (1000 * key + np.arange(2 * count, dtype=np.uint32)).reshape(-1, 2)


def test_ranges_keep_their_contents_when_they_move(heap):
    heap, run, read = heap
    for key in range(8):
        run(hold, heap, key, 10)
        run(heap.write, key, 0, rows_of(key, 10))
    for key in (1, 3, 5):
        run(heap.release, key)
    # 50 records are held in gaps of 10, so 30 fit only once all have moved.
    run(hold, heap, 8, 30)
    run(heap.write, 8, 10, rows_of(8, 20))
    for key in (0, 2, 4, 6, 7):
        np.testing.assert_array_equal(read(key, 10), rows_of(key, 10))
    np.testing.assert_array_equal(read(8, 30)[10:], rows_of(8, 20))
    assert heap.used == 80
    assert heap.capacity <= 100


def test_a_full_heap_refuses_and_holds_what_it_held(heap):
    heap, run, read = heap
    run(hold, heap, 1, 60)
    run(heap.write, 1, 0, rows_of(1, 60))
    with pytest.raises(
        CapacityError, match="things: 101 are needed and the driver can hold 100; remove scenes"
    ):
        run(hold, heap, 2, 41)
    np.testing.assert_array_equal(read(1, 60), rows_of(1, 60))
    run(hold, heap, 2, 40)
    assert heap.used == 100


def test_random_swaps_never_need_more_than_twice_what_is_held(heap, rng):
    heap, run, read = heap
    sizes = {}
    for step in range(200):
        if len(sizes) == 4:
            key = int(rng.choice(list(sizes)))
            run(heap.release, key)
            del sizes[key]
        sizes[step] = int(rng.integers(1, 13))
        run(hold, heap, step, sizes[step])
        run(heap.write, step, 0, rows_of(step, sizes[step]))
        assert heap.capacity <= 2 * 4 * 12
        for key, size in sizes.items():
            np.testing.assert_array_equal(read(key, size), rows_of(key, size))


def textured(quads, facing, color, distance, size):
    pixels = np.broadcast_to(np.array([*color, 255], np.uint8), (size, size, 4)).copy()
    return quads(
        [facing(-99, 99, -99, 99, distance + 0.5 * behind) for behind in range(size)],
        [[0, 0], [0, 1], [1, 1], [1, 0]] * size,
        materials=(Material(texture=0),),
        textures=(Texture(pixels=pixels),),
    )


def test_a_thousand_swaps_leave_memory_where_it_was(make_renderer, quads, facing):
    renderer = make_renderer(1, height=2, width=2, outputs=("depth", "rgb"), num_workers=1)
    scenes = [textured(quads, facing, (200, 10 * n, 0), 1.0 + n, 2 ** (n % 5)) for n in range(7)]
    prepared = [renderer.preparer(scene) for scene in scenes]
    held = [(n, renderer.add_scene(prepared[n])) for n in range(4)]
    home = renderer.add_scene(scenes[0])
    peak = 0
    for swap in range(1000):
        n, number = held.pop(0)
        renderer.remove_scene(number)
        held.append(((n + 4) % 7, renderer.add_scene(prepared[(n + 4) % 7])))
        if swap == 100:
            peak = renderer.memory["scenes"]
        if swap % 100 == 0:
            for n, number in held:
                images = draw(renderer, number, np.eye(4)[None])
                np.testing.assert_allclose(images["depth"], 1.0 + n, rtol=1e-6)
                np.testing.assert_allclose(
                    images["rgb"], np.broadcast_to([200, 10 * n, 0], (1, 2, 2, 3)), atol=1
                )
            renderer.set_views([home], np.eye(4)[None])
    assert renderer.memory["scenes"] == peak > 0


def test_scenes_are_added_and_removed_while_a_render_is_pending(make_renderer, clutter, random_poses):
    renderer = make_renderer(8, height=16, width=16)
    first, second = renderer.add_scene(clutter(1, 50)), renderer.add_scene(clutter(2, 60))
    poses = random_poses(8)
    expected = draw(renderer, first, poses)
    renderer.submit()
    renderer.remove_scene(second)
    third = renderer.add_scene(clutter(3, 200), wait=False)
    np.testing.assert_array_equal(renderer.collect()["depth"], expected["depth"])
    alone = make_renderer(8, height=16, width=16)
    np.testing.assert_array_equal(
        draw(renderer, third, poses)["depth"], draw(alone, alone.add_scene(clutter(3, 200)), poses)["depth"]
    )


def test_scenes_that_wait_for_each_other_are_all_there(make_renderer, clutter, random_poses):
    # Added at once, so that each must move the ones before while it waits for its turn.
    renderer, alone = make_renderer(2, num_workers=2), make_renderer(2)
    poses = random_poses(2)
    scenes = [clutter(seed, 10 * seed) for seed in range(1, 9)]
    ids = [renderer.add_scene(scene, wait=False) for scene in scenes]
    for number, scene in zip(ids, scenes, strict=True):
        expected = draw(alone, alone.add_scene(scene), poses)["depth"]
        np.testing.assert_array_equal(draw(renderer, number, poses)["depth"], expected)


def test_a_lost_context_fails_the_scenes_that_wait(make_renderer, clutter, monkeypatch):
    renderer = make_renderer(1)
    worker = renderer._backend._workers[0]
    monkeypatch.setattr(worker, "_lost", ContextLostError("gone"))
    with pytest.raises(ContextLostError, match="gone"):
        renderer.add_scene(clutter(1, 3))
    monkeypatch.undo()


def test_a_large_scene_is_copied_in_slices(store, clutter):
    worker, held = store
    steps = held.add(99, prepare(clutter(1, 4000), rgb=False, limit=64))
    # 48,000 triangles of 48 bytes are 2.2 MiB: three slices, beside one of nodes and one of materials.
    assert worker.run(lambda: sum(1 for _ in steps)) >= 5


def test_a_scene_without_room_fails_on_its_own(make_renderer, clutter, random_poses, monkeypatch):
    renderer = make_renderer(4, num_workers=2)
    first = renderer.add_scene(clutter(1, 20))
    poses = random_poses(4)
    expected = draw(renderer, first, poses)["depth"]
    before = renderer.memory["scenes"]

    def refuse(self, scene_id, scene):
        yield
        raise CapacityError("no room")

    with monkeypatch.context() as patch:
        patch.setattr(RaycastStore, "add", refuse)
        with pytest.raises(CapacityError, match="no room"):
            renderer.add_scene(clutter(2, 30))
    assert renderer.memory["scenes"] == before
    np.testing.assert_array_equal(draw(renderer, first, poses)["depth"], expected)
    renderer.add_scene(clutter(2, 30))


def test_an_upload_that_fails_half_way_gives_its_room_back(store, quads, facing, monkeypatch):
    worker, held = store
    scene = textured(quads, facing, (1, 2, 3), 1.0, 4)

    def fail(*_):
        raise CapacityError("no room for images")

    monkeypatch.setattr(held.textures, "write", fail)
    for _ in range(3):
        with pytest.raises(CapacityError, match="no room for images"):
            worker.run(lambda: list(held.add(5, prepare(scene, rgb=True, limit=64))))
        assert held.nodes.used == held.corners.used == held.materials.used == 0


def test_views_beyond_one_dispatch(make_renderer, quads, facing, monkeypatch):
    renderer = make_renderer(50, height=3, width=5, outputs=("depth", "rgb", "ids", "normals"), num_workers=1)
    number = renderer.add_scene(quads(facing(-999, 999, -999, 999, 1.0)))
    poses = np.tile(np.eye(4), (50, 1, 1))
    poses[:, 2, 3] = np.arange(50) / 10.0
    whole = draw(renderer, number, poses)
    renderer._backend._pipelines[0]._max_views = 7
    parts = draw(renderer, number, poses)
    for name, images in whole.items():
        np.testing.assert_array_equal(parts[name], images)
    np.testing.assert_allclose(whole["depth"][:, 0, 0, 0], np.minimum(1 + np.arange(50) / 10, 10), rtol=1e-6)


def test_calls_do_not_grow_with_views_or_scenes(make_renderer, clutter, random_poses):
    counts = []
    for views, scenes in ((1, 1), (40, 9)):
        renderer = make_renderer(views, num_workers=1, outputs=("depth", "rgb"))
        ids = [renderer.add_scene(clutter(seed, 5)) for seed in range(scenes)]
        renderer.set_views(np.resize(ids, views), random_poses(views))
        renderer.render()
        calls = renderer._backend._workers[0].api.calls
        calls.clear()
        renderer.render()
        counts.append(dict(calls))
    assert counts[0] == counts[1]
    assert counts[0]["glDispatchCompute"] == 1


def test_images_reach_device_memory_as_they_reach_arrays(make_renderer, clutter, random_poses):
    outputs = ("depth", "rgb", "ids", "normals")
    renderer = make_renderer(9, num_workers=1, outputs=outputs, depth_dtype="float16", height=3, width=5)
    expected = draw(renderer, renderer.add_scene(clutter(1, 60)), random_poses(9))
    backend, worker = renderer._backend, renderer._backend.gl_worker
    backend._pipelines[0]._max_views = 4  # three batches
    buffers = {name: GLBuffer(worker.api) for name in outputs}
    for name, array in expected.items():
        worker.run(buffers[name].resize, array.nbytes)
    images = {
        name: DeviceImages(buffers[name].name, array.nbytes // 9, 0, 9) for name, array in expected.items()
    }
    backend.collect(backend.submit(images))
    for name, array in expected.items():
        found = np.zeros_like(array)
        worker.run(worker.api.glGetNamedBufferSubData, buffers[name].name, 0, found.nbytes, found.ctypes.data)
        np.testing.assert_array_equal(found, array)


def test_several_contexts_share_no_device_memory(make_renderer):
    assert make_renderer(4, num_workers=2)._backend.gl_worker is None
