"""Rates that change with the progress of a run."""

from __future__ import annotations

import math

from gym_batchnav.rl.config import PPOConfig, TrainConfig

_REFERENCE_FRAMES = 256


def progress(config: TrainConfig, frames: int, elapsed_s: float) -> float:
    """How much of the run is over, in [0, 1]: by frames or by time, whichever is further."""
    share = frames / config.total_frames
    if config.time_limit_s is not None:
        share = max(share, elapsed_s / config.time_limit_s)
    return min(share, 1.0)


def rate_scale(config: PPOConfig, num_envs: int, world_size: int = 1) -> float:
    """How many times the base rate the peak is, for large batches (Shacklett et al. 2021).

    Args:
        config: asks for it by ``scale_learning_rate``; else the scale is 1.
        num_envs: environments of one rank.
        world_size: number of ranks.

    Returns:
        max(1, sqrt(B / 256)) for a minibatch of B frames, all ranks counted.
    """
    if not config.scale_learning_rate:
        return 1.0
    frames = num_envs * config.rollout_length / config.minibatches * world_size
    return max(1.0, math.sqrt(frames / _REFERENCE_FRAMES))


def learning_rate(config: PPOConfig, share: float, scale: float = 1.0) -> float:
    """The rate at a progress in [0, 1]: half to full over ``warmup``, then down to its final value.

    Args:
        config: of the update.
        share: progress of the run.
        scale: of the peak, see ``rate_scale``.
    """
    peak = config.learning_rate * scale
    if share < config.warmup:
        return peak * (0.5 + 0.5 * share / config.warmup)
    if config.schedule == "constant":
        return peak
    fall = (share - config.warmup) / max(1.0 - config.warmup, 1e-12)
    left = 1.0 - fall if config.schedule == "linear" else 0.5 * (1.0 + math.cos(math.pi * min(fall, 1.0)))
    final = config.final_factor * (peak if config.final_of == "peak" else config.learning_rate)
    return final + (peak - final) * left


def entropy_coefficient(config: PPOConfig, share: float) -> float:
    """The weight of the entropy bonus at a progress in [0, 1]."""
    return config.entropy_coefficient * (1.0 + (config.entropy_final_factor - 1.0) * share)
