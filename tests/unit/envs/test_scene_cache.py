"""What is derived from scenes is found again by content, and never where anything has changed."""

from __future__ import annotations

import os
import re
import shutil
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import gym_batchnav
from batchnav_renderer.prepare import Preparer
from gym_batchnav.envs.loader import SceneLoader
from gym_batchnav.envs.loading import Loading
from gym_batchnav.nav import AgentSettings, NavMesh
from gym_batchnav.scenes import SceneRef, SceneWarning
from gym_batchnav.scenes.cache import keys
from tests.unit.envs.cached_scenes import IMAGES, ROOM, kinds, ref_of, write_room
from tests.unit.envs.doubles import prepare, two_rooms


def test_second_load_reads_and_bakes_nothing(room, how, work):
    first = how.load(ref_of(room), IMAGES)
    assert work == ["room.obj", "bake"]
    assert kinds(how) == ["ground", "images", "source"]
    second = how.load(ref_of(room), IMAGES)
    assert work == ["room.obj", "bake"]
    assert first.kept_bytes == sum(entry.size for entry in how.cache.entries() if entry.kind != "source")
    assert second.kept_bytes == 0
    assert np.array_equal(first.prepared.payload.positions, second.prepared.payload.positions)
    assert np.array_equal(
        first.prepared.payload.textures[0].pixels, second.prepared.payload.textures[0].pixels
    )
    one, two = np.random.default_rng(0), np.random.default_rng(0)
    starts, ends = first.ground.sample(20, one), first.ground.sample(20, one)
    assert np.array_equal(starts, second.ground.sample(20, two))
    assert np.array_equal(
        first.ground.geodesic_distance(starts, ends), second.ground.geodesic_distance(starts, ends)
    )


def change_texture(room: Path) -> None:
    Image.new("RGB", (4, 4), (200, 100, 51)).save(room.with_name("floor.png"))


def change_material(room: Path) -> None:
    path = room.with_name("room.mtl")
    path.write_text(path.read_text().replace("0.25", "0.26"))


def change_room(room: Path) -> None:
    room.write_text(ROOM.replace("v 6 0 0", "v 6 0 1"))


def add_ground(room: Path) -> None:
    corners = [(1, 0, 1), (1, 0, 5), (5, 0, 5), (5, 0, 1)]
    NavMesh.from_polygons(corners, [(0, 1, 2, 3)]).save(room.with_suffix(".navmesh"))


CHANGES = {
    "texture": change_texture,
    "texture gone": lambda room: room.with_name("floor.png").unlink(),
    "material": change_material,
    "scene": change_room,
    "ground added": add_ground,
}


@pytest.mark.filterwarnings("ignore::gym_batchnav.scenes.SceneWarning")
@pytest.mark.parametrize("change", CHANGES)
def test_any_change_of_any_file_is_noticed(room, how, work, change):
    how.load(ref_of(room), IMAGES)
    before = {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in room.parent.iterdir()}
    CHANGES[change](room)
    # Neither a file's size nor its time gives the change away.
    for path in room.parent.iterdir():
        if path.name in before:
            os.utime(path, ns=(before[path.name][1],) * 2)
    changed = how.load(ref_of(room), IMAGES)
    expected = ["room.obj"] if change == "ground added" else ["room.obj", "bake"]
    assert work == ["room.obj", "bake", *expected]
    plain = Loading(AgentSettings()).load(ref_of(room), IMAGES)
    assert np.array_equal(changed.prepared.payload.positions, plain.prepared.payload.positions)
    assert changed.ground.area_m2 == plain.ground.area_m2
    # All as it was: what was kept then counts again.
    for path in room.parent.iterdir():
        if path.name not in before:
            path.unlink()
    for name, (content, _) in before.items():
        (room.parent / name).write_bytes(content)
    work.clear()
    how.load(ref_of(room), IMAGES)
    assert "bake" not in work


