"""Running mean and variance of images, per channel."""

from __future__ import annotations

import torch
from torch import Tensor, nn

_LEAST_VARIANCE = 1e-2
_SAMPLE = 256
_GOLDEN = (5**0.5 - 1) / 2


def moments(images: Tensor, channels: int) -> Tensor:
    """Count, sum and sum of squares of each channel; those of several parts, or ranks, add up.

    Args:
        images: (..., k * channels), where k pixels are folded; uint8 is read as 255ths.
        channels: C.

    Returns:
        (3, C) float64. For uint8 the sums are exact before they are divided by 255.
    """
    flat = images.reshape(-1, channels)
    if flat.dtype == torch.uint8:
        whole = flat.long()
        total, squares = whole.sum(0).double() / 255, (whole * whole).sum(0).double() / 255**2
    else:
        values = flat.double()
        total, squares = values.sum(0), values.square().sum(0)
    return torch.stack((torch.full_like(total, flat.shape[0]), total, squares))


def sample_frames(images: Tensor, most: int = _SAMPLE) -> Tensor:
    """Some frames of (T, N, H, W, C), at most ``most``, spread over steps and environments alike.

    Always the same ones; where a rank or a run has equal shapes, equal frames are taken.
    """
    steps, num_envs = images.shape[:2]
    if steps * num_envs <= most:
        return images.flatten(0, 1)
    index = torch.arange(most, device=images.device, dtype=torch.float64)
    # The additive recurrence of the golden ratio never settles on a few environments, as a stride can.
    env = ((index * _GOLDEN).frac() * num_envs).long()
    return images[(index * steps / most).long(), env]


class ImageMoments(nn.Module):
    """Shifts and scales images by the mean and deviation of each channel over all training so far.

    The statistics change only in ``merge``, once a rollout, so that the policy that learns from a rollout
    sees the images as the policy that acted did. Before the first merge they are a mean of 0.5 and a
    deviation of 0.5, which leaves images as they are. The variance is held at 0.01 or above.

    Args:
        channels: C.
    """

    mean: Tensor
    var: Tensor
    count: Tensor

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.register_buffer("mean", torch.full((channels,), 0.5, dtype=torch.float64))
        self.register_buffer("var", torch.full((channels,), 0.25, dtype=torch.float64))
        self.register_buffer("count", torch.zeros((), dtype=torch.float64))

    def forward(self, images: Tensor) -> Tensor:
        """Scales images whose range [0, 1] was mapped onto [-1, 1].

        Args:
            images: (..., k * C) float32, where k pixels are folded.

        Returns:
            The same shape: (pixel - mean) / deviation.
        """
        deviation = self.var.clamp_min(_LEAST_VARIANCE).sqrt()
        factor, shift = 0.5 / deviation, (0.5 - self.mean) / deviation
        folded = images.shape[-1] // self.mean.numel()
        return torch.addcmul(
            shift.to(images.dtype).repeat(folded), images, factor.to(images.dtype).repeat(folded)
        )

    @torch.no_grad()
    def merge(self, counted: Tensor) -> None:
        """Takes in what ``moments`` gave, (3, C), by the pairwise formula of Chan et al. 1979."""
        count = counted[0, 0]
        mean = counted[1] / count
        var = (counted[2] / count - mean.square()).clamp_min(0)
        share = count / (self.count + count)
        shift = mean - self.mean
        self.var.copy_(torch.lerp(self.var, var, share) + share * (1 - share) * shift.square())
        self.mean.add_(share * shift)
        self.count.add_(count)
