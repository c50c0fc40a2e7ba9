"""What ranks sum up: gradients in flat buckets, and moments in which every frame counts once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from gym_batchnav.rl.distributed.world import World

_BUCKET = 1 << 22
"""Numbers in a bucket, 16 MiB of float32: large enough for the network, small enough to travel in a row."""


def sum_flat_(world: World, tensors: Sequence[Tensor]) -> None:
    """Sums tensors of one device over the ranks, in place.

    They travel in flat buckets, all under way at once (the decentralised all-reduce of DD-PPO, Wijmans et al.
    2019, section 3.1: no rank is a server). All ranks must give the same shapes in the same order.
    """
    if world.size == 1:
        return
    buckets = list(_buckets(tensors))
    flats = [torch.cat([tensor.reshape(-1) for tensor in bucket]) for bucket in buckets]
    world.sum_all_(flats)
    for bucket, flat in zip(buckets, flats, strict=True):
        parts = torch.split(flat, [tensor.numel() for tensor in bucket])
        # One kernel for all: a copy of its own for each of a hundred tensors would cost more than the sum.
        torch._foreach_copy_(bucket, [part.view(t.shape) for part, t in zip(parts, bucket, strict=True)])


def _buckets(tensors: Sequence[Tensor]) -> Iterator[list[Tensor]]:
    bucket: list[Tensor] = []
    numbers = 0
    for tensor in tensors:
        if bucket and (numbers + tensor.numel() > _BUCKET or tensor.dtype != bucket[0].dtype):
            yield bucket
            bucket, numbers = [], 0
        bucket.append(tensor)
        numbers += tensor.numel()
    if bucket:
        yield bucket


class Moments(NamedTuple):
    """Of values on all ranks; tensors without axes, on the values' device."""

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


def moments(world: World, *values: Tensor) -> list[Moments]:
    """Mean and variance of each of several sets of values, taken over all ranks together.

    Every value counts once, so a rank with more of them weighs more. Any set may be empty on some ranks, not
    on all. The sums are made in float64.

    Args:
        world: the ranks.
        values: (K,) each; K may differ between sets and between ranks.
    """
    if world.size == 1:
        return [Moments(v.mean(), v.square().mean(), v.var(correction=0)) for v in values]
    sums = torch.stack(
        [torch.stack((_one(v) * v.numel(), v.double().sum(), v.double().square().sum())) for v in values]
    )
    count, total, squares = world.sum_(sums).unbind(dim=1)
    mean, square = total / count, squares / count
    variance = (square - mean.square()).clamp_min(0)
    return [Moments(*(m[k].to(v.dtype) for m in (mean, square, variance))) for k, v in enumerate(values)]


def _one(like: Tensor) -> Tensor:
    return torch.ones((), dtype=torch.float64, device=like.device)
