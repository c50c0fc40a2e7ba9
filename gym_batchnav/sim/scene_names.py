"""The scenes that episodes name: matched to given ones, or collected."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from ..errors import EpisodeError
from ..scenes.habitat import CONFIG_SUFFIX


@dataclass(frozen=True, slots=True)
class NamedScene:
    """A scene as episodes name it."""

    scene_id: str
    """The episodes' ``scene_id``."""
    data_set: str = ""
    """Their ``scene_dataset_config``; empty where they have none."""


@dataclass(slots=True)
class SceneCollector:
    """Numbers scenes in the order in which they are named."""

    _numbers: dict[NamedScene, int] = field(default_factory=dict)

    @property
    def scenes(self) -> list[NamedScene]:
        """Those named so far."""
        return list(self._numbers)

    def knows(self, file_name: str) -> bool:
        """Every content file is wanted."""
        return True

    def index(self, name: str, data_set: str, place: str) -> int:
        """Number of a scene."""
        return self._numbers.setdefault(NamedScene(name, data_set), len(self._numbers))


class SceneMatcher:
    """Finds the given scene that a file's ``scene_id`` means.

    Args:
        scene_ids: ids of the given scenes.
    """

    def __init__(self, scene_ids: Sequence[str]) -> None:
        self._ids = [_path(scene) for scene in scene_ids]
        self._stems = {_stem(scene.name) for scene in self._ids}
        self._found: dict[str, int | None] = {}

    @property
    def seen(self) -> list[str]:
        """Names that were looked for, in their order."""
        return list(self._found)

    def knows(self, file_name: str) -> bool:
        """Whether a content file belongs to one of the scenes, by its name."""
        return _stem(file_name) in self._stems

    def index(self, name: str, data_set: str, place: str) -> int | None:
        """Index of the scene meant by ``name``; None where it is not among them.

        Raises:
            EpisodeError: it fits several of them.
        """
        if name not in self._found:
            self._found[name] = self._search(name, place)
        return self._found[name]

    def _search(self, name: str, place: str) -> int | None:
        wanted = _path(name)
        matches: tuple[Callable[[PurePosixPath, PurePosixPath], bool], ...]
        matches = (_same_path, _ends_alike, _same_stem)
        for same in matches:
            hits = [number for number, scene in enumerate(self._ids) if same(scene, wanted)]
            if len(hits) > 1:
                raise EpisodeError(
                    f"{place}: scene_id {name!r} fits several of the given scenes: "
                    + ", ".join(str(self._ids[hit]) for hit in hits[:4])
                )
            if hits:
                return hits[0]
        return None


def _path(scene_id: str) -> PurePosixPath:
    """The scene's path; its name in the data set for a scene of one."""
    return PurePosixPath(scene_id.rpartition(f"{CONFIG_SUFFIX}:")[2].replace("\\", "/"))


def _same_path(scene: PurePosixPath, wanted: PurePosixPath) -> bool:
    return scene == wanted


def _ends_alike(scene: PurePosixPath, wanted: PurePosixPath) -> bool:
    shorter = min(len(scene.parts), len(wanted.parts))
    return shorter > 0 and scene.parts[-shorter:] == wanted.parts[-shorter:]


def _same_stem(scene: PurePosixPath, wanted: PurePosixPath) -> bool:
    return _stem(scene.name) == _stem(wanted.name)


def _stem(name: str) -> str:
    return name.split(".", 1)[0]
