"""Generalised advantage estimation with terminations and truncations told apart."""

from __future__ import annotations

import torch
from torch import Tensor


def advantages(
    rewards: Tensor,
    values: Tensor,
    last_values: Tensor,
    terminated: Tensor,
    truncated: Tensor,
    final_values: Tensor,
    gamma: float,
    lam: float,
) -> Tensor:
    """Schulman et al. 2016, equations 11 and 16, cut at episode ends.

    The value after step t is 0 where the episode terminated, the value of its last observation where it was
    truncated, else the value of the next frame.

    Args:
        rewards: (T, N).
        values: (T, N), of the frames.
        last_values: (N,), of the frame after the last.
        terminated: (T, N) bool.
        truncated: (T, N) bool; ``terminated`` wins where both are set.
        final_values: (T, N), value of the last observation of episodes truncated at (t, n); read only there.
        gamma: discount.
        lam: lambda.

    Returns:
        (T, N); advantages + values are the returns to learn.
    """
    ended = terminated | truncated
    following = torch.cat((values[1:], last_values[None]))
    following = torch.where(truncated, final_values, following).masked_fill(terminated, 0.0)
    deltas = rewards + gamma * following - values
    carry = gamma * lam * (~ended).to(deltas.dtype)
    result = torch.empty_like(deltas)
    running = torch.zeros_like(last_values)
    for t in range(deltas.shape[0] - 1, -1, -1):
        running = deltas[t] + carry[t] * running
        result[t] = running
    return result
