"""The folder of cached values: whole or not there, bounded, shared, and never a reason to fail."""

from __future__ import annotations

import os
import pickle
import stat
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from gym_batchnav.errors import ConfigError
from gym_batchnav.scenes import cache as cache_package
from gym_batchnav.scenes.cache import CacheWarning, SceneCache, open_cache
from gym_batchnav.scenes.packing import PackingError, read_value, write_value

VALUE = {"table": np.arange(3000, dtype=np.float32), "empty": np.zeros((0, 3)), "words": ["a", "b"]}
posix = pytest.mark.skipif(os.name != "posix", reason="owners and permissions are POSIX's")


@pytest.fixture
def cache(tmp_path) -> SceneCache:
    return SceneCache(tmp_path / "scenes", 1 << 20)


def files(cache: SceneCache) -> list[str]:
    return sorted(path.name for path in cache.folder.iterdir())


def same(value: object) -> bool:
    return (
        np.array_equal(value["table"], VALUE["table"])
        and value["empty"].shape == (0, 3)
        and value["words"] == ["a", "b"]
    )


def aged(cache: SceneCache, key: str, seconds: float) -> None:
    """Make an entry look as if it had not been used for a while."""
    then = time.time() - seconds
    os.utime(cache.folder / f"{key}.bnav", (then, then))


def test_what_was_put_comes_back_as_private_maps(cache):
    assert cache.get("ground-1") is None
    size = cache.put("ground-1", VALUE)
    assert size == (cache.folder / "ground-1.bnav").stat().st_size
    first, second = cache.get("ground-1"), cache.get("ground-1")
    assert same(first)
    assert first["table"].ctypes.data % 64 == 0
    first["table"][0] = 7.0  # writable, but seen by nobody else
    assert same(second)
    assert same(pickle.loads(pickle.dumps(cache)).get("ground-1"))


@posix
def test_folder_is_its_owners_alone(cache):
    cache.put("ground-1", VALUE)
    assert stat.S_IMODE(cache.folder.stat().st_mode) == 0o700
    assert stat.S_IMODE((cache.folder / "ground-1.bnav").stat().st_mode) == 0o600


@posix
def test_folder_that_others_own_or_write_is_refused(cache, monkeypatch):
    cache.put("ground-1", VALUE)
    cache.folder.chmod(0o770)
    with pytest.warns(CacheWarning, match=r"can be written to by others .* chmod go-w"):
        assert cache.get("ground-1") is None
    cache.folder.chmod(0o700)
    assert same(cache.get("ground-1"))
    monkeypatch.setattr(os, "geteuid", lambda: cache.folder.stat().st_uid + 1)
    for use in (lambda: cache.get("ground-1"), lambda: cache.put("ground-2", VALUE)):
        with pytest.warns(CacheWarning, match=r"belongs to the user .* BATCHNAV_CACHE"):
            assert not use()
    assert files(cache) == ["ground-1.bnav"]


