"""The loss of PPO."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from gym_batchnav.rl.collecting.rollout import Batch
from gym_batchnav.rl.config import PPOConfig
from gym_batchnav.rl.nets.policy import PolicyOutput


class LossSums(NamedTuple):
    """Sums over the valid frames of a batch."""

    policy: Tensor
    """Clipped surrogate, to be made small."""
    value: Tensor
    """Half of the squared error, in normalised units."""
    entropy: Tensor
    """Entropy in nats."""
    kl: Tensor
    """Estimate of KL(old, new): ratio - 1 - log ratio (Schulman 2020)."""
    clipped: Tensor
    """Frames whose ratio is outside the clip range."""


def ppo_losses(
    output: PolicyOutput, batch: Batch, old_values: Tensor, targets: Tensor, config: PPOConfig
) -> LossSums:
    """The parts of the loss of Schulman et al. 2017, equations 7 and 9.

    Args:
        output: of the network now, (T, B, actions) and (T, B).
        batch: the sequences; ``batch.advantages`` as they enter the loss.
        old_values: (T, B), in normalised units.
        targets: (T, B), in normalised units.
        config: clip ranges.

    Returns:
        Sums over valid frames.
    """
    valid = batch.valid
    log_probs = output.logits.gather(-1, batch.actions[..., None])[..., 0]
    log_ratio = log_probs - batch.log_probs
    ratio = log_ratio.exp()
    limited = ratio.clamp(1 - config.clip, 1 + config.clip)
    surrogate = -torch.minimum(ratio * batch.advantages, limited * batch.advantages)
    error = (output.values - targets).square()
    if config.value_clip is not None:
        near = old_values + (output.values - old_values).clamp(-config.value_clip, config.value_clip)
        error = torch.maximum(error, (near - targets).square())
    entropy = -(output.logits.exp() * output.logits).sum(-1)
    with torch.no_grad():
        kl = ratio - 1 - log_ratio
        outside = ((ratio - 1).abs() > config.clip).float()
    parts = (surrogate, 0.5 * error, entropy, kl, outside)
    return LossSums(*(torch.where(valid, part, 0.0).sum() for part in parts))
