"""What a command does apart on each rank of a run of several processes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

from ...config import EnvConfig
from ...envs import BatchPointNavEnv
from ...errors import DistributedError
from ...rl.distributed import Launch, World


def rank_env(config: EnvConfig, num_envs: int, launch: Launch, device: str) -> EnvConfig:
    """The configuration of a rank's environment: its own rows of the run, drawn on its own device.

    Args:
        config: of the run.
        num_envs: rows of each rank.
        launch: the place of this process.
        device: that the rank learns on.
    """
    if launch.size == 1:
        return config
    own = {"index_offset": launch.rank * num_envs, "total_envs": launch.size * num_envs}
    # On a CPU each rank draws as the configuration says.
    drawn = {"device": device, "output": "torch"} if device.startswith("cuda") else {}
    return EnvConfig.from_kwargs({**own, **drawn}, config)


def drawing_on(
    device: str, launch: Launch, make: Callable[[], BatchPointNavEnv]
) -> Callable[[], BatchPointNavEnv]:
    """The same maker, which refuses an environment that does not draw on the rank's own device."""
    return make if launch.size == 1 else partial(_made_on, device, launch.rank, make)


def _made_on(device: str, rank: int, make: Callable[[], BatchPointNavEnv]) -> BatchPointNavEnv:
    envs = make()
    found = envs.config.device
    if device.startswith("cuda") and found != device:
        envs.close()
        raise DistributedError(
            f"rank {rank} learns on {device}, but its environment draws on {found or 'another device'}; "
            "leave out device in the settings of the environment, or start one rank a device",
            [rank],
        )
    return envs


@contextmanager
def own_cores(launch: Launch, device: str) -> Iterator[None]:
    """Meanwhile, each of several ranks that work on the CPU has its own cores; else all would take all.

    Ranks that ``srun`` has bound to cores stay there.
    """
    apart = launch.local_size == 1 or device.startswith("cuda") or launch.by_srun
    if apart or not (hasattr(os, "sched_getaffinity") and hasattr(os, "sched_setaffinity")):
        yield
        return
    before = os.sched_getaffinity(0)
    cores, size = sorted(before), launch.local_size
    first, last = (len(cores) * rank // size for rank in (launch.local_rank, launch.local_rank + 1))
    if last > first:
        os.sched_setaffinity(0, cores[first:last])
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def describe(world: World, num_envs: int, device: str) -> str:
    """A line about the ranks of a run."""
    per_machine = f"{world.local_size} on this machine, " if world.local_size != world.size else ""
    return (
        f"{world.size} ranks ({per_machine}rank 0 on {device}) of {num_envs} environments each, "
        f"{world.size * num_envs} in all; preset and --num-envs say how many each has"
    )
