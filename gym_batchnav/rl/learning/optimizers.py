"""Optimisers of the learner, and which weights are decayed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn
from torch.optim import Optimizer

from gym_batchnav.rl.config import PPOConfig
from gym_batchnav.rl.learning.lamb import Lamb

_FUSED = ("cpu", "cuda")


def make_optimizer(network: nn.Module, config: PPOConfig) -> Optimizer:
    """AdamW or Lamb over all parameters; both skip a step where ``found_inf`` is set to a tensor of 1.

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
    if all(p.device.type in _FUSED for p in network.parameters()):
        return torch.optim.AdamW(groups, lr=rate, betas=betas, eps=eps, fused=True)
    # Torch's other kernels cannot skip a step unless the host asks for it.
    return Lamb(groups, lr=rate, betas=betas, eps=eps, adapt=False)


def load_optimizer(optimizer: Optimizer, saved: Mapping[str, Any]) -> None:
    """Takes over moments and counts from a ``state_dict``, and keeps its own options.

    AdamW and Lamb keep the same numbers, so that either goes on from the other's.

    Raises:
        ValueError: it is of another network.
    """
    own = optimizer.state_dict()["param_groups"]
    groups = [
        {**mine, "params": theirs["params"]} for mine, theirs in zip(own, saved["param_groups"], strict=True)
    ]
    optimizer.load_state_dict({"state": saved["state"], "param_groups": groups})
    for parameter, state in optimizer.state.items():
        for name, value in state.items():
            if value.shape == parameter.shape:
                state[name] = _like(parameter, value)


def _like(parameter: Tensor, value: Tensor) -> Tensor:
    """A tensor in the memory format of a parameter: fused kernels go by memory order."""
    if value.stride() == parameter.stride():
        return value
    return torch.empty_like(parameter, requires_grad=False).copy_(value)
