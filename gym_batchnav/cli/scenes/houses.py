"""``batchnav scenes houses``: built-in houses, their figures, a picture sheet, files for other programs."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import numpy as np
from rich.table import Table

from ...errors import ConfigError
from ...nav import navmesh_for
from ...nav.survey import survey
from ...scenes import Scene, SceneRef, resolve_scenes
from ...scenes.houses import HouseConfig, make_house
from ..runs import write_json
from ..show import console
from .args import HousesArgs

DEFAULT_SEEDS = tuple(range(12))


def run_houses(args: HousesArgs) -> int:
    """Make the houses and print their figures; returns the exit status."""
    records = [figures(scene, seconds) for scene, seconds in _made(args)]
    console().print(houses_table(records))
    if args.json is not None:
        write_json(args.json, {"houses": records})
    return 0


def figures(scene: Scene, seconds: float) -> dict[str, Any]:
    """What is said of a house."""
    ground = survey(navmesh_for(scene))
    return {
        "name": scene.scene_id,
        "triangles": scene.arrays.num_triangles,
        "textures": len(scene.arrays.textures),
        "size_m": [round(float(value), 2) for value in np.ptp(scene.positions, axis=0)],
        "walkable_m2": round(ground.area_m2, 2),
        "storeys": len(ground.storeys),
        "islands": len(ground.islands),
        "seconds": round(seconds, 3),
    }


def houses_table(records: list[dict[str, Any]]) -> Table:
    """A line for each house."""
    table = Table(title=f"{len(records)} houses", title_justify="left", title_style="bold")
    table.add_column("house", no_wrap=True)
    for heading in ("triangles", "textures", "size, m", "walkable, m2", "storeys", "s to make"):
        table.add_column(heading, justify="right")
    for record in records:
        table.add_row(
            record["name"],
            f"{record['triangles']:,}",
            str(record["textures"]),
            " x ".join(f"{value:.1f}" for value in record["size_m"]),
            f"{record['walkable_m2']:.1f}",
            str(record["storeys"]),
            f"{record['seconds']:.2f}",
        )
    return table


def _made(args: HousesArgs) -> Iterator[tuple[Scene, float]]:
    """The houses that were asked for, each with the seconds that it took."""
    if args.houses and (args.seeds or args.config != HouseConfig()):
        raise ConfigError("houses of a published set are as they are; give --seeds alone with other options")
    refs = _refs(args.houses)
    for item in refs or args.seeds or DEFAULT_SEEDS:
        started = time.perf_counter()
        scene = item.load() if isinstance(item, SceneRef) else make_house(item, args.config)
        yield scene, time.perf_counter() - started


def _refs(houses: tuple[str, ...]) -> tuple[SceneRef, ...]:
    refs = resolve_scenes(houses) if houses else ()
    for ref in refs:
        if ref.house is None:
            raise ConfigError(f"{ref.scene_id} is no built-in house; name houses such as houses:val[:12]")
    return refs
