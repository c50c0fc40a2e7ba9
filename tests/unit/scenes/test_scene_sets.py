"""Names of scenes and sets."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from gym_batchnav.errors import ConfigError
from gym_batchnav.scenes import resolve_scenes
from tests.unit.scenes.gltf_files import one_triangle


def ids(spec, **more):
    return [ref.scene_id for ref in resolve_scenes(spec, **more)]


def test_splits():
    assert len(ids("houses:train")) == 1000
    assert len(ids("houses:val")) == 100
    assert ids("houses:test")[99] == "houses-v2/test/0099"


def test_one_house_and_slices():
    assert ids("houses:train/17") == ["houses-v2/train/0017"]
    assert ids("houses:train[:3]") == [f"houses-v2/train/000{number}" for number in range(3)]
    assert ids("houses:val[98:]") == ["houses-v2/val/0098", "houses-v2/val/0099"]
    assert ids("houses:val[::50]") == ["houses-v2/val/0000", "houses-v2/val/0050"]
    assert ids("houses:val[-1:]") == ["houses-v2/val/0099"]


def test_lists_keep_order_and_drop_repeats():
    assert ids(["houses:val/3", "houses:test/1", "houses:val[2:4]"]) == [
        "houses-v2/val/0003",
        "houses-v2/test/0001",
        "houses-v2/val/0002",
    ]


def test_files_and_folders(tmp_path):
    (tmp_path / "b").mkdir()
    first = one_triangle().save(tmp_path / "b", "x.gltf")
    second = one_triangle().save(tmp_path, "c.glb")
    (tmp_path / "c.navmesh").write_bytes(b"")
    refs = resolve_scenes(tmp_path)
    assert [ref.scene_id for ref in refs] == [str(first), str(second)]
    assert refs[1].load().navmesh_path == tmp_path / "c.navmesh"
    given = resolve_scenes(first, navmesh=tmp_path / "c.navmesh")
    assert given[0].load().navmesh_path == tmp_path / "c.navmesh"


def test_other_files_of_a_folder_count_where_there_is_no_gltf(tmp_path):
    (tmp_path / "a.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    assert [ref.load().arrays.num_triangles for ref in resolve_scenes(tmp_path)] == [1]
    path = one_triangle().save(tmp_path, "c.glb")
    assert [ref.scene_id for ref in resolve_scenes(tmp_path)] == [str(path)]


def test_references_are_small_and_load_the_same_anywhere():
    ref = resolve_scenes("houses:val/5")[0]
    packed = pickle.dumps(ref)
    assert len(packed) < 500
    scene, other = ref.load(), pickle.loads(packed).load()
    assert scene.scene_id == "houses-v2/val/0005"
    np.testing.assert_array_equal(scene.positions, other.positions)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("houses:dev", r"'houses:dev' is no house set; allowed: houses:train \(1000\)"),
        ("houses:", "no house set"),
        ("houses:train/1000", "houses 0 to 999"),
        ("houses:train/x", "no house set"),
        ("houses:val[5:5]", "names no house"),
        ("houses:val[5]", r"\[5\] is no slice"),
        ("houses:val[::0]", "is no slice"),
        ("nowhere.glb", r"nowhere\.glb.*no such scene file.*allowed"),
        ("scene.fbx", r"supported: \.glb, \.gltf"),
        ("", "cannot be read|folder without"),
        ([], "empty list"),
        ([3], "holds 3; expected strings or paths"),
    ],
)
def test_errors_name_the_value(spec, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ConfigError, match=message):
        resolve_scenes(spec)


def test_navmesh_only_for_one_file(tmp_path):
    one_triangle().save(tmp_path, "a.glb")
    one_triangle().save(tmp_path, "b.glb")
    with pytest.raises(ConfigError, match="names 2 scenes"):
        resolve_scenes([tmp_path / "a.glb", tmp_path / "b.glb"], navmesh=tmp_path / "a.glb")
    with pytest.raises(ConfigError, match="brings its own"):
        resolve_scenes("houses:val/1", navmesh=tmp_path / "a.glb")
    with pytest.raises(ConfigError, match=r"gone\.navmesh"):
        resolve_scenes(tmp_path / "a.glb", navmesh=tmp_path / "gone.navmesh")


def test_empty_folder(tmp_path):
    with pytest.raises(ConfigError, match=r"folder without \.glb or \.gltf or \.obj or \.ply .*files"):
        resolve_scenes(tmp_path)


def test_frames_reach_the_files_and_survive_pickling(tmp_path):
    path = one_triangle().save(tmp_path, "a.glb")
    house, ref = resolve_scenes(["houses:val/1", path], up="z", scale=0.5)
    assert (house.up, house.scale) == (None, 1.0)
    # (x, y, z) becomes (x, z, -y), halved.
    scene = pickle.loads(pickle.dumps(ref)).load()
    np.testing.assert_allclose(scene.positions, [[0, 0, 0], [0.5, 0, 0], [0, 0, -0.5]])
    with pytest.raises(ConfigError, match=r"up='w'.*allowed"):
        resolve_scenes(path, up="w")
    with pytest.raises(ConfigError, match="all scenes are built-in houses"):
        resolve_scenes("houses:val/1", scale=0.01)
