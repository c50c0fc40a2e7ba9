"""The folder of a run: what is in it, how far it got, and whether a command may go on with it."""

from __future__ import annotations

import errno
import json
import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path
from typing import Any

from ...config import EnvConfig
from ...errors import CheckpointError, ConfigError
from ..locks import lock_file

BUDGET = ("learner.total_frames", "learner.time_limit_s")
"""Settings that an explicit resume may change."""
EVALUATION = "evaluation."
"""Prefix of the settings that only a new evaluation needs."""


class Stage(Enum):
    """What is left to do in a run's folder."""

    TRAIN = "train"
    RESUME = "resume"
    EVALUATE = "evaluate"
    DONE = "done"


@dataclass(frozen=True, slots=True)
class RunDir:
    """Names of the files of a run."""

    path: Path

    @property
    def config(self) -> Path:
        """Configuration of the run, written first."""
        return self.path / "config.json"

    @property
    def trained(self) -> Path:
        """Facts about the training, written when it has ended."""
        return self.path / "trained.json"

    @property
    def evaluation(self) -> Path:
        """Result of the evaluation."""
        return self.path / "eval.json"

    @property
    def episodes(self) -> Path:
        """Metrics of every evaluated episode, a line each."""
        return self.path / "episodes.jsonl"

    @property
    def report(self) -> Path:
        """The report; its presence means that the run is finished."""
        return self.path / "report.html"

    @property
    def checkpoints(self) -> Path:
        """Folder of the checkpoints."""
        return self.path / "checkpoints"

    @property
    def has_begun(self) -> bool:
        """Whether there is anything that has been learnt."""
        return self.trained.exists() or any(self.checkpoints.glob("*.pt*"))

    @property
    def plan(self) -> Path:
        """The plan, which ``batchnav train --config`` reads."""
        return self.path / "run.yaml"

    @property
    def wandb(self) -> Path:
        """Where a run that is logged to Weights & Biases keeps its name there."""
        return self.path / "wandb.json"

    def begin(self, config: Mapping[str, Any]) -> None:
        """Make the folder and store the configuration."""
        self.path.mkdir(parents=True, exist_ok=True)
        write_json(self.config, config)

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Keep a second process out of the folder; raises ``ConfigError`` where one is in it."""
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            opened = (self.path / ".lock").open("w")
        except OSError as error:
            raise ConfigError(f"--run-dir: no run can be kept in {self.path}: {error.strerror}") from error
        with opened as file:
            try:
                lock_file(file)
            except BlockingIOError as error:
                raise ConfigError(
                    f"another process works in the run folder {self.path}; wait for it, or give --run-dir"
                ) from error
            yield


def decide(run: RunDir, config: Mapping[str, Any], *, resume: bool = False) -> Stage:
    """What is left to do for a run with this configuration.

    Args:
        run: The folder.
        config: Nested configuration with the keys ``env``, ``learner`` and ``evaluation``.
        resume: Whether the budget (frames, time) may be another than before.

    Raises:
        ConfigError: the folder holds a run with other settings, or something that is no run.
    """
    if not run.config.exists():
        others = [p.name for p in run.path.iterdir() if p.name != ".lock"] if run.path.is_dir() else []
        if others:
            raise ConfigError(
                f"the run folder {run.path} is not empty and holds no run ({others[0]} is there); "
                "give another --run-dir"
            )
        if resume:
            raise ConfigError(f"--resume: there is no run in {run.path}; leave --resume out to start one")
        return Stage.TRAIN
    changed = differences(_completed(read_json(run.config)), _completed(config))
    forbidden = {
        key: pair
        for key, pair in changed.items()
        if not key.startswith(EVALUATION) and not (resume and key in BUDGET)
    }
    if forbidden and not run.has_begun:
        return Stage.TRAIN  # a start that failed before anything was learnt keeps nobody from another one
    if forbidden:
        listed = "; ".join(f"{key} was {old!r}, now {new!r}" for key, (old, new) in forbidden.items())
        more = "; --resume allows another budget" if all(key in BUDGET for key in forbidden) else ""
        raise ConfigError(
            f"the run in {run.path} was started with other settings ({listed}); give --fresh to start "
            f"anew, or --run-dir for another folder{more}"
        )
    # What is broken or lost of these is made again from the checkpoints.
    if not _is_whole(run.trained) or any(key in BUDGET for key in changed):
        return Stage.RESUME
    if changed or not run.report.exists() or not _is_whole(run.evaluation):
        return Stage.EVALUATE
    return Stage.DONE


def _is_whole(path: Path) -> bool:
    """Whether a file of a run is there and can be read."""
    try:
        return path.exists() and isinstance(read_json(path), dict)
    except CheckpointError:
        return False


def _completed(config: Mapping[str, Any]) -> dict[str, Any]:
    """The configuration with the settings that came after it was stored, at their defaults."""
    # Imported here: it loads torch, which most users of this module do without.
    from ...rl import TrainConfig

    learner = TrainConfig.from_dict(config.get("learner", {}))
    filled = replace(learner, policy=learner.policy.filled())
    plain = json.loads(json.dumps({"learner": filled.to_dict(), "env": EnvConfig().to_dict()}))
    parts = {part: {**plain["env"], **config.get(part, {})} for part in ("env", "evaluation")}
    return {**config, **parts, "learner": plain["learner"]}


def set_aside(path: Path) -> Path | None:
    """Rename a run's folder to a free name beside it; returns that name, None where there was nothing."""
    if not path.exists() or (path.is_dir() and not any(p.name != ".lock" for p in path.iterdir())):
        return None
    number = 1
    while (old := path.with_name(f"{path.name}.old-{number}")).exists():
        number += 1
    path.rename(old)
    return old


def differences(old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, tuple[object, object]]:
    """Settings whose values differ, by dotted name; only ``env``, ``learner`` and ``evaluation`` count."""
    parts = ("env", "learner", "evaluation")
    before = flatten({part: old.get(part, {}) for part in parts})
    after = flatten(json.loads(json.dumps({part: new.get(part, {}) for part in parts})))
    keys = sorted(before.keys() | after.keys())
    return {key: (before.get(key), after.get(key)) for key in keys if before.get(key) != after.get(key)}


def flatten(nested: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Nested mappings to one with dotted names."""
    flat: dict[str, Any] = {}
    for key, value in nested.items():
        if isinstance(value, Mapping):
            flat.update(flatten(value, f"{prefix}{key}."))
        else:
            flat[f"{prefix}{key}"] = value
    return flat


def write_json(path: Path, value: object) -> None:
    """Write a file as a whole or not at all; its folder is made."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(path.name + ".partial")
    partial.write_text(json.dumps(value, indent=2) + "\n", encoding="utf-8")
    os.replace(partial, path)


def check_writable(path: Path) -> None:
    """Make a file's folder and refuse a file that cannot be written, with a ``ConfigError``."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, "it is a folder; give the name of a file")
        with tempfile.TemporaryFile(dir=path.parent):
            pass
    except OSError as error:
        raise ConfigError(f"{path} cannot be written: {error.strerror}") from error


def read_json(path: Path) -> dict[str, Any]:
    """Read a file of a run; raises ``CheckpointError`` where it is broken."""
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise CheckpointError(f"cannot read {path}: {error}; give --fresh to start anew") from error
    if not isinstance(value, dict):
        raise CheckpointError(f"{path} holds no JSON object; give --fresh to start anew")
    return value
