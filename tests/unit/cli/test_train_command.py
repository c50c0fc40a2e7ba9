"""``batchnav train`` and ``eval`` from end to end, on tiny runs."""

from __future__ import annotations

import dataclasses
import json
import shutil
import signal

import numpy as np
import pytest
from scipy.ndimage import binary_dilation

from gym_batchnav.cli import main
from gym_batchnav.cli.args import TrainArgs
from gym_batchnav.cli.evaluation import contest
from gym_batchnav.cli.evaluation.contestants import TASK_FIELDS, VIEW_FIELDS
from gym_batchnav.cli.training import train as train_module
from gym_batchnav.cli.training.plan import plan_training
from gym_batchnav.cli.training.runs import RunDir, read_json
from gym_batchnav.config import EnvConfig
from gym_batchnav.errors import ConfigError
from gym_batchnav.rl import read_log

pytestmark = [pytest.mark.slow]

FLAGS = {
    "--scenes": "houses:train[:2]",
    "--val-scenes": "houses:val[:2]",
    "--num-envs": "4",
    "--resolution": "16",
    "--frames": "64",
    "--eval-episodes": "3",
}
SETTINGS = {
    "ppo.rollout_length": 8,
    "ppo.minibatches": 2,
    "policy.hidden": 16,
    "checkpoint_every_s": 0,
    "threads": 1,
}
AGENTS = ["trained", "trained-greedy", "straight", "random", "expert", "untrained"]
# Agents that have learnt nothing walk to the limit; the expert needs 12 steps for 3 m, and some turns.
# Reports take longest of all, by the length of the walks that they show.
TINY = [*(word for pair in FLAGS.items() for word in pair)]
TINY += ["--env", "max_episode_steps=40", "--env", "max_geodesic=3", "--env", "scene_workers=0"]
TINY += [word for key, value in SETTINGS.items() for word in ("--set", f"{key}={value}")]


def train(folder, *more: str) -> int:
    return main(["train", "--run-dir", str(folder), *TINY, *more])


