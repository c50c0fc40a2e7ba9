"""Environments whose episode file names the scenes, found in a folder laid out as Habitat's data."""

from __future__ import annotations

import gzip
import json
import time

import numpy as np
import pytest

from gym_batchnav import BatchPointNavEnv, ConfigError, EpisodeError, PointNavEnv
from gym_batchnav.envs.loader import SceneLoader
from gym_batchnav.envs.loading import Loading
from gym_batchnav.nav import NavMesh
from gym_batchnav.scenes import resolve_scenes
from gym_batchnav.scenes.cache import SceneCache
from tests.unit.scenes.gltf_files import GltfFile
from tests.unit.scenes.habitat_files import write

FORWARD, LEFT = 1, 2
# A left quarter turn about +Y as (x, y, z, w): the agent looks along -X.
HALF = float(np.sqrt(0.5))
KWARGS = {"sensors": (), "scene_workers": 0, "episode_order": "sequential", "scene_cache": False}


def room(folder, name, *, height=0.0):
    """A floor of 10 x 10 m around the origin, z up in the file, with its navigation mesh, y up."""
    folder.mkdir(parents=True, exist_ok=True)
    corners = np.array([[-5, -5, height], [5, -5, height], [5, 5, height], [-5, 5, height]], np.float32)
    file = GltfFile()
    file.primitive(corners, np.array([0, 1, 2, 0, 2, 3], np.uint8))
    path = file.save(folder, name)
    # 0.1 m inside; (x, y, z) of the file is (x, z, -y) of the world.
    ground = [(x, height, z) for x, z in ((-4.9, 4.9), (4.9, 4.9), (4.9, -4.9), (-4.9, -4.9))]
    NavMesh.from_polygons(ground, [range(4)]).save(path.with_suffix(".navmesh"))
    return path


def entry(number, scene, y=0.0, **more):
    return {
        "episode_id": str(number),
        "scene_id": scene,
        "start_position": [1.0, y, 2.0],
        "start_rotation": [0.0, HALF, 0.0, HALF],
        "goals": [{"position": [-2.0, y, -2.0], "radius": None}],
        "info": {"geodesic_distance": None},
        "shortest_paths": None,
        **more,
    }


@pytest.fixture
def data(tmp_path):
    """Episodes of two data sets: an empty split with its ``content``, and the scenes that they name."""
    scenes, split = tmp_path / "scene_datasets", tmp_path / "pointnav" / "val"
    room(scenes / "gibson", "Adrian.glb")
    room(scenes / "hm3d" / "val" / "00800-TEE", "TEE.basis.glb", height=3.0)
    content = {
        "Adrian": [
            entry(number, "/other/machine/data/scene_datasets/gibson/Adrian.glb") for number in (0, 1)
        ],
        "TEE": [entry("t", "hm3d/val/00800-TEE/TEE.basis.glb", 3.0, scene_dataset_config="default")],
    }
    for name, entries in {"": [], **content}.items():
        path = split / "content" / f"{name}.json.gz" if name else split / "val.json.gz"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(gzip.compress(json.dumps({"episodes": entries}).encode()))
    return scenes, split


def test_the_episodes_scenes_are_found_and_walked_in(data):
    scenes, split = data
    with BatchPointNavEnv(3, episodes=split / "val.json.gz", scenes_dir=scenes, **KWARGS) as env:
        _, infos = env.reset(seed=0)
        assert env.scene_ids == (
            str(scenes / "gibson" / "Adrian.glb"),
            str(scenes / "hm3d" / "val" / "00800-TEE" / "TEE.basis.glb"),
        )
        assert env.episode_names == ("0", "1", "t")
        assert infos["scene_id"].tolist() == [0, 0, 1]
        # 3 m along x and 4 m along z.
        assert infos["distance_to_goal"] == pytest.approx([5, 5, 5], abs=1e-5)
        infos = env.step(np.full(3, FORWARD))[4]
        # 0.25 m along -X: sqrt(2.75^2 + 4^2).
        assert infos["distance_to_goal"] == pytest.approx([np.hypot(2.75, 4)] * 3, abs=1e-5)
        assert env.agent_state()["position"].tolist() == [[0.75, 0, 2], [0.75, 0, 2], [0.75, 3, 2]]


