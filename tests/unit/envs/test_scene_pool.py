import os
import subprocess
import sys
from concurrent.futures import wait
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from batchnav_renderer.prepare import Preparer
from gym_batchnav import BatchPointNavEnv, SceneError
from gym_batchnav.envs.loader import SceneLoader, SceneWorkerError
from gym_batchnav.envs.worker import pack, unpack
from tests.unit.envs.doubles import Broken, TwoRooms, prepare, two_rooms

KWARGS = {"resolution": (2, 2), "straight_ratio": 1.0, "max_episode_steps": 4}


def play(env, steps=60):
    """Scenes of all rows after each step, and the observations' bytes."""
    rng = np.random.default_rng(0)
    env.reset(seed=2)
    scenes, images = [], []
    for _ in range(steps):
        observation = env.step(rng.integers(1, 4, env.num_envs))[0]
        scenes.append(env.agent_state()["scene_id"])
        images.append(observation["depth"].tobytes())
        # Two slots: two scenes in use, two that are being left, two ahead, each with the one after it.
        assert env.num_loaded_scenes <= 8
    return scenes, images


def test_slots_swap_scenes_and_memory_stays_bounded(fake_renderer):
    env = BatchPointNavEnv(
        4, scenes=two_rooms(8), num_resident_scenes=2, swap_episodes=4, scene_workers=0, **KWARGS
    )
    scenes, _ = play(env)
    # Rows 0 and 1 share slot 0, rows 2 and 3 slot 1; every row sees many scenes.
    assert len({row for step in scenes for row in step}) == 8
    renderer = env._world.images._renderer
    assert renderer.shown <= set(renderer.scenes)
    assert len(renderer.scenes) == env.num_loaded_scenes <= 4  # nothing comes ahead without workers
    env.close()


def test_stream_does_not_depend_on_workers(fake_renderer):
    options = {"scenes": two_rooms(6), "num_resident_scenes": 2, "swap_episodes": 4, **KWARGS}
    here = BatchPointNavEnv(4, scene_workers=0, **options)
    ahead = BatchPointNavEnv(4, scene_workers=1, **options)
    assert play(here) == play(ahead)
    here.close()
    ahead.close()


def test_worker_loads_what_is_loaded_here_and_ends(tmp_path):
    refs = two_rooms(3)
    loader = SceneLoader(refs, workers=1)
    preparer = Preparer("a test", prepare)
    loader.request([2, 0], preparer)
    process = loader._workers[0]._process
    future = loader._pending[2]
    future.result(timeout=60)
    assert loader.loaded()[0] == 2
    loaded = loader.take(2, preparer)
    assert loaded.scene_id == "rooms/2"
    assert loaded.prepared.kind == "a test"
    here = SceneLoader(refs, workers=0).take(2, preparer)
    assert np.array_equal(loaded.prepared.payload.positions, here.prepared.payload.positions)
    one, two = np.random.default_rng(0), np.random.default_rng(0)
    assert np.array_equal(loaded.ground.sample(5, one), here.ground.sample(5, two))
    loader.close()
    loader.close()
    assert process.poll() is not None


def test_error_in_a_worker_reaches_the_caller():
    class Local(TwoRooms):
        __slots__ = ()

    loader = SceneLoader([Local("local"), Broken()], workers=1)
    loader.request([0, 1])
    broken = loader._pending[1]
    with pytest.raises(Exception, match=r"pickle|local"):
        loader._pending[0].result(timeout=60)
    with pytest.raises(SceneError, match="broken on purpose"):
        broken.result(timeout=60)
    loader.close()


def test_dead_worker_is_named():
    loader = SceneLoader(two_rooms(2), workers=1)
    loader.request([0])
    loader._pending[0].result(timeout=60)
    loader._workers[0]._process.kill()
    loader._workers[0]._process.wait()
    loader.request([1])
    with pytest.raises(SceneError, match=r"rooms/1: the process .* has ended \(exit status -9\)"):
        loader._pending[1].result(timeout=60)
    # That is not the scene's fault, so it does not count as broken.
    assert loader.broken() == {}
    with pytest.raises(SceneWorkerError):
        loader.take(1)
    loader.close()


def test_broken_scenes_are_told_apart_from_errors_of_this_library():
    loader = SceneLoader([*two_rooms(1), Broken(), Faulty("faulty")], workers=1)
    loader.request([0, 1, 2])
    wait(loader._pending.values(), timeout=60)
    broken = loader.broken()
    assert {scene: str(error) for scene, error in broken.items()} == {1: "broken on purpose"}
    assert loader.broken() == {}
    assert loader.loaded() == [0]
    with pytest.raises(SceneWorkerError, match="ZeroDivisionError"):
        loader.take(2)
    loader.close()


@dataclass(frozen=True, slots=True)
class Faulty(TwoRooms):
    """A scene on which this library has an error."""

    def load(self):
        return 1 // 0


def test_nobody_waits_for_a_process_that_has_not_started(monkeypatch):
    monkeypatch.setattr("gym_batchnav.envs.loader._BOOT", "import time; time.sleep(100)")
    loader = SceneLoader(two_rooms(3), workers=2)
    loader.request([0, 1, 2])
    assert [loader.take(scene).scene_id for scene in (0, 1, 2)] == ["rooms/0", "rooms/1", "rooms/2"]
    assert not any(worker._process.poll() for worker in loader._workers)
    loader.close()


def test_parcel_round_trip_leaves_no_file():
    value = {"a": np.arange(1000.0), "b": [np.zeros((0, 3), np.float32), "text"]}
    parcel = pack(value)
    back = unpack(parcel)
    assert np.array_equal(back["a"], value["a"])
    assert back["b"][0].shape == (0, 3)
    back["a"][0] = 5.0
    assert not Path(parcel).exists()


@pytest.mark.slow
def test_script_without_main_guard_and_from_standard_input():
    """Workers never import the user's main module again."""
    code = (
        "import gym_batchnav, gymnasium as gym\n"
        "env = gym.make_vec('BatchPointNav-v0', num_envs=4, scenes='houses:train[:6]', sensors=(),\n"
        "                   num_resident_scenes=3, scene_workers=1)\n"
        "env.reset(seed=0)\n"
        "for _ in range(5): env.step(env.action_space.sample())\n"
        "print('played')\n"
    )
    result = subprocess.run(
        [sys.executable, "-"], input=code, capture_output=True, text=True, timeout=200, env={**os.environ}
    )
    assert result.returncode == 0, result.stderr
    assert result.stdout == "played\n"
