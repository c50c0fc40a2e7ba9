"""The ranks of a run and what they say to each other."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from typing import Any, TypeVar

import torch
import torch.distributed as dist
from torch import Tensor
from torch.distributed import PrefixStore  # type: ignore[attr-defined]

from gym_batchnav.errors import DistributedError
from gym_batchnav.rl.config.distributed import CommunicationBackend, DistributedConfig
from gym_batchnav.rl.distributed.launch import Launch, find_launch
from gym_batchnav.rl.distributed.presence import Presence

_T = TypeVar("_T")


class World:
    """The processes of a run. A run of one has nobody to talk to: its methods give back what they are given.

    All ranks must call the methods that talk (``sum_``, ``gather``, ``broadcast``, ``scatter``, ``arrive``)
    in the same order. Use ``join_world`` to get one.

    Args:
        launch: the place of this process.
        presence: signs of life; None in a run of one.
    """

    def __init__(self, launch: Launch | None = None, presence: Presence | None = None) -> None:
        self.launch = launch or Launch()
        self.rank, self.size = self.launch.rank, self.launch.size
        self.local_rank, self.local_size = self.launch.local_rank, self.launch.local_size
        self.presence = presence
        assert (presence is not None) == (self.size > 1)

    @property
    def is_main(self) -> bool:
        """Whether this is rank 0, which writes logs and checkpoints."""
        return self.rank == 0

    def sum_(self, tensor: Tensor) -> Tensor:
        """Sums a tensor, on the CPU or on this rank's device, over the ranks, in place; returns it."""
        if self.size > 1:
            self._talk(lambda: dist.all_reduce(tensor))
        return tensor

    def sum_all_(self, tensors: Sequence[Tensor]) -> None:
        """Sums several tensors in place; they travel at the same time."""
        if self.size > 1:
            self._talk(lambda: [work.wait() for work in [_start_sum(tensor) for tensor in tensors]])

    def broadcast_(self, tensor: Tensor) -> Tensor:
        """Overwrites a tensor by that of rank 0; returns it."""
        if self.size > 1:
            self._talk(lambda: dist.broadcast(tensor, src=0))
        return tensor

    def gather(self, value: _T) -> list[_T]:
        """Values of all ranks, in their order, on all ranks."""
        if self.size == 1:
            return [value]
        values: list[Any] = [None] * self.size
        self._talk(lambda: dist.all_gather_object(values, value))
        return values

    def gather_to_main(self, value: _T) -> list[_T]:
        """Values of all ranks on rank 0; an empty list on the others."""
        if self.size == 1:
            return [value]
        values: list[Any] | None = [None] * self.size if self.is_main else None
        self._talk(lambda: dist.gather_object(value, values, dst=0))
        return values or []

    def broadcast(self, value: _T) -> _T:
        """The value of rank 0; what the others give is not looked at."""
        if self.size == 1:
            return value
        values: list[Any] = [value if self.is_main else None]
        self._talk(lambda: dist.broadcast_object_list(values, src=0))
        received: _T = values[0]
        return received

    def scatter(self, values: Sequence[_T] | None) -> _T:
        """One of rank 0's values for each rank; the others give None."""
        if self.size == 1:
            assert values is not None
            return values[0]
        received: list[Any] = [None]
        given = list(values) if values is not None and self.is_main else None
        self._talk(lambda: dist.scatter_object_list(received, given, src=0))
        value: _T = received[0]
        return value

    def arrive(self, point: str, *, patient: bool = False) -> None:
        """Waits until all ranks are at ``point``.

        Args:
            point: its name, for errors.
            patient: waits for ranks that are alive as long as it takes.

        Raises:
            DistributedError: a rank has failed, is dead or does not come in time; the message names it.
        """
        if self.presence is not None:
            self.presence.arrive(point, patient=patient)

    def waiting(self) -> int:
        """How many ranks already wait at the point that this one comes to next."""
        return 0 if self.presence is None else self.presence.waiting()

    def _talk(self, call: Callable[[], object]) -> None:
        assert self.presence is not None
        try:
            call()
        except RuntimeError as error:
            raise self.presence.explain(error) from error


def _start_sum(tensor: Tensor) -> dist.Work:
    work: dist.Work = dist.all_reduce(tensor, async_op=True)
    return work


def backend_of(wanted: CommunicationBackend, device: str) -> str:
    """Torch's name of the backend: CPU tensors go by gloo, CUDA tensors by NCCL unless gloo is asked for.

    Raises:
        DistributedError: NCCL is asked for, and this torch or this device has none.
    """
    on_cuda = torch.device(device).type == "cuda"
    if wanted == "gloo" or (wanted == "auto" and not on_cuda):
        return "gloo"
    if not on_cuda or not dist.is_nccl_available():
        reason = "this torch was built without NCCL" if on_cuda else f"the device is {device}"
        raise DistributedError(f"distributed.backend=nccl cannot be used: {reason}; give gloo")
    return "cpu:gloo,cuda:nccl"


@contextmanager
def join_world(
    device: str, config: DistributedConfig | None = None, launch: Launch | None = None
) -> Iterator[World]:
    """Meets the other ranks, if there are any, and parts from them at the end.

    A rank that leaves by an error leaves its message to the others.

    Args:
        device: of this rank, see ``rank_device``.
        config: time-outs and backend.
        launch: the place of this process; None reads torchrun's or SLURM's variables.

    Raises:
        DistributedError: the ranks do not come together.
    """
    launch, config = launch or find_launch(), config or DistributedConfig()
    if launch.size == 1:
        yield World(launch)
        return
    backend = backend_of(config.backend, device)
    if torch.device(device).type == "cuda":
        torch.cuda.set_device(device)
    presence = Presence(launch, config.timeout_s, config.heartbeat_s)
    try:
        try:
            presence.arrive("the start")
            dist.init_process_group(
                backend,
                store=PrefixStore("group", presence.store),
                rank=launch.rank,
                world_size=launch.size,
                timeout=timedelta(seconds=config.timeout_s),
            )
            yield World(launch, presence)
            presence.arrive("the end")
        except BaseException as error:
            presence.fail(error)
            raise
        if dist.is_initialized():
            dist.destroy_process_group()
    finally:
        presence.close()
