"""Optimisers of the learner, and which weights are decayed."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

from gym_batchnav.rl.config import PPOConfig
from gym_batchnav.rl.learning.lamb import Lamb


def make_optimizer(network: nn.Module, config: PPOConfig) -> torch.optim.Optimizer:
    """AdamW or Lamb over all parameters.

    Biases and other vectors and scalars (norms, Fixup) are neither decayed nor scaled by Lamb's trust ratio.
    """
    matrices = [p for p in network.parameters() if p.ndim > 1]
    vectors = [p for p in network.parameters() if p.ndim <= 1]
    groups: list[dict[str, Any]] = [
        {"params": matrices, "weight_decay": config.weight_decay},
        {"params": vectors, "weight_decay": 0.0},
    ]
    rate, betas, eps = config.learning_rate, config.adam_betas, config.adam_eps
    if config.optimizer == "lamb":
        groups[1]["adapt"] = False
        return Lamb(groups, lr=rate, betas=betas, eps=eps)
    return torch.optim.AdamW(groups, lr=rate, betas=betas, eps=eps)
