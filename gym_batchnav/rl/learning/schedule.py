"""Rates that change with the progress of a run."""

from __future__ import annotations

import math

from gym_batchnav.rl.config import PPOConfig, TrainConfig


def progress(config: TrainConfig, frames: int, elapsed_s: float) -> float:
    """How much of the run is over, in [0, 1]: by frames or by time, whichever is further."""
    share = frames / config.total_frames
    if config.time_limit_s is not None:
        share = max(share, elapsed_s / config.time_limit_s)
    return min(share, 1.0)


def learning_rate(config: PPOConfig, share: float) -> float:
    """The rate at a progress in [0, 1]: half to full over ``warmup``, then down to ``final_factor``."""
    if share < config.warmup:
        return config.learning_rate * (0.5 + 0.5 * share / config.warmup)
    if config.schedule == "constant":
        return config.learning_rate
    fall = (share - config.warmup) / max(1.0 - config.warmup, 1e-12)
    left = 1.0 - fall if config.schedule == "linear" else 0.5 * (1.0 + math.cos(math.pi * min(fall, 1.0)))
    return config.learning_rate * (config.final_factor + (1.0 - config.final_factor) * left)


def entropy_coefficient(config: PPOConfig, share: float) -> float:
    """The weight of the entropy bonus at a progress in [0, 1]."""
    return config.entropy_coefficient * (1.0 + (config.entropy_final_factor - 1.0) * share)
