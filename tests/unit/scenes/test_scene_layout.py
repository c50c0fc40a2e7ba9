"""Folders laid out as Habitat's Gibson, Matterport3D and HM3D, and the frames of their files."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest

from gym_batchnav.errors import ConfigError
from gym_batchnav.scenes import load_scene, resolve_scenes
from gym_batchnav.scenes.layout import is_z_up
from tests.unit.scenes.habitat_files import TRIPOD, data_set, placed, tripod, write

# (x, y, z) of a file with z up becomes (x, z, -y).
TURNED = TRIPOD[:, [0, 2, 1]] * [1, 1, -1]


def names(refs, folder):
    return [Path(ref.source).relative_to(folder).as_posix() for ref in refs]


def touch(folder, *files):
    for file in files:
        (folder / file).write_bytes(b"no mesh")


def test_gibson(tmp_path):
    folder = tmp_path / "gibson"
    for name in ("Adrian", "Cosmos"):
        tripod(folder, f"{name}.glb")
        touch(folder, f"{name}.navmesh", f"{name}_semantic.ply", f"{name}.ids", f"{name}.scn")
    refs = resolve_scenes(folder)
    assert names(refs, folder) == ["Adrian.glb", "Cosmos.glb"]
    assert [Path(ref.navmesh).name for ref in refs] == ["Adrian.navmesh", "Cosmos.navmesh"]
    np.testing.assert_allclose(refs[0].load().positions, TURNED)


def test_matterport(tmp_path):
    folder = tmp_path / "scans"
    for name in ("17DRP5sb8fy", "1LXtFkjw3qL"):
        tripod(folder / name, f"{name}.glb")
        touch(folder / name, f"{name}.navmesh", f"{name}.house", f"{name}_semantic.ply")
    refs = resolve_scenes(str(folder))
    assert names(refs, folder) == ["17DRP5sb8fy/17DRP5sb8fy.glb", "1LXtFkjw3qL/1LXtFkjw3qL.glb"]
    assert refs[1].navmesh == str(folder / "1LXtFkjw3qL" / "1LXtFkjw3qL.navmesh")
    # The .house file beside it tells whose file it is.
    np.testing.assert_allclose(refs[0].load().positions, TURNED)


def hm3d(folder):
    for number, name in enumerate(("kfPV7w3FaU5", "UVdNNRcVyV1")):
        scene = folder / "train" / f"{number:05}-{name}"
        for ending in ("basis.glb", "glb", "semantic.glb"):
            tripod(scene, f"{name}.{ending}")
        touch(scene, f"{name}.{'basis.' if number else ''}navmesh", f"{name}.semantic.txt", f"{name}.obj")
    return folder


def test_hm3d(tmp_path):
    folder = hm3d(tmp_path / "any")
    write(folder / "hm3d_basis.scene_dataset_config.json", {"stages": {"paths": {".glb": ["train/*/*"]}}})
    write(folder / "hm3d_annotated_basis.scene_dataset_config.json", {"stages": {}, "scene_instances": {}})
    refs = resolve_scenes(folder)
    first, second = "train/00000-kfPV7w3FaU5/kfPV7w3FaU5", "train/00001-UVdNNRcVyV1/UVdNNRcVyV1"
    assert names(refs, folder) == [f"{first}.basis.glb", f"{second}.basis.glb"]
    assert [Path(ref.navmesh).name for ref in refs] == ["kfPV7w3FaU5.navmesh", "UVdNNRcVyV1.basis.navmesh"]
    np.testing.assert_allclose(refs[0].load().positions, TURNED)
    np.testing.assert_allclose(resolve_scenes(folder, up="y")[0].load().positions, TRIPOD)


def test_hm3d_by_its_configuration(tmp_path):
    folder = hm3d(tmp_path / "any")
    config = write(
        folder / "hm3d_annotated_basis.scene_dataset_config.json",
        {
            "stages": {
                "default_attributes": {"up": [0, 0, 1], "front": [0, 1, 0], "origin": [0, 0, 0]},
                "paths": {".glb": ["train/00000-kfPV7w3FaU5/*.basis.glb", "train/00001-*/*.basis.glb"]},
            }
        },
    )
    refs = resolve_scenes(config)
    assert [ref.scene_id for ref in refs] == [f"{config}:kfPV7w3FaU5", f"{config}:UVdNNRcVyV1"]
    scene = refs[1].load()
    assert scene.navmesh_path.name == "UVdNNRcVyV1.basis.navmesh"
    np.testing.assert_allclose(scene.positions, TURNED, atol=1e-6)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("hm3d/val/00800-TEEsavR23oF/TEEsavR23oF.glb", True),
        ("x/y/TEEsavR23oF.basis.glb", True),
        ("hm3d_v0.2/minival/00800-a/a.glb", True),
        ("gibson/Adrian.glb", True),
        ("Gibson_4+/Adrian.glb", True),
        ("mp3d_example/a/a.glb", True),
        ("habitat-test-scenes/apartment_1.glb", True),
        ("gibsonian/Adrian.glb", False),
        ("mine/Adrian.glb", False),
        ("gibson/Adrian.gltf", False),
        ("gibson/Adrian.ply", False),
        ("gibson/a/b/c/Adrian.glb", False),
        ("mine/aws.basis_etc1s.glb", False),
    ],
)
def test_files_that_are_known_to_be_z_up(path, expected):
    assert is_z_up(Path(path)) == expected


def test_a_file_alone_has_the_frame_and_mesh_that_its_folder_gives_it(tmp_path):
    path = tripod(tmp_path / "hm3d" / "00800-a", "a.basis.glb")
    touch(path.parent, "a.basis.navmesh", "a.navmesh")
    scene = load_scene(path)
    np.testing.assert_allclose(scene.positions, TURNED)
    assert scene.navmesh_path.name == "a.basis.navmesh"
    np.testing.assert_allclose(load_scene(path, up="y").positions, TRIPOD)


def test_copies_in_folders_with_other_frames_are_different_scenes(tmp_path):
    """What is kept on disk for one must not be taken for the other."""
    recipes = [
        resolve_scenes(tripod(tmp_path / folder, "a.glb"))[0].recipe.values for folder in ("gibson", "mine")
    ]
    assert recipes[0] != recipes[1]


def test_meshes_of_another_use_alone_are_taken(tmp_path):
    tripod(tmp_path, "a.semantic.glb")
    assert names(resolve_scenes(tmp_path), tmp_path) == ["a.semantic.glb"]
    tripod(tmp_path, "b.glb")
    tripod(tmp_path, "b_collision.glb")
    assert names(resolve_scenes(tmp_path), tmp_path) == ["b.glb"]


def test_data_sets_with_scene_instances(tmp_path):
    config = data_set(tmp_path, placed())
    write(tmp_path / "scenes" / "apt_1.scene_instance.json", {"stage_instance": {"template_name": "room"}})
    expected = [f"{config}:apt_0", f"{config}:apt_1"]
    for spec in (config, str(config), tmp_path, [f"{config}:apt_0", config]):
        assert [ref.scene_id for ref in resolve_scenes(spec)] == expected
    one = resolve_scenes(f"{config}:apt_1")
    assert [ref.member for ref in one] == ["apt_1"]
    packed = pickle.dumps(one[0])
    assert len(packed) < 600
    assert pickle.loads(packed).load().arrays.num_triangles == 4
    mesh = tmp_path / "own.navmesh"
    mesh.write_bytes(b"")
    assert resolve_scenes(f"{config}:apt_1", mesh)[0].load().navmesh_path == mesh
    write(tmp_path / "y.scene_dataset_config.json", {"scene_instances": {"paths": {".json": ["scenes"]}}})
    with pytest.raises(ConfigError, match=r"several data sets with scene instances: x\.scene_dataset_config"):
        resolve_scenes(tmp_path)


def test_data_sets_that_cannot_be_used(tmp_path):
    config = data_set(tmp_path)
    with pytest.raises(ConfigError, match="has no scene 'apt_7'; it has, for example: apt_0"):
        resolve_scenes(f"{config}:apt_7")
    with pytest.raises(ConfigError, match="has no scene ''"):
        resolve_scenes(f"{config}:")
    with pytest.raises(ConfigError, match=r"gone\.scene_dataset_config\.json: cannot be read"):
        resolve_scenes(tmp_path / "gone.scene_dataset_config.json")
    with pytest.raises(ConfigError, match=r"navmesh=.*gone.*no such file"):
        resolve_scenes(f"{config}:apt_0", tmp_path / "gone.navmesh")
    with pytest.raises(ConfigError, match="those of a data set, which have their own"):
        resolve_scenes(config, up="z")
    with pytest.raises(ConfigError, match="names 2 scenes"):
        resolve_scenes([config, f"{config}:room"], tmp_path / "scenes" / "apt_0.scene_instance.json")
    config.write_text("{")
    with pytest.raises(ConfigError, match="its JSON is broken"):
        resolve_scenes(tmp_path)


def test_what_is_found_by_name_is_part_of_the_recipe(tmp_path):
    config = data_set(tmp_path, placed())
    before = resolve_scenes(f"{config}:apt_0")[0].recipe
    assert before == resolve_scenes(f"{config}:apt_0")[0].recipe
    write(tmp_path / "objects" / "a_chair.object_config.json", {"render_asset": "chair.glb"})
    assert before != resolve_scenes(f"{config}:apt_0")[0].recipe
