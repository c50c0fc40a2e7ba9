"""The cache at work: data sets, environments, several processes."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from gym_batchnav import BatchPointNavEnv
from gym_batchnav.envs.loading import Loading
from gym_batchnav.nav import AgentSettings
from gym_batchnav.scenes.cache import CacheWarning
from tests.unit.envs.cached_scenes import IMAGES, kinds, ref_of, write_data_set


def move_chair(folder: Path) -> None:
    path = folder / "scene_instances" / "flat.scene_instance.json"
    path.write_text(path.read_text().replace("1.0", "1.5"))


SET_CHANGES = {
    "the instance": move_chair,
    "an object's file": lambda folder: shutil.copy(
        folder / "stages" / "floor.glb", folder / "objects" / "b_chair.glb"
    ),
    # Of several names that hold "chair", the first one counts.
    "another object": lambda folder: shutil.copy(
        folder / "stages" / "floor.glb", folder / "objects" / "a_chair.glb"
    ),
}


@pytest.mark.parametrize("change", SET_CHANGES)
def test_any_change_of_a_data_set_is_noticed(tmp_path, how, work, change):
    config = write_data_set(tmp_path / "set")
    first = how.load(ref_of(config), IMAGES)
    assert np.array_equal(
        how.load(ref_of(config), IMAGES).prepared.payload.positions, first.prepared.payload.positions
    )
    assert len(work) == 2  # read and baked, once
    SET_CHANGES[change](config.parent)
    changed = how.load(ref_of(config), IMAGES)
    plain = Loading(AgentSettings()).load(ref_of(config), IMAGES)
    assert np.array_equal(changed.prepared.payload.positions, plain.prepared.payload.positions)
    assert not np.array_equal(changed.prepared.payload.positions, first.prepared.payload.positions)


def test_environment_uses_the_cache_unless_told_not_to(fake_renderer, room, work, monkeypatch, tmp_path):
    monkeypatch.setenv("BATCHNAV_CACHE", str(tmp_path / "named"))
    kwargs = {"scenes": room, "resolution": (2, 2), "straight_ratio": 1.0}
    observations = []
    for options in ({"scene_cache": False}, {}, {}, {"agent_radius": 0.5}):
        work.clear()
        env = BatchPointNavEnv(2, **kwargs, **options)
        observations.append(env.reset(seed=0)[0])
        env.close()
        assert work == ([] if len(observations) == 3 else ["room.obj", "bake"])
        assert (tmp_path / "named").exists() == (len(observations) > 1)
    for key in ("depth", "pointgoal"):
        assert np.array_equal(observations[0][key], observations[1][key])
        assert np.array_equal(observations[1][key], observations[2][key])


@pytest.mark.parametrize("workers", [0, 1])
def test_disk_without_room_is_one_warning_for_a_whole_set(fake_renderer, monkeypatch, tmp_path, workers):
    (tmp_path / "file").write_bytes(b"")
    monkeypatch.setenv("BATCHNAV_CACHE", str(tmp_path / "file"))
    env = BatchPointNavEnv(
        4, scenes="houses:val[:6]", num_resident_scenes=2, swap_episodes=1, scene_workers=workers, sensors=()
    )
    with pytest.warns(CacheWarning, match=r"cannot be written to .* is not kept") as told:
        scenes = {number for _ in range(4) for number in env.reset()[1]["scene_id"].tolist()}
    env.close()
    assert len(scenes) > 2
    assert len([item for item in told if item.category is CacheWarning]) == 1


SLOW = [pytest.param(backend, marks=pytest.mark.slow) for backend in ("gl", "gl-raycast")]


@pytest.mark.parametrize("backend", ["embree", *SLOW])
def test_images_of_kept_scenes_are_bitwise_those_of_fresh_ones(room, monkeypatch, tmp_path, backend):
    monkeypatch.setenv("BATCHNAV_CACHE", str(tmp_path / "named"))
    kwargs = {"scenes": room, "resolution": (16, 16), "sensors": ("depth", "rgb"), "straight_ratio": 1.0}
    seen = []
    for options in ({"scene_cache": False}, {}, {}):
        env = BatchPointNavEnv(3, render_backend=backend, **kwargs, **options)
        first = env.reset(seed=0)[0]
        seen.append((first, env.step(np.array([1, 2, 3]))[0]))
        env.close()
    assert len(np.unique(seen[0][0]["rgb"])) > 2
    for others in seen[1:]:
        for ours, theirs in zip(seen[0], others, strict=True):
            assert all(np.array_equal(ours[key], theirs[key]) for key in ("depth", "rgb", "pointgoal"))


TOGETHER = """
import sys, time
from pathlib import Path
from gym_batchnav.envs.loading import Loading
from gym_batchnav.nav import AgentSettings
from gym_batchnav.scenes.cache import CacheWarning
from gym_batchnav.scenes import resolve_scenes
from gym_batchnav.scenes.cache import SceneCache
how = Loading(AgentSettings(), cache=SceneCache(Path(sys.argv[2]), 1 << 24))
print("ready", flush=True)
sys.stdin.readline()
print(how.load(resolve_scenes(sys.argv[1])[0]).ground.area_m2)
"""


@pytest.mark.slow
def test_processes_that_load_one_scene_at_once_all_succeed(room, how):
    command = [sys.executable, "-W", "error::UserWarning", "-c", TOGETHER, str(room), str(how.cache.folder)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    started = [subprocess.Popen(command, **pipes) for _ in range(3)]
    for process in started:
        assert process.stdout.readline() == "ready\n"
    for process in started:
        process.stdin.write("\n")
        process.stdin.flush()
    areas = {process.communicate(timeout=100)[0] for process in started}
    assert [process.returncode for process in started] == [0, 0, 0]
    assert areas == {f"{Loading(AgentSettings()).load(ref_of(room)).ground.area_m2}\n"}
    assert kinds(how) == ["ground", "source"]
    assert sorted(path.suffix for path in how.cache.folder.iterdir()) == [".bnav", ".bnav"]
