"""``batchnav scenes cache``: what is said, and what is deleted."""

from __future__ import annotations

import json
import os
import time

import numpy as np
import pytest

from gym_batchnav.cli import main
from gym_batchnav.scenes.cache import open_cache

DAY = 86400


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """Three entries of 100 kB, last used 9 days, 2 days and no time ago, and a file of a dead process."""
    monkeypatch.setenv("BATCHNAV_CACHE", str(tmp_path / "kept"))
    cache = open_cache()
    for key, days in (("ground-a", 9), ("images-b", 2), ("images-c", 0)):
        cache.put(key, np.zeros(100_000, np.uint8))
        then = time.time() - days * DAY
        os.utime(cache.folder / f"{key}.bnav", (then, then))
    (cache.folder / "tmp-x").write_bytes(b"half")
    os.utime(cache.folder / "tmp-x", (time.time() - DAY,) * 2)
    return cache


def left(cache) -> list[str]:
    return sorted(path.name for path in cache.folder.iterdir())


def run(capsys, *arguments: str) -> tuple[int, str]:
    status = main(["scenes", "cache", *arguments])
    found = capsys.readouterr()
    return status, " ".join((found.out + found.err).replace("│", " ").split())


def test_it_says_what_is_there_and_deletes_nothing(cache, capsys, tmp_path):
    status, text = run(capsys, "--json", str(tmp_path / "record.json"))
    assert status == 0
    # 3 x 100,000 bytes and little more are 0.3 MiB.
    # The title is folded where the folder's name is long.
    assert "kept/scenes:0.3of4,096MiB" in text.replace(" ", "")
    assert "navigation meshes with corner graphs 1 0.1 9 days ago" in text
    assert "for a renderer 2 0.2 today" in text
    assert len(left(cache)) == 4
    record = json.loads((tmp_path / "record.json").read_text())
    assert [entry["name"] for entry in record["entries"]] == ["ground-a", "images-b", "images-c"]
    assert record["bytes"] == sum(entry["bytes"] for entry in record["entries"])
    assert record["deleted"] == []


@pytest.mark.parametrize(
    ("arguments", "said", "expected"),
    [
        (["--clear"], "deleted 3 entries, 0.3 MiB", []),
        (["--older-than", "5"], "deleted 1 entries", ["images-b.bnav", "images-c.bnav"]),
        (["--older-than", "1.5"], "deleted 2 entries", ["images-c.bnav"]),
        # 0.0002 GiB are 214,748 bytes: two entries.
        (["--down-to", "0.0002"], "deleted 1 entries", ["images-b.bnav", "images-c.bnav"]),
        (["--down-to", "1"], "deleted 0 entries", ["ground-a.bnav", "images-b.bnav", "images-c.bnav"]),
    ],
)
def test_it_deletes_what_it_is_told_to_and_what_the_dead_left(cache, capsys, arguments, said, expected):
    status, text = run(capsys, *arguments)
    assert status == 0
    assert said in text
    assert left(cache) == expected


def test_one_thing_at_a_time_and_sensible_numbers(cache, capsys):
    for arguments, message in (
        (["--clear", "--down-to", "1"], "--clear and --down-to were given"),
        (["--older-than", "-1"], "--older-than -1.0 is not allowed"),
        (["--down-to", "nan"], "--down-to nan is not allowed"),
    ):
        status, text = run(capsys, *arguments)
        assert status == 2
        assert message in text
    assert len(left(cache)) == 4


def test_other_files_of_the_folder_stay(cache, capsys):
    (cache.folder.parent / "thesis.tex").write_text("mine")
    (cache.folder / "notes.txt").write_text("mine")
    run(capsys, "--clear")
    assert left(cache) == ["notes.txt"]
    assert (cache.folder.parent / "thesis.tex").exists()


def test_empty_and_off(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("BATCHNAV_CACHE", str(tmp_path / "nowhere"))
    status, text = run(capsys, "--clear")
    assert (status, "0.0 of 4,096 MiB" in text) == (0, True)
    assert not (tmp_path / "nowhere").exists()
    monkeypatch.setenv("BATCHNAV_CACHE", "off")
    assert "is off" in run(capsys)[1]
