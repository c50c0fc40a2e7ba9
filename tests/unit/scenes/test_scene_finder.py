"""Scenes that episode files name, found in a folder of data sets."""

from __future__ import annotations

from pathlib import Path

import pytest

from gym_batchnav.errors import SceneError
from gym_batchnav.scenes import SceneFinder
from tests.unit.scenes.habitat_files import data_set, tripod


@pytest.fixture
def finder(tmp_path):
    scenes = tmp_path / "scene_datasets"
    tripod(scenes / "gibson", "Adrian.glb")
    (scenes / "gibson" / "Adrian.navmesh").write_bytes(b"")
    tripod(scenes / "mp3d" / "17D", "17D.glb")
    tripod(scenes / "hm3d" / "val" / "00800-TEE", "TEE.basis.glb")
    data_set(scenes / "replica_cad")
    return SceneFinder(scenes)


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("gibson/Adrian.glb", "gibson/Adrian.glb"),
        ("data/scene_datasets/gibson/Adrian.glb", "gibson/Adrian.glb"),
        ("./data/scene_datasets/gibson/Adrian.glb", "gibson/Adrian.glb"),
        ("scene_datasets/mp3d/17D/17D.glb", "mp3d/17D/17D.glb"),
        ("/home/other/habitat/data/scene_datasets/mp3d/17D/17D.glb", "mp3d/17D/17D.glb"),
        ("/checkpoint/other/scenes/mp3d/17D/17D.glb", "mp3d/17D/17D.glb"),
        ("../../data/scene_datasets/gibson/Adrian.glb", "gibson/Adrian.glb"),
        ("C:\\data\\scene_datasets\\mp3d\\17D\\17D.glb", "mp3d/17D/17D.glb"),
        ("hm3d/val/00800-TEE/TEE.basis.glb", "hm3d/val/00800-TEE/TEE.basis.glb"),
        ("hm3d/val/00800-TEE/TEE.glb", "hm3d/val/00800-TEE/TEE.basis.glb"),
        ("mp3d/17D/17D.basis.glb", "mp3d/17D/17D.glb"),
    ],
)
def test_names_of_any_root_mean_files_below_the_folder(finder, name, file):
    ref = finder.find(name)
    assert ref.source == str(finder.scenes_dir / file)
    assert (ref.navmesh is not None) == (file == "gibson/Adrian.glb")


def test_the_folder_may_be_that_of_all_data(finder):
    above = SceneFinder(finder.scenes_dir.parent)
    ref = above.find("data/scene_datasets/gibson/Adrian.glb")
    assert Path(ref.source) == finder.scenes_dir / "gibson" / "Adrian.glb"


def test_the_folder_may_be_that_of_one_data_set(finder):
    below = SceneFinder(finder.scenes_dir / "hm3d", up="y", scale=2.0)
    ref = below.find("hm3d_v0.2/val/00800-TEE/TEE.basis.glb")
    assert Path(ref.source) == finder.scenes_dir / "hm3d" / "val" / "00800-TEE" / "TEE.basis.glb"
    assert (ref.up, ref.scale) == ("y", 2.0)


@pytest.mark.parametrize(
    "name",
    [
        "gibson/Nobody.glb",
        "gibson",
        "gibson/Adrian.glb/..",
        "gibson/Adrian.navmesh",
        "",
        "/",
        "a\0b.glb",
        "houses-v2/train/1000",
        "houses-v2/dev/0001",
    ],
)
def test_what_is_not_there(finder, name):
    assert finder.find(name) is None


def test_names_too_long_for_the_disk(finder):
    with pytest.raises(SceneError, match="cannot look for"):
        finder.find("x" * 5000)


def test_built_in_houses_need_no_files():
    ref = SceneFinder(Path("/nowhere")).find("houses-v2/val/0017")
    assert (ref.source, ref.house, ref.scene_id) == ("val", 17, "houses-v2/val/0017")


@pytest.mark.parametrize(
    "name", ["apt_0", "data/replica_cad/scenes/apt_0.scene_instance.json", "scenes/apt_0"]
)
@pytest.mark.parametrize(
    "config",
    [
        "data/scene_datasets/replica_cad/x.scene_dataset_config.json",
        "./data/replica_cad/x.scene_dataset_config.json",
    ],
)
def test_scenes_of_the_episodes_data_set(finder, name, config):
    ref = finder.find(name, config)
    assert Path(ref.source) == finder.scenes_dir / "replica_cad" / "x.scene_dataset_config.json"
    assert ref.load().arrays.num_triangles == 4


def test_a_data_set_that_is_not_there_or_has_no_such_scene_leaves_the_file(finder):
    for config in ("default", "gone.scene_dataset_config.json", "replica_cad/x.scene_dataset_config.json"):
        assert finder.find("mp3d/17D/17D.glb", config).source.endswith("17D.glb")
