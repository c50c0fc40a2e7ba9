import gzip
import json

import numpy as np
import pytest

from gym_batchnav.config import EnvConfig
from gym_batchnav.errors import EpisodeError
from gym_batchnav.sim import DatasetSource, episode_files
from gym_batchnav.sim.dataset import read_all_episodes, read_episodes
from gym_batchnav.sim.scene_names import NamedScene

# A left quarter turn about +Y as (x, y, z, w).
HALF = float(np.sqrt(0.5))


def entry(name="0", scene="data/gibson/Cosmos.glb", **changes):
    return {
        "episode_id": name,
        "scene_id": scene,
        "start_position": [1.0, 0.0, 2.0],
        "start_rotation": [0.0, HALF, 0.0, HALF],
        "goals": [{"position": [3.0, 0.0, -1.0], "radius": 0.2}],
        "info": {"geodesic_distance": 4.0},
        **changes,
    }


def write(path, entries):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(json.dumps({"episodes": entries}).encode()))
    return path


def test_reads_fields_by_hand(tmp_path):
    path = write(
        tmp_path / "a.json.gz", [entry("x7"), entry("y", goals=[{"position": [0, 1, 2], "radius": None}])]
    )
    table = read_episodes(path, ["/scenes/Adrian.glb", "/scenes/Cosmos.glb"])
    assert table.names == ("x7", "y")
    assert table.scenes.tolist() == [1, 1]
    assert table.starts[0].tolist() == [1, 0, 2]
    assert table.headings[0] == pytest.approx(np.pi / 2)
    assert table.goals.tolist() == [[3, 0, -1], [0, 1, 2]]


def test_plain_json_and_skipped_scenes(tmp_path):
    path = tmp_path / "a.json"
    path.write_text(json.dumps({"episodes": [entry("0", "x/A.glb"), entry("1", "x/B.glb")]}))
    assert read_episodes(path, ["B.glb"]).names == ("1",)


@pytest.mark.parametrize(
    ("given", "named", "index"),
    [
        (["a/x.glb", "b/x.glb"], "b/x.glb", 1),
        (["/data/mp3d/17D/17D.glb"], "mp3d/17D/17D.glb", 0),
        (["TEEsavR23oF.basis.glb"], "hm3d/minival/00800-TEEsavR23oF/TEEsavR23oF.glb", 0),
        (["houses-v2/train/0017", "houses-v2/val/0017"], "houses-v2/val/0017", 1),
        (["/d/x.scene_dataset_config.json:apt_0"], "data/d/scenes/apt_0.scene_instance.json", 0),
        (["/d/x.scene_dataset_config.json:apt_0", "/d/x.scene_dataset_config.json:apt_1"], "apt_1", 1),
        (["/d/hm3d.scene_dataset_config.json:TEE"], "hm3d/val/00800-TEE/TEE.basis.glb", 0),
        (["/data/mp3d/17D/17D.glb"], "C:\\data\\mp3d\\17D\\17D.glb", 0),
    ],
)
def test_scene_matching(tmp_path, given, named, index):
    path = write(tmp_path / "a.json.gz", [entry(scene=named)])
    assert read_episodes(path, given).scenes.tolist() == [index]


def test_index_file_with_content_folder(tmp_path):
    path = write(tmp_path / "val.json.gz", [])
    write(tmp_path / "content" / "A.json.gz", [entry("0", "s/A.glb"), entry("1", "s/A.glb")])
    write(tmp_path / "content" / "B.json.gz", [entry("0", "s/B.glb", start_position=None)])
    # The broken file of a scene that is not asked for is not even opened.
    assert read_episodes(path, ["s/A.glb"]).names == ("0", "1")
    with pytest.raises(EpisodeError, match=r"B\.json\.gz: episode '0': start_position is None"):
        read_episodes(path, ["s/B.glb"])


def test_all_episodes_and_the_scenes_that_they_name(tmp_path):
    config = {"scene_dataset_config": "data/hm3d.scene_dataset_config.json"}
    path = write(
        tmp_path / "a.json.gz",
        [entry("0", "s/B.glb", info=None), entry("1", "s/A.glb", **config), entry("2", "s/B.glb")],
    )
    table, named = read_all_episodes(path)
    assert table.scenes.tolist() == [0, 1, 0]
    assert named == (NamedScene("s/B.glb"), NamedScene("s/A.glb", "data/hm3d.scene_dataset_config.json"))
    write(tmp_path / "content" / "A.json.gz", [])
    empty = write(tmp_path / "val.json.gz", [])
    with pytest.raises(EpisodeError, match="holds no episodes"):
        read_all_episodes(empty)