DAMAGES = {
    "cut short": lambda data: data[:-100],
    "cut to nothing": lambda data: b"",
    "a bit": lambda data: data[:5000] + bytes([data[5000] ^ 1]) + data[5001:],
    "the pickle": lambda data: data[:-70] + bytes([data[-70] ^ 0x80]) + data[-69:],
    "the header": lambda data: data[:20] + b"\xff" + data[21:],
    "another file": lambda data: b"not ours " * 1000,
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_broken_entry_is_deleted_with_a_warning(cache, damage):
    cache.put("ground-1", VALUE)
    path = cache.folder / "ground-1.bnav"
    path.write_bytes(DAMAGES[damage](path.read_bytes()))
    with pytest.warns(CacheWarning, match=r"held a broken entry, ground-1.bnav .* made anew") as told:
        assert cache.get("ground-1") is None
    assert len(told) == 1
    assert files(cache) == []


def test_values_without_checksum_are_still_checked_for_their_length(tmp_path):
    path = tmp_path / "value"
    with path.open("wb") as file:
        write_value(file, VALUE, checked=False)
    with path.open("rb") as file:
        assert same(read_value(file))
    path.write_bytes(path.read_bytes()[:-1])
    with path.open("rb") as file, pytest.raises(PackingError, match="does not fit"):
        read_value(file)


def test_least_recently_used_entries_leave(tmp_path):
    # Entries of VALUE take 64 + 12,032 + the pickle's bytes, 12 to 13 kB; three fit into 40 kB, four do not.
    cache = SceneCache(tmp_path / "scenes", 40_000)
    for number in range(3):
        cache.put(f"ground-{number}", VALUE)
        aged(cache, f"ground-{number}", 100 - number)
    assert cache.get("ground-0") is not None  # used now, so the next oldest leaves
    cache.put("ground-3", VALUE)
    assert files(cache) == ["ground-0.bnav", "ground-2.bnav", "ground-3.bnav"]
    assert sum(entry.size for entry in cache.entries()) <= 40_000
    # One that is larger than all of the room is not kept, and drives nobody out.
    assert cache.put("ground-4", np.zeros(50_000, np.uint8)) == 0
    assert len(files(cache)) == 3


def test_arrays_outlive_their_entry(cache):
    cache.put("ground-1", VALUE)
    value = cache.get("ground-1")
    assert [entry.kind for entry in cache.remove(lambda entry: True)] == ["ground"]
    assert same(value)
    assert cache.get("ground-1") is None


def test_unfinished_files_of_the_dead_are_deleted_and_those_of_the_living_left(cache):
    cache.put("ground-1", VALUE)
    dead, living = cache.folder / "tmp-dead", cache.folder / "tmp-living"
    for path in (dead, living):
        path.write_bytes(b"half of it")
    os.utime(dead, (time.time() - 7200,) * 2)
    assert [entry.path.name for entry in cache.entries()] == ["ground-1.bnav"]
    cache.put("ground-2", VALUE)
    assert files(cache) == ["ground-1.bnav", "ground-2.bnav", "tmp-living"]


KILLED = """
import os, sys
from pathlib import Path
from gym_batchnav.scenes import packing
from gym_batchnav.scenes.cache import SceneCache
import numpy as np
packing.zlib.crc32 = lambda *_: os.kill(os.getpid(), 9)  # once the first array is written
SceneCache(Path(sys.argv[1]), 1 << 20).put("ground-1", np.zeros(1000))
"""


@posix
def test_process_killed_while_it_writes_leaves_nothing_that_counts(cache):
    assert subprocess.run([sys.executable, "-c", KILLED, str(cache.folder)]).returncode == -9
    (left,) = files(cache)
    assert left.startswith("tmp-")
    assert cache.get("ground-1") is None
    assert cache.put("ground-1", VALUE)
    assert same(cache.get("ground-1"))
    os.utime(cache.folder / left, (time.time() - 7200,) * 2)
    cache.shrink(cache.limit_bytes)
    assert files(cache) == ["ground-1.bnav"]


BUSY = """
import sys
from pathlib import Path
import numpy as np
from gym_batchnav.scenes.cache import SceneCache
cache = SceneCache(Path(sys.argv[1]), 40_000)
for number in np.random.default_rng(int(sys.argv[2])).integers(0, 6, 100).tolist():
    value = cache.get(f"ground-{number}")
    if value is None:
        cache.put(f"ground-{number}", {"number": number, "table": np.full(3000, number, np.float32)})
    else:
        assert value["number"] == number and (value["table"] == number).all()
"""


def test_many_processes_write_read_and_clear_at_once(cache):
    """Three entries fit; three processes go through six of them, so that they evict from under each other."""
    started = [
        subprocess.Popen([sys.executable, "-W", "error", "-c", BUSY, str(cache.folder), str(number)])
        for number in range(3)
    ]
    assert [process.wait(timeout=60) for process in started] == [0, 0, 0]
    assert all(name.startswith("ground-") for name in files(cache))
    cache.shrink(40_000)
    assert len(files(cache)) == 3


def test_disk_that_takes_nothing_is_a_warning(cache, monkeypatch):
    cache.put("ground-1", VALUE)

    def full(file, value, *, checked):
        file.write(b"some")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("gym_batchnav.scenes.cache.store.write_value", full)
    with pytest.warns(CacheWarning, match=r"No space left on device.* is not kept"):
        assert cache.put("ground-2", VALUE) == 0
    assert files(cache) == ["ground-1.bnav"]
    assert same(cache.get("ground-1"))


def test_entry_in_use_that_cannot_be_replaced_stays(cache, monkeypatch):
    """As on Windows, where an equal entry is mapped by another process."""
    cache.put("ground-1", VALUE)

    def refuse(source, target):
        raise PermissionError(13, "in use")

    monkeypatch.setattr(os, "replace", refuse)
    assert cache.put("ground-1", VALUE) == 0
    with pytest.warns(CacheWarning, match="in use"):
        assert cache.put("ground-2", VALUE) == 0
    assert files(cache) == ["ground-1.bnav"]


def test_folder_that_cannot_be_made_is_a_warning(tmp_path):
    (tmp_path / "file").write_bytes(b"")
    cache = SceneCache(tmp_path / "file" / "scenes", 1 << 20)
    with pytest.warns(CacheWarning, match="cannot be written to"):
        assert cache.put("ground-1", VALUE) == 0
    assert cache.get("ground-1") is None
    # What cannot be read for another reason is said: here a folder lies in the entry's place.
    other = SceneCache(tmp_path / "other", 1 << 20)
    (other.folder / "ground-1.bnav").mkdir(parents=True)
    with pytest.warns(CacheWarning, match="cannot be read"):
        assert other.get("ground-1") is None


def test_place_and_size_come_from_the_environment(tmp_path, monkeypatch):
    assert open_cache({"BATCHNAV_CACHE": "off"}) is None
    named = open_cache({"BATCHNAV_CACHE": str(tmp_path), "BATCHNAV_CACHE_GIB": "0.5"})
    assert named == SceneCache(tmp_path / "scenes", 2**29)
    assert not named.folder.exists()
    usual = tmp_path / "usual"
    monkeypatch.setattr("platformdirs.user_cache_path", lambda name, appauthor: usual / name)
    assert open_cache({}) == SceneCache(usual / "gym-batchnav" / "scenes", 4 * 2**30)
    for size in ("0", "-1", "nan", "much"):
        with pytest.raises(ConfigError, match=f"BATCHNAV_CACHE_GIB='{size}'"):
            open_cache({"BATCHNAV_CACHE_GIB": size})


def test_tests_keep_away_from_the_users_cache(tmp_path_factory):
    assert Path(tmp_path_factory.getbasetemp()) in cache_package.open_cache().folder.parents
