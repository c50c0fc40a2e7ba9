"""Logging to Weights & Biases, where that is asked for."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...errors import ConfigError
from ...rl import RunInfo, TrainCallback, TrainResult
from .runs import flatten, read_json, write_json

_LEFT_OUT = ("kind", "frames")


class WandbLogger(TrainCallback):
    """Sends the records of a run to a project of Weights & Biases.

    Args:
        project: Its name.
        file: Keeps the run's name there, so that a resumed run goes on in the same one.
        config: Settings to be shown.

    Raises:
        ConfigError: the package wandb is not installed.
    """

    def __init__(self, project: str, file: Path, config: Mapping[str, Any]) -> None:
        try:
            self._wandb: Any = importlib.import_module("wandb")
        except ModuleNotFoundError as error:
            raise ConfigError(
                "--wandb needs the package wandb; install it with: pip install wandb"
            ) from error
        self._project, self._file, self._config = project, file, config
        self._run: Any = None

    def on_start(self, run: RunInfo) -> None:
        """Begins a run there, or goes on with the one that the folder knows."""
        known = read_json(self._file) if self._file.is_file() else {}
        same = known.get("project") == self._project
        self._run = self._wandb.init(
            project=self._project,
            id=known["id"] if same else None,
            name=run.run_dir.name,
            dir=str(run.run_dir),
            resume="allow",
            config=dict(self._config),
        )
        # Frames that are made again after a loss are then shown where they belong.
        self._run.define_metric("frames")
        self._run.define_metric("*", step_metric="frames")
        write_json(self._file, {"project": self._project, "id": self._run.id})

    def on_update(self, record: Mapping[str, Any]) -> None:
        """Sends the numbers of an update."""
        self._send(record, "")

    def on_validation(self, record: Mapping[str, Any]) -> None:
        """Sends the results of a validation."""
        self._send({"metrics": record["metrics"], "frames": record["frames"]}, "validation/")

    def on_end(self, result: TrainResult) -> None:
        """Ends the run there."""
        self.close()

    def close(self) -> None:
        """Ends the run there; safe to call twice."""
        if self._run is not None:
            self._run.finish()
            self._run = None

    def _send(self, record: Mapping[str, Any], prefix: str) -> None:
        numbers = {
            prefix + name.replace(".", "/"): value
            for name, value in flatten(record).items()
            if name not in _LEFT_OUT and isinstance(value, int | float)
        }
        self._run.log({**numbers, "frames": record["frames"]})
