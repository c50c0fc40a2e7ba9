"""Files that a scene file refers to: those in its folder, and nothing else."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path, PureWindowsPath
from urllib.parse import unquote

from ..errors import SceneError
from .budget import Budget
from .reads import is_file, read_file


@dataclass(slots=True)
class SceneFolder:
    """Reads files in the folder of a scene file or below it, each once."""

    scene: Path
    budget: Budget
    _contents: dict[Path, bytes] = field(default_factory=dict)

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
                self._contents[target] = read_file(target)
                self.budget.read(len(self._contents[target]))
            return self._contents[target]
        except (OSError, ValueError, RuntimeError) as error:
            raise self._error(place, name, f"which cannot be read ({error})") from error

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
        unquoted = unquote(name)
        for spelling in dict.fromkeys((unquoted, name, unquoted.replace("\\", "/"))):
            target = (folder / spelling).resolve()
            if not target.is_relative_to(folder):
                raise self._error(place, name, "which lies outside the scene's folder")
            if is_file(target):
                return target
        raise FileNotFoundError("there is no such file")

    def _error(self, place: str, name: str, message: str) -> SceneError:
        return SceneError(f"{self.scene}: {place} is {name!r:.80}, {message}")
