"""Files of a scene data set: those in its folder or beside it, and nothing else."""

from __future__ import annotations

import glob
import os
import re
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path, PurePosixPath

from ...errors import SceneError
from ..budget import Budget
from ..gltf.container import parse_json
from ..gltf.fields import Fields
from ..reads import is_file, read_file

_MAGIC = re.compile(r"[*?\[]")
_MOST_MATCHES = 200_000


@dataclass(slots=True)
class DataSetFiles:
    """Finds and reads the files that a data set's configuration names.

    Data sets refer to their neighbours (``../objects``), so files may lie in the folder that holds the data
    set's folder, or in ``scenes_dir``; links are followed before that is checked.
    """

    config: Path
    scenes_dir: Path | None = None
    budget: Budget = field(init=False)
    root: Path = field(init=False)
    """Folder of the configuration."""
    _allowed: tuple[Path, ...] = field(init=False)
    _folders: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.budget = Budget(str(self.config))
        self.root = self.config.resolve().parent
        around = self.root.parent
        # Beside a data set at the top of the file system lies everything.
        own = self.root if around == around.parent else around
        self._allowed = (own,) if self.scenes_dir is None else (own, self.scenes_dir.resolve())

    def read_json(self, path: Path) -> Fields:
        """The JSON object in a file; raises ``SceneError`` where it cannot be read or is no object."""
        try:
            content = read_file(path)
        except OSError as error:
            raise SceneError(f"{path}: cannot be read ({error})") from error
        self.budget.read(len(content))
        return Fields(parse_json(path, content), str(path), "")

    def find(self, fields: Fields, key: str, folder: Path, name: str | None = None) -> Path:
        """The file that field ``key`` names, relative to ``folder``, else to the data set's folder.

        Args:
            fields: the object that names it.
            key: the field, for messages.
            folder: folder of the file with that object.
            name: the name, where it is not simply the field's text.

        Raises:
            SceneError: there is none, or it lies where no data set may reach.
        """
        name = fields.text(key) if name is None else name
        try:
            for base in dict.fromkeys((folder, self.root)):
                target = (base / name.replace("\\", "/")).resolve()
                if not self.may_reach(target):
                    raise fields.error(key, f"is {name!r:.120}, {self._outside()}")
                if is_file(target):
                    return target
        except (OSError, ValueError, RuntimeError) as error:
            raise fields.error(key, f"is {name!r:.120}, which cannot be read ({error})") from error
        raise fields.error(key, f"is {name!r:.120}; there is no such file in {folder} or {self.root}")

    def glob(self, fields: Fields, key: str, pattern: str) -> list[Path]:
        """Files and folders that a pattern of the configuration matches, sorted; may be none.

        Raises:
            SceneError: the pattern reaches where no data set may, or matches too much.
        """
        pattern = pattern.replace("\\", "/").rstrip("/") or "."
        try:
            fixed = Path(self.root, *_fixed_parts(pattern)).resolve()
            if not self.may_reach(fixed):
                raise fields.error(key, f"holds {pattern!r:.120}, {self._outside()}")
            found = list(islice(glob.iglob(pattern, root_dir=self.root), _MOST_MATCHES + 1))
            paths = sorted(self._resolved(name) for name in found)
        except (OSError, ValueError, RuntimeError, re.error) as error:
            raise fields.error(key, f"holds {pattern!r:.120}, which is no pattern ({error})") from error
        if len(paths) > _MOST_MATCHES:
            raise fields.error(key, f"holds {pattern!r:.120}, which matches over {_MOST_MATCHES} files")
        folders = {path.parent for path in paths}
        far = {folder for folder in folders if not self.may_reach(folder)}
        strays = [path for path in paths if path.parent in far and not self.may_reach(path)]
        if strays:
            raise fields.error(key, f"holds {pattern!r:.120}, which matches {strays[0]}, {self._outside()}")
        return paths

    def check(self, path: Path) -> None:
        """Raise ``SceneError`` where a file that was found leads, by a link, where no data set may reach."""
        if not self.may_reach(path.resolve()):
            raise SceneError(f"{self.config}: finds {path}, {self._outside()}")

    def may_reach(self, target: Path) -> bool:
        """Whether a resolved path lies where the data set's files may."""
        return any(target.is_relative_to(folder) for folder in self._allowed)

    def _resolved(self, name: str) -> Path:
        """A path of this folder with links followed, also those that lead to themselves."""
        folder, last = os.path.split(name)
        if folder not in self._folders:
            self._folders[folder] = os.path.realpath(self.root / folder)
        path = os.path.join(self._folders[folder], last)
        return Path(os.path.realpath(path) if last in ("", ".", "..") or os.path.islink(path) else path)

    def _outside(self) -> str:
        folders = " and ".join(map(str, self._allowed))
        return f"which lies outside {folders}; pass scenes_dir= with a folder that holds it"


def _fixed_parts(pattern: str) -> list[str]:
    """The parts of a pattern before the first one with a wildcard."""
    parts = PurePosixPath(pattern).parts
    wild = next((number for number, part in enumerate(parts) if _MAGIC.search(part)), len(parts))
    return list(parts[:wild])
