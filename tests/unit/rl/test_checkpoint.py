from __future__ import annotations

import errno
import os
import random

import numpy as np
import pytest
import torch

from gym_batchnav.errors import BrokenCheckpointError, CheckpointError
from gym_batchnav.rl.running import checkpoint as ckpt
from gym_batchnav.rl.running.seeding import global_state, restore_global_state, seed_global

CONTENT = {
    "weights": {"a": torch.arange(6.0).reshape(2, 3)},
    "arrays": [np.arange(4, dtype=np.uint64) + 2**63, np.array(["left", "right"]), np.array([[True]])],
    "numbers": (1, 2.5, None, "text", np.float32(0.5)),
}


def test_round_trip(tmp_path):
    path = tmp_path / "sub" / "a.pt"
    ckpt.save_checkpoint(path, CONTENT)
    read = ckpt.load_checkpoint(path)
    assert torch.equal(read["weights"]["a"], CONTENT["weights"]["a"])
    for mine, theirs in zip(read["arrays"], CONTENT["arrays"], strict=True):
        assert mine.dtype == theirs.dtype
        assert (mine == theirs).all()
    assert read["numbers"] == (1, 2.5, None, "text", 0.5)


def test_what_cannot_be_stored_is_refused(tmp_path):
    for value in (object(), np.array([object()], dtype=object)):
        with pytest.raises(CheckpointError, match="cannot be stored"):
            ckpt.save_checkpoint(tmp_path / "a.pt", {"x": value})
    assert list(tmp_path.iterdir()) == []


def three(folder):
    paths = [ckpt.checkpoint_path(folder, k) for k in (1, 2, 10)]
    for path in paths:
        ckpt.save_checkpoint(path, CONTENT)
    return paths


