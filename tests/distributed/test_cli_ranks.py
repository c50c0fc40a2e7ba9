"""Each rank of ``batchnav train`` has its own rows and draws on its own device."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from gym_batchnav.cli.ranks import drawing_on, rank_env
from gym_batchnav.config import EnvConfig
from gym_batchnav.envs import BatchPointNavEnv
from gym_batchnav.errors import DistributedError
from gym_batchnav.rl.distributed import Launch, rank_device

RANK = Launch(rank=5, size=8, local_rank=1, local_size=4, host="a", port=1)


def test_a_rank_has_its_own_rows_and_device(monkeypatch):
    monkeypatch.setattr("torch.cuda.device_count", lambda: 4)
    device = rank_device(RANK, "cuda:0")
    config = rank_env(EnvConfig(scenes="houses:train[:2]"), 16, RANK, device)
    assert (config.index_offset, config.total_envs) == (80, 128)
    assert (device, config.device, config.output) == ("cuda:1", "cuda:1", "torch")


def test_the_rows_of_cpu_ranks_and_of_a_single_process():
    base = EnvConfig(scenes="houses:train[:2]")
    config = rank_env(base, 16, RANK, "cpu")
    assert (config.index_offset, config.device, config.output) == (80, base.device, "numpy")
    assert rank_env(base, 16, Launch(), "cuda:0") is base


def test_an_environment_on_another_device_is_refused():
    closed = []

    def made(device):
        return SimpleNamespace(config=SimpleNamespace(device=device), close=lambda: closed.append(device))

    envs = drawing_on("cuda:1", RANK, lambda: made("cuda:1"))()
    assert envs.config.device == "cuda:1"
    for other in ("cuda:0", None):
        with pytest.raises(DistributedError, match="rank 5 learns on cuda:1, but its environment draws on"):
            drawing_on("cuda:1", RANK, lambda: made(other))()  # noqa: B023
    assert closed == ["cuda:0", None]


@pytest.mark.slow
def test_ranks_of_the_environment_are_rows_of_one():
    base = EnvConfig(
        scenes="houses:train[:2]", sensors=("depth",), resolution=(8, 8), device="cpu",
        render_backend="constant", scene_workers=0,
    )  # fmt: skip
    whole = BatchPointNavEnv(4, base)
    observations, _ = whole.reset(seed=3)
    for rank in range(2):
        launch = Launch(rank=rank, size=2, host="a", port=1)
        part = BatchPointNavEnv(2, rank_env(base, 2, launch, "cpu"))
        own, _ = part.reset(seed=3)
        assert (own["pointgoal"] == observations["pointgoal"][2 * rank : 2 * rank + 2]).all()
        part.close()
    whole.close()
