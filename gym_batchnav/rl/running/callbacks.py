"""What a caller of ``train`` can listen to."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gym_batchnav.rl.config import Precision, TrainConfig


@dataclass(slots=True, kw_only=True)
class RunInfo:
    """A run that has begun."""

    config: TrainConfig
    """Its settings."""
    run_dir: Path
    """Its folder: train.jsonl, tensorboard/, checkpoints/."""
    num_envs: int
    """Environments."""
    frames: int
    """Frames that earlier parts of a resumed run have already seen."""
    elapsed_s: float
    """Seconds that earlier parts took."""
    parameters: int
    """Weights of the policy."""
    precision: Precision
    """Whether the encoder runs in bfloat16."""
    stop: Callable[[str], None] = field(repr=False)
    """Ends the run after the current update, for the reason given."""


@dataclass(slots=True, kw_only=True)
class TrainResult:
    """How a run ended."""

    frames: int
    """Frames seen, earlier parts included."""
    updates: int
    """Updates made, earlier parts included."""
    elapsed_s: float
    """Seconds of training, earlier parts included."""
    reason: str
    """"frames", "time", the name of a signal, or what a callback gave."""
    checkpoint: Path
    """The last checkpoint."""
    best_checkpoint: Path | None
    """The one that validations, or else training episodes, found the best, if there is one."""
    metrics: dict[str, float]
    """Running means at the end."""
    log: Path
    """The JSON lines."""


class TrainCallback:
    """Listens to a run; override what is needed."""

    def on_start(self, run: RunInfo) -> None:
        """The environments are made and the first rollout is about to begin."""

    def on_update(self, record: Mapping[str, Any]) -> None:
        """An update is done; ``record`` is the line that was logged (see ``logs.py``)."""

    def on_validation(self, record: Mapping[str, Any]) -> None:
        """The policy was validated; ``record`` is the line that was logged (see ``logs.py``)."""

    def on_signal(self, name: str) -> None:
        """A signal asks the run to stop, which it does after the update in progress.

        Called within the signal's handler, in the middle of anything: do little.
        """

    def on_message(self, text: str) -> None:
        """Something that a person should know, in one line."""

    def on_end(self, result: TrainResult) -> None:
        """The last checkpoint is written."""
