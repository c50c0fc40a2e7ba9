"""Scene files to scenes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from batchnav_renderer.types import RenderConfigError, SceneArrays

from ..errors import NavMeshError, SceneError
from .collada_file import load_collada
from .frames import Frame, Up, check_frame, declared_frame, to_world, warn_of_frame
from .gltf import load_gltf
from .off import load_off
from .ply import load_ply
from .reads import is_file, note_content
from .scene import Scene
from .stl import load_stl
from .wavefront import load_obj

GLTF_SUFFIXES = (".glb", ".gltf")
_LOADERS: dict[str, Callable[[Path], SceneArrays]] = {
    **dict.fromkeys(GLTF_SUFFIXES, load_gltf),
    ".obj": load_obj,
    ".ply": load_ply,
    ".stl": load_stl,
    ".off": load_off,
    ".dae": load_collada,
}

SUPPORTED_SUFFIXES = tuple(_LOADERS)
"""File name endings that ``load_scene`` reads."""


def load_scene(
    path: str | Path, navmesh: str | Path | None = None, *, up: Up | None = None, scale: float = 1.0
) -> Scene:
    """Load a scene file.

    A ``SceneWarning`` says so where a scene is under 0.5 m wide, looks like centimetres or millimetres, or
    looks as if z were up.

    Args:
        path: a ``.glb``, ``.gltf``, ``.obj``, ``.ply``, ``.stl`` or ``.off`` file, or, with the extra
            ``formats``, a ``.dae`` file.
        navmesh: its navigation mesh; None takes ``x.navmesh`` beside ``x.glb`` where that exists, and
            ``x.basis.navmesh`` or ``x.navmesh`` beside ``x.basis.glb``. It is in metres and +Y up whatever
            the scene file is.
        up: the axis of the file that points up; None takes what a ``.dae`` file declares, +Z for files of
            Gibson, Matterport3D and HM3D (see ``layout.is_z_up``), and +Y for others.
        scale: metres for each unit of the file; a ``.dae`` file's own unit is applied besides.

    Returns:
        The scene; its id is the path as given.

    Raises:
        SceneError: the file is missing, broken or of an unknown kind, or needs a package that is not
            installed; the message names file and place.
        NavMeshError: the navigation mesh that was asked for does not exist.
        ConfigError: ``up`` or ``scale`` is not allowed.
    """
    path = Path(path)
    check_frame(up, scale)
    check_scene_file(path)
    navmesh_path = find_navmesh(path, navmesh)
    if navmesh_path is not None:
        note_content(navmesh_path)
    try:
        declared = declared_frame(path)
        arrays = load_arrays(path)
        if not arrays.num_triangles:
            raise SceneError(f"{path}: holds no triangles whose corners differ")
        arrays = to_world(arrays, Frame(up or declared.up, scale * declared.metres))
    except RenderConfigError as error:
        raise SceneError(f"{path}: holds what cannot be drawn ({error})") from error
    warn_of_frame(path, arrays)
    return Scene(scene_id=str(path), arrays=arrays, navmesh_path=navmesh_path)


def load_arrays(path: Path) -> SceneArrays:
    """Read a scene file in its own frame and unit; raises ``SceneError``."""
    check_scene_file(path)
    try:
        return _LOADERS[path.suffix.lower()](path)
    except RenderConfigError as error:
        raise SceneError(f"{path}: holds what cannot be drawn ({error})") from error


def check_scene_file(path: Path) -> None:
    """Raise ``SceneError`` where ``path`` is no file or has an unknown ending."""
    if not path.suffix:
        raise SceneError(
            f"{path}: is no scene; give a file ({', '.join(_LOADERS)}), a folder, or built-in houses, "
            "such as 'houses:train' or 'houses:val/0'"
        )
    if path.suffix.lower() not in _LOADERS:
        raise SceneError(
            f"{path}: scenes ending in {path.suffix!r} cannot be read; supported: {', '.join(_LOADERS)}"
        )
    if not is_file(path):
        raise SceneError(f"{path}: there is no such scene file")


def find_navmesh(path: Path, navmesh: str | Path | None) -> Path | None:
    """Navigation mesh file of scene file ``path``: the given one, or the one beside it, or None."""
    if navmesh is None:
        names = dict.fromkeys((path.stem, path.stem.removesuffix(".basis")))
        beside = (path.with_name(f"{name}.navmesh") for name in names)
        return next((mesh for mesh in beside if is_file(mesh)), None)
    given = Path(navmesh)
    if not is_file(given):
        raise NavMeshError(f"{given}: there is no such navigation mesh file (given for scene {path})")
    return given
