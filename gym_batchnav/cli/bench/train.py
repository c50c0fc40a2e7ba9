"""Speed of the bundled learner: rollouts and updates together."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ...config import EnvConfig
from ...envs import BatchPointNavEnv
from ...rl import RunInfo, TrainCallback, train
from ..args import BenchArgs
from ..presets import PRESETS, choose_device, learner_config, parse_settings
from .rivals import choose
from .step import triangles_per_scene
from .windows import NUM_WINDOWS, Measurement

WARM_UP_UPDATES = 3


class _Windows(TrainCallback):
    """Cuts the updates of a run into windows and ends it after the last one."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.windows: list[float] = []
        self.updates: list[Mapping[str, Any]] = []
        self.run: RunInfo | None = None
        self._begun: tuple[int, float] | None = None

    def on_start(self, run: RunInfo) -> None:
        """Keep the handle that ends the run."""
        self.run = run

    def on_update(self, record: Mapping[str, Any]) -> None:
        """Count an update."""
        frames, elapsed = int(record["frames"]), float(record["elapsed_s"])
        if self._begun is None:
            if record["update"] >= WARM_UP_UPDATES:
                self._begun = frames, elapsed
            return
        self.updates.append(record)
        spent = elapsed - self._begun[1]
        if spent >= self.seconds / NUM_WINDOWS:
            self.windows.append((frames - self._begun[0]) / spent)
            self._begun = frames, elapsed
        if len(self.windows) == NUM_WINDOWS and self.run is not None:
            self.run.stop("benchmark")


def bench_train(args: BenchArgs, config: EnvConfig) -> dict[str, Any]:
    """Train in five windows of whole updates, as the preset ``quick`` does."""
    choose(args.compare, args.peer_python, "train", args.sensors)
    preset = PRESETS["quick"]
    given = {} if args.num_resident_scenes is None else {"num_resident_scenes": args.num_resident_scenes}
    config = EnvConfig.from_kwargs({**preset.env, **given}, config)
    settings = {
        **preset.learner,
        "total_frames": 10**12,
        "seed": args.seed,
        "device": choose_device(args.device),
        "checkpoint_every_s": 1e9,
        "tensorboard": False,
    }
    learner = learner_config({**settings, **parse_settings(args.set)})
    listener = _Windows(args.seconds)
    made: list[BatchPointNavEnv] = []

    def make_envs() -> BatchPointNavEnv:
        made.append(BatchPointNavEnv(args.num_envs, config))
        return made[0]

    with tempfile.TemporaryDirectory() as folder:
        train(learner, make_envs, Path(folder), callbacks=[listener])
    steps = learner.ppo.rollout_length
    frames = steps * args.num_envs * len(listener.updates)
    call_ms = tuple(1000 * steps * args.num_envs / u["frames_per_second"] for u in listener.updates)
    measured = Measurement(tuple(listener.windows), call_ms, frames)
    return {
        "frames_per_second": measured.frames_per_second,
        "windows": measured.windows,
        "frames": frames,
        "updates": len(listener.updates),
        "stages_ms": _stages(listener.updates, steps),
        "learner": learner.to_dict(),
        "triangles_per_scene": triangles_per_scene(config),
        "renderer": made[0].render_info,
    }


def _stages(updates: Sequence[Mapping[str, Any]], steps: int) -> dict[str, float]:
    """Milliseconds per vector step by stage; parts of the environment are named ``env/...``."""
    totals: dict[str, float] = {}
    for update in updates:
        for name, seconds in update["seconds"].items():
            totals[name] = totals.get(name, 0.0) + seconds
    return {name: 1000 * seconds / (steps * len(updates)) for name, seconds in totals.items()}
