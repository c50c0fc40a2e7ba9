"""Reader of Habitat's PointNav episode files (json.gz), checked entry by entry."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import EpisodeError
from .geometry import heading_of_quaternion

_LARGEST = float(np.finfo(np.float32).max)


@dataclass(frozen=True, slots=True, kw_only=True)
class EpisodeTable:
    """Episodes of a file as arrays; M episodes in the file's order."""

    path: Path
    """The file they come from."""
    names: tuple[str, ...]
    """``episode_id`` of each."""
    scenes: NDArray[np.int32]
    """(M,) index into the scenes that were given."""
    starts: NDArray[np.float32]
    """(M, 3) metres."""
    headings: NDArray[np.float64]
    """(M,) radians, 0 along -Z, positive to the left."""
    goals: NDArray[np.float32]
    """(M, 3) metres."""


def read_episodes(path: str | Path, scene_ids: Sequence[str]) -> EpisodeTable:
    """Read the episodes of a PointNav file that lie in the given scenes.

    An index file with an empty list takes its episodes from the ``content/`` folder beside it. Scenes are
    matched by their id, by the end of their path, or by the file's name without endings. Rotations are
    quaternions (x, y, z, w); the goal is ``goals[0].position``.

    Raises:
        EpisodeError: a file is missing or broken, an entry is not usable (the message names file and
            episode), no episode lies in the given scenes, or a scene fits several of them.
    """
    path = Path(path)
    matcher = _SceneMatcher(scene_ids)
    rows: list[tuple[str, int, list[float], float, list[float]]] = []
    seen: dict[str, None] = {}
    for file, number, entry in _entries(path, matcher):
        if not isinstance(entry, dict):
            raise EpisodeError(f"{file}: entry {number} of 'episodes' is no object but {str(entry)[:60]!r}")
        label = entry.get("episode_id")
        place = f"{file}: episode {(label if isinstance(label, str | int) else number)!r}"
        try:
            name = _field(entry, "scene_id", str, place)
            seen[name] = None
            scene = matcher.index(name, place)
            if scene is not None:
                rows.append((str(entry.get("episode_id", number)), scene, *_pose_and_goal(entry, place)))
        except (RecursionError, OverflowError) as error:
            raise EpisodeError(f"{place}: cannot be used ({error}); correct or remove it") from error
    if not rows:
        found = ", ".join(list(seen)[:5]) or "none at all"
        given = ", ".join(list(scene_ids)[:5])
        raise EpisodeError(
            f"{path}: holds no episode of the given scenes; its scenes: {found}; given: {given}. Give the "
            "scene files that the episodes name as scenes="
        )
    names, scenes, starts, headings, goals = zip(*rows, strict=True)
    return EpisodeTable(
        path=path,
        names=names,
        scenes=np.array(scenes, dtype=np.int32),
        starts=np.array(starts, dtype=np.float32),
        headings=np.array(headings, dtype=np.float64),
        goals=np.array(goals, dtype=np.float32),
    )


def _entries(path: Path, matcher: _SceneMatcher) -> Iterator[tuple[Path, int, Any]]:
    """Entries of a file, or of the files in its ``content`` folder whose scenes are wanted."""
    entries = _load(path)
    if entries:
        yield from ((path, number, entry) for number, entry in enumerate(entries))
        return
    folder = path.parent / "content"
    files = sorted(folder.glob("*.json.gz")) if folder.is_dir() else []
    if not files:
        raise EpisodeError(
            f"{path}: its list of episodes is empty and there is no {folder} with *.json.gz files"
        )
    wanted = [file for file in files if matcher.knows(file.name)] or files
    for file in wanted:
        yield from ((file, number, entry) for number, entry in enumerate(_load(file)))


def _load(path: Path) -> list[Any]:
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
    return list(data["episodes"])


def _field(entry: dict[str, Any], key: str, kind: type, place: str) -> Any:
    value = entry.get(key)
    if not isinstance(value, kind) or (kind is str and not value):
        raise EpisodeError(f"{place}: {key} is {str(value)[:60]!r}; expected a {kind.__name__}")
    return value


def _vector(value: Any, key: str, length: int, place: str) -> list[float]:
    numbers = isinstance(value, list) and len(value) == length
    if not numbers or not all(map(_is_number, value)):
        raise EpisodeError(f"{place}: {key} is {str(value)[:80]}; expected {length} finite numbers")
    return [float(part) for part in value]


def _is_number(value: object) -> bool:
    """Whether it is a number that float32 can hold; True and False are none."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= _LARGEST


def _pose_and_goal(entry: dict[str, Any], place: str) -> tuple[list[float], float, list[float]]:
    start = _vector(entry.get("start_position"), "start_position", 3, place)
    rotation = np.array(_vector(entry.get("start_rotation"), "start_rotation", 4, place))
    norm = float(np.linalg.norm(rotation))
    if abs(norm - 1.0) > 0.01:
        raise EpisodeError(
            f"{place}: start_rotation has length {norm:.3f}; expected a unit quaternion (x, y, z, w)"
        )
    goals = _field(entry, "goals", list, place)
    if not goals or not isinstance(goals[0], dict):
        raise EpisodeError(
            f"{place}: 'goals' holds no goal; expected [{{'position': [x, y, z]}}] (ObjectNav has none)"
        )
    goal = _vector(goals[0].get("position"), "goals[0].position", 3, place)
    info = entry.get("info") or {}
    given = info.get("geodesic_distance") if isinstance(info, dict) else None
    if isinstance(given, int | float) and not _is_number(given):
        raise EpisodeError(f"{place}: info.geodesic_distance is {given}: the goal cannot be reached")
    return start, heading_of_quaternion(rotation / norm), goal


class _SceneMatcher:
    """Finds the given scene that a file's ``scene_id`` means."""

    def __init__(self, scene_ids: Sequence[str]) -> None:
        self._ids = [PurePosixPath(scene.replace("\\", "/")) for scene in scene_ids]
        self._found: dict[str, int | None] = {}

    def knows(self, file_name: str) -> bool:
        """Whether a content file belongs to one of the scenes, by its name."""
        return any(_stem(file_name) == _stem(scene.name) for scene in self._ids)

    def index(self, name: str, place: str) -> int | None:
        """Index of the scene meant by ``name``; None where it is not among them."""
        if name not in self._found:
            self._found[name] = self._search(name, place)
        return self._found[name]

    def _search(self, name: str, place: str) -> int | None:
        wanted = PurePosixPath(name.replace("\\", "/"))
        for same in (_same_path, _ends_alike, _same_stem):
            hits = [number for number, scene in enumerate(self._ids) if same(scene, wanted)]
            if len(hits) > 1:
                raise EpisodeError(
                    f"{place}: scene_id {name!r} fits several of the given scenes: "
                    + ", ".join(str(self._ids[hit]) for hit in hits[:4])
                )
            if hits:
                return hits[0]
        return None


def _same_path(scene: PurePosixPath, wanted: PurePosixPath) -> bool:
    return scene == wanted


def _ends_alike(scene: PurePosixPath, wanted: PurePosixPath) -> bool:
    shorter = min(len(scene.parts), len(wanted.parts))
    return shorter > 0 and scene.parts[-shorter:] == wanted.parts[-shorter:]


def _same_stem(scene: PurePosixPath, wanted: PurePosixPath) -> bool:
    return _stem(scene.name) == _stem(wanted.name)


def _stem(name: str) -> str:
    return name.split(".", 1)[0]
