"""What a command was asked to look at, one scene at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ...errors import BatchNavError, ConfigError
from ...scenes import Scene, SceneRef, resolve_scenes
from .args import File


@dataclass(frozen=True, slots=True)
class Source:
    """A scene that is not loaded yet, or the reason why it never can be; small and picklable."""

    name: str
    """Its id, or what was asked for."""
    ref: SceneRef | None
    """None where there is no such scene."""
    error: str = ""
    """The reason where there is no reference."""

    @property
    def path(self) -> Path | None:
        """The scene file; None for built-in houses and scenes of a data set."""
        if self.ref is None or self.ref.house is not None or self.ref.member is not None:
            return None
        return Path(self.ref.source)

    def load(self) -> Scene:
        """Load it; raises ``BatchNavError`` where that fails."""
        if self.ref is None:
            raise ConfigError(self.error)
        return self.ref.load()


def sources(paths: Sequence[str], navmesh: Path | None, file: File) -> list[Source]:
    """All scenes of ``paths``, each once; a path that names none gives a source with the reason.

    Raises:
        ConfigError: no path was given, or ``navmesh`` was given for several scenes.
    """
    if not paths:
        raise ConfigError("no scenes were given; name files, folders, or houses such as houses:val[:3]")
    if navmesh is not None and len(paths) > 1:
        raise ConfigError(f"--navmesh {navmesh} is for a single scene file, but {len(paths)} were given")
    found: list[Source] = []
    for path in paths:
        try:
            refs = resolve_scenes(path, navmesh, up=file.up, scale=file.scale)
            found += [Source(ref.scene_id, ref) for ref in refs]
        except BatchNavError as error:
            found.append(Source(path, None, str(error)))
    return list(dict.fromkeys(found))
