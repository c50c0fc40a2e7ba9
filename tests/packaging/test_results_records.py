"""The stored results: tables and pictures made of them, the experiments behind them, and their statistics."""

from __future__ import annotations

import importlib.util
import json
import os
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure
from scipy import stats

from gym_batchnav.cli.app import parse
from gym_batchnav.cli.training.plan import plan_training

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "results"


def load(name: str) -> Any:
    spec = importlib.util.spec_from_file_location(f"results_{name}", FOLDER / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


table, study, curves, aggregate = (load(name) for name in ("table", "study", "curves", "aggregate"))


def interval(mean: float) -> dict[str, float]:
    return {"mean": mean, "low": mean - 0.01, "high": mean + 0.01}


def metrics(mean: float, actions: str = "") -> dict[str, Any]:
    return {**{key: interval(mean) for key in ("success", "spl", "soft_spl")}, "actions": actions}


def run(name: str, spl: float, **labels: object) -> dict[str, Any]:
    agents = {"trained": metrics(spl, "sampled"), "straight": metrics(0.08)}
    rows = [{"frames": 1000 * n, "success": spl * n / 10, "spl": spl * n / 11} for n in range(1, 11)]
    part = {"from": 0.0, "to": None, "episodes": 40, "agents": agents}
    return {
        "name": name, "frames": 10_000, "seconds": 7200.0, **labels,
        "machine": {"cores": 2, "cpu": "AMD EPYC"}, "curve": rows, "validations": rows[::3],
        "test": {
            "protocol": {
                "episodes": 40, "episodes_per_scene": [2, 2], "num_scenes": 20, "scenes": ["houses:test"],
                "resamples": 10_000, "resampled": "scenes",
            },
            "agents": agents, "strata": {"distance": [part]}, "checkpoint": {"frames": 9000},
            "differences": [{"agent": "trained", "than": "straight", **metrics(spl - 0.08)}],
        },
        "houses": {f"house/{n}": {"success": spl, "spl": spl + 0.001 * n} for n in range(20)},
    }  # fmt: skip


def ablation_record(lamb: float, adam: float) -> dict[str, Any]:
    runs = [
        run(f"{name}-{rate:g}-seed{seed}", spl, optimizer=name, learning_rate=rate, seed=seed)
        for name, spl in (("adam", adam), ("lamb", lamb))
        for rate, seed in ((1e-3, 0), (2e-3, 0), (4e-3, 0), (2e-3, 1), (2e-3, 2))
    ]
    return {"experiment": "ablation", "runs": runs, "chosen": {"adam": 2e-3, "lamb": 2e-3}}


def test_tables_in_the_readme_are_what_the_records_say():
    for path, parts in table.blocks(table.read_records()).items():
        text = path.read_text(encoding="utf-8")
        assert table.filled(text, parts) == text, f"run python docs/results/table.py: {path} is stale"


def test_the_front_page_shows_the_main_result():
    lines = table.front({"cpu": {"runs": [run("cpu-seed0", 0.8, seed=0)]}}).splitlines()
    assert lines[0] == "0 million frames on 2 CPU cores, then 40 episodes in 20 houses never seen before:"
    assert lines[4] == "| trained policy, sampled | 80.0% [79.0, 81.0] | 0.800 [0.790, 0.810] |"


def test_pictures_of_the_records_are_stored():
    stored = {path.stem for path in (FOLDER.parent / "images").glob("results-*.svg")}
    assert stored == {
        f"results-{name}" for name in ("cpu", "seeds", "ablation") if name in table.read_records()
    }


def test_records_name_no_place_on_a_disk():
    for name, record in table.read_records().items():
        for word in json.dumps(record).replace('"', " ").split():
            assert not os.path.isabs(word), (name, word)


def test_result_tables_by_hand():
    text = table.result({"runs": [run("cpu-seed0", 0.8, seed=0)]})
    told = "10,000 frames in 2.0 hours on 2 cores of an AMD EPYC; 40 episodes, 2 in each of 20 houses of"
    assert text.startswith(f"{told} `houses:test`. ")
    assert (
        "| trained policy, sampled | 80.0% [79.0, 81.0] | 0.800 [0.790, 0.810] | 0.800 [0.790, 0.810] |"
        in text
    )
    assert (
        "| trained policy, sampled | straight walker | +72.0 [+71.0, +73.0] | +0.720 [+0.710, +0.730] |"
        in text
    )
    assert "| 0 and more | 40 | 80.0% / 0.800 | 8.0% / 0.080 |" in text


@pytest.mark.parametrize(
    ("lamb", "adam", "words"),
    [(0.7, 0.5, "as BPS says"), (0.5, 0.7, "does not hold here"), (0.5, 0.5, "neither is better")],
)
def test_verdict_follows_the_interval(lamb, adam, words):
    text = table.ablation(ablation_record(lamb, adam))
    assert words in text
    # Scores rise from house to house by .001 up to .019: the middle half, .005 to .014, has the mean .0095.
    assert f"SPL (IQM): {lamb - adam:+.3f}" in text
    assert f"| lamb 0.002 | 3 | {lamb:.3f} [" in text
    assert f"| {lamb + 0.0095:.3f} [" in text


def test_interquartile_mean_by_hand_and_by_scipy():
    # 12 values 0 ... 11: without the 3 least and the 3 largest 3 ... 8, mean 5.5.
    assert aggregate.interquartile_mean(np.arange(12.0).reshape(3, 4)) == 5.5
    assert aggregate.interquartile_mean(np.array([[0.0, 0, 0, 100]])) == 0.0
    values = np.random.default_rng(0).beta(6, 2, (3, 100))
    assert aggregate.interquartile_mean(values) == pytest.approx(stats.trim_mean(values.ravel(), 0.25))


def test_stratified_resamples_draw_runs_within_each_house():
    # Houses differ a lot and runs not at all: whatever is drawn, the mean is the same.
    same = np.tile(np.arange(40.0), (3, 1))
    assert aggregate.interquartile_interval(same, repeats=50) == (19.5, 19.5)
    # One house: 3 of its runs 0, 3, 6 are drawn, of which none is trimmed; the mean is one of 0, 1, ... 6.
    drawn = aggregate.resampled(np.array([[0.0], [3.0], [6.0]]), seed=0, repeats=2000)
    assert set(drawn.tolist()) == {0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0}
    assert np.mean(drawn == 0.0) == pytest.approx(1 / 27, abs=0.015)
    assert np.mean(drawn == 3.0) == pytest.approx(7 / 27, abs=0.04)
    wide = np.random.default_rng(0).beta(6, 2, (3, 100))
    low, high = aggregate.interquartile_interval(wide, repeats=2000)
    assert low < aggregate.interquartile_mean(wide) < high
    assert aggregate.interquartile_interval(wide, repeats=2000) == (low, high)


def test_runs_of_other_houses_are_not_mixed():
    ours, theirs = run("a", 0.5)["houses"], run("b", 0.5)["houses"]
    assert aggregate.scores([ours, theirs], "spl").shape == (2, 20)
    del theirs["house/3"]
    with pytest.raises(ValueError, match="different houses"):
        aggregate.scores([ours, theirs], "spl")


@pytest.mark.parametrize("name", ["cpu", "seeds", "blind", "ablation"])
def test_commands_of_the_experiments_are_understood(name, monkeypatch, tmp_path):
    monkeypatch.setattr(study, "last_validation", lambda folder: 1.0 if "0.008" in folder.name else 0.5)
    (tmp_path / "blind" / "blind-seed0").mkdir(parents=True)
    planned = list(study.EXPERIMENTS[name](tmp_path))
    assert len({entry.name for entry in planned}) == len(planned)
    for entry in planned:
        plan = plan_training(parse(["train", *entry.train]))
        given = parse(["eval", "RUN", *entry.evaluate])
        assert (given.scenes, given.episodes) == (("houses:test",), 1000)
        assert plan.env.scenes == ("houses:train",)
        assert plan.val_env.scenes == ("houses:val",)
        assert plan.learner.time_limit_s is None
        assert plan.learner.seed == entry.labels["seed"]
        assert plan.env.image_sensors == (() if entry.labels.get("sensors") == "none" else ("depth",))
        assert plan.learner.validate_every_frames
        assert plan.learner.best_metric == "spl"


def test_ablation_is_fair(monkeypatch, tmp_path):
    # By the validations 2e-3 is the best rate of Adam and 2.3e-2 that of Lamb.
    monkeypatch.setattr(
        study,
        "last_validation",
        lambda folder: float(folder.name in ("adam-0.002-seed0", "lamb-0.023-seed0")),
    )
    planned = list(study.ablation(tmp_path))
    names = [entry.name for entry in planned]
    assert len(names) == 10
    assert names[6:] == ["adam-0.002-seed1", "adam-0.002-seed2", "lamb-0.023-seed1", "lamb-0.023-seed2"]
    plans = [plan_training(parse(["train", *e.train])) for e in planned]
    for entry, plan in zip(planned, plans, strict=True):
        ppo = plan.learner.ppo
        assert plan.num_envs * ppo.rollout_length == 16_384
        assert (ppo.optimizer, ppo.learning_rate) == (
            entry.labels["optimizer"],
            entry.labels["learning_rate"],
        )
        assert plan.learner.total_frames == 1_500_000

    # Nothing but optimiser, rate and seed differs.
    def rest(plan):
        record = plan.record()
        learner = {key: value for key, value in record["learner"].items() if key != "seed"}
        learner["ppo"] = {k: v for k, v in learner["ppo"].items() if k not in ("optimizer", "learning_rate")}
        return {**record, "learner": learner}

    assert all(rest(one) == rest(two) for one, two in pairwise(plans))
    for rates in study.RATES.values():
        # Each the square root of eight times the one before, to two digits.
        assert [b / a for a, b in pairwise(rates)] == pytest.approx([8**0.5] * 2, rel=0.02)


def fake_run(folder: Path, updates: int = 250) -> None:
    """What ``batchnav train`` and ``eval`` leave behind, as far as records need it."""
    folder.mkdir(parents=True)
    log = [
        {
            "kind": "update", "frames": 100 * n, "frames_per_second": 2000.0, "learning_rate": 1e-3,
            "metrics": {"success": None if n < 5 else n / updates, "spl": 0.5, "return": 1.0, "length": 9.0},
            "losses": {"entropy": 1.0, "kl": 0.01, "grad_norm": 0.5},
        }
        for n in range(1, updates + 1)
    ]  # fmt: skip
    log.append(
        {"kind": "validation", "frames": 25_000, "metrics": {"success": 0.5, "spl": 0.25, "return": 1.0}}
    )
    (folder / "train.jsonl").write_text("".join(json.dumps(row) + "\n" for row in log))
    files = {
        "config": {"learner": {"seed": 0}, "machine": {"cores": 2, "cpu": "AMD EPYC"}},
        "trained": {"frames": 25_000, "seconds": 60.0, "checkpoint": "checkpoints/best.pt"},
        "test": {**run("x", 0.5)["test"], "checkpoint": {"path": "/tmp/x.pt", "frames": 25_000}},
    }
    for name, content in files.items():
        (folder / f"{name}.json").write_text(json.dumps(content))
    rows = [("trained", "h/0", 1.0), ("trained", "h/0", 0.0), ("trained", "h/1", 1.0), ("expert", "h/0", 1.0)]
    lines = [{"agent": a, "scene_id": s, "success": v, "spl": v / 2} for a, s, v in rows]
    (folder / "test.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))


def test_record_of_a_run(tmp_path):
    fake_run(tmp_path / "blind" / "blind-seed0")
    record = study.experiment_record("blind", tmp_path)
    (entry,) = record["runs"]
    assert "/" not in json.dumps(entry["test"]["checkpoint"])
    assert entry["validations"] == [{"frames": 25_000, "success": 0.5, "spl": 0.25}]
    # Two episodes in h/0, one of them a success; the expert does not count.
    assert entry["houses"] == {"h/0": {"success": 0.5, "spl": 0.25}, "h/1": {"success": 1.0, "spl": 0.5}}
    # 250 updates in at most 120 rows: 3 a row, the last of one; successes are known from the fifth on.
    rows = entry["curve"]
    assert len(rows) == 84
    assert [row["frames"] for row in rows[:2]] == [300, 600]
    assert rows[-1]["frames"] == 25_000
    assert rows[0]["success"] is None
    assert rows[1]["success"] == pytest.approx((5 + 6) / 2 / 250)


def test_experiment_goes_on_where_it_stopped(tmp_path, monkeypatch):
    calls = []

    def call(command):
        calls.append(command[3:])
        if command[3] == "eval":
            Path(command[command.index("--json") + 1]).write_text("{}")
            return 0
        folder = Path(command[command.index("--run-dir") + 1])
        folder.mkdir(parents=True, exist_ok=True)
        return 130 if len(calls) == 3 else 0

    monkeypatch.setattr(study.subprocess, "call", call)
    # The training of the second run is interrupted: no evaluation, no third run.
    assert study.run_experiment("seeds", tmp_path) == 130
    assert [command[0] for command in calls] == ["train", "eval", "train"]
    assert study.run_experiment("seeds", tmp_path) == 0
    assert [command[0] for command in calls[3:]] == ["train", "eval", "train", "eval"]
    assert calls[3] == calls[2]
    assert study.run_experiment("seeds", tmp_path) == 0
    assert len(calls) == 7


def test_pictures_show_what_the_records_hold(tmp_path):
    records = {
        "cpu": {"runs": [run("cpu-seed0", 0.8)]},
        "seeds": {"runs": [run(f"depth-seed{n}", 0.7 + 0.1 * n) for n in range(3)]},
        "blind": {"runs": [run("blind-seed0", 0.4)]},
        "ablation": ablation_record(0.7, 0.5),
    }
    made = curves.figures(records)
    assert set(made) == {"results-cpu", "results-seeds", "results-ablation"}
    assert all(isinstance(figure, Figure) for figure in made.values())
    thick = [line for line in made["results-seeds"].axes[0].lines if line.get_linewidth() == 2.0]
    # Mean of 0.7, 0.8, 0.9 times 10 / 11 at the end; then the blind one.
    assert [line.get_ydata()[-1] for line in thick] == pytest.approx([0.8 * 10 / 11, 0.4 * 10 / 11])
    legend = made["results-ablation"].axes[0].get_legend()
    assert [text.get_text() for text in legend.get_texts()] == [
        "Adam 0.001", "Adam 0.002", "Adam 0.004", "Lamb 0.001", "Lamb 0.002", "Lamb 0.004",
    ]  # fmt: skip
    made["results-cpu"].savefig(tmp_path / "x.svg")


def test_generated_parts_have_their_places():
    with pytest.raises(ValueError, match="no place for 'cpu'"):
        table.filled("nothing", {"cpu": "x"})
    assert table.blocks({})[table.README]["ablation"] == table.NONE_YET
