"""Ranks meet, talk, and say who is missing."""

from __future__ import annotations

import os
import time

import pytest
import torch

from gym_batchnav.errors import ConfigError, DistributedError
from gym_batchnav.rl.config.distributed import DistributedConfig
from gym_batchnav.rl.distributed import Launch, World, find_launch, join_world, rank_device
from gym_batchnav.rl.distributed.launch import first_host
from gym_batchnav.rl.distributed.world import backend_of

QUICK = DistributedConfig(timeout_s=1.0, heartbeat_s=1.0)


def talk(launch):
    with join_world("cpu", launch=launch) as world:
        parts = [torch.full((3,), 10.0**world.rank), torch.tensor([world.rank + 1], dtype=torch.int64)]
        world.sum_all_(parts)
        return {
            "sum": world.sum_(torch.tensor([1.0, float(world.rank)], dtype=torch.float64)).tolist(),
            "parts": [part.tolist() for part in parts],
            "overwritten": world.broadcast_(torch.tensor([world.rank + 5.0])).tolist(),
            "gather": world.gather(f"rank {world.rank}"),
            "main": world.gather_to_main(world.rank),
            "broadcast": world.broadcast({"from": world.rank}),
            "scatter": world.scatter([10 * r for r in range(world.size)] if world.is_main else None),
        }


@pytest.mark.parametrize("size", [2, 4])
def test_what_ranks_say_to_each_other(ranks, size):
    values = ranks(size, talk)
    numbers = list(range(size))
    for rank, value in enumerate(values):
        assert value["sum"] == [size, sum(numbers)]
        # 1 + 10 (+ 100 + 1000): a rank counted twice or left out shows; 1 + 2 (+ 3 + 4).
        assert value["parts"] == [[{2: 11.0, 4: 1111.0}[size]] * 3, [{2: 3, 4: 10}[size]]]
        assert value["overwritten"] == [5.0]
        assert value["gather"] == [f"rank {r}" for r in numbers]
        assert value["main"] == (numbers if rank == 0 else [])
        assert value["broadcast"] == {"from": 0}
        assert value["scatter"] == 10 * rank


def late(launch):
    with join_world("cpu", QUICK, launch) as world:
        if world.rank in (1, 3):
            time.sleep(2.5)
        world.arrive("update 7")


@pytest.mark.slow
def test_a_timeout_names_the_ranks_that_are_missing(ranks):
    began = time.monotonic()
    values = ranks(4, late, errors=True)
    for rank in (0, 2):
        text = str(values[rank])
        assert text.startswith("DistributedError: ranks 1, 3 of 4 did not come to update 7 within ")
        assert "rank 1 is at the start" in text
        assert "distributed.timeout_s" in text
    assert time.monotonic() - began < 20


def die(launch, how, where):
    with join_world("cpu", DistributedConfig(timeout_s=30, heartbeat_s=1.5), launch) as world:
        world.arrive("update 1")
        if world.rank == 1:
            if how == "killed":
                os.kill(os.getpid(), 9)
            raise ValueError("the camera broke")
        if where == "arrival":
            world.arrive("update 2")
        else:
            world.sum_(torch.ones(3))


@pytest.mark.parametrize("where", ["arrival", "collective"])
@pytest.mark.parametrize("how", [pytest.param("killed", marks=pytest.mark.slow), "raised"])
def test_a_rank_that_dies_is_named_by_the_others(ranks, how, where):
    values = ranks(4, die, how, where, errors=True)
    for rank in (0, 2, 3):
        text = str(values[rank])
        if how == "raised":
            told = f"rank 1 failed, so rank {rank} ends too; rank 1 said: ValueError: the camera broke"
        else:
            told = "rank 1 of 4 gave no sign of life for some seconds (rank 1 was at update 1)"
        assert text.startswith(f"DistributedError: {told}"), text
    assert (values[1] is None) == (how == "killed")


def alone(launch):
    with join_world("cpu", QUICK, launch):
        pass


def test_ranks_that_never_start_are_named(ranks):
    values = ranks(2, start_unless, 1, errors=True)
    assert "rank 1 of 2" in str(values[0])
    assert "nowhere yet" in str(values[0])


def start_unless(launch, absent):
    if launch.rank != absent:
        alone(launch)


def test_a_store_that_nobody_holds_is_an_error_with_its_address():
    launch = Launch(rank=1, size=2, host="127.0.0.1", port=9)
    with (
        pytest.raises(DistributedError, match=r"rank 1 cannot reach the ranks' store at 127.0.0.1:9 "),
        join_world("cpu", DistributedConfig(timeout_s=1.0), launch),
    ):
        pass


def test_a_world_of_one_gives_back_what_it_gets():
    with join_world("cpu", launch=Launch()) as world:
        tensor = torch.ones(2)
        assert world.sum_(tensor) is tensor
        assert world.broadcast_(tensor) is tensor
        world.sum_all_([tensor])
        world.arrive("anywhere")
        assert tensor.tolist() == [1, 1]
        assert (world.gather(3), world.gather_to_main(3), world.broadcast(3), world.scatter([3])) == (
            [3],
            [3],
            3,
            3,
        )
        assert world.is_main
    assert not torch.distributed.is_initialized()
    assert World().size == 1