@pytest.mark.parametrize("damage", ["cut", "flip", "empty", "text"])
def test_broken_file_is_named_with_an_older_one_that_works(tmp_path, damage):
    _, middle, newest = three(tmp_path)
    data = bytearray(newest.read_bytes())
    position = data.index(torch.arange(6.0).numpy().tobytes())
    data[position] ^= 1
    broken = {"cut": data[: len(data) // 2], "flip": data, "empty": b"", "text": b"not a checkpoint"}[damage]
    newest.write_bytes(broken)
    with pytest.raises(CheckpointError) as caught:
        ckpt.load_checkpoint(newest)
    assert str(newest) in str(caught.value)
    assert f"use {middle} instead" in str(caught.value)


def test_no_change_of_a_file_goes_unseen(tmp_path):
    """Whatever is cut or changed, the error says that the file is broken, and no other error comes."""
    path = tmp_path / "a.pt"
    ckpt.save_checkpoint(path, {"weights": torch.arange(4.0), "number": 1})
    data, random_numbers = path.read_bytes(), random.Random(3)
    bad = [data[: random_numbers.randrange(len(data))] for _ in range(40)]
    for _ in range(300):
        changed = bytearray(data)
        changed[random_numbers.randrange(len(data))] ^= 1 << random_numbers.randrange(8)
        bad.append(bytes(changed))
    whole = 0
    for content in bad:
        path.write_bytes(content)
        try:
            read = ckpt.load_checkpoint(path)
        except BrokenCheckpointError:
            continue
        # Bytes that nothing reads, such as the time stamps of the archive.
        assert torch.equal(read["weights"], torch.arange(4.0))
        assert read["number"] == 1
        whole += 1
    assert whole < 170


def test_what_is_no_damage_is_not_called_so(tmp_path):
    ckpt.save_checkpoint(tmp_path / "a.pt", CONTENT)
    with pytest.raises(Exception, match=r"(?i)cuda") as caught:
        ckpt.load_checkpoint(tmp_path / "a.pt", "cuda:99")
    assert not isinstance(caught.value, CheckpointError)
    (tmp_path / "folder.pt").mkdir()
    with pytest.raises(CheckpointError, match="cannot read") as caught:
        ckpt.load_checkpoint(tmp_path / "folder.pt")
    assert not isinstance(caught.value, BrokenCheckpointError)
    torch.save({"format": 7}, tmp_path / "new.pt")
    with pytest.raises(CheckpointError, match="of format 7, this version reads 1") as caught:
        ckpt.load_checkpoint(tmp_path / "new.pt")
    assert not isinstance(caught.value, BrokenCheckpointError)


def test_the_newest_that_is_whole_is_found_and_broken_ones_are_set_aside(tmp_path):
    folder = tmp_path / "checkpoints"
    assert ckpt.load_newest(tmp_path) is None
    paths = [ckpt.checkpoint_path(folder, k) for k in (1, 2, 10)]
    for number, path in enumerate(paths):
        ckpt.save_checkpoint(path, {"progress": {"frames": 1000 * number}})
    ckpt.link_checkpoint(paths[0], ckpt.milestone_path(folder, 0))
    content, lines = ckpt.load_newest(tmp_path)
    assert (content["progress"]["frames"], lines) == (2000, [])
    for path in paths[1:]:
        path.write_bytes(path.read_bytes()[:-100])
    content, lines = ckpt.load_newest(tmp_path)
    assert content["progress"]["frames"] == 0
    assert [line.split(" is broken")[0] for line in lines] == [
        f"WARNING: the checkpoint {paths[k]}" for k in (2, 1)
    ]
    assert all("goes on from update-00000001.pt at 0 frames" in line for line in lines)
    assert ckpt.checkpoints(folder) == paths[:1]
    assert paths[2].with_name("update-00000010.pt.broken").is_file()
    # What is kept for good steps in, then nothing is left.
    paths[0].unlink()
    content, lines = ckpt.load_newest(tmp_path)
    assert (content["progress"]["frames"], lines) == (0, [])
    ckpt.milestone_path(folder, 0).write_bytes(b"")
    with pytest.raises(BrokenCheckpointError, match="none of the 1 checkpoints"):
        ckpt.load_newest(tmp_path)


def test_a_second_name_is_written_where_links_are_not_allowed(tmp_path, monkeypatch):
    ckpt.save_checkpoint(tmp_path / "a.pt", CONTENT)

    def refuse(*_):
        raise OSError(errno.EPERM, "not permitted")

    ckpt.link_checkpoint(tmp_path / "a.pt", tmp_path / "b.pt")
    assert (tmp_path / "b.pt").stat().st_ino == (tmp_path / "a.pt").stat().st_ino
    monkeypatch.setattr(os, "link", refuse)
    ckpt.link_checkpoint(tmp_path / "a.pt", tmp_path / "c.pt")
    assert (tmp_path / "c.pt").read_bytes() == (tmp_path / "a.pt").read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.pt", "b.pt", "c.pt"]


def test_missing_file_and_empty_folder(tmp_path):
    with pytest.raises(CheckpointError, match="no checkpoint"):
        ckpt.load_checkpoint(tmp_path / "x.pt")
    with pytest.raises(CheckpointError, match="no checkpoint"):
        ckpt.resolve_checkpoint(tmp_path)


def test_code_in_a_file_does_not_run(tmp_path):
    class Evil:
        def __reduce__(self):
            return os.mkdir, (str(tmp_path / "ran"),)

    path = tmp_path / "evil.pt"
    torch.save({"format": 1, "x": Evil()}, path)
    with pytest.raises(CheckpointError, match="broken"):
        ckpt.load_checkpoint(path)
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("fails", ["fsync", "replace"])
def test_failed_write_leaves_the_old_file_whole(tmp_path, monkeypatch, fails):
    path = tmp_path / "a.pt"
    ckpt.save_checkpoint(path, CONTENT)
    before = path.read_bytes()

    def fail(*_):
        raise OSError("no space left on device")

    monkeypatch.setattr(os, fails, fail)
    with pytest.raises(CheckpointError, match="no space left"):
        ckpt.save_checkpoint(path, {"weights": torch.zeros(100)})
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["a.pt"]


def test_history_is_in_numeric_order_and_pruned(tmp_path):
    folder = tmp_path / "checkpoints"
    paths = three(folder)
    assert ckpt.checkpoints(folder) == paths
    assert ckpt.latest_checkpoint(tmp_path) == paths[-1] == ckpt.resolve_checkpoint(tmp_path)
    assert ckpt.resolve_checkpoint(folder) == paths[-1]
    assert ckpt.best_checkpoint(tmp_path) is None
    ckpt.prune(folder, 2)
    assert ckpt.checkpoints(folder) == paths[1:]


def test_global_random_state_round_trip(tmp_path):
    seed_global(3)
    path = tmp_path / "rng.pt"
    np.random.normal()  # noqa: NPY002 - leaves a second value waiting
    ckpt.save_checkpoint(path, {"rng": global_state()})

    def draws():
        return torch.rand(3).tolist(), np.random.normal(size=3).tolist(), random.random()  # noqa: NPY002

    first = draws()
    restore_global_state(ckpt.load_checkpoint(path)["rng"])
    assert draws() == first
