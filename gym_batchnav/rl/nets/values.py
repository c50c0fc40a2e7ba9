"""Running units of the value head (PopArt)."""

from __future__ import annotations

import torch
from torch import Tensor, nn


class ValueScale(nn.Module):
    """Running mean and deviation of returns, with the value head rescaled so that its outputs are preserved.

    van Hasselt et al. 2016, "Learning values across many orders of magnitude", equations 6 to 9.
    """

    mean: Tensor
    std: Tensor
    square: Tensor
    weight: Tensor

    def __init__(self, rate: float = 0.05, minimum: float = 1e-2) -> None:
        super().__init__()
        self.rate = rate
        self.minimum = minimum
        self.register_buffer("mean", torch.zeros(()))
        self.register_buffer("std", torch.ones(()))
        self.register_buffer("square", torch.zeros(()))
        self.register_buffer("weight", torch.zeros(()))

    def restore(self, values: Tensor) -> Tensor:
        """From normalised units to units of reward."""
        return values * self.std + self.mean

    def normalize(self, returns: Tensor) -> Tensor:
        """From units of reward to normalised units."""
        return (returns - self.mean) / self.std

    def update(self, returns: Tensor, head: nn.Linear) -> None:
        """Takes in a batch of returns (any shape) and rescales ``head`` to keep what it says."""
        self.update_moments(returns.mean(), returns.square().mean(), head)

    @torch.no_grad()
    def update_moments(self, mean: Tensor, square: Tensor, head: nn.Linear) -> None:
        """Takes in a batch by its mean and its mean square, and rescales ``head`` to keep what it says."""
        # Early batches weigh 1/1, 1/2, ... so that the first estimate is not dragged by the initial zeros.
        self.weight += 1
        rate = torch.clamp(1 / self.weight, min=self.rate)
        old_mean, old_std = self.mean.clone(), self.std.clone()
        self.mean.lerp_(mean, rate)
        self.square.lerp_(square, rate)
        self.std.copy_((self.square - self.mean.square()).clamp_min(0).sqrt().clamp_min(self.minimum))
        head.weight.mul_(old_std / self.std)
        head.bias.copy_((old_std * head.bias + old_mean - self.mean) / self.std)
