"""The folder of a run: what is left to do in it, and what is refused."""

from __future__ import annotations

import errno
import json
from contextlib import nullcontext

import pytest

from gym_batchnav.cli import locks
from gym_batchnav.cli.training.runs import (
    RunDir,
    Stage,
    check_writable,
    decide,
    differences,
    flatten,
    read_json,
    set_aside,
    write_json,
)
from gym_batchnav.errors import CheckpointError, ConfigError

CONFIG = {
    "env": {"scenes": ["a"], "num_envs": 4},
    "learner": {"total_frames": 100, "time_limit_s": None, "ppo": {"epochs": 2}},
    "evaluation": {"episodes": {"count": 8, "seed": 7}},
}


def changed(**groups) -> dict:
    """The configuration with some entries replaced, e.g. ``env={"num_envs": 5}``."""
    return {name: {**CONFIG[name], **groups.get(name, {})} for name in CONFIG}


@pytest.fixture
def run(tmp_path) -> RunDir:
    return RunDir(tmp_path / "runs" / "quick")


def finish(run: RunDir) -> None:
    run.begin(CONFIG)
    for path in (run.trained, run.evaluation):
        write_json(path, {})
    run.report.write_text("<html>")


def test_stages_follow_what_is_there(run):
    assert decide(run, CONFIG) is Stage.TRAIN
    run.begin(CONFIG)
    assert decide(run, CONFIG) is Stage.RESUME
    write_json(run.trained, {})
    assert decide(run, CONFIG) is Stage.EVALUATE
    write_json(run.evaluation, {})
    assert decide(run, CONFIG) is Stage.EVALUATE
    run.report.write_text("<html>")
    assert decide(run, CONFIG) is Stage.DONE


def test_other_settings_are_refused_and_named(run):
    finish(run)
    with pytest.raises(ConfigError, match=r"env\.num_envs was 4, now 5") as error:
        decide(run, changed(env={"num_envs": 5}))
    assert "--fresh" in str(error.value)
    with pytest.raises(ConfigError, match=r"learner\.ppo\.epochs was 2, now 3"):
        decide(run, changed(learner={"ppo": {"epochs": 3}}))


def test_another_budget_needs_an_explicit_resume(run):
    finish(run)
    more = changed(learner={"total_frames": 200})
    with pytest.raises(ConfigError, match="--resume allows another budget"):
        decide(run, more)
    assert decide(run, more, resume=True) is Stage.RESUME
    with pytest.raises(ConfigError, match=r"env\.num_envs"):
        decide(run, changed(env={"num_envs": 5}, learner={"total_frames": 200}), resume=True)


def test_settings_that_came_later_are_at_their_defaults(run):
    """A run of an earlier version goes on, unless one of them is set now."""
    finish(run)
    now = changed(env={"hfov_deg": 90.0, "shading": "unlit"}, learner={"ppo": {"epochs": 2, "clip": 0.2}})
    assert decide(run, now) is Stage.DONE
    with pytest.raises(ConfigError, match=r"env\.hfov_deg was 90\.0, now 70"):
        decide(run, changed(env={"hfov_deg": 70.0}))


def test_another_evaluation_does_not_train_again(run):
    finish(run)
    assert decide(run, changed(evaluation={"episodes": {"count": 9, "seed": 7}})) is Stage.EVALUATE


def test_tuples_equal_what_json_makes_of_them(run):
    finish(run)
    assert decide(run, changed(env={"scenes": ("a",)})) is Stage.DONE


def test_resume_without_a_run_is_refused(run):
    with pytest.raises(ConfigError, match="there is no run"):
        decide(run, CONFIG, resume=True)


def test_foreign_folder_is_left_alone(run):
    run.path.mkdir(parents=True)
    (run.path / "thesis.tex").write_text("x")
    with pytest.raises(ConfigError, match=r"holds no run \(thesis\.tex is there\)"):
        decide(run, CONFIG)


def test_broken_config_is_named(run):
    run.begin(CONFIG)
    run.config.write_text('{"env": ')
    with pytest.raises(CheckpointError, match=r"config\.json"):
        decide(run, CONFIG)


def test_set_aside_loses_nothing(run):
    assert set_aside(run.path) is None
    finish(run)
    first = set_aside(run.path)
    finish(run)
    second = set_aside(run.path)
    assert first is not None
    assert second is not None
    assert (first.name, second.name) == ("quick.old-1", "quick.old-2")
    assert read_json(first / "config.json") == CONFIG
    assert not run.path.exists()


def test_a_start_that_failed_before_anything_was_learnt_keeps_nobody_out(run):
    """As with a device that is not there: the next command need not say --fresh."""
    run.begin(CONFIG)
    assert decide(run, changed(env={"num_envs": 5})) is Stage.TRAIN
    run.checkpoints.mkdir()
    (run.checkpoints / "update-00000001.pt.broken").touch()
    with pytest.raises(ConfigError, match=r"env\.num_envs was 4, now 5"):
        decide(run, changed(env={"num_envs": 5}))


@pytest.mark.parametrize("text", ["", '{"a": ', "[]"])
def test_results_that_are_broken_are_made_again(run, text):
    finish(run)
    run.evaluation.write_text(text)
    assert decide(run, CONFIG) is Stage.EVALUATE
    run.trained.write_text(text)
    assert decide(run, CONFIG) is Stage.RESUME


def test_where_no_run_can_be_kept(tmp_path):
    (tmp_path / "file").touch()
    for path in (tmp_path / "file", tmp_path / "file" / "run", tmp_path / ("x" * 300)):
        with pytest.raises(ConfigError, match=r"no run can be kept in .*: "), RunDir(path).lock():
            pass


def test_what_cannot_be_written_is_known_before(tmp_path):
    check_writable(tmp_path / "new" / "a.json")
    assert list((tmp_path / "new").iterdir()) == []
    for path in (tmp_path, tmp_path / "new" / ("x" * 300) / "a.json"):
        with pytest.raises(ConfigError, match="cannot be written: "):
            check_writable(path)


def test_two_processes_cannot_share_a_folder(run):
    with run.lock(), pytest.raises(ConfigError, match="another process"), run.lock():
        pass
    with run.lock():
        pass


def test_write_json_leaves_no_partial_file(tmp_path):
    path = tmp_path / "deep" / "x.json"
    write_json(path, {"a": 1})
    assert json.loads(path.read_text()) == {"a": 1}
    assert [p.name for p in path.parent.iterdir()] == ["x.json"]


def test_flatten_and_differences():
    assert flatten({"a": {"b": {"c": 1}, "d": 2}}) == {"a.b.c": 1, "a.d": 2}
    old = {"env": {"x": 1}, "learner": {}, "evaluation": {}, "machine": {"cpu": "a"}}
    new = {"env": {"x": 2, "y": 3}, "learner": {}, "evaluation": {}, "machine": {"cpu": "b"}}
    assert differences(old, new) == {"env.x": (1, 2), "env.y": (None, 3)}


@pytest.mark.parametrize(("number", "free"), [(errno.ENOLCK, True), (errno.EIO, False)])
def test_where_files_cannot_be_locked_a_run_goes_without(run, monkeypatch, number, free):
    """As on some network file systems; other errors are not taken for that."""

    def refuse(file):
        raise OSError(number, "no locks")

    monkeypatch.setattr(locks, "_lock", refuse)
    with nullcontext() if free else pytest.raises(OSError, match="no locks"), run.lock():
        pass