@pytest.fixture(scope="module")
def finished_run(tmp_path_factory):
    """A finished run's folder and what its evaluation saw."""
    # A name that would be read as a style, or end in an error, if it were not shown as it is.
    folder = tmp_path_factory.mktemp("runs") / "tiny [red] ü[" / "x]"
    outcomes = []

    def keep(*arguments, **options):
        outcomes.append(contest.run_contest(*arguments, **options))
        return outcomes[-1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(train_module, "run_contest", keep)
        assert train(folder) == 0
    (outcome,) = outcomes
    return folder, outcome


@pytest.fixture
def finished(finished_run):
    return finished_run[0]


@pytest.fixture
def copied(finished, tmp_path):
    """A finished run that a test may change."""
    return shutil.copytree(finished, tmp_path / "run")


def test_run_leaves_everything_it_promises(finished):
    names = {path.name for path in finished.iterdir()}
    assert {
        "config.json",
        "train.jsonl",
        "tensorboard",
        "checkpoints",
        "eval.json",
        "episodes.jsonl",
        "report.html",
    } <= names
    result = json.loads((finished / "eval.json").read_text())
    assert set(result["agents"]) == {*AGENTS}
    for key in ("success", "spl", "soft_spl", "distance_to_goal"):
        assert result[key]["low"] <= result[key]["mean"] <= result[key]["high"]
    assert result["episodes"] == 3
    rows = [json.loads(line) for line in (finished / "episodes.jsonl").read_text().splitlines()]
    assert len(rows) == len(AGENTS) * 3
    # The same episodes for all: equal start distances by number.
    for number in range(3):
        assert len({row["start_distance"] for row in rows if row["episode"] == number}) == 1
    page = (finished / "report.html").read_text()
    assert "straight walker" in page
    assert "data:image/gif" in page
    # 64 frames in updates of 4 x 8
    assert [update["frames"] for update in read_log(finished)] == [32, 64]


def test_second_call_only_shows_the_result(finished, capsys, monkeypatch):
    def never(*_, **__):
        raise AssertionError("trained again")

    monkeypatch.setattr(train_module, "train", never)
    monkeypatch.setattr(train_module, "run_contest", never)
    before = (finished / "report.html").stat().st_mtime_ns
    assert train(finished) == 0
    shown = capsys.readouterr().out
    assert "--fresh" in shown
    assert "straight walker" in shown
    assert str(finished / "report.html") in shown
    assert (finished / "report.html").stat().st_mtime_ns == before


def test_other_settings_are_refused(finished, capsys):
    assert train(finished, "--seed", "5") == 2
    assert "learner.seed was 0, now 5" in capsys.readouterr().err


def test_eval_of_the_run_writes_json_and_report(finished, tmp_path, capsys):
    path, alone = tmp_path / "result.json", tmp_path / "alone.pt"
    # The file itself says in what it was trained; the run's folder is not needed.
    shutil.copy(finished / "checkpoints" / "update-00000002.pt", alone)
    command = ["eval", str(alone), "--scenes", "houses:val[:1]", "--episodes", "3"]
    command += ["--versus", f"again={finished}", "--episodes-json", str(tmp_path / "all.jsonl")]
    assert main([*command, "--json", str(path), "--report", str(tmp_path / "page")]) == 0
    result = json.loads(path.read_text())
    names = ["trained", "trained-greedy", "again", "again-greedy", "straight", "random", "expert"]
    assert list(result["agents"]) == names
    ways = ["sampled", "greedy", "sampled", "greedy", "", "", ""]
    assert [agent["actions"] for agent in result["agents"].values()] == ways
    # The same policy twice, from equal seeds: the same walks, whoever was evaluated before.
    assert result["agents"]["again"] == result["agents"]["trained"]
    assert result["agents"]["again-greedy"] == result["agents"]["trained-greedy"]
    assert result["agents"]["expert"]["success"]["mean"] == 1.0
    assert result["agents"]["expert"]["spl"]["mean"] > 0.99
    pairs = [(row["agent"], row["than"]) for row in result["differences"]]
    plain = ["straight", "random", "expert"]
    expected = [("trained", name) for name in ("again", *plain)]
    assert pairs == expected + [("trained-greedy", name) for name in ("again-greedy", *plain)]
    assert result["differences"][0]["spl"] == {"mean": 0.0, "low": 0.0, "high": 0.0}
    assert result["protocol"]["episodes_per_scene"] == [3, 3]
    assert result["protocol"]["resampled"] == "episodes"
    assert (result["protocol"]["scenes"], result["protocol"]["seed"]) == (["houses:val[:1]"], 7)
    assert result["checkpoint"]["frames"] == 64
    for parts in result["strata"].values():
        assert sum(part["episodes"] for part in parts) == 3
    rows = [json.loads(line) for line in (tmp_path / "all.jsonl").read_text().splitlines()]
    assert [row["agent"] for row in rows] == [name for name in names for _ in range(3)]
    assert all(row["ratio"] >= 0.99 for row in rows)
    for key in ("success", "spl", "soft_spl", "distance_to_goal"):
        assert set(result[key]) == {"mean", "low", "high"}
    assert result["episodes"] == 3
    assert result["config"]["resolution"] == [16, 16]
    assert (result["config"]["max_episode_steps"], result["config"]["max_geodesic"]) == (40, 3.0)
    assert "WARNING" not in capsys.readouterr().out
    assert (tmp_path / "page" / "report.html").stat().st_size > 10_000


def test_exported_policy_is_evaluated_and_its_figures_go_into_its_card(finished, tmp_path, capsys):
    weights, path = tmp_path / "policy.pt", tmp_path / "result.json"
    export = ["export", str(finished), "-o", str(weights)]
    assert main(export) == 0
    card = json.loads((tmp_path / "policy.json").read_text())
    assert card["frames"] == 64
    assert "evaluation" not in card
    # Half a byte of slack for each parameter's two, and a few kB for names.
    assert weights.stat().st_size == card["bytes"] < 2.5 * card["parameters"] + 40_000
    command = ["eval", str(weights), "--scenes", "houses:val[:1]", "--episodes", "2", "--no-baselines"]
    assert main([*command, "--json", str(path)]) == 0
    result = json.loads(path.read_text())
    assert result["config"]["resolution"] == [16, 16]
    assert result["checkpoint"]["sha256"] == card["sha256"]
    before = weights.read_bytes()
    assert main([*export, "--result", str(path)]) == 0
    assert weights.read_bytes() == before
    card = json.loads((tmp_path / "policy.json").read_text())
    assert card["evaluation"]["agents"]["trained"]["spl"] == result["spl"]
    # Figures of other weights are refused, the rounded ones among them.
    assert main([*export, "--dtype", "float32", "--result", str(path)]) == 2
    assert "is about other weights" in capsys.readouterr().err


def test_interrupted_run_goes_on_with_the_same_command(tmp_path, capfd, monkeypatch):
    folder = tmp_path / "run"
    real = train_module.ProgressBar

    class Interrupting(real):
        """Sends Ctrl-C after the first update."""

        def on_update(self, record):
            super().on_update(record)
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(train_module, "ProgressBar", Interrupting)
    assert train(folder) == 130
    told = capfd.readouterr()
    assert "the same command goes on from here" in told.out
    assert "stopping after this update (SIGINT); Ctrl-C once more ends at once" in told.err
    assert [update["frames"] for update in read_log(folder)] == [32]
    assert not (folder / "report.html").exists()
    monkeypatch.setattr(train_module, "ProgressBar", real)
    assert train(folder) == 0
    assert "resumed at 32 frames" in capfd.readouterr().out
    assert [update["frames"] for update in read_log(folder)] == [32, 64]
    assert (folder / "report.html").exists()


def test_larger_budget_trains_on(copied):
    assert train(copied, "--resume", "--frames", "96") == 0
    assert [update["frames"] for update in read_log(copied)] == [32, 64, 96]
    assert json.loads((copied / "trained.json").read_text())["frames"] == 96


def test_the_plan_in_the_folder_is_that_of_the_run(finished):
    again = plan_training(TrainArgs(config=finished / "run.yaml"))
    assert json.loads(json.dumps(again.record()["learner"])) == read_json(finished / "config.json")["learner"]
    assert (again.num_envs, again.num_episodes) == (4, 3)
    assert main(["train", "--config", str(finished / "run.yaml"), "--run-dir", str(finished)]) == 0


SHRUNK = {
    "quick": (),
    "cpu": (),
    "bps-depth": ("policy.base_planes=4", "policy.compression=64"),
    "bps-rgb": ("policy.base_planes=4", "policy.compression=64"),
    "ddppo": ("policy.base_planes=16", "policy.compression=64"),
}


@pytest.mark.parametrize("preset", SHRUNK)
def test_every_preset_trains_and_evaluates(tmp_path, capsys, preset):
    flags = {**FLAGS, "--frames": "32", "--eval-episodes": "2", "--validation-episodes": "2"}
    flags["--resolution"] = "32" if preset == "ddppo" else "16"
    words = [word for pair in flags.items() for word in pair]
    for name in ("ppo.rollout_length=8", "ppo.minibatches=2", "policy.hidden=16", *SHRUNK[preset]):
        words += ["--set", name]
    words += ["--env", "num_resident_scenes=2", "--env", "max_episode_steps=20", "--env", "scene_workers=0"]
    folder = tmp_path / preset
    assert main(["train", "--preset", preset, "--run-dir", str(folder), *words]) == 0
    shown = capsys.readouterr().out
    assert f"preset {preset}: " in shown
    assert "parameters, on cpu" in shown
    assert (folder / "report.html").exists()
    validated = preset != "quick"
    assert bool(read_log(folder, "validation")) == validated
    chosen = "best.pt" if validated else "update-00000001.pt"
    assert read_json(folder / "trained.json")["checkpoint"] == f"checkpoints/{chosen}"


def test_another_task_trains_and_is_evaluated_without_the_straight_walker(tmp_path):
    folder = tmp_path / "run"
    assert train(folder, "--task", "imagenav", "--frames", "32", "--env", "max_episode_steps=20") == 0
    agents = read_json(folder / "eval.json")["agents"]
    assert set(agents) == {name for name in AGENTS if name != "straight"}
    # Evaluated apart, from the run and as a small file, it is still asked to find the place of a picture.
    small = tmp_path / "small.pt"
    assert main(["export", str(folder), "-o", str(small)]) == 0
    for number, policy in enumerate((folder, small)):
        result = tmp_path / f"{number}.json"
        words = ["--scenes", "houses:val[:2]", "--episodes", "3", "--json", str(result)]
        assert main(["eval", str(policy), *words, "--report", str(tmp_path / "report")]) == 0
        again = read_json(result)
        assert set(again["agents"]) == {"trained", "trained-greedy", "random", "expert"}
        assert again["config"]["max_episode_steps"] == 20


def test_every_setting_of_an_environment_is_kept_in_evaluations_or_left_out_for_a_reason():
    left = {
        "where": {"scenes", "scenes_dir", "navmesh", "scene_up", "scene_scale"},
        "which episodes": {"episodes", "episode_order", "index_offset", "total_envs"},
        "from the observations": {"sensors", "resolution"},
        "rewards of the training": {"slack_reward", "progress_reward", "success_reward", "final_reward"},
        "how it runs": {
            "scene_cache", "num_resident_scenes", "swap_episodes", "scene_workers", "autoreset_mode",
            "output", "device", "copy", "render_backend", "render_resolution",
        },
    }  # fmt: skip
    kept = [*VIEW_FIELDS, *TASK_FIELDS, *(name for names in left.values() for name in names)]
    assert sorted(kept) == sorted(field.name for field in dataclasses.fields(EnvConfig))


def test_fresh_keeps_the_old_run(copied, capsys, monkeypatch):
    def fail(*_, **__):
        raise ConfigError("no training in this test")

    monkeypatch.setattr(train_module, "train", fail)
    with RunDir(copied).lock():
        assert train(copied, "--fresh", "--seed", "3") == 2
    assert "another process works in the run folder" in capsys.readouterr().err
    assert not copied.with_name("run.old-1").exists()
    assert train(copied, "--fresh", "--seed", "3") == 2
    old = copied.with_name("run.old-1")
    assert str(old) in capsys.readouterr().out
    assert [update["frames"] for update in read_log(old)] == [32, 64]
    assert (old / "report.html").exists()
    assert read_log(copied) == []


def test_ways_and_films_are_those_that_were_walked(finished_run):
    _, outcome = finished_run
    assert [result.name for result in outcome.results] == AGENTS
    for result in outcome.results:
        assert [trace.number for trace in result.episodes] == [0, 1, 2]
        for trace in result.episodes:
            check_way(trace, outcome.maps[trace.scene_id])
    films = [len(trace.frames) for trace in outcome.results[0].episodes]
    assert films == [trace.metrics["steps"] for trace in outcome.results[0].episodes]


def check_way(trace, scene_map):
    assert len(trace.way) == trace.metrics["steps"] == len(trace.headings)
    assert trace.way[0] == pytest.approx(trace.start)
    steps = np.linalg.norm(np.diff(trace.way.astype(np.float64), axis=0), axis=1)
    # The last step is not in the way: it ends where the next episode has already begun.
    assert steps.sum() <= trace.metrics["path_length"] + 1e-3
    assert trace.metrics["path_length"] <= steps.sum() + 0.25 + 1e-3
    assert trace.shortest[0] == pytest.approx(trace.start, abs=1e-3)
    assert trace.shortest[-1] == pytest.approx(trace.goal, abs=1e-3)
    column, row = ((trace.way[:, [0, 2]] - scene_map.origin_xz) / scene_map.meters_per_pixel).T.astype(int)
    # A pixel stands for a point, and maps end before the last row and column: the rim is 2 pixels wide.
    near = binary_dilation(np.pad(scene_map.mask, 2), np.ones((5, 5)))
    assert near[row + 2, column + 2].all()
