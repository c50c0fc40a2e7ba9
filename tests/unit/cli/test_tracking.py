"""Weights & Biases, as a module that stands in for it."""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from gym_batchnav.cli import main
from gym_batchnav.cli.training.tracking import WandbLogger
from gym_batchnav.errors import ConfigError
from gym_batchnav.rl import RunInfo, TrainConfig

UPDATE = {
    "kind": "update", "update": 3, "frames": 300, "progress": 0.1, "frames_per_second": 50.0,
    "losses": {"kl": 0.01}, "metrics": {"success": 0.5}, "seconds": {"env/images": 0.25},
}  # fmt: skip


class FakeRun:
    def __init__(self, name):
        self.id, self.logged, self.metrics, self.finished = name, [], [], 0

    def define_metric(self, name, step_metric=None):
        self.metrics.append((name, step_metric))

    def log(self, numbers):
        self.logged.append(numbers)

    def finish(self):
        self.finished += 1


@pytest.fixture
def runs(monkeypatch):
    """Runs that were begun: (arguments, run)."""
    begun = []

    def init(**arguments):
        begun.append((arguments, FakeRun(arguments["id"] or f"run-{len(begun)}")))
        return begun[-1][1]

    monkeypatch.setitem(sys.modules, "wandb", SimpleNamespace(init=init))
    return begun


def start(logger, folder: Path) -> WandbLogger:
    logger.on_start(
        RunInfo(
            config=TrainConfig(), run_dir=folder, num_envs=1, frames=0, elapsed_s=0.0, parameters=1,
            precision="float32", stop=lambda reason: None,
        )
    )  # fmt: skip
    return logger


def test_numbers_arrive_by_frames(tmp_path, runs):
    folder = tmp_path / "cpu"
    folder.mkdir()
    logger = start(WandbLogger("nav", folder / "wandb.json", {"env": {"x": 1}}), folder)
    logger.on_update(UPDATE)
    logger.on_validation({"frames": 300, "metrics": {"spl": 0.4}, "best": True, "seconds": {"validate": 9.0}})
    logger.on_end(None)
    logger.close()
    ((arguments, run),) = runs
    assert (arguments["project"], arguments["name"], arguments["config"]) == ("nav", "cpu", {"env": {"x": 1}})
    assert run.metrics == [("frames", None), ("*", "frames")]
    assert run.logged == [
        {
            "update": 3, "progress": 0.1, "frames_per_second": 50.0, "losses/kl": 0.01,
            "metrics/success": 0.5, "seconds/env/images": 0.25, "frames": 300,
        },
        {"validation/metrics/spl": 0.4, "frames": 300},
    ]  # fmt: skip
    assert run.finished == 1


def test_a_resumed_run_goes_on_in_the_same_one_and_another_project_gets_its_own(tmp_path, runs):
    for project in ("nav", "nav", "other"):
        start(WandbLogger(project, tmp_path / "wandb.json", {}), tmp_path).close()
    assert [arguments["id"] for arguments, _ in runs] == [None, "run-0", None]
    assert all(arguments["resume"] == "allow" for arguments, _ in runs)
    assert json.loads((tmp_path / "wandb.json").read_text()) == {"project": "other", "id": "run-2"}


def test_a_missing_package_is_told_before_anything_is_written(tmp_path, monkeypatch, capsys):
    real = importlib.import_module

    def missing(name, *rest):
        if name == "wandb":
            raise ModuleNotFoundError("No module named 'wandb'", name="wandb")
        return real(name, *rest)

    monkeypatch.setattr(importlib, "import_module", missing)
    with pytest.raises(ConfigError, match="pip install wandb"):
        WandbLogger("nav", tmp_path / "wandb.json", {})
    assert main(["train", "--wandb", "nav", "--run-dir", str(tmp_path / "run")]) == 2
    assert "pip install wandb" in capsys.readouterr().err
    assert not (tmp_path / "run").exists()
