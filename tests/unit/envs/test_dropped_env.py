"""An environment that is dropped, or left by ``with``, leaves no process and no thread behind."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import time

import pytest

from gym_batchnav import BatchPointNavEnv, ClosedEnvError
from gym_batchnav.envs.loader import SceneLoader
from gym_batchnav.scenes import resolve_scenes
from tests.unit.envs.doubles import two_rooms


def is_gone(process):
    """Whether a child has ended and has been waited for."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    return False


def wait_until(condition):
    deadline = time.monotonic() + 30.0
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.02)
    return condition()


def test_dropped_env_ends_its_workers(fake_renderer):
    env = BatchPointNavEnv(2, scenes=two_rooms(3), resolution=(4, 5), scene_workers=2)
    loader = env._world.pool._loader
    loader.request([0, 1])
    workers = list(loader._workers)
    assert len(workers) == 2
    processes, threads = [worker._process.pid for worker in workers], [worker._thread for worker in workers]
    del workers, loader, env
    gc.collect()
    assert wait_until(lambda: not any(thread.is_alive() for thread in threads))
    assert all(map(is_gone, processes))


def test_closed_loader_has_waited_and_starts_again():
    loader = SceneLoader(resolve_scenes("houses:train[:2]"), 1)
    for _ in range(2):
        loader.request([0])
        worker = loader._workers[0]
        loader.close()
        loader.close()
        assert not worker._thread.is_alive()
        assert is_gone(worker._process.pid)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_fork_leaves_the_workers_of_its_parent_alone():
    code = (
        "import os, gc\n"
        "from gym_batchnav.envs.loader import SceneLoader\n"
        "from gym_batchnav.scenes import resolve_scenes\n"
        "loader = SceneLoader(resolve_scenes('houses:train[:1]'), 1)\n"
        "loader.request([0])\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    del loader; gc.collect(); os._exit(0)\n"
        "os.waitpid(child, 0)\n"
        "print(loader.take(0).scene_id)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip().endswith("train/0000")


def test_with_closes(fake_renderer):
    with BatchPointNavEnv(2, scenes=two_rooms(1), resolution=(4, 5), straight_ratio=1.0) as env:
        env.reset(seed=0)
        renderer = env._world.images._renderer
    assert renderer.closed == 1
    with pytest.raises(ClosedEnvError):
        env.reset()
