"""torchrun and SLURM: dying ranks, restarts, signals, requeueing."""

from __future__ import annotations

import os
import signal
import socket
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from gym_batchnav.errors import DistributedError
from gym_batchnav.rl import load_checkpoint, read_log, train
from gym_batchnav.rl.distributed.slurm import requeue
from tests.distributed.toys import ROWS, STEPS, Listener, RowsEnv, toy

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
def test_torchrun_restarts_from_the_last_checkpoint_and_hands_on_sigusr1(tmp_path):
    paths = (str(ROOT), str(ROOT / "renderer"), os.environ.get("PYTHONPATH", ""))
    process = subprocess.Popen(
        [
            *(sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"),
            *("--max-restarts", "1", "--signals-to-handle", "SIGTERM,SIGINT,SIGUSR1"),
            *(str(Path(__file__).with_name("run_toy.py")), str(tmp_path)),
        ],
        env={**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": os.pathsep.join(paths)},
        cwd=ROOT,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        end = time.monotonic() + 200
        while len(read_log(tmp_path)) < 4:
            assert process.poll() is None, process.communicate()
            assert time.monotonic() < end
            time.sleep(0.1)
        process.send_signal(signal.SIGUSR1)
        out, _ = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode != 0
    assert "rank 0 says: rank 1 of 2 gave no sign of life" in out
    assert f"resumed at {2 * STEPS * ROWS} frames, exactly" in out
    log = read_log(tmp_path)
    for rank in range(2):
        assert f"rank {rank} ended by SIGUSR1 after {len(log)}" in out
    assert [record["update"] for record in log] == list(range(1, len(log) + 1))
    assert load_checkpoint(tmp_path / "checkpoints" / f"update-{len(log):08}.pt")
    # As if nothing had happened.
    train(toy(total_frames=10**6), lambda: RowsEnv(ROWS), tmp_path / "whole", callbacks=[Listener(4)])
    whole = read_log(tmp_path / "whole")[3]
    assert log[3]["episodes"] == whole["episodes"]
    assert log[3]["metrics"] == pytest.approx(whole["metrics"])
    assert log[3]["losses"] == pytest.approx(whole["losses"], abs=1e-4)


def scontrol(folder, *lines):
    """A fake of SLURM's command that keeps what it was told."""
    program = folder / "bin" / "scontrol"
    program.parent.mkdir()
    told = folder / "told"
    program.write_text("\n".join(["#!/bin/sh", f'echo "$@" >> {told}', *lines]) + "\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return f"{program.parent}{os.pathsep}{os.environ['PATH']}", told


def in_slurm(launch, folder, path, port, number):
    """As srun would start it; a signal reaches rank 1 alone."""
    variables = {
        "PATH": path,
        "SLURM_PROCID": launch.rank,
        "SLURM_STEP_ID": 0,
        "SLURM_NTASKS": launch.size,
        "SLURM_LOCALID": launch.rank,
        "SLURM_JOB_ID": 4242,
        "SLURM_JOB_NODELIST": "localhost",
        "MASTER_PORT": port,
    }
    os.environ.update({name: str(value) for name, value in variables.items()})
    act = lambda count: os.kill(os.getpid(), number) if count == STEPS and launch.rank == 1 else None  # noqa: E731
    listener = Listener()
    config = toy(distributed={"requeue": "SIGUSR1"})
    result = train(config, lambda: RowsEnv(4, act), folder / "run", callbacks=[listener])
    return result.reason, result.updates, listener.messages


@pytest.mark.parametrize(("number", "told"), [(signal.SIGUSR1, "requeue 4242\n"), (signal.SIGTERM, "")])
def test_slurm_is_asked_to_requeue_by_rank_0_once(ranks, tmp_path, number, told):
    path, record = scontrol(tmp_path)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    results = ranks(2, in_slurm, tmp_path, path, port, number)
    messages = ["SLURM job 4242 is back in the queue"] if told else []
    assert results == [(number.name, 2, messages), (number.name, 2, [])]
    assert (record.read_text() if record.exists() else "") == told
    assert (tmp_path / "run" / "checkpoints" / "update-00000002.pt").exists()


def test_the_batch_script_starts_the_command(tmp_path):
    srun, told = tmp_path / "srun", tmp_path / "told"
    srun.write_text(f'#!/bin/sh\necho "$@" > {told}\n')
    srun.chmod(0o755)
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    script = ROOT / "examples" / "slurm_train.sbatch"
    command = ["bash", str(script), "--num-envs", "64"]
    subprocess.run(command, check=True, env={**os.environ, "PATH": path})
    assert told.read_text().endswith(" python -m gym_batchnav.cli train --num-envs 64\n")
    text = script.read_text()
    assert "#SBATCH --requeue" in text
    assert "#SBATCH --signal=USR1@300" in text


def test_which_signals_requeue(tmp_path, monkeypatch):
    path, told = scontrol(tmp_path)
    monkeypatch.setenv("PATH", path)
    job = {"SLURM_JOB_ID": "7"}
    assert requeue("SIGUSR1", "SIGUSR1", {}) == ""
    assert requeue("frames", "always", job) == ""
    assert requeue("SIGINT", "always", job) == ""
    assert requeue("SIGTERM", "SIGUSR1", job) == ""
    assert requeue("SIGUSR1", "never", job) == ""
    assert not told.exists()
    assert requeue("SIGTERM", "always", job) == "7"
    assert (
        requeue("SIGUSR1", "SIGUSR1", {**job, "SLURM_ARRAY_JOB_ID": "5", "SLURM_ARRAY_TASK_ID": "3"}) == "5_3"
    )
    assert told.read_text() == "requeue 7\nrequeue 5_3\n"


def test_a_refusal_of_slurm_is_passed_on(tmp_path, monkeypatch):
    path, _ = scontrol(tmp_path, "echo job may not run twice >&2", "exit 1")
    monkeypatch.setenv("PATH", path)
    with pytest.raises(DistributedError, match=r"cannot requeue the SLURM job 7: .*job may not run twice"):
        requeue("SIGUSR1", "SIGUSR1", {"SLURM_JOB_ID": "7"})
    monkeypatch.setenv("PATH", str(tmp_path / "nowhere"))
    with pytest.raises(DistributedError, match="cannot requeue the SLURM job 7"):
        requeue("SIGUSR1", "SIGUSR1", {"SLURM_JOB_ID": "7"})