def test_habitats_folder_is_the_default(data, monkeypatch):
    scenes, split = data
    (scenes.parent / "data").mkdir()
    scenes.rename(scenes.parent / "data" / "scene_datasets")
    monkeypatch.chdir(scenes.parent)
    with PointNavEnv(episodes=split, **KWARGS) as env:
        env.reset(seed=0)
        assert env.scene_ids == (
            "data/scene_datasets/gibson/Adrian.glb", "data/scene_datasets/hm3d/val/00800-TEE/TEE.basis.glb",
        )  # fmt: skip


@pytest.mark.slow
def test_worker_processes_load_data_sets(tmp_path):
    room(tmp_path / "stages", "room.glb")
    config = write(
        tmp_path / "r.scene_dataset_config.json", {"stages": {"paths": {".glb": ["stages/*.glb"]}}}
    )
    loader = SceneLoader(resolve_scenes(config), 1)
    try:
        loader.request([0])
        for _ in range(600):
            if loader.loaded() == [0]:
                break
            time.sleep(0.1)
        assert loader.loaded() == [0]
        assert loader.take(0).ground.area_m2 == pytest.approx(9.8 * 9.8)
    finally:
        loader.close()


@pytest.mark.slow
def test_what_is_kept_of_a_data_set_s_scene_is_made_anew_when_a_file_changes(tmp_path):
    """The ground of a scene with an object is baked; a larger object has a longer rim to keep off."""
    room(tmp_path / "stages", "room.glb")
    (tmp_path / "stages" / "room.navmesh").unlink()
    file = GltfFile()
    corners = np.array([[-1, 0, -1], [1, 0, -1], [1, 0, 1], [-1, 0, 1]], np.float32)
    file.primitive(corners, np.array([0, 2, 1, 0, 3, 2], np.uint8))
    (tmp_path / "objects").mkdir()
    file.save(tmp_path / "objects", "table.glb")
    table = tmp_path / "objects" / "table.object_config.json"
    write(table, {"render_asset": "table.glb"})
    item = {"template_name": "table", "translation": [0, 0.7, 0], "translation_origin": "asset_local"}
    scene = {"stage_instance": {"template_name": "room"}, "object_instances": [item]}
    write(tmp_path / "apt.scene_instance.json", scene)
    config = write(
        tmp_path / "r.scene_dataset_config.json",
        {
            "stages": {"paths": {".glb": ["stages"]}},
            "objects": {"paths": {".json": ["objects"]}},
            "scene_instances": {"paths": {".json": ["."]}},
        },
    )
    loading = Loading(cache=SceneCache(tmp_path / "cache", 2**30))
    areas, kept = [], []
    for scale in (1.0, 1.0, 2.0):
        write(table, {"render_asset": "table.glb", "scale": [scale, 1, scale]})
        loaded = loading.load(resolve_scenes(config)[0])
        areas.append(loaded.ground.area_m2)
        kept.append(loaded.kept_bytes > 0)
    assert kept == [True, False, True]
    assert areas[0] == areas[1]
    # Tables of w = 2 m and 4 m, too low to walk under, walkable on top. With rims m of 0.1 m and less than a
    # cell of 0.05 m more inside and outside, each takes (w + 2 m)^2 - (w - 2 m)^2 = 8 w m.
    assert 8 * (4 - 2) * 0.1 < areas[0] - areas[2] < 8 * (4 - 2) * 0.15


def test_given_scenes_read_their_content_alone(data):
    scenes, split = data
    (split / "content" / "TEE.json.gz").write_bytes(b"broken")
    adrian = scenes / "gibson" / "Adrian.glb"
    with PointNavEnv(episodes=split, scenes=adrian, **KWARGS) as env:
        env.reset(seed=0)
        assert env.scene_ids == (str(adrian),)


