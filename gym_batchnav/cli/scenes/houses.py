"""``batchnav scenes houses``: built-in houses, their figures, a picture sheet, files for other programs."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from PIL.PngImagePlugin import PngInfo
from rich.table import Table

from ...errors import ConfigError
from ...nav import NavMesh, navmesh_for
from ...nav.survey import Survey, survey
from ...scenes import Scene, SceneRef, resolve_scenes, save_scene
from ...scenes.houses import HouseConfig, make_house
from ..show import console
from ..training.runs import write_json
from ..waiting import counting, waiting
from .args import HousesArgs
from .bake import SUFFIX, file_name

DEFAULT_SEEDS = tuple(range(12))
MAX_SHEET = 48
"""Most houses of a picture sheet."""
SHEET_KEY = "houses"
"""Text of a sheet's PNG file that names its houses."""


@dataclass(frozen=True, slots=True, kw_only=True)
class House:
    """A house with what is known of it."""

    scene: Scene
    mesh: NavMesh
    ground: Survey
    seconds: float
    """Time that it took to make."""

    @property
    def figures(self) -> dict[str, Any]:
        """What is said of it, as plain values."""
        arrays, rooms = self.scene.arrays, self.scene.rooms
        return {
            "name": self.scene.scene_id,
            "rooms": None if rooms is None else [room.kind for room in rooms],
            "triangles": arrays.num_triangles,
            "textures": len(arrays.textures),
            "objects": 0 if arrays.object_ids is None else len(np.unique(arrays.object_ids)),
            "size_m": [round(float(value), 2) for value in np.ptp(arrays.positions, axis=0)],
            "walkable_m2": round(self.ground.area_m2, 2),
            "storeys": len(self.ground.storeys),
            "islands": len(self.ground.islands),
            "seconds": round(self.seconds, 3),
        }


def run_houses(args: HousesArgs) -> int:
    """Make the houses and print their figures; returns the exit status."""
    wanted = _wanted(args)
    out, kept, figures = console(), [], []
    for folder in (args.export, None if args.sheet is None else args.sheet.parent):
        _make_folder(folder)
    with counting("making houses", len(wanted)) as advance:
        for house in _made(wanted, args.config):
            figures.append(house.figures)
            if args.export is not None:
                _export(house, args.export)
            if args.sheet is not None:
                kept.append(house)
            advance()
    out.print(houses_table(figures))
    if args.sheet is not None:
        with waiting("drawing the sheet"):
            _write_sheet(kept, args.sheet)
        out.print(f"picture sheet: {args.sheet}", soft_wrap=True)
    if args.export is not None:
        out.print(f"{len(figures)} houses with their ground are in {args.export}", soft_wrap=True)
    if args.json is not None:
        write_json(args.json, {"houses": figures})
    return 0


def caption(figures: Mapping[str, Any]) -> str:
    """A line about a house for a picture sheet."""
    parts = [f"{figures['walkable_m2']:.0f} m2 to walk on", f"{figures['triangles']:,} triangles"]
    if figures["storeys"] > 1:
        parts.insert(0, f"{figures['storeys']} storeys")
    if figures["rooms"]:
        parts.insert(0, f"{len(figures['rooms'])} rooms")
    return ", ".join(parts)


def houses_table(records: list[dict[str, Any]]) -> Table:
    """A line for each house."""
    table = Table(title=f"{len(records)} houses", title_justify="left", title_style="bold")
    table.add_column("house", no_wrap=True)
    for heading in ("rooms", "triangles", "objects", "size, m", "walkable, m2", "storeys", "s to make"):
        table.add_column(heading, justify="right")
    for record in records:
        table.add_row(
            record["name"],
            "" if record["rooms"] is None else str(len(record["rooms"])),
            f"{record['triangles']:,}",
            str(record["objects"]),
            " x ".join(f"{value:.1f}" for value in record["size_m"]),
            f"{record['walkable_m2']:.1f}",
            str(record["storeys"]),
            f"{record['seconds']:.2f}",
        )
    return table


def _wanted(args: HousesArgs) -> Sequence[SceneRef | int]:
    """The houses that were asked for: references, or seeds."""
    if args.houses and (args.seeds or args.config != HouseConfig()):
        raise ConfigError("houses of a published set are as they are; give --seeds alone with other options")
    wanted: Sequence[SceneRef | int] = _refs(args.houses) or args.seeds or DEFAULT_SEEDS
    if args.sheet is not None and len(wanted) > MAX_SHEET:
        raise ConfigError(f"--sheet shows {MAX_SHEET} houses at most; name fewer, such as houses:val[:12]")
    return wanted


def _made(wanted: Sequence[SceneRef | int], config: HouseConfig) -> Iterator[House]:
    """The houses, one after the other."""
    for item in wanted:
        started = time.perf_counter()
        scene = item.load() if isinstance(item, SceneRef) else make_house(item, config)
        seconds = time.perf_counter() - started
        mesh = navmesh_for(scene)
        yield House(scene=scene, mesh=mesh, ground=survey(mesh), seconds=seconds)


def _refs(houses: tuple[str, ...]) -> tuple[SceneRef, ...]:
    refs = resolve_scenes(houses) if houses else ()
    for ref in refs:
        if ref.house is None:
            raise ConfigError(f"{ref.scene_id} is no built-in house; name houses such as houses:val[:12]")
    return refs


def _export(house: House, folder: Path) -> None:
    name = file_name(house.scene.scene_id)
    save_scene(house.scene, folder / f"{name}.glb")
    house.mesh.save(folder / f"{name}{SUFFIX}")


def _write_sheet(houses: list[House], path: Path) -> None:
    from .drawing.sheet import Exhibit, draw_sheet

    exhibits = [
        Exhibit(
            arrays=house.scene.arrays,
            ground=house.ground,
            name=house.scene.scene_id,
            facts=caption(house.figures),
        )
        for house in houses
    ]
    told = PngInfo()
    told.add_text(SHEET_KEY, " ".join(exhibit.name for exhibit in exhibits))
    page = draw_sheet(exhibits, f"{len(exhibits)} built-in houses", seed=0)
    page.save(path, format="PNG", optimize=True, pnginfo=told)


def _make_folder(folder: Path | None) -> None:
    if folder is None:
        return
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError(f"{folder}: cannot be made ({error}); give another folder") from error
