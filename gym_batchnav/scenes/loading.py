"""Scene files to scenes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from batchnav_renderer.types import RenderConfigError, SceneArrays

from ..errors import NavMeshError, SceneError
from .gltf import load_gltf
from .scene import Scene

_LOADERS: dict[str, Callable[[Path], SceneArrays]] = {".glb": load_gltf, ".gltf": load_gltf}

SUPPORTED_SUFFIXES = tuple(_LOADERS)
"""File name endings that ``load_scene`` reads."""


def load_scene(path: str | Path, navmesh: str | Path | None = None) -> Scene:
    """Load a scene file.

    Args:
        path: a ``.glb`` or ``.gltf`` file.
        navmesh: its navigation mesh; None takes ``x.navmesh`` beside ``x.glb`` where that exists.

    Returns:
        The scene; its id is the path as given.

    Raises:
        SceneError: the file is missing, broken or of an unknown kind; the message names file and place.
        NavMeshError: the navigation mesh that was asked for does not exist.
    """
    path = Path(path)
    check_scene_file(path)
    navmesh_path = find_navmesh(path, navmesh)
    try:
        arrays = _LOADERS[path.suffix.lower()](path)
    except RenderConfigError as error:
        raise SceneError(f"{path}: holds what cannot be drawn ({error})") from error
    return Scene(scene_id=str(path), arrays=arrays, navmesh_path=navmesh_path)


def check_scene_file(path: Path) -> None:
    """Raise ``SceneError`` where ``path`` is no file or has an unknown ending."""
    if path.suffix.lower() not in _LOADERS:
        raise SceneError(
            f"{path}: scenes ending in {path.suffix!r} cannot be read; supported: {', '.join(_LOADERS)}"
        )
    if not path.is_file():
        raise SceneError(f"{path}: there is no such scene file")


def find_navmesh(path: Path, navmesh: str | Path | None) -> Path | None:
    """Navigation mesh file of scene file ``path``: the given one, or the one beside it, or None."""
    if navmesh is None:
        beside = path.with_suffix(".navmesh")
        return beside if beside.is_file() else None
    given = Path(navmesh)
    if not given.is_file():
        raise NavMeshError(f"{given}: there is no such navigation mesh file (given for scene {path})")
    return given