def test_the_floor_is_below_the_camera(data):
    """Gibson's files are z up: only turned to +Y up does their floor lie where the navigation mesh is."""
    scenes, split = data
    looking_down = {"camera_pitch_deg": -90, "camera_height": 1.25, "normalize_depth": False}
    with BatchPointNavEnv(
        1, episodes=split, scenes_dir=scenes, resolution=(4, 4), render_backend="embree",
        **{**KWARGS, "sensors": ("depth",)}, **looking_down,
    ) as env:  # fmt: skip
        observation = env.reset(seed=0)[0]
    np.testing.assert_allclose(observation["depth"], 1.25, atol=1e-4)


def test_a_scene_instance_with_an_object(data):
    """A box on the floor of a data set's scene: the camera over it sees its top."""
    scenes, split = data
    folder = scenes / "replica_cad"
    room(folder / "stages", "room.glb")
    cube = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], np.float32)
    file = GltfFile()
    # Its top and its bottom.
    file.primitive(cube, np.array([2, 3, 7, 2, 7, 6, 0, 5, 1, 0, 4, 5], np.uint8))
    (folder / "objects").mkdir()
    file.save(folder / "objects", "box.glb")
    write(folder / "objects" / "box.object_config.json", {"render_asset": "box.glb"})
    write(
        folder / "scenes" / "apt_0.scene_instance.json",
        {
            "stage_instance": {"template_name": "stages/room"},
            # The middle of the box, 0.5 m high, on the floor around the start.
            "object_instances": [
                {"template_name": "box", "translation": [1, 0.25, 2], "non_uniform_scale": [1, 0.5, 1]}
            ],
            "navmesh_instance": "apt_0",
        },
    )
    write(
        folder / "r.scene_dataset_config.json",
        {
            "stages": {"paths": {".glb": ["stages"]}},
            "objects": {"paths": {".json": ["objects"]}},
            "scene_instances": {"paths": {".json": ["scenes"]}},
            "navmesh_instances": {"apt_0": "stages/room.navmesh"},
        },
    )
    item = entry("r", "apt_0", scene_dataset_config="data/replica_cad/r.scene_dataset_config.json")
    path = write(split / "r.json", {"episodes": [item]})
    with BatchPointNavEnv(
        1, episodes=path, scenes_dir=scenes, resolution=(3, 3), hfov_deg=30.0, render_backend="embree",
        camera_pitch_deg=-90, normalize_depth=False, **{**KWARGS, "sensors": ("depth", "semantic")},
    ) as env:  # fmt: skip
        observation = env.reset(seed=0)[0]
    np.testing.assert_allclose(observation["depth"], 0.75, atol=1e-4)
    # The floor is object 1.
    assert (observation["semantic"] == 2).all()


def test_missing_scenes_are_named_with_the_folder(data):
    scenes, split = data
    (scenes / "gibson" / "Adrian.glb").unlink()
    with pytest.raises(
        EpisodeError, match=rf"1 of its 2 scenes are not below {scenes}: '/other.*Adrian\.glb'"
    ):
        BatchPointNavEnv(1, episodes=split, scenes_dir=scenes, **KWARGS)


def test_a_missing_folder_says_what_to_do(data, monkeypatch):
    _, split = data
    monkeypatch.chdir(split)
    with pytest.raises(ConfigError, match=r"no folder scenes_dir='nowhere'; pass scenes_dir=.*gibson/"):
        BatchPointNavEnv(1, episodes=split, scenes_dir="nowhere", **KWARGS)
    with pytest.raises(ConfigError, match=r"no folder data/scene_datasets \(Habitat's, the default"):
        BatchPointNavEnv(1, episodes=split, **KWARGS)


def test_frames_and_houses(data, tmp_path):
    scenes, split = data
    with BatchPointNavEnv(1, episodes=split, scenes_dir=scenes, scene_up="y", **KWARGS) as env:
        assert {ref.up for ref in env._world.refs} == {"y"}
    item = entry(0, "houses-v2/val/0003")
    path = write(tmp_path / "houses.json", {"episodes": [item]})
    with BatchPointNavEnv(1, episodes=path, agent_radius=0.2, **KWARGS) as env:
        assert env.scene_ids == ("houses-v2/val/0003",)
        assert env._world.refs[0].agent_radius == 0.2
