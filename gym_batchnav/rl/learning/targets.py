"""What values and policy are to learn from a rollout."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from gym_batchnav.rl.collecting.rollout import Rollout
from gym_batchnav.rl.config import PPOConfig
from gym_batchnav.rl.learning.gae import advantages
from gym_batchnav.rl.learning.vtrace import vtrace


class Evaluation(NamedTuple):
    """What a policy says about the frames of a rollout."""

    values: Tensor
    """(T, N), in units of reward."""
    last_values: Tensor
    """(N,), of the frame after the last that is filled."""
    log_probs: Tensor
    """(T, N), of the actions that were taken."""


class Targets(NamedTuple):
    """What is to be learnt from the frames of a rollout; (T, N) each."""

    advantages: Tensor
    """For the policy, not yet normalised."""
    returns: Tensor
    """For the values, in units of reward."""


def estimate(rollout: Rollout, policy: Evaluation, config: PPOConfig) -> Targets:
    """Advantages and returns by ``config.advantage``.

    Args:
        rollout: filled, or the first ``rollout.filled`` steps of it; the others get advantages of 0.
        policy: the policy that is evaluated: for "gae" the one that acted, for "vtrace" any near it.
        config: discount, lambda and bounds.
    """
    filled = slice(0, rollout.filled)
    ends = (rollout.terminated[filled], rollout.truncated[filled], rollout.final_values[filled])
    learnt = (rollout.rewards[filled], policy.values[filled], policy.last_values, *ends)
    if config.advantage == "vtrace":
        ratios = (policy.log_probs - rollout.log_probs)[filled]
        bounds = (config.rho_bar, config.c_bar)
        found = Targets(*vtrace(*learnt, ratios, config.gamma, config.gae_lambda, *bounds))
    else:
        raw = advantages(*learnt, config.gamma, config.gae_lambda)
        found = Targets(raw, raw + policy.values[filled])
    if rollout.filled == rollout.steps:
        return found
    rest = policy.values[rollout.filled :]
    pairs = zip(found, (torch.zeros_like(rest), rest), strict=True)
    return Targets(*(torch.cat(pair) for pair in pairs))


def explained_variance(returns: Tensor, errors: Tensor) -> Tensor:
    """Share of the returns' variance that the values explain; 0 where it is 0.

    Args:
        returns: variance of the returns, a scalar.
        errors: variance of returns minus values, a scalar.
    """
    return torch.where(returns > 0, 1.0 - errors / returns.clamp_min(1e-30), 0.0)