def test_content_files_elsewhere_and_one_at_a_time(tmp_path, monkeypatch):
    folder = tmp_path / "val"
    path = write(folder / "val.json.gz", [])
    path.write_bytes(
        json.dumps({"episodes": [], "content_scenes_path": "{data_path}/parts/{scene}_v1.json.gz"}).encode()
    )
    for name in ("A", "B", "C"):
        write(folder / "parts" / f"{name}_v1.json.gz", [entry("0", f"s/{name}.glb")])
    write(folder / "content" / "D.json.gz", [entry("0", "s/D.glb")])
    opened = []
    real = episode_files._load
    monkeypatch.setattr(episode_files, "_load", lambda file: (opened.append(file.name), real(file))[1])
    # The folder alone means the split's file.
    table, named = read_all_episodes(folder)
    assert [scene.scene_id for scene in named] == ["s/A.glb", "s/B.glb", "s/C.glb"]
    assert table.path == path
    opened.clear()
    assert read_episodes(path, ["s/B_v1.glb", "s/B.glb"]).scenes.tolist() == [1]
    assert opened == ["val.json.gz", "B_v1.json.gz"]


@pytest.mark.parametrize(
    "pattern", ["/etc/{scene}.json.gz", "{data_path}/../../{scene}.json.gz", "content", 3, None]
)
def test_content_folders_that_reach_elsewhere(tmp_path, pattern):
    path = tmp_path / "val.json"
    path.write_text(json.dumps({"episodes": [], "content_scenes_path": pattern}))
    with pytest.raises(EpisodeError, match=r"val\.json: content_scenes_path is .*expected a path below"):
        read_all_episodes(path)


def test_splits_that_are_not_there(tmp_path):
    with pytest.raises(EpisodeError, match=r"names no split; put its name in place of \{split\}"):
        read_all_episodes(tmp_path / "{split}" / "{split}.json.gz")
    with pytest.raises(EpisodeError, match=rf"is a folder without {tmp_path.name}\.json\.gz"):
        read_all_episodes(tmp_path)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"start_position": [0, 1]}, "start_position is .*expected 3 finite numbers"),
        ({"start_position": [0, 1, float("nan")]}, "start_position"),
        ({"start_position": [0, 1, True]}, "start_position is .*True.*expected 3 finite numbers"),
        ({"start_position": [0, 1, 10**400]}, "start_position is .*expected 3 finite numbers"),
        # The largest float32 is 3.4e38.
        ({"start_position": [0, 1, -3.5e38]}, "start_position is .*expected 3 finite numbers"),
        ({"goals": [{"position": [10**400, 0, 0]}]}, r"goals\[0\].position is"),
        ({"start_rotation": [False, 0, 0, True]}, "start_rotation is"),
        ({"info": {"geodesic_distance": 10**400}}, "info.geodesic_distance is 1000"),
        ({"start_rotation": [0, 0, 0, 0]}, "start_rotation has length 0.000"),
        ({"goals": []}, "'goals' holds no goal.*ObjectNav"),
        ({"goals": None}, "goals is 'None'"),
        ({"goals": [{"radius": 1}]}, r"goals\[0\].position is None"),
        ({"scene_id": 4}, "scene_id"),
        (
            {"info": {"geodesic_distance": float("inf")}},
            "info.geodesic_distance is inf: the goal cannot be reached",
        ),
    ],
)
def test_bad_entries_name_file_and_episode(tmp_path, changes, message):
    path = write(tmp_path / "bad.json.gz", [entry("0"), entry("k1", **changes)])
    with pytest.raises(EpisodeError, match=rf"bad\.json\.gz: episode 'k1': {message}"):
        read_episodes(path, ["Cosmos.glb"])


def test_broken_files(tmp_path):
    with pytest.raises(EpisodeError, match="no such episode file"):
        read_episodes(tmp_path / "none.json.gz", ["a"])
    half = write(tmp_path / "half.json.gz", [entry(str(k)) for k in range(100)])
    half.write_bytes(half.read_bytes()[:-200])
    with pytest.raises(EpisodeError, match=r"half\.json\.gz: cannot be read"):
        read_episodes(half, ["a"])
    (tmp_path / "list.json").write_text("[]")
    with pytest.raises(EpisodeError, match="is no episode file"):
        read_episodes(tmp_path / "list.json", ["a"])
    empty = write(tmp_path / "empty.json.gz", [])
    with pytest.raises(EpisodeError, match=r"there is no .*content"):
        read_episodes(empty, ["a"])
    other = write(tmp_path / "other.json.gz", [entry()])
    with pytest.raises(EpisodeError, match=r"no episode of the given scenes.*Cosmos\.glb.*given: nope"):
        read_episodes(other, ["nope"])
    twice = write(tmp_path / "twice.json.gz", [entry(scene="x.glb")])
    with pytest.raises(EpisodeError, match="fits several"):
        read_episodes(twice, ["a/x.glb", "b/x.glb"])


