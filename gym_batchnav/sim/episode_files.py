"""Habitat's episode files on disk: gzipped JSON, alone or as an index with a file for each scene."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from ..errors import EpisodeError

_ENDINGS = (".json.gz", ".json")
_CONTENT = "{data_path}/content/{scene}.json.gz"


def split_file(path: str | Path) -> Path:
    """The file that is meant: ``val/val.json.gz`` for a folder ``val``, else the path itself.

    Raises:
        EpisodeError: the path is a pattern for several splits, or a folder without such a file.
    """
    path = Path(path)
    if "{split}" in str(path):
        raise EpisodeError(
            f"{path}: names no split; put its name in place of {{split}}, as in val/val.json.gz"
        )
    if not path.is_dir():
        return path
    files = [path / f"{path.resolve().name}{ending}" for ending in _ENDINGS]
    found = next((file for file in files if file.is_file()), None)
    if found is None:
        raise EpisodeError(f"{path}: is a folder without {files[0].name}; name the episode file")
    return found


def entries(path: Path, wanted: Callable[[str], bool]) -> Iterator[tuple[Path, int, Any]]:
    """Entries of a file, each with its file and number there.

    Where its list is empty, those of the files in its ``content`` folder: of the ``wanted`` ones (by their
    names), or of all where none is. One such file is held in memory at a time.

    Raises:
        EpisodeError: a file is missing or broken, or there are no episodes anywhere.
    """
    index = _load(path)
    if index["episodes"]:
        yield from ((path, number, entry) for number, entry in enumerate(index["episodes"]))
        return
    files = _content_files(path, index)
    for file in [file for file in files if wanted(file.name)] or files:
        yield from ((file, number, entry) for number, entry in enumerate(_load(file)["episodes"]))


def _content_files(path: Path, index: dict[str, Any]) -> list[Path]:
    pattern = index.get("content_scenes_path", _CONTENT)
    if not isinstance(pattern, str) or not pattern.startswith("{data_path}/") or ".." in Path(pattern).parts:
        raise EpisodeError(
            f"{path}: content_scenes_path is {str(pattern)[:80]!r}; expected a path below {{data_path}}, as "
            f"{_CONTENT}"
        )
    below = pattern.removeprefix("{data_path}/").replace("[", "[[]").replace("{scene}", "*")
    files = sorted(path.parent.glob(below))
    if not files:
        raise EpisodeError(
            f"{path}: its list of episodes is empty and there is no {path.parent / below} with episodes"
        )
    return files


def _load(path: Path) -> dict[str, Any]:
    try:
        raw = path.read_bytes()
        data = json.loads(gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw)
    except FileNotFoundError as error:
        raise EpisodeError(f"{path}: there is no such episode file") from error
    except (OSError, EOFError, zlib.error, ValueError, RecursionError) as error:
        raise EpisodeError(
            f"{path}: cannot be read as JSON or gzipped JSON ({error}); download it again"
        ) from error
    if not isinstance(data, dict) or not isinstance(data.get("episodes"), list):
        raise EpisodeError(f"{path}: is no episode file; expected an object with a list 'episodes'")
    return data
