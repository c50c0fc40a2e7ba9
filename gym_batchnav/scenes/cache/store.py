"""Values in files that many processes share: written whole or not at all, bounded in size."""

from __future__ import annotations

import os
import stat
import tempfile
import time
import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..packing import read_value, write_value

SUFFIX = ".bnav"
_UNFINISHED = "tmp-"
_ABANDONED_S = 3600.0
"""Age from which on a file that is still being written belongs to a process that is gone."""


class CacheWarning(UserWarning):
    """Something is wrong with the cache of scenes; whatever needs it goes on without it."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A file of the cache."""

    path: Path
    """Where it lies."""
    size: int
    """Bytes."""
    used: float
    """When it was last read or written, seconds since the epoch."""

    @property
    def kind(self) -> str:
        """What it holds, such as ``ground``."""
        return self.path.name.partition("-")[0]


@dataclass(frozen=True, slots=True)
class SceneCache:
    """A folder of entries, each under the hash of all that it was derived from; picklable.

    Reading an entry marks it as used; where the entries come to more than the limit, those that were not used
    for longest leave. Nothing here raises on account of the disk: troubles are ``CacheWarning``s.
    """

    folder: Path
    """Where the entries lie; made, for its owner alone, when the first one is kept."""
    limit_bytes: int
    """Most that the entries take together."""
    writes: bool = True
    """Whether ``put`` does anything."""

    def get(self, key: str) -> Any:
        """The value kept under a key; None for none. A broken entry is deleted."""
        path = self._path(key)
        try:
            if self._refused():
                return None
            with path.open("rb") as file:
                value = read_value(file)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            return self._warn(f"cannot be read ({error})")
        # Unpickling what is broken may raise anything.
        except Exception as error:
            _delete(path)
            return self._warn(f"held a broken entry, {path.name} ({error}), which is made anew")
        # Where the disk takes no note of it, the entry merely leaves earlier.
        with suppress(OSError):
            os.utime(path)
        return value

    def put(self, key: str, value: object) -> int:
        """Keep a value and let others leave for it; returns its bytes, 0 where it was not kept."""
        if not self.writes:
            return 0
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if self._refused():
                return 0
            size = self._write(self._path(key), value)
            self.shrink(self.limit_bytes)
        except OSError as error:
            self._warn(f"cannot be written to ({error}); what is derived from scenes is not kept")
            return 0
        return size

    def entries(self) -> list[Entry]:
        """All entries, the one that was not used for longest first."""
        found = [entry for entry in self._files() if entry.path.suffix == SUFFIX]
        return sorted(found, key=lambda entry: (entry.used, entry.path.name))

    def shrink(self, limit_bytes: int) -> list[Entry]:
        """Delete what was not used for longest until the rest takes no more than this; returns those."""
        self._delete_abandoned()
        entries = self.entries()
        excess = sum(entry.size for entry in entries) - limit_bytes
        gone = []
        for entry in entries:
            if excess <= 0:
                break
            if _delete(entry.path):
                excess -= entry.size
                gone.append(entry)
        return gone

    def remove(self, unwanted: Callable[[Entry], bool]) -> list[Entry]:
        """Delete some entries, and what processes that are gone have left; returns those entries."""
        self._delete_abandoned()
        return [entry for entry in self.entries() if unwanted(entry) and _delete(entry.path)]

    def _path(self, key: str) -> Path:
        return self.folder / f"{key}{SUFFIX}"

    def _write(self, path: Path, value: object) -> int:
        descriptor, name = tempfile.mkstemp(prefix=_UNFINISHED, dir=self.folder)
        try:
            with os.fdopen(descriptor, "wb") as file:
                write_value(file, value, checked=True)
                file.seek(0, os.SEEK_END)
                size = file.tell()
            if size <= self.limit_bytes:
                os.replace(name, path)
                return size
        except PermissionError:
            _delete(Path(name))
            if path.exists():
                # Windows replaces no file that is in use; that one holds the same.
                return 0
            raise
        except BaseException:
            _delete(Path(name))
            raise
        # All others would have to leave for it, and then it too.
        _delete(Path(name))
        return 0

    def _files(self) -> list[Entry]:
        files = []
        try:
            with os.scandir(self.folder) as found:
                for item in found:
                    with suppress(FileNotFoundError):
                        facts = item.stat()
                        files.append(Entry(Path(item.path), facts.st_size, facts.st_mtime))
        except FileNotFoundError:
            return []
        return files

    def _delete_abandoned(self) -> None:
        limit = time.time() - _ABANDONED_S
        for entry in self._files():
            if entry.path.name.startswith(_UNFINISHED) and entry.used < limit:
                _delete(entry.path)

    def _refused(self) -> bool:
        """Whether others could have put something into the folder: entries are pickles, which run code."""
        facts = self.folder.stat()
        if not hasattr(os, "geteuid"):
            # On Windows the folder of a user is the user's own.
            return False
        if facts.st_uid != os.geteuid():
            self._warn(
                f"belongs to the user with the id {facts.st_uid}, not to this one ({os.geteuid()}), and "
                "is not used; set BATCHNAV_CACHE to a folder of your own, or to off"
            )
            return True
        if facts.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            self._warn("can be written to by others and is not used; take that from them: chmod go-w")
            return True
        return False

    def _warn(self, problem: str) -> None:
        warnings.warn(f"the cache of scenes {self.folder} {problem}", CacheWarning, stacklevel=3)


def _delete(path: Path) -> bool:
    """Whether a file is gone; where the disk is read-only, or the file in use (Windows), it stays."""
    try:
        path.unlink(missing_ok=True)
    except OSError:
        return False
    return True
