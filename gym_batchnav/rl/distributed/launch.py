"""What torchrun or SLURM says about this process: its rank, their number, where they meet."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass

import torch

from gym_batchnav.errors import ConfigError

_FIRST_PORT, _PORTS = 15_000, 15_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """The place of this process among those of a run; the default is a run of one."""

    rank: int = 0
    """Number of this process, from 0."""
    size: int = 1
    """Processes of the run."""
    local_rank: int = 0
    """Number of this process on its machine."""
    local_size: int = 1
    """Processes on this machine."""
    host: str = ""
    """Where the ranks meet."""
    port: int = 0
    """TCP port there."""
    hosts_store: bool = False
    """Whether this process answers at that port (torchrun's agent does so itself)."""
    attempt: str = "0"
    """How often the ranks were started anew."""
    by_srun: bool = False
    """Whether SLURM's ``srun`` started it, which can show each task a single CUDA device: its own."""
    restart: bool = False
    """Whether torchrun has started the ranks anew after one had died."""

    @property
    def is_main(self) -> bool:
        """Whether this is rank 0, which writes logs and checkpoints."""
        return self.rank == 0


def find_launch(environ: Mapping[str, str] | None = None) -> Launch:
    """Reads torchrun's variables, else those of ``srun``; a process started by neither is a run of one.

    Args:
        environ: environment variables; None takes those of the process.

    Raises:
        ConfigError: a variable is missing or no number.
    """
    env = os.environ if environ is None else environ
    if "RANK" in env and "WORLD_SIZE" in env:
        launch = _from_torchrun(env)
    elif "SLURM_PROCID" in env and "SLURM_STEP_ID" in env:
        launch = _from_slurm(env)
    else:
        return Launch()
    if not 0 <= launch.rank < launch.size:
        raise ConfigError(f"rank {launch.rank} of {launch.size} ranks cannot be; expected 0 to size - 1")
    return launch


def _from_torchrun(env: Mapping[str, str]) -> Launch:
    size, rank = _number(env, "WORLD_SIZE"), _number(env, "RANK")
    if size == 1:
        return Launch(restart=_restarts(env) > 0)
    for name in ("MASTER_ADDR", "MASTER_PORT"):
        if name not in env:
            raise ConfigError(f"WORLD_SIZE is {size}, but {name} is not set; start the ranks with torchrun")
    agent = env.get("TORCHELASTIC_USE_AGENT_STORE") == "True"
    return Launch(
        rank=rank,
        size=size,
        local_rank=_number(env, "LOCAL_RANK", "0"),
        local_size=_number(env, "LOCAL_WORLD_SIZE", "1"),
        host=env["MASTER_ADDR"],
        port=_number(env, "MASTER_PORT"),
        hosts_store=rank == 0 and not agent,
        # Counts the generations of ranks that one store has seen, so that none reads what another wrote.
        attempt=env.get("TORCHELASTIC_RESTART_COUNT", "0"),
        restart=_restarts(env) > 0,
    )


def _restarts(env: Mapping[str, str]) -> int:
    return _number(env, "TORCHELASTIC_RESTART_COUNT", "0")


def _from_slurm(env: Mapping[str, str]) -> Launch:
    size = _number(env, "SLURM_STEP_NUM_TASKS" if "SLURM_STEP_NUM_TASKS" in env else "SLURM_NTASKS")
    # A requeued job runs under its old number.
    attempt, rank = env.get("SLURM_RESTART_COUNT", "0"), _number(env, "SLURM_PROCID")
    if size == 1:
        return Launch()
    nodes = env.get("SLURM_STEP_NODELIST") or env.get("SLURM_NODELIST") or env.get("SLURM_JOB_NODELIST", "")
    if not nodes and "MASTER_ADDR" not in env:
        raise ConfigError("neither SLURM_NODELIST nor MASTER_ADDR is set; start the ranks with srun")
    job = _number(env, "SLURM_JOB_ID", "0") + _number(env, "SLURM_STEP_ID", "0")
    return Launch(
        rank=rank,
        size=size,
        local_rank=_number(env, "SLURM_LOCALID", "0"),
        local_size=_tasks_here(env),
        host=env.get("MASTER_ADDR") or first_host(nodes),
        port=_number(env, "MASTER_PORT", str(_FIRST_PORT + job % _PORTS)),
        hosts_store=rank == 0,
        by_srun=True,
        attempt=attempt,
    )


def _tasks_here(env: Mapping[str, str]) -> int:
    """Tasks on this node, from lists like ``4(x2),2``: two nodes of 4, then one of 2."""
    text = env.get("SLURM_STEP_TASKS_PER_NODE") or env.get("SLURM_TASKS_PER_NODE", "1")
    counts: list[int] = []
    for count, times in re.findall(r"(\d+)(?:\(x(\d+)\))?", text):
        counts += [int(count)] * int(times or 1)
    node = _number(env, "SLURM_NODEID", "0")
    return counts[node] if node < len(counts) else 1


def first_host(nodes: str) -> str:
    """The first name in SLURM's short form of a list: ``gpu[007-009,12],big1`` gives ``gpu007``."""
    match = re.match(r"([^\[,]*)(?:\[(\w+)[^\]]*\])?([^\[,]*)", nodes)
    assert match is not None  # every part may be empty
    return f"{match[1]}{match[2] or ''}{match[3]}"


def _number(env: Mapping[str, str], name: str, default: str | None = None) -> int:
    text = env.get(name, default)
    if text is None or not text.strip().isdigit():
        raise ConfigError(f"the environment variable {name} is {text!r}; expected a number")
    return int(text)


def rank_device(launch: Launch, device: str, cuda_devices: int | None = None) -> str:
    """The device of this rank: CUDA devices are dealt out by local rank, each to one rank.

    Args:
        launch: of this process.
        device: what was asked for, the same for all ranks.
        cuda_devices: CUDA devices that this process sees; None asks torch.

    Raises:
        ConfigError: there are more ranks than devices, or all were asked to share one.
    """
    if launch.size == 1 or not device.startswith("cuda"):
        return device
    if launch.local_size > 1 and ":" in device and device != "cuda:0":
        raise ConfigError(
            f"device={device!r} would be shared by the {launch.local_size} ranks of this machine; give "
            "'cuda', and limit the devices by CUDA_VISIBLE_DEVICES"
        )
    count = torch.cuda.device_count() if cuda_devices is None else cuda_devices
    if launch.local_size == 1 and ":" in device:
        return device
    index = 0 if count == 1 and launch.by_srun else launch.local_rank
    if index >= count:
        raise ConfigError(
            f"local rank {launch.local_rank} needs a CUDA device of its own, but there are {count}; start "
            f"at most {count} ranks on this machine (--nproc-per-node), or give --device cpu"
        )
    return f"cuda:{index}"
