"""Each rank of ``batchnav train`` has its own rows and draws on its own device."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from types import SimpleNamespace

import pytest

from gym_batchnav.cli import main
from gym_batchnav.cli.training.ranks import drawing_on, own_cores, rank_env
from gym_batchnav.config import EnvConfig
from gym_batchnav.envs import BatchPointNavEnv
from gym_batchnav.errors import DistributedError
from gym_batchnav.rl import read_log
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


@pytest.mark.parametrize(
    ("rank", "size", "own"), [(0, 2, {0, 1, 2}), (1, 2, {3, 5, 7}), (2, 4, {3}), (5, 8, None)]
)
def test_cpu_ranks_of_a_machine_share_its_cores(monkeypatch, rank, size, own):
    bound = []
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {0, 1, 2, 3, 5, 7})
    monkeypatch.setattr(os, "sched_setaffinity", lambda pid, cores: bound.append(set(cores)))
    launch = Launch(rank=rank, size=size, local_rank=rank, local_size=size, host="a", port=1)
    for free in (
        (Launch(), "cpu"),
        (launch, "cuda:0"),
        (Launch(rank=1, size=2, local_rank=1, local_size=2, host="a", port=1, by_srun=True), "cpu"),
    ):
        with own_cores(*free):
            pass
    assert bound == []
    with own_cores(launch, "cpu"):
        # Six cores for eight ranks: the sixth rank has 6 * 5 // 8 = 3 to 6 * 6 // 8 = 4, which is core 3.
        assert bound == [own or {3}]
    # The evaluation has all of them again.
    assert bound[1:] == [{0, 1, 2, 3, 5, 7}]


FLAGS = {
    "--scenes": "houses:train[:1]",
    "--val-scenes": "houses:val[:1]",
    "--num-envs": "2",
    "--resolution": "16",
    "--frames": "64",
    "--eval-episodes": "2",
    "--device": "cpu",
}
SETTINGS = ("ppo.rollout_length=8", "ppo.minibatches=1", "policy.hidden=16", "threads=1", "tensorboard=false")


def command(launch, folder, *more):
    """``batchnav train`` as torchrun starts it; gives the exit status and what was printed."""
    variables = {
        "RANK": launch.rank,
        "LOCAL_RANK": launch.rank,
        "WORLD_SIZE": launch.size,
        "LOCAL_WORLD_SIZE": launch.size,
        "MASTER_ADDR": launch.host,
        "MASTER_PORT": launch.port,
        "TORCHELASTIC_USE_AGENT_STORE": True,
        "BATCHNAV_CACHE": folder.parent / "cache",
    }
    os.environ.update({name: str(value) for name, value in variables.items()})
    words = [word for pair in FLAGS.items() for word in pair]
    words += [word for setting in SETTINGS for word in ("--set", setting)]
    words += ["--env", "max_episode_steps=20", "--env", "scene_workers=0"]
    with redirect_stdout(io.StringIO()) as out, redirect_stderr(io.StringIO()) as errors:
        status = main(["train", "--run-dir", str(folder), *words, *more])
    return status, out.getvalue(), errors.getvalue()


@pytest.mark.slow
def test_the_command_trains_with_two_ranks(ranks, tmp_path):
    (status, out, _), (other, silence, _) = ranks(2, command, tmp_path / "run")
    assert (status, other, silence) == (0, 0, "")
    assert "2 ranks (rank 0 on cpu) of 2 environments each, 4 in all" in out
    assert "report: " in out
    # 2 ranks x 2 rows x 8 steps a time.
    assert [record["frames"] for record in read_log(tmp_path / "run")] == [32, 64]
    # Once more: nothing is left to do, and all ranks hear of it.
    again = ranks(2, command, tmp_path / "run")
    assert [result[0] for result in again] == [0, 0]
    assert "this run is finished" in again[0][1]
    # Rank 0 alone finds the settings wrong; the others end with its words.
    refused = ranks(2, command, tmp_path / "run", "--seed", "5")
    assert [result[0] for result in refused] == [2, 2]
    assert refused[0][2].startswith("batchnav (rank 0): the run in ")
    assert refused[1][2].startswith("batchnav (rank 1): rank 0 failed, so rank 1 ends too; rank 0 said: ")
    assert "was started with other settings" in refused[1][2]


def test_the_module_is_the_command():
    done = subprocess.run(
        [sys.executable, "-m", "gym_batchnav.cli", "--help"], capture_output=True, text=True, check=True
    )
    assert "batchnav" in done.stdout
    assert "train" in done.stdout


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
