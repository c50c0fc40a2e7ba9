"""How loaders read files, so that it can be noted what a scene was made from."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Final, NamedTuple

ABSENT: Final = ""
"""Digest of a file that was looked for and is not there."""
PRESENT: Final = "present"
"""Digest of a file that was asked for and not read."""
_NAMES: Final = "names:"
"""How the digest of what lies in a folder begins."""


class FileRead(NamedTuple):
    """What a loader learnt from one look at the disk."""

    path: Path
    """The file, as the loader named it."""
    digest: str
    """Hash of its content (of a folder: of the names in it), or ``ABSENT`` or ``PRESENT``."""


_NOTES: ContextVar[list[FileRead] | None] = ContextVar("notes", default=None)


@contextmanager
def noting() -> Iterator[list[FileRead]]:
    """Collect all looks at files within the block, in their order."""
    notes: list[FileRead] = []
    token = _NOTES.set(notes)
    try:
        yield notes
    finally:
        _NOTES.reset(token)


def read_file(path: Path) -> bytes:
    """Content of a file; raises ``OSError``."""
    notes = _NOTES.get()
    try:
        content = path.read_bytes()
    except OSError:
        if notes is not None:
            notes.append(FileRead(path, ABSENT))
        raise
    if notes is not None:
        notes.append(FileRead(path, content_digest(content)))
    return content


def is_file(path: Path) -> bool:
    """Whether there is such a file."""
    found = path.is_file()
    if (notes := _NOTES.get()) is not None:
        notes.append(FileRead(path, PRESENT if found else ABSENT))
    return found


def file_names(folder: Path) -> list[str]:
    """Names in a folder, sorted; none where it is no folder."""
    names = _names_in(folder)
    if (notes := _NOTES.get()) is not None:
        notes.append(FileRead(folder, _names_digest(names)))
    return names


def note_content(path: Path) -> None:
    """Note the content of a file that something else is going to read."""
    if (notes := _NOTES.get()) is not None:
        notes.append(FileRead(path, file_digest(path)))


def content_digest(content: bytes) -> str:
    """Hash of bytes (BLAKE2b, 160 bits)."""
    return hashlib.blake2b(content, digest_size=20).hexdigest()


def file_digest(path: Path) -> str:
    """Hash of a file's content; ``ABSENT`` where it cannot be read."""
    try:
        return content_digest(path.read_bytes())
    except OSError:
        return ABSENT


def still_holds(note: FileRead) -> bool:
    """Whether a look at the disk would find the same now."""
    try:
        if note.digest == PRESENT:
            return note.path.is_file()
        if note.digest.startswith(_NAMES):
            return note.digest == _names_digest(_names_in(note.path))
    except OSError:
        return False
    return file_digest(note.path) == note.digest


def _names_in(folder: Path) -> list[str]:
    return sorted(os.listdir(folder)) if folder.is_dir() else []


def _names_digest(names: list[str]) -> str:
    return _NAMES + content_digest(repr(names).encode())
