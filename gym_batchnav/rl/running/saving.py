"""When a run writes checkpoints, which of them stay, and which is the best."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gym_batchnav.rl.config import TrainConfig
from gym_batchnav.rl.running import checkpoint as ckpt
from gym_batchnav.rl.running.state import RunState

_BEST_EPISODES = 100


class Saver:
    """Writes the checkpoints of a run.

    Args:
        config: of the run.
        run_dir: the run's folder.
        started: ``time.monotonic()`` at the start of this part of the run.
    """

    def __init__(self, config: TrainConfig, run_dir: Path, started: float) -> None:
        self.config = config
        self.folder = run_dir / "checkpoints"
        self.best = float("-inf")
        self._last_saved = started

    def restore(self, content: Mapping[str, Any]) -> None:
        """Takes over from a checkpoint how good the best one was."""
        self.best = float(content["progress"]["best"])

    def due(self) -> bool:
        """Whether it is time for a checkpoint."""
        return time.monotonic() - self._last_saved >= self.config.checkpoint_every_s

    def save(self, state: RunState) -> Path:
        """Writes a checkpoint, as the best too if it is; gives its path.

        Raises:
            CheckpointError: it cannot be written; those before are whole.
        """
        content = state.content()
        path = ckpt.checkpoint_path(self.folder, state.counters.updates)
        metrics = state.collector.metrics
        score = metrics.means().get(self.config.best_metric, metrics.means().get("return", float("-inf")))
        better = metrics.episodes >= _BEST_EPISODES and score > self.best
        self.best = score if better else self.best
        content["progress"]["best"] = self.best
        if better:
            ckpt.save_checkpoint(self.folder / ckpt.BEST_NAME, content)
        ckpt.save_checkpoint(path, content)
        ckpt.prune(self.folder, self.config.keep_checkpoints)
        self._last_saved = time.monotonic()
        return path
