"""Files that a scene file refers to: those in its folder, and nothing else."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath, PureWindowsPath
from urllib.parse import unquote

from ..errors import SceneError
from .budget import Budget
from .reads import file_names, is_file, read_file

_QUERY = re.compile(r"[?#].*$", re.DOTALL)
_MAX_BYTES = 2**32


@dataclass(slots=True)
class SceneFolder:
    """Reads files in the folder of a scene file or below it, each once."""

    scene: Path
    budget: Budget
    _contents: dict[Path, bytes] = field(default_factory=dict)
    _listings: dict[Path, dict[str, list[str]]] = field(default_factory=dict)

    def read(self, name: str, place: str) -> bytes:
        """Content of the file that ``place`` calls ``name`` (a relative path, percent-encoded or not).

        Raises:
            SceneError: there is no such file, or it lies outside the scene's folder, also through a link.
        """
        if "://" in name or "\0" in name:
            raise self._error(place, name, "only data URIs and files beside the scene are read")
        try:
            target = self._find(name, place)
            if target not in self._contents:
                if target.stat().st_size > _MAX_BYTES:
                    raise self._error(place, name, f"which has more than {_MAX_BYTES} bytes")
                self._contents[target] = read_file(target)
                self.budget.read(len(self._contents[target]))
            return self._contents[target]
        except (OSError, ValueError, RuntimeError) as error:
            raise self._error(place, name, f"which cannot be read ({error})") from error

    def has(self, name: str) -> bool:
        """Whether there is a file of this name in the scene's folder or below it."""
        try:
            return "\0" not in name and self._find(name, "a file") is not None
        except (OSError, ValueError, RuntimeError, SceneError):
            return False

    def read_foreign(self, name: str, place: str) -> bytes:
        """Like ``read``, but a path of the author's machine is looked up by its last part too."""
        try:
            return self.read(name, place)
        except SceneError as error:
            last = PureWindowsPath(name).name
            if last in ("", name):
                raise
            try:
                return self.read(last, place)
            except SceneError:
                raise error from None

    def _find(self, name: str, place: str) -> Path:
        """First file among the spellings that exporters use."""
        folder = self.scene.parent.resolve()
        unquoted, bare = unquote(name), _QUERY.sub("", name)
        spellings = dict.fromkeys(
            (unquoted, name, unquoted.replace("\\", "/"), unquote(bare), unquote(bare).replace("\\", "/"))
        )
        for spelling in spellings:
            target = self._inside(folder, folder / spelling, name, place)
            if is_file(target):
                return target
        for spelling in spellings:
            like = self._like(folder, spelling)
            if like is not None:
                target = self._inside(folder, like, name, place)
                if is_file(target):
                    return target
        raise FileNotFoundError("there is no such file")

    def _inside(self, folder: Path, path: Path, name: str, place: str) -> Path:
        target = path.resolve()
        if not target.is_relative_to(folder):
            raise self._error(place, name, "which lies outside the scene's folder")
        return target

    def _like(self, folder: Path, spelling: str) -> Path | None:
        """The one path that differs from ``spelling`` only in case or in how its accents are composed.

        Many scenes come from systems that do not tell such names apart.
        """
        found = folder
        for part in PurePosixPath(spelling).parts:
            if part in ("..", "/") or not found.resolve().is_relative_to(folder):
                return None
            names = self._listing(found).get(_folded(part), [])
            if len(names) != 1:
                return None
            found /= names[0]
        return found

    def _listing(self, folder: Path) -> dict[str, list[str]]:
        """Names in a folder by what they are when case and accents' composition are left out."""
        if folder not in self._listings:
            listing = self._listings[folder] = {}
            for name in file_names(folder):
                listing.setdefault(_folded(name), []).append(name)
        return self._listings[folder]

    def _error(self, place: str, name: str, message: str) -> SceneError:
        return SceneError(f"{self.scene}: {place} is {name!r:.80}, {message}")


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold()
