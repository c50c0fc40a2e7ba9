"""Names of scenes and sets of scenes to references that worker processes can load."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from ..errors import ConfigError, NavMeshError, SceneError
from .frames import Up, check_frame
from .habitat import CONFIG_SUFFIX, SceneDataSet
from .houses.splits import SPLITS, house_id
from .layout import scene_files
from .loading import GLTF_SUFFIXES, SUPPORTED_SUFFIXES, check_scene_file, find_navmesh
from .refs import SceneRef

_HOUSES = re.compile(r"houses:(?P<split>[^/\[]*)(?:/(?P<one>\d+)|\[(?P<slice>[^\]]*)\])?")
_SLICE = re.compile(r"(-?\d*):(-?\d*)(?::(-?\d+))?")


def resolve_scenes(
    spec: str | Path | Sequence[str | Path],
    navmesh: str | Path | None = None,
    *,
    up: Up | None = None,
    scale: float = 1.0,
    scenes_dir: str | Path | None = None,
) -> tuple[SceneRef, ...]:
    """Turn the ``scenes`` argument of an environment into references.

    Args:
        spec: ``"houses:train"``, ``"houses:val"``, ``"houses:test"``, one house (``"houses:train/17"``), a
            slice (``"houses:train[:32]"``), a scene file, a folder (all glTF files below it, sorted, or all
            other scene files where there are none), a Habitat data set
            (``"replica_cad/replicaCAD.scene_dataset_config.json"``: its scene instances, or its stages where
            it has none), one scene of it (``"…/replicaCAD.scene_dataset_config.json:apt_0"``), or a list of
            these. Repeated scenes are kept once.

            Of a folder, ``x.basis.glb`` is taken before ``x.glb``, and meshes of semantics and collisions are
            left out, so that folders of Gibson, Matterport3D and HM3D give one reference for each scene. A
            folder with one data set that has scene instances stands for that data set.
        navmesh: navigation mesh of a single scene, where it is not beside its file.
        up: axis of the scene files that points up; see ``load_scene``. Data sets say theirs.
        scale: metres for each unit of the scene files.
        scenes_dir: folder besides its own surroundings in which files of a data set may lie.

    Returns:
        At least one reference.

    Raises:
        ConfigError: a name is unknown, a slice is empty, or a file or folder cannot be used; the message
            names the value and what is allowed.
    """
    specs = [spec] if isinstance(spec, str | Path) else list(spec)
    if not specs:
        raise ConfigError("scenes is an empty list; name at least one scene, such as 'houses:train'")
    check_frame(up, scale)
    refs = [ref for one in specs for ref in _resolve_one(one, navmesh, scenes_dir)]
    unique = tuple(dict.fromkeys(_framed(refs, up, scale)))
    if navmesh is not None and len(unique) != 1:
        raise ConfigError(
            f"navmesh={str(navmesh)!r} is for a single scene, but scenes={spec!r:.200} names "
            f"{len(unique)} scenes; put each x.navmesh beside its x.glb"
        )
    return unique


def _framed(refs: list[SceneRef], up: Up | None, scale: float) -> list[SceneRef]:
    """Files with the frame that the user gives; built-in houses and data sets have their own."""
    if (up, scale) == (None, 1.0):
        return refs
    files = [ref.house is None and ref.member is None for ref in refs]
    if not any(files):
        raise ConfigError(
            f"up={up!r} and scale={scale} are for scene files, but all scenes are built-in houses or those "
            "of a data set, which have their own; leave them out"
        )
    return [
        replace(ref, up=up, scale=scale) if is_file else ref for ref, is_file in zip(refs, files, strict=True)
    ]


def _resolve_one(spec: object, navmesh: str | Path | None, scenes_dir: str | Path | None) -> list[SceneRef]:
    if not isinstance(spec, str | Path):
        raise ConfigError(f"scenes holds {spec!r}; expected strings or paths")
    if isinstance(spec, str) and spec.startswith("houses:"):
        if navmesh is not None:
            raise ConfigError(f"navmesh={str(navmesh)!r} is given, but {spec!r} brings its own")
        return _houses(spec)
    config, found, name = str(spec).rpartition(f"{CONFIG_SUFFIX}:")
    if found or str(spec).endswith(CONFIG_SUFFIX):
        path = Path(f"{config}{CONFIG_SUFFIX}") if found else Path(spec)
        return _data_set(path, name if found else None, navmesh, scenes_dir)
    path = Path(spec)
    return _folder(path, scenes_dir) if path.is_dir() else [_file(path, navmesh)]


def _data_set(
    config: Path, name: str | None, navmesh: str | Path | None, scenes_dir: str | Path | None
) -> list[SceneRef]:
    """One scene of a data set, or all that it offers."""
    try:
        data_set = SceneDataSet(config, scenes_dir)
        names = data_set.scene_names if name is None else (name,)
        missing = [one for one in names if not data_set.knows(one)]
    except SceneError as error:
        raise ConfigError(f"scenes={str(config)!r}: {error}") from error
    if missing or not names:
        some = ", ".join(data_set.scene_names[:5]) or "none at all"
        raise ConfigError(
            f"scenes={str(config)!r} has no scene {name or ''!r:.80}; it has, for example: {some}"
        )
    if navmesh is not None and not Path(navmesh).is_file():
        raise ConfigError(f"navmesh={str(navmesh)!r}: there is no such file; give the path of a mesh")
    mesh, outside = (None if path is None else str(path) for path in (navmesh, scenes_dir))
    return [
        SceneRef(f"{config}:{one}", str(config), navmesh=mesh, member=one, scenes_dir=outside)
        for one in names
    ]


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
            f"scenes={str(path)!r}: {error}; allowed: houses:train, houses:val, houses:test, a scene file, "
            "a folder of scene files or a .scene_dataset_config.json"
        ) from error
    return SceneRef(str(path), str(path), None, None if found is None else str(found))


def _folder(folder: Path, scenes_dir: str | Path | None) -> list[SceneRef]:
    configs = _with_instances(folder)
    if len(configs) > 1:
        raise ConfigError(
            f"scenes={str(folder)!r} holds several data sets with scene instances: "
            f"{', '.join(config.name for config in configs[:5])}; name one of them"
        )
    if configs:
        return _data_set(configs[0], None, None, scenes_dir)
    files = sorted(
        path for path in folder.rglob("*") if path.suffix.lower() in SUPPORTED_SUFFIXES and path.is_file()
    )
    if not files:
        raise ConfigError(
            f"scenes={str(folder)!r} is a folder without {' or '.join(SUPPORTED_SUFFIXES)} files"
        )
    # Other formats beside glTF files are meshes of another use, as those of Matterport3D.
    scenes = [path for path in files if path.suffix.lower() in GLTF_SUFFIXES] or files
    return [_file(path, None) for path in scene_files(scenes) or scenes]


def _with_instances(folder: Path) -> list[Path]:
    """Configurations in a folder that name scene instances, not stages alone."""
    try:
        return [
            config
            for config in sorted(folder.glob(f"*{CONFIG_SUFFIX}"))
            if SceneDataSet(config).has_instances
        ]
    except SceneError as error:
        raise ConfigError(f"scenes={str(folder)!r}: {error}") from error
