"""Names of scenes and sets of scenes to references that worker processes can load."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ..errors import ConfigError, NavMeshError, SceneError
from .cache.keys import Recipe
from .frames import Up, check_frame
from .houses.splits import SPLITS, house_id, load_house
from .loading import GLTF_SUFFIXES, SUPPORTED_SUFFIXES, check_scene_file, find_navmesh, load_scene
from .scene import Scene

_HOUSES = re.compile(r"houses:(?P<split>[^/\[]*)(?:/(?P<one>\d+)|\[(?P<slice>[^\]]*)\])?")
_SLICE = re.compile(r"(-?\d*):(-?\d*)(?::(-?\d+))?")


@dataclass(frozen=True, slots=True)
class SceneRef:
    """A scene that is not loaded yet; small and picklable."""

    scene_id: str
    """Stable name of the scene."""
    source: str
    """Name of a house split, or path of a scene file."""
    house: int | None = None
    """Number of a house in its split; None for files."""
    navmesh: str | None = None
    """Navigation mesh file; None where there is none."""
    up: Up | None = None
    """Axis of the file that points up; None for what it declares, else +Y."""
    scale: float = 1.0
    """Metres for each unit of the file."""

    agent_radius: float = 0.1
    """Metres by which the walkable ground of a house keeps off walls; scene files do not depend on it."""

    @property
    def recipe(self) -> Recipe:
        """What ``load`` depends on besides the content of files."""
        if self.house is not None:
            return Recipe(("house", self.source, self.house, self.agent_radius))
        path = Path(self.source)
        navmesh = None if self.navmesh is None else os.path.relpath(self.navmesh, path.parent)
        return Recipe(("file", navmesh, self.up, self.scale), path)

    def load(self) -> Scene:
        """Make or read the scene; raises ``SceneError`` or ``NavMeshError`` where that fails."""
        if self.house is not None:
            return load_house(self.source, self.house, self.agent_radius)
        return load_scene(self.source, self.navmesh, up=self.up, scale=self.scale)


def resolve_scenes(
    spec: str | Path | Sequence[str | Path],
    navmesh: str | Path | None = None,
    *,
    up: Up | None = None,
    scale: float = 1.0,
) -> tuple[SceneRef, ...]:
    """Turn the ``scenes`` argument of an environment into references.

    Args:
        spec: ``"houses:train"``, ``"houses:val"``, ``"houses:test"``, one house (``"houses:train/17"``), a
            slice (``"houses:train[:32]"``), a scene file, a folder (all glTF files below it, sorted, or all
            other scene files where there are none), or a list of these. Repeated scenes are kept once.
        navmesh: navigation mesh of a single scene file, where it is not beside it.
        up: axis of the scene files that points up; see ``load_scene``.
        scale: metres for each unit of the scene files.

    Returns:
        At least one reference.

    Raises:
        ConfigError: a name is unknown, a slice is empty, or a file or folder cannot be used; the message
            names the value and what is allowed.
    """
    specs = [spec] if isinstance(spec, str | Path) else list(spec)
    if not specs:
        raise ConfigError("scenes is an empty list; name at least one scene, such as 'houses:train'")
    refs = [ref for one in specs for ref in _resolve_one(one, navmesh)]
    check_frame(up, scale)
    unique = tuple(dict.fromkeys(_framed(refs, up, scale)))
    if navmesh is not None and len(unique) != 1:
        raise ConfigError(
            f"navmesh={str(navmesh)!r} is for a single scene file, but scenes={spec!r} names "
            f"{len(unique)} scenes; put each x.navmesh beside its x.glb"
        )
    return unique


def _framed(refs: list[SceneRef], up: Up | None, scale: float) -> list[SceneRef]:
    """Files with the frame that the user gives; built-in houses have their own."""
    if (up, scale) == (None, 1.0):
        return refs
    if all(ref.house is not None for ref in refs):
        raise ConfigError(
            f"up={up!r} and scale={scale} are for scene files, but all scenes are built-in houses, which are "
            "+Y up and in metres; leave them out"
        )
    return [ref if ref.house is not None else replace(ref, up=up, scale=scale) for ref in refs]


def _resolve_one(spec: object, navmesh: str | Path | None) -> list[SceneRef]:
    if not isinstance(spec, str | Path):
        raise ConfigError(f"scenes holds {spec!r}; expected strings or paths")
    if isinstance(spec, str) and spec.startswith("houses:"):
        if navmesh is not None:
            raise ConfigError(f"navmesh={str(navmesh)!r} is given, but {spec!r} brings its own")
        return _houses(spec)
    path = Path(spec)
    return _folder(path) if path.is_dir() else [_file(path, navmesh)]


def _houses(spec: str) -> list[SceneRef]:
    match = _HOUSES.fullmatch(spec)
    if match is None or match["split"] not in SPLITS:
        known = ", ".join(f"houses:{name} ({split.count})" for name, split in SPLITS.items())
        raise ConfigError(
            f"scenes={spec!r} is no house set; allowed: {known}, one of them as houses:train/17, or a "
            "slice such as houses:train[:32]"
        )
    name, count = match["split"], SPLITS[match["split"]].count
    if match["one"] is not None:
        if int(match["one"]) >= count:
            raise ConfigError(f"scenes={spec!r}: houses:{name} has houses 0 to {count - 1}")
        numbers: Sequence[int] = [int(match["one"])]
    elif match["slice"] is not None:
        numbers = range(count)[_slice(spec, match["slice"])]
    else:
        numbers = range(count)
    if not numbers:
        raise ConfigError(f"scenes={spec!r} names no house; houses:{name} has houses 0 to {count - 1}")
    return [SceneRef(house_id(name, number), name, number) for number in numbers]


def _slice(spec: str, text: str) -> slice:
    match = _SLICE.fullmatch(text.replace(" ", ""))
    if match is None or match[3] == "0":
        raise ConfigError(f"scenes={spec!r}: [{text}] is no slice; write [start:stop] or [start:stop:step]")
    start, stop, step = (int(part) if part else None for part in match.groups())
    return slice(start, stop, step)


def _file(path: Path, navmesh: str | Path | None) -> SceneRef:
    try:
        check_scene_file(path)
        found = find_navmesh(path, navmesh)
    except (SceneError, NavMeshError) as error:
        raise ConfigError(
            f"scenes={str(path)!r}: {error}; allowed: houses:train, houses:val, houses:test, a scene file "
            "or a folder of scene files"
        ) from error
    return SceneRef(str(path), str(path), None, None if found is None else str(found))


def _folder(folder: Path) -> list[SceneRef]:
    files = sorted(
        path for path in folder.rglob("*") if path.suffix.lower() in SUPPORTED_SUFFIXES and path.is_file()
    )
    if not files:
        raise ConfigError(
            f"scenes={str(folder)!r} is a folder without {' or '.join(SUPPORTED_SUFFIXES)} files"
        )
    # Data sets put meshes of another use (semantics, collisions) beside their glTF scenes.
    scenes = [path for path in files if path.suffix.lower() in GLTF_SUFFIXES] or files
    return [_file(path, None) for path in scenes]
