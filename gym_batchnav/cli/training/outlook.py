"""What a run will do and how long that should take, for people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.console import Console

from ...config import EnvConfig
from ...rl import RunInfo, TrainCallback
from ...rl.running.progress import clock
from .plan import TrainPlan, scene_names
from .presets import PRESETS

SKIPPED_UPDATES = 2
"""Updates before the measurement: they load scenes and compile."""
MEASURED_S = 5.0


def outlook(plan: TrainPlan, parameters: int) -> list[str]:
    """Lines about a run that is about to begin.

    Args:
        plan: Of the run.
        parameters: Weights of the policy.
    """
    learner, policy, ppo = plan.learner, plan.learner.policy, plan.learner.ppo
    height, width = plan.env.resolution
    seen = f"{' and '.join(plan.env.sensors)} {height} x {width}" if plan.env.sensors else "no images"
    memory = f"{policy.recurrence.upper()} of {policy.layers} x {policy.sizes.hidden}"
    memory = "no memory" if policy.recurrence == "none" else memory
    rate = f"{ppo.learning_rate:g}{', scaled to the batch' if ppo.scale_learning_rate else ''}"
    where = f"{plan.num_envs} environments of {_names(plan.env)}"
    lines = {
        "train": f"{learner.total_frames:,} frames of {plan.task} in {where}; {seen}",
        "network": f"{policy.encoder} encoder, {memory}, {parameters:,} parameters, on {learner.device}",
        "update": f"{plan.num_envs} x {ppo.rollout_length} frames, {ppo.minibatches} minibatches, "
        f"{ppo.epochs} epochs, {ppo.optimizer} at {rate}, {ppo.schedule} schedule",
        "validate": _validations(plan),
        "evaluate": f"{plan.num_episodes:,} episodes of {_names(plan.eval_env)}",
        "time": _time(plan),
    }
    about = f"preset {plan.preset}: {PRESETS[plan.preset].about}"
    return [about, *(f"  {name:<9} {text}" for name, text in lines.items() if text)]


def _validations(plan: TrainPlan) -> str:
    every = plan.learner.validate_every_frames
    where = f"{plan.val_episodes} episodes of {_names(plan.val_env)}"
    return "" if every is None else f"every {every:,} frames on {where}"


def _names(env: EnvConfig) -> str:
    return ", ".join(scene_names(env))


def _time(plan: TrainPlan) -> str:
    preset, limit = PRESETS[plan.preset], plan.learner.time_limit_s
    seconds = plan.learner.total_frames / preset.frames_per_second
    if limit is not None and limit < seconds:
        return f"{clock(limit)} of training by its limit of time, then the evaluation"
    return (
        f"about {clock(seconds)} of training at {preset.frames_per_second:,.0f} frames/s (a stored figure: "
        f"{preset.measured_on}); measured here after the first updates"
    )


class Forecast(TrainCallback):
    """Measures the first updates of a run and says once how long the rest will take.

    Args:
        out: Where to say it.
    """

    def __init__(self, out: Console) -> None:
        self._out = out
        self._run: RunInfo | None = None
        self._begun: tuple[int, float] | None = None
        self._updates, self._said = 0, False

    def on_start(self, run: RunInfo) -> None:
        """Note the limits of the run."""
        self._run = run

    def on_update(self, record: Mapping[str, Any]) -> None:
        """Measure, and say it once."""
        self._updates += 1
        now = int(record["frames"]), float(record["elapsed_s"])
        if self._said or self._run is None or self._updates < SKIPPED_UPDATES:
            return
        if self._begun is None:
            self._begun = now
            return
        frames, spent = now[0] - self._begun[0], now[1] - self._begun[1]
        if spent >= MEASURED_S:
            self._said = True
            self._say(frames / spent, *now)

    def _say(self, speed: float, frames: int, elapsed_s: float) -> None:
        assert self._run is not None
        config = self._run.config
        left = (config.total_frames - frames) / speed
        limited = config.time_limit_s is not None and config.time_limit_s - elapsed_s < left
        if limited and config.time_limit_s is not None:
            left = config.time_limit_s - elapsed_s
        seen = f", then by its limit of time at about {frames + speed * left:,.0f} frames" if limited else ""
        self._out.print(
            f"measured here: {speed:,.0f} frames/s, so training ends in about {clock(max(left, 0.0))}{seen}",
            soft_wrap=True,
        )
