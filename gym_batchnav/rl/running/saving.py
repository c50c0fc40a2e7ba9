"""When a run writes checkpoints, which of them stay, and which is the best."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gym_batchnav.errors import ConfigError
from gym_batchnav.rl.config import TrainConfig
from gym_batchnav.rl.running import checkpoint as ckpt
from gym_batchnav.rl.running.state import RunState, multiple_passed

_BEST_EPISODES = 100


class Saver:
    """Writes the checkpoints of a run: rank 0 does, while all ranks call the same methods in the same order.

    Args:
        config: of the run.
        run_dir: the run's folder.
        started: ``time.monotonic()`` at the start of this part of the run.
        by_validation: whether validations decide which checkpoint is the best, instead of training episodes.

    Raises:
        ConfigError: there is no such ``best_metric``.
    """

    def __init__(self, config: TrainConfig, run_dir: Path, started: float, *, by_validation: bool) -> None:
        self.config = config
        self.folder = run_dir / "checkpoints"
        self.best_by = "validation" if by_validation else "training"
        known = ("return", "length", *config.metric_keys)
        if not by_validation and config.best_metric not in known:
            raise ConfigError(
                f"best_metric is {config.best_metric!r}, which the training does not count; it counts "
                f"{', '.join(known)} (see metric_keys)"
            )
        self.best = float("-inf")
        self._last_time, self._last_frames = started, 0

    def restore(self, content: Mapping[str, Any]) -> None:
        """Takes over from a checkpoint how good the best one was, if it was measured in the same way."""
        progress = content["progress"]
        self._last_frames = int(progress["frames"])
        if progress.get("best_by", "training") == self.best_by:
            self.best = float(progress["best"])

    def due(self, frames: int) -> bool:
        """Whether it is time for a checkpoint: by seconds, by frames, or for one that is kept for good."""
        if time.monotonic() - self._last_time >= self.config.checkpoint_every_s:
            return True
        every = (self.config.checkpoint_every_frames, self.config.keep_every_frames)
        return any(multiple_passed(step, self._last_frames, frames) for step in every)

    def save(self, state: RunState, validated_frames: int) -> Path:
        """Writes a checkpoint; gives its path.

        Args:
            state: of the run.
            validated_frames: frames at the last validation.

        Raises:
            CheckpointError: it cannot be written; those before are whole.
        """
        frames = state.counters.frames
        episodes, means = state.episodes()
        best = False
        # Without a value in the last episodes, no other metric takes its place.
        if self.best_by == "training" and episodes >= _BEST_EPISODES:
            best = self._raise_best(means.get(self.config.best_metric, float("nan")))
        path = ckpt.checkpoint_path(self.folder, state.counters.updates)
        content = self._content(state, validated_frames)
        if state.world.is_main:
            if best:
                ckpt.save_checkpoint(self.folder / ckpt.BEST_NAME, content)
            self._write(path, content, frames)
        self._last_time, self._last_frames = time.monotonic(), frames
        return path

    def save_if_best(self, state: RunState, score: float, validated_frames: int) -> bool:
        """Writes the best checkpoint if ``score`` is above all before; gives whether it is."""
        if not self._raise_best(score):
            return False
        content = self._content(state, validated_frames)
        if state.world.is_main:
            ckpt.save_checkpoint(self.folder / ckpt.BEST_NAME, content)
        return True

    def _raise_best(self, score: float) -> bool:
        if not score > self.best:
            return False
        self.best = score
        return True

    def _write(self, path: Path, content: Mapping[str, Any], frames: int) -> None:
        ckpt.save_checkpoint(path, content)
        if multiple_passed(self.config.keep_every_frames, self._last_frames, frames):
            ckpt.link_checkpoint(path, ckpt.milestone_path(self.folder, frames))
        ckpt.prune(self.folder, self.config.keep_checkpoints)

    def _content(self, state: RunState, validated_frames: int) -> dict[str, Any]:
        content = state.content()
        content["progress"].update(best=self.best, best_by=self.best_by, validated_frames=validated_frames)
        return content
