"""Ranks must have the same settings and the same weights; who differs is named."""

from __future__ import annotations

import socket
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from itertools import pairwise

import torch
from torch import Tensor, nn

from gym_batchnav.errors import DistributedError
from gym_batchnav.rl.distributed.world import World

_INTEGERS = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}
"""Integer types by bytes."""


def share_weights(world: World, module: nn.Module) -> None:
    """Gives all ranks the parameters and buffers of rank 0."""
    for tensor in _tensors(module):
        world.broadcast_(tensor)


def check_same_weights(world: World, module: nn.Module) -> None:
    """Compares parameters and buffers by a checksum of every bit.

    Raises:
        DistributedError: they differ; those who differ from most (from rank 0 in a draw) are named.
    """
    if world.size == 1:
        return
    odd = outvoted(world.gather(checksum(_tensors(module))))
    if odd:
        raise DistributedError(
            f"the weights of {_names(odd)} differ from those of the other {world.size - len(odd)} ranks, "
            "though all took the same updates; another version of torch, another kind of device or broken "
            "memory can do that: resume from the last checkpoint, on equal machines",
            odd,
        )


def check_same(world: World, settings: dict[str, object]) -> None:
    """Compares settings that all ranks must have in common.

    Raises:
        DistributedError: one differs; it, the ranks and their values are named.
    """
    if world.size == 1:
        return
    told = world.gather({name: repr(value) for name, value in settings.items()})
    for name in settings:
        odd = outvoted([values[name] for values in told])
        if odd:
            common = next(v[name] for rank, v in enumerate(told) if rank not in odd)
            raise DistributedError(
                f"{name} is {told[odd[0]][name]} on {_names(odd)}, but {common} on the others; start all "
                "ranks with the same command and the same version",
                odd,
            )


def check_own_rows(world: World, ranges: Sequence[tuple[int, int]]) -> None:
    """Sees to it that no two ranks walk the same episodes.

    Args:
        world: the ranks.
        ranges: of the numbers of this rank's rows, first and last (exclusive), where its environments know
            them; the trainer seeds the others apart.

    Raises:
        DistributedError: rows of two ranks have the same numbers.
    """
    if world.size == 1:
        return
    told = sorted(
        (first, last, rank) for rank, own in enumerate(world.gather(list(ranges))) for first, last in own
    )
    for (_, last, rank), (first, _, other) in pairwise(told):
        if first < last:
            raise DistributedError(
                f"ranks {rank} and {other} both have the row {first}, so they would walk the same episodes; "
                "make the environments with index_offset=rank * num_envs and total_envs=ranks * num_envs",
                [rank, other],
            )


def check_own_devices(world: World, device: str) -> None:
    """Sees to it that no two ranks work on the same GPU.

    Raises:
        DistributedError: two ranks do.
    """
    if world.size == 1 or torch.device(device).type != "cuda":
        return
    own = f"{torch.cuda.get_device_properties(device).uuid} of {socket.gethostname()}"
    told = world.gather(own)
    (shared, times), *_ = Counter(told).most_common()
    if times > 1:
        ranks = [rank for rank, gpu in enumerate(told) if gpu == shared]
        raise DistributedError(
            f"{_names(ranks)} all work on the GPU {shared}; start one rank a GPU, and let each see all GPUs "
            "of its machine (srun --gpu-bind=none) or its own alone",
            ranks,
        )


@torch.no_grad()
def checksum(tensors: Iterable[Tensor]) -> int:
    """A number that depends on every bit of the tensors, and on where it is; waits for the device once."""
    total: Tensor | None = None
    for number, tensor in enumerate(tensors):
        data = tensor.detach().contiguous().reshape(-1)
        bits = data.view(_INTEGERS[data.element_size()]).long()
        # Odd factors, and overflow wraps around: a changed bit always changes the sum.
        places = torch.arange(len(bits), device=bits.device) * 2 + 2 * number + 1
        part = (bits * places).sum() * (2 * number + 1)
        total = part if total is None else total + part
    return 0 if total is None else int(total)


def outvoted(values: Sequence[Hashable]) -> list[int]:
    """Ranks whose value is not the most frequent one; in a draw that of the lowest rank counts."""
    (common, _), *_ = Counter(values).most_common()
    return [rank for rank, value in enumerate(values) if value != common]


def _tensors(module: nn.Module) -> list[Tensor]:
    return [tensor.detach() for tensor in (*module.parameters(), *module.buffers())]


def _names(ranks: Sequence[int]) -> str:
    return f"rank{'s' if len(ranks) > 1 else ''} {', '.join(map(str, ranks))}"
