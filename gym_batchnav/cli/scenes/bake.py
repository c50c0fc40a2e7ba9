"""``batchnav scenes bake``: walkable ground into ``.navmesh`` files."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from ...errors import BatchNavError, ConfigError
from ...nav import AgentSettings, NavMesh, bake_navmesh, navmesh_for
from ...scenes import SUPPORTED_SUFFIXES, Scene
from ..show import console
from ..waiting import waiting
from .args import BakeArgs
from .settings import bake_settings
from .sources import Source, sources

SUFFIX = ".navmesh"
FAILED = 1


def run_bake(args: BakeArgs) -> int:
    """Bake all scenes; returns 0, or 1 where one of them could not be baked."""
    settings, out = bake_settings(args.agent), console()
    found = sources(args.paths, None, args.file)
    jobs = [(source, target_of(source, args.output, len(found))) for source in found]
    check_targets(jobs, force=args.force)
    failed = 0
    for source, target in jobs:
        try:
            _bake(source, target, settings, out)
        except BatchNavError as error:
            failed += 1
            out.print(f"[red]failed[/] {_named(source.name, error)}", soft_wrap=True)
    if failed:
        out.print(f"{failed} of {len(jobs)} scenes could not be baked")
    return FAILED if failed else 0


def target_of(source: Source, output: Path | None, count: int) -> Path:
    """Where the ground of a scene is written.

    Args:
        source: The scene.
        output: What was asked for: None is beside the scene; else a folder, or a file for a single scene.
        count: Number of scenes.

    Raises:
        ConfigError: ``output`` is a file for several scenes, or None for a built-in house.
    """
    if output is not None and output.suffix == SUFFIX:
        if count > 1:
            raise ConfigError(f"--output {output} is a file, but there are {count} scenes; give a folder")
        return output
    if source.path is not None:
        beside = source.path.with_suffix(SUFFIX)
        return beside if output is None else output / beside.name
    if output is None and source.ref is not None:
        raise ConfigError(f"{source.name} has no file of its own to lie beside; give --output FOLDER")
    return (output or Path()) / f"{file_name(source.name)}{SUFFIX}"


def file_name(scene_id: str) -> str:
    """A file's name, without ending, for a scene.

    The stem of its file; the name of a scene of a data set (what follows ``.json:`` in its id); or the id of
    a house in one word.
    """
    name = scene_id.rpartition(".json:")[2]
    path = Path(name)
    return path.stem if path.suffix.lower() in SUPPORTED_SUFFIXES else name.strip("/").replace("/", "-")


def check_targets(jobs: Sequence[tuple[Source, Path]], *, force: bool) -> None:
    """Refuse before any work what would overwrite a file.

    Raises:
        ConfigError: two scenes share a target, or one is there and ``force`` is False.
    """
    owners: dict[Path, Source] = {}
    for source, target in jobs:
        if source.ref is None:
            continue
        other = owners.setdefault(target, source)
        if other is not source:
            raise ConfigError(
                f"{other.name} and {source.name} would both be written to {target}; bake them one by one"
            )
    there = [target for target in owners if target.exists()]
    if there and not force:
        more = f" (and {len(there) - 1} others)" if len(there) > 1 else ""
        raise ConfigError(
            f"{there[0]} is there already{more}; give --force to overwrite, or another --output"
        )


def _bake(source: Source, target: Path, settings: AgentSettings, out: Console) -> None:
    with waiting(f"baking {source.name}"):
        scene = source.load()
        started = time.perf_counter()
        ground = _ground(scene, settings)
        seconds = time.perf_counter() - started
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError(f"--output {target.parent}: cannot be made ({error})") from error
    ground.save(target)
    islands = "1 island" if ground.num_islands == 1 else f"{ground.num_islands} islands"
    out.print(
        f"{target}: {ground.area_m2:,.1f} m2 on {islands}, {ground.num_polygons:,} polygons, {seconds:.1f} s",
        markup=False,
        soft_wrap=True,
    )


def _ground(scene: Scene, settings: AgentSettings) -> NavMesh:
    """Baked from the triangles, also where there is a mesh already; a built-in house keeps its own ground."""
    if scene.walkable is not None:
        return navmesh_for(scene)
    return bake_navmesh(scene.positions, scene.triangles, settings, source=scene.scene_id)


def _named(name: str, error: BatchNavError) -> str:
    text = str(error)
    return text if name in text else f"{name}: {text}"