def test_file_that_was_looked_for_in_vain_and_appears_is_noticed(room, how, work):
    room.with_name("floor.png").rename(room.with_name("hidden"))
    found = how.load(ref_of(room), IMAGES)
    assert any("floor.png" in text for text, _ in found.warnings)
    # Loaders find it whatever its case.
    room.with_name("hidden").rename(room.with_name("FLOOR.png"))
    found = how.load(ref_of(room), IMAGES)
    assert found.warnings == ()
    assert found.prepared.payload.textures[0].pixels[0, 0].tolist() == [200, 100, 50, 255]


def test_settings_and_versions_are_told_apart(room, how, work, monkeypatch):
    how.load(ref_of(room), IMAGES)
    again = [
        (how, ref_of(room, scale=2.0), IMAGES, ["room.obj", "bake"]),
        (how, ref_of(room, up="x"), None, ["room.obj", "bake"]),
        (replace(how, agent=AgentSettings(agent_radius=0.3)), ref_of(room), IMAGES, ["room.obj", "bake"]),
        (how, ref_of(room), Preparer("another test", prepare), ["room.obj"]),
        (how, ref_of(room), None, []),
    ]
    for loading, ref, preparer, expected in again:
        work.clear()
        try:
            loading.load(ref, preparer)
        except gym_batchnav.errors.NavMeshError:
            assert ref.up == "x"  # where the room stands on its side
        assert work == expected
    work.clear()
    monkeypatch.setattr(keys, "code_version", lambda: "another")
    how.load(ref_of(room), IMAGES)
    assert work == ["room.obj", "bake"]


def test_code_version_depends_on_every_source(monkeypatch):
    version = keys.code_version()
    read_bytes, seen = Path.read_bytes, []

    def other(path, changed=None):
        seen.append(path.name)
        return read_bytes(path) + (b"# changed" if path.name == changed else b"")

    monkeypatch.setattr(Path, "read_bytes", other)
    assert keys.code_version.__wrapped__() == version
    assert {"loading.py", "baker.py", "surface.py", "env.py", "types.py", "navmesh.py"} <= set(seen)
    monkeypatch.setattr(Path, "read_bytes", lambda path: other(path, "watershed.py"))
    assert keys.code_version.__wrapped__() != version


def test_a_copy_elsewhere_is_the_same_scene_under_its_own_name(room, how, work, tmp_path, monkeypatch):
    how.load(ref_of(room), IMAGES)
    shutil.copytree(room.parent, tmp_path / "moved")
    moved = how.load(ref_of(tmp_path / "moved" / "room.obj"), IMAGES)
    assert work == ["room.obj", "bake"]
    assert moved.scene_id == str(tmp_path / "moved" / "room.obj")
    assert moved.scene_id in repr(moved.ground)
    # Nor does it matter from where it is named.
    monkeypatch.chdir(tmp_path / "moved")
    assert how.load(ref_of(Path("room.obj")), IMAGES).scene_id == "room.obj"
    assert work == ["room.obj", "bake"]
    # Another file of the same content and folder, but with a ground of its own beside it.
    shutil.copy("room.obj", "other.obj")
    add_ground(Path("other.obj"))
    assert how.load(ref_of(Path("other.obj"))).ground.area_m2 == pytest.approx(16.0)


def test_parts_are_kept_apart(room, how, work):
    how.load(ref_of(room))
    assert kinds(how) == ["ground", "source"]
    how.load(ref_of(room), IMAGES)
    assert work == ["room.obj", "bake", "room.obj"]
    how.cache.remove(lambda entry: entry.kind == "images")
    how.load(ref_of(room))
    assert work == ["room.obj", "bake", "room.obj"]
    how.cache.remove(lambda entry: entry.kind == "ground")
    how.load(ref_of(room), IMAGES)
    assert work == ["room.obj", "bake", "room.obj", "room.obj", "bake"]


def test_scene_that_changes_while_it_is_read_is_not_kept(room, how, monkeypatch):
    load = SceneRef.load

    def late(self):
        scene = load(self)
        change_room(room)
        return scene

    monkeypatch.setattr(SceneRef, "load", late)
    how.load(ref_of(room))
    assert kinds(how) == []


