"""What a command was asked to look at, one scene at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ...errors import BatchNavError, ConfigError
from ...scenes import Scene, SceneRef, load_scene, resolve_scenes
from .args import File


@dataclass(frozen=True, slots=True)
class Source:
    """A scene that is not loaded yet, or the reason why it never can be; small and picklable."""

    name: str
    """Its id, or what was asked for."""
    ref: SceneRef | None
    """None where there is no such scene."""
    file: File = field(default_factory=File)
    """How to read it."""
    error: str = ""
    """The reason where there is no reference."""

    @property
    def path(self) -> Path | None:
        """The scene file; None for built-in houses."""
        return None if self.ref is None or self.ref.house is not None else Path(self.ref.source)

    def load(self) -> Scene:
        """Load it; raises ``BatchNavError`` where that fails."""
        if self.ref is None:
            raise ConfigError(self.error)
        if self.file == File():
            return self.ref.load()
        if self.path is None:
            raise ConfigError(f"{self.name}: --up and --scale are for scene files; leave them out")
        return load_scene(self.path, self.ref.navmesh, up=self.file.up, scale=self.file.scale)


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
            found += [Source(ref.scene_id, ref, file) for ref in resolve_scenes(path, navmesh)]
        except BatchNavError as error:
            found.append(Source(path, None, file, str(error)))
    return list(dict.fromkeys(found))