TORCHRUN = {
    "RANK": "5",
    "WORLD_SIZE": "8",
    "LOCAL_RANK": "1",
    "LOCAL_WORLD_SIZE": "4",
    "MASTER_ADDR": "node1",
    "MASTER_PORT": "29500",
    "TORCHELASTIC_USE_AGENT_STORE": "True",
    "TORCHELASTIC_RESTART_COUNT": "2",
}
SLURM = {
    "SLURM_PROCID": "6",
    "SLURM_STEP_ID": "0",
    "SLURM_STEP_NUM_TASKS": "8",
    "SLURM_LOCALID": "2",
    "SLURM_NODEID": "1",
    "SLURM_STEP_TASKS_PER_NODE": "4(x2)",
    "SLURM_STEP_NODELIST": "gpu[007-008]",
    "SLURM_JOB_ID": "4242",
    "SLURM_RESTART_COUNT": "3",
}


def test_torchrun_is_read():
    launch = find_launch(TORCHRUN)
    assert launch == Launch(
        rank=5, size=8, local_rank=1, local_size=4, host="node1", port=29500, attempt="2", restart=True
    )
    first = find_launch({**TORCHRUN, "RANK": "0"})
    assert not first.hosts_store
    assert find_launch({**TORCHRUN, "RANK": "0", "TORCHELASTIC_USE_AGENT_STORE": "False"}).hosts_store
    assert find_launch({"RANK": "0", "WORLD_SIZE": "1"}) == Launch()


def test_slurm_is_read():
    # Port: 15000 + (job 4242 + step 0) mod 15000.
    assert find_launch(SLURM) == Launch(
        rank=6, size=8, local_rank=2, local_size=4, host="gpu007", port=19242, attempt="3", by_srun=True
    )
    assert find_launch({**SLURM, "SLURM_PROCID": "0"}).hosts_store
    assert find_launch({**SLURM, "MASTER_ADDR": "a", "MASTER_PORT": "1"}).host == "a"
    # torchrun under srun: torchrun's variables win.
    assert find_launch({**SLURM, **TORCHRUN}).rank == 5
    # A batch script has tasks allotted, but is itself none of them.
    assert find_launch({"SLURM_PROCID": "0", "SLURM_NTASKS": "8", "SLURM_JOB_NODELIST": "a"}) == Launch()


@pytest.mark.parametrize(
    ("nodes", "first"),
    [
        ("gpu1", "gpu1"),
        ("gpu[007-009,12],big1", "gpu007"),
        ("gpu[3,5]", "gpu3"),
        ("a-b,c", "a-b"),
        ("n[1-2]-ib", "n1-ib"),
    ],
)
def test_the_first_host_of_a_list(nodes, first):
    assert first_host(nodes) == first


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"RANK": "x"}, "RANK is 'x'"),
        ({"RANK": "8"}, "rank 8 of 8"),
        ({"MASTER_PORT": "http"}, "MASTER_PORT"),
    ],
)
def test_broken_variables_are_named(change, message):
    with pytest.raises(ConfigError, match=message):
        find_launch({**TORCHRUN, **change})
    without = {key: value for key, value in TORCHRUN.items() if key != "MASTER_ADDR"}
    with pytest.raises(ConfigError, match="MASTER_ADDR is not set"):
        find_launch(without)


def test_cuda_devices_are_dealt_out_by_local_rank(monkeypatch):
    launch = find_launch(TORCHRUN)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 4)
    assert rank_device(launch, "cuda") == rank_device(launch, "cuda:0") == "cuda:1"
    assert rank_device(launch, "cpu") == "cpu"
    assert rank_device(Launch(), "cuda:3") == "cuda:3"
    with pytest.raises(ConfigError, match="would be shared by the 4 ranks"):
        rank_device(launch, "cuda:2")
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 1)
    with pytest.raises(ConfigError, match="local rank 1 needs a CUDA device of its own, but there are 1"):
        rank_device(launch, "cuda")
    # srun --gpus-per-task=1 shows each task its own device alone.
    assert rank_device(find_launch(SLURM), "cuda") == "cuda:0"


def test_backends(monkeypatch):
    assert backend_of("auto", "cpu") == backend_of("gloo", "cuda:0") == "gloo"
    monkeypatch.setattr(torch.distributed, "is_nccl_available", lambda: True)
    assert backend_of("auto", "cuda:1") == backend_of("nccl", "cuda:1") == "cpu:gloo,cuda:nccl"
    with pytest.raises(DistributedError, match="the device is cpu"):
        backend_of("nccl", "cpu")
    monkeypatch.setattr(torch.distributed, "is_nccl_available", lambda: False)
    with pytest.raises(DistributedError, match="built without NCCL"):
        backend_of("auto", "cuda:0")
