import gzip
import json

import numpy as np
import pytest

from gym_batchnav.config import EnvConfig
from gym_batchnav.errors import EpisodeError
from gym_batchnav.sim import DatasetSource
from gym_batchnav.sim.dataset import read_episodes

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
    with pytest.raises(EpisodeError, match=r"TEEsavR23oF\.json\.gz: episode '7': 'goals' holds no goal"):
        read_episodes(index, ["TEEsavR23oF.basis.glb"])


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
