"""What evaluations say: paired differences, results by distance and ratio, protocol."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from gym_batchnav import EnvConfig, EpisodeSet
from gym_batchnav.cli import main
from gym_batchnav.cli.evaluation.checkpoints import chosen_checkpoint
from gym_batchnav.cli.evaluation.contest import Outcome, most_rows
from gym_batchnav.cli.evaluation.contestants import Trained, rival, same_task
from gym_batchnav.cli.evaluation.differences import differences
from gym_batchnav.cli.evaluation.protocol import evaluation_record, protocol
from gym_batchnav.cli.evaluation.strata import strata
from gym_batchnav.cli.report import AgentResult, EpisodeTrace
from gym_batchnav.cli.show import differences_table, label, part_label, strata_tables
from gym_batchnav.errors import CheckpointError, ConfigError
from gym_batchnav.rl import pretrained
from gym_batchnav.rl.intervals import bootstrap_interval, mean_interval


def episode(
    number: int, success: float, spl: float, *, distance=4.0, straight=4.0, scene="s"
) -> EpisodeTrace:
    nothing = np.zeros((0, 3))
    return EpisodeTrace(
        number=number, scene_id=scene, start=np.zeros(3), goal=np.array([straight, 0.0, 0.0]),
        start_distance=distance, way=nothing, headings=np.zeros(0), shortest=nothing,
        metrics={"success": success, "spl": spl, "soft_spl": spl, "path_length": 1.0, "steps": 3.0},
    )  # fmt: skip


def agent(name: str, episodes: list[EpisodeTrace], actions: str = "") -> AgentResult:
    summary = {key: mean_interval([e.metrics[key] for e in episodes]) for key in ("success", "spl")}
    return AgentResult(name=name, label=name, actions=actions, summary=summary, episodes=episodes)


def many(name: str, spl: np.ndarray, actions: str = "") -> AgentResult:
    """Episodes of 20 scenes, as many in each."""
    scenes = np.repeat(np.arange(20), spl.size // 20)
    episodes = [
        episode(n, float(v > 0), float(v), scene=f"house/{s}")
        for n, (v, s) in enumerate(zip(spl, scenes, strict=True))
    ]
    return agent(name, episodes, actions)


def test_differences_are_paired_and_over_houses():
    rng = np.random.default_rng(0)
    ours, theirs = rng.random(100), rng.random(100) / 2
    results = [many("trained", ours, "sampled"), many("straight", theirs)]
    (found,) = differences(results)
    assert (found.agent.name, found.than.name) == ("trained", "straight")
    groups = np.repeat(np.arange(20), 5)
    assert found.metrics["spl"] == bootstrap_interval(ours - theirs, groups=groups)
    assert found.to_dict()["spl"]["mean"] == pytest.approx((ours - theirs).mean())


def test_each_way_to_act_is_compared_with_its_like():
    values = np.linspace(0, 1, 20)
    results = [
        many("trained", values, "sampled"),
        many("trained-greedy", values, "greedy"),
        many("blind", values, "sampled"),
        many("blind-greedy", values, "greedy"),
        many("expert", values),
    ]
    pairs = [(found.agent.name, found.than.name) for found in differences(results)]
    assert pairs == [
        ("trained", "blind"),
        ("trained", "expert"),
        ("trained-greedy", "blind-greedy"),
        ("trained-greedy", "expert"),
    ]


def test_strata_by_distance_and_ratio():
    # Distances 1, 5, 5, 11 m in bins of 2 m (11 < 6 * 2); ratios 1, 1.25, 5, 2.2.
    rows = [(1.0, 1.0, 1), (5.0, 4.0, 0), (5.0, 1.0, 1), (11.0, 5.0, 0)]
    episodes = [episode(n, float(s), s * 0.8, distance=d, straight=w) for n, (d, w, s) in enumerate(rows)]
    found = strata([agent("trained", episodes)])
    assert [(part.kind, part.low, part.high, part.members.tolist()) for part in found] == [
        ("distance", 0.0, 2.0, [0]),
        ("distance", 4.0, 6.0, [1, 2]),
        ("distance", 10.0, 12.0, [3]),
        ("ratio", 1.0, 1.1, [0]),
        ("ratio", 1.25, 1.5, [1]),
        ("ratio", 2.0, math.inf, [2, 3]),
    ]
    middle = found[1].metrics["trained"]
    assert middle["success"] == mean_interval([0.0, 1.0])
    assert middle["spl"].mean == pytest.approx(0.4)
    assert found[1].label == "4 to 6 m"
    assert found[-1].label == "over 2"
    assert found[-1].to_dict()["to"] is None
    assert found[0].to_dict()["agents"]["trained"]["success"]["mean"] == 1.0


def test_ratio_of_a_way_that_is_nothing():
    assert episode(0, 1.0, 1.0, distance=0.0, straight=0.0).ratio == 1.0
    assert episode(0, 1.0, 1.0, distance=6.0, straight=4.0).ratio == 1.5


def test_record_says_how_it_was_made():
    results = [many("trained", np.linspace(0, 1, 60), "sampled"), many("expert", np.ones(60))]
    outcome = Outcome(results=results, differences=differences(results), strata=strata(results))
    config = EnvConfig(scenes=("houses:test",), episodes=EpisodeSet(60, 7))
    record = evaluation_record(outcome, config)
    assert record["protocol"] == {
        "scenes": ["houses:test"], "num_scenes": 20, "episodes": 60, "episodes_per_scene": [3, 3], "seed": 7,
        "confidence": 0.95, "resamples": 10_000, "resampled": "scenes",
    }  # fmt: skip
    assert record["spl"]["mean"] == pytest.approx(0.5)
    assert record["agents"]["expert"]["actions"] == ""
    assert [row["than"] for row in record["differences"]] == ["expert"]
    assert list(record["strata"]) == ["distance", "ratio"]
    few = agent("trained", [episode(n, 1.0, 1.0, scene=f"house/{n % 2}") for n in range(5)])
    assert protocol(few, config)["resampled"] == "episodes"
    assert protocol(few, config)["episodes_per_scene"] == [2, 3]


def test_tables_show_points_and_ranges():
    row = {
        "agent": "trained", "than": "straight",
        "success": {"mean": 0.5, "low": 0.4, "high": 0.6}, "spl": {"mean": -0.1, "low": -0.2, "high": 0.0},
        "soft_spl": {"mean": 0.0, "low": 0.0, "high": 0.0},
    }  # fmt: skip
    table = differences_table([row])
    assert [next(iter(column.cells)) for column in table.columns[2:4]] == [
        "+50.0  [+40.0, +60.0]",
        "-0.100  [-0.200, +0.000]",
    ]
    assert label("blind-greedy", "greedy") == "blind, greedy"
    assert label("trained", "sampled") == "trained policy, sampled"
    assert part_label({"from": 2.0, "to": None}) == "over 2"
    results = [many("trained", np.linspace(0, 1, 60), "sampled"), many("expert", np.ones(60))]
    kept = {kind: [p.to_dict() for p in strata(results) if p.kind == kind] for kind in ("distance", "ratio")}
    tables = strata_tables(kept, {result.name: {} for result in results})
    assert [[str(column.header) for column in table.columns] for table in tables] == [
        ["geodesic distance, m", "episodes", "trained"],
        ["geodesic / straight", "episodes", "trained"],
    ]


def test_rivals_need_a_name_and_the_same_task():
    assert rival("blind=runs/a=b") == ("blind", Path("runs/a=b"))
    for text in ("runs/blind", "=x", "blind="):
        with pytest.raises(ConfigError, match="expected NAME=CHECKPOINT"):
            rival(text)
    ours = EnvConfig(sensors=("depth",), resolution=(16, 16))
    same_task("blind", EnvConfig(sensors=()), ours)
    with pytest.raises(
        ConfigError, match=r"--versus other was trained for another task: its success_distance"
    ):
        same_task("other", EnvConfig(success_distance=0.5), ours)


def content(**changes):
    spec = {
        "fields": {"pointgoal": {"shape": [2], "dtype": "float32", "unit_range": False}},
        "num_actions": 4,
    }
    progress = {"frames": 7, "updates": 2, "best": 0.5, "best_by": "validation"}
    return {"env_spec": spec, "progress": progress, "config": {"best_metric": "spl"}} | changes


def test_what_a_checkpoint_says_of_itself(tmp_path):
    for name in ("best.pt", "update-00000002.pt"):
        (tmp_path / name).write_bytes(b"abc")
    best = Trained(tmp_path / "best.pt", content()).record()
    # SHA-256 of "abc", FIPS 180-2, appendix B.1.
    assert best["sha256"].startswith("ba7816bf8f01cfea")
    assert best["chosen"] == {"by": "validation", "metric": "spl", "value": 0.5}
    assert (best["frames"], best["updates"]) == (7, 2)
    newest = Trained(tmp_path / "update-00000002.pt", content()).record()
    assert "chosen" not in newest
    assert newest["config_sha256"] == best["config_sha256"]
    other = Trained(tmp_path / "best.pt", content(config={"best_metric": "success"})).record()
    assert other["config_sha256"] != best["config_sha256"]


def test_environment_of_a_checkpoint_comes_with_it():
    trained = Trained(Path("nowhere/x.pt"), content(env={"forward_step": 0.5, "num_envs": 3}))
    config = trained.environment(None)
    assert (config.forward_step, config.image_sensors) == (0.5, ())


def test_which_checkpoint_is_meant(tmp_path, monkeypatch):
    folder = tmp_path / "run" / "checkpoints"
    folder.mkdir(parents=True)
    for name in ("update-00000001.pt", "update-00000010.pt"):
        (folder / name).touch()
    assert chosen_checkpoint(tmp_path / "run").name == "update-00000010.pt"
    with pytest.raises(CheckpointError, match="--best"):
        chosen_checkpoint(tmp_path / "run", best=True)
    (folder / "best.pt").touch()
    assert chosen_checkpoint(tmp_path / "run", best=True).name == "best.pt"
    with pytest.raises(ConfigError, match="no checkpoint is given"):
        chosen_checkpoint(None)
    for given, best in ((tmp_path / "run", False), (None, True)):
        with pytest.raises(ConfigError, match="--pretrained"):
            chosen_checkpoint(given, best=best, pretrained=True)
    monkeypatch.setattr(pretrained, "FOLDER", tmp_path)
    (tmp_path / pretrained.WEIGHTS_NAME).touch()
    assert chosen_checkpoint(None, pretrained=True) == tmp_path / pretrained.WEIGHTS_NAME


def test_the_word_pretrained_is_a_checkpoint_too(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert chosen_checkpoint(Path("pretrained")) == pretrained.pretrained_path()
    (tmp_path / "pretrained" / "checkpoints").mkdir(parents=True)
    (tmp_path / "pretrained" / "checkpoints" / "best.pt").touch()
    assert chosen_checkpoint(Path("pretrained")) == Path("pretrained/checkpoints/best.pt")


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (["--num-envs", "0"], "--num-envs 0 is not allowed"),
        (["--json", "."], "it is a folder"),
        (["--episodes-json", "/dev/null/a/b.jsonl"], "cannot be written"),
    ],
)
def test_what_cannot_work_is_said_before_the_evaluation(capsys, flags, words):
    assert main(["eval", "--pretrained", *flags]) == 2
    told = capsys.readouterr()
    assert words in told.err
    assert "evaluating" not in told.out


def test_rows_of_an_evaluation():
    assert most_rows(EnvConfig(sensors=("depth",), device="cpu")) == 64
    assert most_rows(EnvConfig(sensors=(), device="cpu")) == 256
    assert most_rows(EnvConfig(sensors=("depth",), device="cuda:0")) == 256
