"""Reader of Habitat's PointNav episode files (json.gz), checked entry by entry."""

from __future__ import annotations

import math
from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ..errors import EpisodeError
from .episode_files import entries, split_file
from .geometry import headings_of_quaternions
from .scene_names import NamedScene, SceneCollector, SceneMatcher

_LARGEST = float(np.finfo(np.float32).max)


@dataclass(frozen=True, slots=True, kw_only=True)
class EpisodeTable:
    """Episodes of a file as arrays; M episodes in the file's order."""

    path: Path
    """The file they come from."""
    names: tuple[str, ...]
    """``episode_id`` of each."""
    scenes: NDArray[np.int32]
    """(M,) index into the scenes that were given, or that the file names."""
    starts: NDArray[np.float32]
    """(M, 3) metres."""
    headings: NDArray[np.float64]
    """(M,) radians, 0 along -Z, positive to the left."""
    goals: NDArray[np.float32]
    """(M, 3) metres."""


def read_episodes(path: str | Path, scene_ids: Sequence[str]) -> EpisodeTable:
    """Read the episodes of a PointNav file that lie in the given scenes.

    An index file with an empty list takes its episodes from the ``content/`` folder beside it (or where its
    ``content_scenes_path`` says): of the given scenes alone, where the files are named after scenes. A folder
    ``val`` stands for ``val/val.json.gz``. Scenes are matched by their id, by the end of their path, or by
    the file's name without endings. Rotations are quaternions (x, y, z, w); the goal is
    ``goals[0].position``.

    Raises:
        EpisodeError: a file is missing or broken, an entry is not usable (the message names file and
            episode), no episode lies in the given scenes, or a scene fits several of them.
    """
    path = split_file(path)
    matcher = SceneMatcher(scene_ids)
    rows = _read(path, matcher)
    if not rows.names:
        found = ", ".join(matcher.seen[:5]) or "none at all"
        given = ", ".join(list(scene_ids)[:5])
        raise EpisodeError(
            f"{path}: holds no episode of the given scenes; its scenes: {found}; given: {given}. Give the "
            "scene files that the episodes name as scenes="
        )
    return rows.table(path)


def read_all_episodes(path: str | Path) -> tuple[EpisodeTable, tuple[NamedScene, ...]]:
    """Read all episodes of a PointNav file, and the scenes that it names in order of their first episodes.

    Raises:
        EpisodeError: as ``read_episodes``.
    """
    path = split_file(path)
    collector = SceneCollector()
    rows = _read(path, collector)
    if not rows.names:
        raise EpisodeError(f"{path}: holds no episodes")
    return rows.table(path), tuple(collector.scenes)


class _Chooser(Protocol):
    """Decides which episodes are read."""

    def knows(self, file_name: str) -> bool:
        """Whether a content file is wanted, by its name."""

    def index(self, name: str, data_set: str, place: str) -> int | None:
        """Index of the scene of an episode; None leaves the episode out."""


@dataclass(slots=True)
class _Rows:
    """What the table is made of, compact as files hold millions of episodes."""

    names: list[str] = field(default_factory=list)
    scenes: array[int] = field(default_factory=lambda: array("i"))
    starts: array[float] = field(default_factory=lambda: array("d"))
    rotations: array[float] = field(default_factory=lambda: array("d"))
    goals: array[float] = field(default_factory=lambda: array("d"))

    def add(self, entry: dict[str, Any], number: int, scene: int, place: str) -> None:
        """Check and keep an entry."""
        start = _vector(entry.get("start_position"), "start_position", 3, place)
        rotation = _rotation(entry, place)
        self.goals.extend(_goal(entry, place))
        self.starts.extend(start)
        self.rotations.extend(rotation)
        self.scenes.append(scene)
        self.names.append(str(entry.get("episode_id", number)))

    def table(self, path: Path) -> EpisodeTable:
        """As arrays."""
        return EpisodeTable(
            path=path,
            names=tuple(self.names),
            scenes=np.array(self.scenes, dtype=np.int32),
            starts=np.array(self.starts).reshape(-1, 3).astype(np.float32),
            headings=headings_of_quaternions(np.array(self.rotations).reshape(-1, 4)),
            goals=np.array(self.goals).reshape(-1, 3).astype(np.float32),
        )


def _read(path: Path, chooser: _Chooser) -> _Rows:
    rows = _Rows()
    for file, number, entry in entries(path, chooser.knows):
        if not isinstance(entry, dict):
            raise EpisodeError(f"{file}: entry {number} of 'episodes' is no object but {str(entry)[:60]!r}")
        label = entry.get("episode_id")
        place = f"{file}: episode {(label if isinstance(label, str | int) else number)!r}"
        try:
            name = _field(entry, "scene_id", str, place)
            data_set = entry.get("scene_dataset_config")
            scene = chooser.index(name, data_set if isinstance(data_set, str) else "", place)
            if scene is not None:
                rows.add(entry, number, scene, place)
        except (RecursionError, OverflowError) as error:
            raise EpisodeError(f"{place}: cannot be used ({error}); correct or remove it") from error
    return rows


def _field(entry: dict[str, Any], key: str, kind: type, place: str) -> Any:
    value = entry.get(key)
    if not isinstance(value, kind) or (kind is str and not value):
        raise EpisodeError(f"{place}: {key} is {str(value)[:60]!r}; expected a {kind.__name__}")
    return value


def _vector(value: Any, key: str, length: int, place: str) -> list[float]:
    numbers = isinstance(value, list) and len(value) == length
    if not numbers or not all(map(_is_number, value)):
        raise EpisodeError(f"{place}: {key} is {str(value)[:80]}; expected {length} finite numbers")
    return value  # type: ignore[no-any-return]


def _is_number(value: object) -> bool:
    """Whether it is a number that float32 can hold; True and False are none."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= _LARGEST


def _rotation(entry: dict[str, Any], place: str) -> list[float]:
    rotation = _vector(entry.get("start_rotation"), "start_rotation", 4, place)
    norm = math.hypot(*rotation)
    if abs(norm - 1.0) > 0.01:
        raise EpisodeError(
            f"{place}: start_rotation has length {norm:.3f}; expected a unit quaternion (x, y, z, w)"
        )
    return rotation


def _goal(entry: dict[str, Any], place: str) -> list[float]:
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
    return goal
