"""What entries are kept under: all that a scene was made from, and the version of the code."""

from __future__ import annotations

import functools
import hashlib
import importlib.metadata
import importlib.util
import os
import platform
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ..reads import ABSENT, PRESENT, FileRead, file_digest, still_holds
from .store import SceneCache

_DERIVING = ("gym_batchnav.config", "gym_batchnav.scenes", "gym_batchnav.nav", "batchnav_renderer")
"""Packages whose code makes entries, or whose classes lie in them."""
_LIBRARIES = ("numpy", "scipy", "numba", "shapely", "pillow")
_CODECS = ("pycollada", "DracoPy", "meshopt", "opengl-basisu")


@dataclass(frozen=True, slots=True)
class Recipe:
    """What loading a scene depends on besides the content of files."""

    values: tuple[str | int | float | None, ...]
    """Plain values: kind of scene, number of a house, axes and scale ..."""
    file: Path | None = None
    """The file that loading begins with; None for a scene that is made of numbers."""


@dataclass(frozen=True, slots=True)
class Content:
    """What a scene is made from, known without loading it."""

    digest: str
    """Hash of all of it; equal for copies in other folders."""
    warnings: tuple[str, ...] = ()
    """``SceneWarning``s of its loading, to be said again."""


def recall(cache: SceneCache, recipe: Recipe) -> Content | None:
    """What a scene is made from, where it was loaded before and all that it was made from is as it was."""
    if (key := _start(recipe)) is None:
        return None
    if recipe.file is None:
        return Content(_hash(key, []))
    known = cache.get(f"source-{key}")
    if known is None:
        return None
    reads, texts = known
    notes = (FileRead(_absolute(name, recipe.file), digest) for name, digest in reads)
    return Content(_hash(key, reads), texts) if all(map(still_holds, notes)) else None


def remember(
    cache: SceneCache, recipe: Recipe, notes: Sequence[FileRead], texts: Iterable[str]
) -> Content | None:
    """Keep what a scene was made from, and what was warned of; returns it.

    A loader is a function of its recipe and of what it finds on the disk, look by look: so these, in their
    order, say what it made. None where the file that it began with has changed meanwhile.
    """
    key, first = _start(recipe), recipe.file
    if key is None or first is None:
        return None if key is None else Content(_hash(key, []))
    own = {digest for path, digest in notes if _same(path, first)} - {PRESENT}
    if own != {file_digest(first)}:
        return None
    others = dict.fromkeys(note for note in notes if not _same(note.path, first))
    reads = [(_relative(path, first), digest) for path, digest in others]
    content = Content(_hash(key, reads), tuple(texts))
    cache.put(f"source-{key}", (reads, content.warnings))
    return content


def part_key(kind: str, content: Content, *values: object) -> str:
    """Key of something that was derived from a scene, given the values that it depends on besides."""
    return f"{kind}-{_hash(content.digest, values)}"


@functools.cache
def code_version() -> str:
    """Hash of the code that derives, and of the versions of the libraries that it uses.

    So nothing that an older version has made is ever used, and no number has to be raised by hand.
    """
    digest = hashlib.blake2b(digest_size=20)
    for package in _DERIVING:
        spec = importlib.util.find_spec(package)
        for folder in (spec and spec.submodule_search_locations) or ():
            for path in sorted(Path(folder).rglob("*.py")):
                digest.update(f"{package} {path.relative_to(folder).as_posix()} ".encode())
                digest.update(path.read_bytes())
    for library in ("gym-batchnav", *_LIBRARIES, *_CODECS):
        with suppress(importlib.metadata.PackageNotFoundError):
            digest.update(f"{library} {importlib.metadata.version(library)} ".encode())
    digest.update(f"{sys.version_info[:2]} {platform.machine()} {sys.byteorder}".encode())
    return digest.hexdigest()


def _start(recipe: Recipe) -> str | None:
    """Hash of a recipe and its file; None where the file cannot be read."""
    name, content = None, None
    if recipe.file is not None:
        name, content = recipe.file.name, file_digest(recipe.file)
    return None if content == ABSENT else _hash(code_version(), recipe.values, name, content)


def _hash(*values: object) -> str:
    return hashlib.blake2b(repr(values).encode(), digest_size=20).hexdigest()


def _same(path: Path, other: Path) -> bool:
    return os.path.abspath(path) == os.path.abspath(other)


def _relative(path: Path, first: Path) -> str:
    """A path from the folder of a scene's first file on, so that the folder may move."""
    folder = os.path.abspath(first.parent)
    whole, resolved = os.path.abspath(path), os.path.realpath(folder)
    try:
        return Path(os.path.relpath(whole, resolved if whole.startswith(resolved) else folder)).as_posix()
    except ValueError:
        # On another drive.
        return whole


def _absolute(name: str, first: Path) -> Path:
    return Path(os.path.abspath(first.parent / name))