def test_warnings_of_a_scene_are_said_at_every_start_and_once(room, how):
    room.with_name("floor.png").unlink()
    for _ in range(2):
        loader = SceneLoader([ref_of(room), ref_of(room)], 0, how)
        with pytest.warns(SceneWarning, match=r"floor\.png") as told:
            assert [loader.take(number).scene_id for number in (0, 1)] == [str(room)] * 2
        assert len(told) == 1


def test_warnings_of_a_ground_are_said_at_every_start_too(room, how, work):
    far = [(101, 0, 1), (101, 0, 5), (105, 0, 5), (105, 0, 1)]
    NavMesh.from_polygons(far, [(0, 1, 2, 3)]).save(room.with_suffix(".navmesh"))
    texts = [[text for text, category in how.load(ref_of(room)).warnings] for _ in range(2)]
    assert work == ["room.obj"]
    assert texts[0] == texts[1]
    assert any("does not lie in it" in text for text in texts[0])


def test_deprecations_of_libraries_are_not_passed_on(how, monkeypatch):
    def load(self):
        warnings.warn("old", DeprecationWarning, stacklevel=1)
        warnings.warn("odd", RuntimeWarning, stacklevel=1)
        return two_rooms(1)[0].load()

    monkeypatch.setattr(SceneRef, "load", load)
    assert how.load(SceneRef("a", "train", 3)).warnings == (("odd", RuntimeWarning),)


def test_houses_are_kept_by_their_numbers(how, work):
    ref = ref_of("houses:train/3")
    first = how.load(ref, IMAGES)
    assert kinds(how) == ["ground", "images"]
    second = how.load(ref, IMAGES)
    assert len(work) == 1
    assert first.ground.area_m2 == second.ground.area_m2
    how.load(replace(ref, agent_radius=0.2))
    assert len(work) == 2


def test_scenes_without_a_recipe_are_not_kept(how):
    how.load(two_rooms(1)[0], IMAGES)
    assert how.cache.entries() == []


def test_workers_keep_what_they_make_and_pass_warnings_on(room, how):
    room.with_name("floor.png").unlink()
    loader = SceneLoader([ref_of(room)], 1, how)
    loader.request([0], IMAGES)
    with pytest.warns(SceneWarning, match=r"floor\.png"):
        made = loader.take(0, IMAGES)
    loader.close()
    assert kinds(how) == ["ground", "images", "source"]
    assert np.array_equal(
        made.prepared.payload.positions, how.load(ref_of(room), IMAGES).prepared.payload.positions
    )


def test_set_larger_than_the_cache_fills_it_once(how, tmp_path):
    refs = [ref_of(write_room(tmp_path / f"house{number}")) for number in range(6)]
    for number, ref in enumerate(refs):
        Path(ref.source).write_text(ROOM.replace("v 6 0 6", f"v 6 0 6.{number}"))
    size = how.load(refs[0]).kept_bytes
    how.cache.remove(lambda entry: True)
    # Three grounds and their notes of files fit; after four, nothing is written any more.
    loader = SceneLoader(refs, 0, replace(how, cache=replace(how.cache, limit_bytes=int(3.5 * size))))
    kept = [loader.take(number).kept_bytes for number in (*range(6), *range(6))]
    assert [bytes > 0 for bytes in kept] == [True] * 4 + [False] * 8


def test_loaders_read_files_in_the_one_way_that_is_noted():
    """Whatever a loader learns from the disk decides what it makes, so all of it has to be known."""
    folder = Path(gym_batchnav.__file__).parent / "scenes"
    direct = re.compile(
        r"\.(?:read_bytes|read_text|is_file|exists|glob|rglob|iglob|scandir|iterdir|is_dir)\(|\bopen\("
    )
    found = {
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*.py")
        if direct.search(path.read_text("utf-8")) and "cache" not in path.parts
    }
    # reads.py is that way. sets.py and lookup.py look for scenes before any is loaded. What layout.py and the
    # files.py and templates.py of data sets learn of names is part of a recipe. frames.py looks into the
    # file that is then read; images.py, codecs.py and ktx2.py open what is in memory.
    assert found == {
        *("reads.py", "sets.py", "layout.py", "frames.py", "images.py", "codecs.py", "ktx2.py"),
        *("habitat/files.py", "habitat/lookup.py", "habitat/templates.py"),
    }
