"""Scenes that come and go while agents walk: prepared ahead, added without waiting, all memory given back."""

from __future__ import annotations

import glob
import time

import numpy as np
import pytest

from batchnav_renderer.errors import CapacityError, EGLError, EmbreeError
from batchnav_renderer.prepare import PreparedScene, Preparer
from gym_batchnav import BatchPointNavEnv
from gym_batchnav.envs.loading import LoadedScene
from gym_batchnav.envs.pool import ScenePool
from gym_batchnav.envs.timing import StageTimer
from tests.unit.envs.doubles import FakeRenderer, two_rooms


class Loader:
    """Scenes are loaded when the test says so."""

    ahead = True

    def __init__(self):
        self.pending, self.done, self.taken = [], [], []

    @property
    def num_pending(self):
        return len(self.pending)

    def request(self, scenes, preparer):
        self.pending += [scene for scene in scenes if scene not in self.pending]

    def loaded(self):
        return [scene for scene in self.pending if scene in self.done]

    def take(self, scene, preparer):
        self.taken.append((scene, scene in self.done))
        self.pending = [other for other in self.pending if other != scene]
        return LoadedScene(f"scene {scene}", None, PreparedScene("double", scene, 1))

    def forget(self):
        self.pending = []

    def close(self):
        self.pending = []


class Store:
    """A device with room for some scenes; scene n is drawn by the id 100 + n."""

    preparer = Preparer("double", int)

    def __init__(self, room=99):
        self.room, self.held, self.waited, self.broken = room, [], [], set()

    def add_scene(self, prepared, *, wait):
        if len(self.held) == self.room:
            self.broken.add(100 + prepared.payload)
        else:
            self.held.append(100 + prepared.payload)
        self.waited += [prepared.payload] * wait
        if wait:
            self.wait(100 + prepared.payload)
        return 100 + prepared.payload

    def wait(self, view_id):
        if view_id in self.broken:
            self.broken.remove(view_id)
            raise CapacityError("no room")

    def remove_scene(self, view_id):
        self.held.remove(view_id)


def make_pool(capacity, **options):
    loader, store = Loader(), Store(**options)
    return ScenePool(loader, store, capacity, StageTimer("scene")), loader, store


def test_swap_takes_what_was_added_ahead():
    pool, loader, store = make_pool(2)
    for scene in (0, 1):
        pool.acquire(scene)
    # Nothing was requested, so both were loaded on the spot.
    assert store.waited == [0, 1]
    pool.prefetch([2, 3, 4], soon=True)
    pool.prefetch([5])
    loader.done = [5, 2, 3, 4]
    pool.add_ahead()
    # As many ahead as the pool holds, of those that are needed soon; the others wait with the loader.
    assert store.held == [100, 101, 102, 103]
    assert loader.pending == [4, 5]
    assert pool.acquire(2).view_id == 102
    pool.release(0)
    pool.add_ahead()
    assert store.held == [101, 102, 103, 104]
    assert store.waited == [0, 1]
    assert loader.taken == [(0, False), (1, False), (2, True), (3, True), (4, True)]


def test_unused_scene_that_is_needed_next_stays():
    pool, _, store = make_pool(1)
    pool.acquire(0)
    pool.prefetch([0])
    pool.acquire(1)
    pool.release(0)
    assert store.held == [100, 101]
    pool.acquire(0)
    pool.release(1)
    # Nobody needs scene 1, and it is one more than the pool may hold.
    assert store.held == [100]


def test_new_schedule_drops_what_was_ahead():
    pool, loader, store = make_pool(1)
    pool.acquire(0)
    pool.prefetch([1, 2], soon=True)
    loader.done = [1, 2]
    pool.add_ahead()
    assert store.held == [100, 101]
    pool.forget_requests()
    assert store.held == [100]
    assert loader.pending == []


def test_device_without_room_ahead_loads_on_demand():
    pool, loader, store = make_pool(2, room=2)
    for scene in (0, 1):
        pool.acquire(scene)
    pool.prefetch([2, 3], soon=True)
    loader.done = [2, 3]
    pool.add_ahead()
    pool.release(0)
    pool.trim()
    store.room = 3
    assert pool.acquire(2).view_id == 102
    # It was added anew, now waiting for it; nothing more is added ahead.
    assert store.waited == [0, 1, 2]
    pool.prefetch([4], soon=True)
    loader.done = [4]
    pool.add_ahead()
    assert 104 not in store.held


def test_scene_for_which_there_is_no_room_is_not_kept():
    pool, _, _ = make_pool(2, room=1)
    pool.acquire(0)
    with pytest.raises(CapacityError):
        pool.acquire(1)
    assert 1 not in pool
    with pytest.raises(CapacityError):
        pool.hold([1, 2])
    assert 1 not in pool


def wait_for_workers(env):
    """Until all that was requested is loaded, at most a minute."""
    loader, end = env._world.pool._loader, time.monotonic() + 60
    while len(loader.loaded()) < loader.num_pending:
        assert time.monotonic() < end
        time.sleep(0.002)


def test_no_step_waits_when_the_workers_keep_up(fake_renderer, monkeypatch):
    waits = []
    add_scene = FakeRenderer.add_scene
    monkeypatch.setattr(
        FakeRenderer,
        "add_scene",
        lambda self, prepared, wait=True: waits.append(wait) or add_scene(self, prepared, wait),
    )
    env = BatchPointNavEnv(
        4, scenes=two_rooms(8), num_resident_scenes=2, swap_episodes=2, scene_workers=1, max_episode_steps=3,
        resolution=(2, 2), straight_ratio=1.0,
    )  # fmt: skip
    env.reset(seed=0)
    assert waits == [True, True]
    for _ in range(30):
        wait_for_workers(env)
        env.step(np.full(4, 2))
    # Every third step begins four episodes, two a slot: 2 slots x 10 swaps, some to a scene still held.
    assert len(waits) >= 2 + 12
    assert waits[2:] == [False] * len(waits[2:])
    env.close()


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["embree", "gl"])
def test_thousand_swaps_leave_memory_where_it_was(backend):
    """Four swaps a step; all scenes are of one size."""
    env = BatchPointNavEnv(
        8, scenes=two_rooms(12), num_resident_scenes=2, swap_episodes=2, scene_workers=1, max_episode_steps=1,
        resolution=(4, 4), straight_ratio=1.0, sensors=("depth", "rgb"), render_backend=backend, device="cpu",
    )  # fmt: skip
    try:
        env.reset(seed=0)
    except (EGLError, EmbreeError) as error:
        pytest.skip(f"no {backend}: {error}")
    renderer, sizes = env._world.images._renderer, []
    for _ in range(600):
        env.step(np.full(8, 2))
        # In use, being left, and ahead: two each; and what left in this step goes with the next views.
        assert len(renderer.scene_ids) <= 12
        sizes.append(renderer.memory["scenes"])
        if renderer._next_id >= 1004:
            break
    assert renderer._next_id >= 1004
    assert max(sizes[100:]) <= max(sizes[:100])
    assert backend != "embree" or min(sizes) > 0
    wait_for_workers(env)
    pids = [worker._process.pid for worker in env._world.pool._loader._workers]
    assert [glob.glob(f"/dev/shm/batchnav-scene-{pid}-*") for pid in pids] == [[]]
    env.close()
