"""``batchnav episodes``: its figures, and the file against the set that it was made from."""

from __future__ import annotations

import gzip
import json

import numpy as np
import pytest

from gym_batchnav import BatchPointNavEnv
from gym_batchnav.cli import main
from gym_batchnav.config import EpisodeSet

SCENES = "houses:val[:2]"
BLIND = {"scenes": SCENES, "sensors": (), "episode_order": "sequential", "scene_workers": 0}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("episodes")
    options = ["--scenes", SCENES, "--count", "12", "--seed", "3"]
    assert main(["episodes", *options, "--output", f"{folder}/a.json.gz", "--json", f"{folder}/a.json"]) == 0
    return folder


def entries(path):
    return json.loads(gzip.decompress(path.read_bytes()))["episodes"]


def test_file_holds_the_episodes_of_the_set(made):
    with (
        BatchPointNavEnv(12, episodes=made / "a.json.gz", **BLIND) as from_file,
        BatchPointNavEnv(12, episodes=EpisodeSet(12, seed=3), **BLIND) as from_set,
    ):
        for env in (from_file, from_set):
            env.reset(seed=0)
        read, drawn = from_file.agent_state(), from_set.agent_state()
        for name in ("position", "goal", "episode_id"):
            np.testing.assert_array_equal(read[name], drawn[name])
        assert read["scene_id"] == drawn["scene_id"]
        assert len(set(read["scene_id"])) == 2
        np.testing.assert_allclose(read["heading"], drawn["heading"], atol=1e-12)


def test_entries_are_habitats(made):
    for number, entry in enumerate(entries(made / "a.json.gz")):
        assert entry["episode_id"] == str(number)
        assert entry["scene_id"].split("/")[1:] == ["val", f"000{number // 6}"]
        assert np.linalg.norm(entry["start_rotation"]) == pytest.approx(1.0)
        assert entry["start_rotation"][0] == entry["start_rotation"][2] == 0.0
        assert len(entry["start_position"]) == len(entry["goals"][0]["position"]) == 3
        assert 1.0 <= entry["info"]["geodesic_distance"] <= 30.0


def test_figures_are_those_of_the_file(made):
    figures = json.loads((made / "a.json").read_text())
    found = entries(made / "a.json.gz")
    length = np.array([entry["info"]["geodesic_distance"] for entry in found])
    ends = np.array([[entry["start_position"], entry["goals"][0]["position"]] for entry in found])
    ratio = length / np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1)
    assert figures["episodes"] == 12
    assert figures["geodesic_distance"]["mean"] == pytest.approx(length.mean())
    assert figures["geodesic_distance"]["q75"] == pytest.approx(np.quantile(length, 0.75))
    assert figures["ratio"]["q50"] == pytest.approx(np.median(ratio))
    assert figures["straight_share"] == pytest.approx(np.mean(ratio < 1.1))
    assert figures["expert_success"] == 1.0
    assert figures["expert_spl"] > 0.97
    # No step is longer than 0.25 m, the last 0.2 m may be left, and stop is an action too.
    assert figures["expert_actions"]["mean"] > np.mean((length - 0.2) / 0.25)


def test_equal_sets_are_equal_files(made, tmp_path):
    again = tmp_path / "b.json.gz"
    assert main(["episodes", "--scenes", SCENES, "--count", "12", "--seed", "3", "--output", str(again)]) == 0
    assert again.read_bytes() == (made / "a.json.gz").read_bytes()


def test_refuses_no_episodes(capsys):
    assert main(["episodes", "--count", "0"]) == 2
    assert "--count 0 is not allowed" in capsys.readouterr().err
