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
    following = following_values(values, last_values, terminated, truncated, final_values)
    deltas = rewards + gamma * following - values
    carry = gamma * lam * (~ended).to(deltas.dtype)
    return backward_sums(deltas, carry)


def following_values(
    values: Tensor, last_values: Tensor, terminated: Tensor, truncated: Tensor, final_values: Tensor
) -> Tensor:
    """(T, N) value of what comes after each step; arguments as for ``advantages``."""
    following = torch.cat((values[1:], last_values[None]))
    return torch.where(truncated, final_values, following).masked_fill(terminated, 0.0)


def backward_sums(terms: Tensor, carry: Tensor) -> Tensor:
    """(T, N) s_t = terms_t + carry_t s_{t+1}, with nothing after the last step."""
    result = torch.empty_like(terms)
    running = torch.zeros_like(terms[0])
    for t in range(terms.shape[0] - 1, -1, -1):
        running = terms[t] + carry[t] * running
        result[t] = running
    return result
