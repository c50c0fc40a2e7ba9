"""Runs whose disk is full or whose newest checkpoint is broken."""

from __future__ import annotations

import dataclasses
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from gym_batchnav.errors import BatchNavError
from gym_batchnav.rl import (
    PolicyConfig,
    PPOConfig,
    TrainCallback,
    TrainConfig,
    latest_checkpoint,
    load_checkpoint,
    read_log,
    train,
)

CONFIG = TrainConfig(
    policy=PolicyConfig(hidden=16, stem_planes=4, planes=(4,), strides=(2,), action_embedding=4),
    ppo=PPOConfig(rollout_length=8, minibatches=2, epochs=1, schedule="constant", entropy_final_factor=1.0),
    total_frames=4 * 48,
    tensorboard=False,
    precision="float32",
    checkpoint_every_s=0.0,
)


class Messages(TrainCallback):
    def __init__(self):
        self.texts = []

    def on_message(self, text):
        self.texts.append(text)


@pytest.mark.parametrize("damage", ["cut", "changed"])
def test_a_broken_newest_checkpoint_costs_one_checkpoint_and_is_told(tmp_path, stateful_envs, damage):
    make = lambda: stateful_envs(6)  # noqa: E731
    whole = train(dataclasses.replace(CONFIG, total_frames=6 * 48), make, tmp_path / "whole")
    result = train(CONFIG, make, tmp_path / "parts")
    data = bytearray(result.checkpoint.read_bytes())
    data[len(data) // 2] ^= 255
    result.checkpoint.write_bytes(data[: len(data) // 2] if damage == "cut" else data)
    listener = Messages()
    again = train(
        dataclasses.replace(CONFIG, total_frames=6 * 48), make, tmp_path / "parts", resume=True,
        callbacks=[listener],
    )  # fmt: skip
    assert listener.texts[0].startswith(f"WARNING: the checkpoint {result.checkpoint} is broken")
    assert "goes on from update-00000003.pt at 144 frames" in listener.texts[0]
    assert listener.texts[1] == "resumed at 144 frames, exactly"
    assert [r["text"] for r in read_log(tmp_path / "parts", "message")] == listener.texts
    # The fourth update is made again, and all is as if nothing had happened.
    assert [r["update"] for r in read_log(tmp_path / "parts")] == [1, 2, 3, 4, 5, 6]
    first, second = (load_checkpoint(r.checkpoint)["policy"] for r in (whole, again))
    assert all(torch.equal(value, second[name]) for name, value in first.items())


def test_without_any_whole_checkpoint_nothing_is_overwritten(tmp_path, stateful_envs):
    make = lambda: stateful_envs(6)  # noqa: E731
    result = train(dataclasses.replace(CONFIG, keep_checkpoints=1), make, tmp_path)
    result.checkpoint.write_bytes(b"")
    before = (tmp_path / "train.jsonl").read_bytes()
    with pytest.raises(BatchNavError, match="none of the 1 checkpoints"):
        train(CONFIG, make, tmp_path, resume=True)
    assert (tmp_path / "train.jsonl").read_bytes() == before


@pytest.fixture
def small_disk(tmp_path) -> Iterator[Path]:
    """A disk of 128 KiB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=128k", "tmpfs", str(folder)]
    try:
        done = subprocess.run(mount, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        pytest.skip("there is no mount command")
    if done.returncode:
        pytest.skip(f"a small disk cannot be mounted here: {done.stderr.strip()}")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


@pytest.mark.parametrize("tensorboard", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_a_full_disk_is_named_and_the_run_goes_on_once_there_is_space(small_disk, stateful_envs, tensorboard):
    config = dataclasses.replace(CONFIG, total_frames=20 * 48, keep_checkpoints=99, tensorboard=tensorboard)
    make = lambda: stateful_envs(6)  # noqa: E731
    with pytest.raises(BatchNavError, match="No space left on device; free space"):
        train(config, make, small_disk)
    newest = latest_checkpoint(small_disk)
    assert newest is not None
    updates = load_checkpoint(newest)["progress"]["updates"]
    assert 0 < updates < 20
    assert list(newest.parent.glob(".*")) == []  # no half-written files
    subprocess.run(["mount", "-o", "remount,size=16m", str(small_disk)], check=True)
    result = train(config, make, small_disk, resume=True)
    assert result.updates == 20
    assert [r["update"] for r in read_log(small_disk)] == list(range(1, 21))


def test_a_full_disk_while_logging_is_named(tmp_path, stateful_envs):
    """/dev/full refuses every byte, as a full disk does."""
    if not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full")
    (tmp_path / "train.jsonl").symlink_to("/dev/full")
    with pytest.raises(BatchNavError, match=r"cannot write the logs in .*No space left on device"):
        train(CONFIG, lambda: stateful_envs(6), tmp_path)
