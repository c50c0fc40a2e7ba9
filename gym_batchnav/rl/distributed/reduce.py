"""Statistics over all ranks, in which every frame counts once."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from gym_batchnav.rl.distributed.world import World


class Moments(NamedTuple):
    """Of K kinds of numbers on all ranks; (K,) each, on the numbers' device."""

    mean: Tensor
    """Mean."""
    square: Tensor
    """Mean of the squares."""
    variance: Tensor
    """Mean squared distance from the mean."""

    @property
    def std(self) -> Tensor:
        """Square root of the variance."""
        return self.variance.sqrt()


def moments(world: World, numbers: Tensor, valid: Tensor) -> Moments:
    """Mean and variance of each of several kinds of numbers, taken over all ranks together.

    Every frame counts once, so a rank with more of them weighs more; some ranks may have none. Two passes
    keep the digits of a variance beside a large mean. The host reads nothing.

    Args:
        world: the ranks.
        numbers: (K, T, N).
        valid: (T, N) bool, which frames count; the others may hold anything.
    """
    kept = torch.where(valid, numbers, 0.0).sum(dim=(1, 2))
    *totals, count = world.sum_(torch.cat((kept, valid.sum()[None].to(kept.dtype)))).unbind()
    count = count.clamp_min(1)
    mean = torch.stack(totals) / count
    squares = torch.where(valid, (numbers - mean[:, None, None]).square(), 0.0).sum(dim=(1, 2))
    variance = world.sum_(squares) / count
    return Moments(mean, variance + mean.square(), variance)