def test_source_places_episodes_and_names_bad_ones(tmp_path, hall):
    path = write(tmp_path / "a.json.gz", [entry("in"), entry("out", goals=[{"position": [30.0, 0.0, 0.0]}])])
    config = EnvConfig(episodes=path, episode_order="sequential")
    source = DatasetSource(read_episodes(path, ["Cosmos.glb"]), 1, config)
    episode = source.make([source.draft(0, 0, 0)], hall, "Cosmos.glb")[0]
    # sqrt(2^2 + 3^2) m.
    assert episode.distance == pytest.approx(np.sqrt(13))
    with pytest.raises(EpisodeError, match=r"a\.json\.gz: episode 'out' in scene Cosmos\.glb: the goal"):
        source.make([source.draft(0, 0, 1)], hall, "Cosmos.glb")


def test_real_habitat_files(shared_data):
    """ObjectNav files have PointNav's outer shape but no goals: the message says so."""
    index = shared_data / "episodes" / "objectnav_hm3d_val_mini" / "val_mini.json.gz"
    for given in (["TEEsavR23oF.basis.glb"], ["x.scene_dataset_config.json:TEEsavR23oF"]):
        with pytest.raises(EpisodeError, match=r"TEEsavR23oF\.json\.gz: episode '7': 'goals' holds no goal"):
            read_episodes(index, given)


def test_real_habitat_files_as_pointnav(shared_data, tmp_path):
    """With goals put in, the real files of two scenes are read as a PointNav data set."""
    source = shared_data / "episodes" / "objectnav_hm3d_val_mini"
    for file in sorted(source.rglob("*.json.gz")):
        content = json.loads(gzip.decompress(file.read_bytes()))
        for item in content["episodes"]:
            item["goals"] = [{"position": item["start_position"], "radius": None}]
        target = tmp_path / file.relative_to(source)
        target.parent.mkdir(exist_ok=True)
        target.write_bytes(gzip.compress(json.dumps(content).encode()))
    table, named = read_all_episodes(tmp_path / "val_mini.json.gz")
    config = "./data/scene_datasets/hm3d_v0.2/hm3d_annotated_basis.scene_dataset_config.json"
    root = "hm3d_v0.2/minival"
    assert named == (
        NamedScene(f"{root}/00800-TEEsavR23oF/TEEsavR23oF.basis.glb", config),
        NamedScene(f"{root}/00802-wcojb4TFT35/wcojb4TFT35.basis.glb", config),
    )
    assert table.scenes.tolist() == [0] * 15 + [1] * 15
    assert table.goals[0] == pytest.approx([-3.99935, 0.01338, -2.67815])


@pytest.mark.slow
def test_fifty_thousand_real_episodes(shared_data, tmp_path):
    raw = json.loads(
        gzip.decompress((shared_data / "episodes" / "objectnav_mp3d_50000_episodes.json.gz").read_bytes())
    )
    for item in raw["episodes"]:
        item["goals"] = [
            {
                "position": item["best_viewpoint_position"]
                if "best_viewpoint_position" in item
                else item["info"]["best_viewpoint_position"]
            }
        ]
    path = write(tmp_path / "big.json.gz", raw["episodes"])
    scenes = sorted({item["scene_id"] for item in raw["episodes"]})
    table = read_episodes(path, scenes)
    assert len(table.names) == 50_000
    assert [scenes[scene] for scene in table.scenes[::1000]] == [
        item["scene_id"] for item in raw["episodes"][::1000]
    ]


def test_deeply_nested_files(tmp_path):
    path = tmp_path / "deep.json"
    path.write_text("[" * 200_000 + "]" * 200_000)
    with pytest.raises(EpisodeError, match=r"deep\.json: cannot be read"):
        read_episodes(path, ["A"])
    nested = []
    for _ in range(400):
        nested = [nested]
    path = write(tmp_path / "nested.json.gz", [entry(nested, scene="A.glb", start_position=nested)])
    with pytest.raises(EpisodeError, match=r"nested\.json\.gz: episode 0: "):
        read_episodes(path, ["A.glb"])
