"""What is found out about one scene."""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from batchnav_renderer.errors import RendererError

from ...errors import BatchNavError
from ...nav import AgentSettings, NavMesh, bake_navmesh, navmesh_for
from ...nav.survey import Survey, survey
from ...scenes import Scene, SceneWarning
from .advice import advice
from .bake import file_name
from .sources import Source

LISTED_ISLANDS = 20
"""Islands that are listed one by one; of more, the largest."""
SEED = 0
"""Of the places that previews are drawn from."""

Findings = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What to do with every scene; small and picklable."""

    settings: AgentSettings
    """For ground that is baked."""
    bake: bool
    """Whether to bake where there is a navigation mesh."""
    previews: Path | None
    """Folder of the pictures; None draws none."""


def look_at(source: Source, plan: Plan) -> Findings:
    """Load a scene, look at it, and draw its preview.

    Returns:
        Plain values. Always ``name``, ``ok`` and ``warnings``; ``error`` where it is not ok, with what was
        found before.
    """
    found: Findings = {"name": source.name, "ok": False}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", SceneWarning)
        try:
            _look(found, source, plan)
            found["ok"] = True
        except (BatchNavError, RendererError) as error:
            found["error"] = str(error)
        except MemoryError:
            found["error"] = "there is too little memory for it; try --workers 1, or simplify the scene"
    found["warnings"] = list(dict.fromkeys(str(warning.message) for warning in caught))
    return found


def _look(found: Findings, source: Source, plan: Plan) -> None:
    started = time.perf_counter()
    scene = source.load()
    found["load_s"] = _since(started)
    found.update(_geometry(scene))
    started = time.perf_counter()
    mesh, found["ground_from"] = _ground(scene, plan)
    found["ground_s"] = _since(started)
    ground = survey(mesh)
    found.update(_walkable(ground, mesh))
    found["advice"] = advice(scene, ground)
    if plan.previews is not None:
        _draw(found, scene, ground, plan.previews)


def _since(started: float) -> float:
    return round(time.perf_counter() - started, 3)


def _geometry(scene: Scene) -> Findings:
    arrays = scene.arrays
    used = arrays.positions[np.unique(arrays.triangles)]
    low, high = used.min(axis=0), used.max(axis=0)
    sides = [max(texture.pixels.shape[:2]) for texture in arrays.textures]
    parts = [arrays.positions, arrays.triangles, arrays.material_ids, arrays.uvs, arrays.colors]
    held = [part.nbytes for part in (*parts, arrays.object_ids) if part is not None]
    ids = arrays.object_ids
    return {
        "triangles": arrays.num_triangles,
        "vertices": len(arrays.positions),
        "materials": len(arrays.materials),
        "textures": len(sides),
        "largest_texture": max(sides, default=0),
        "objects": 0 if ids is None else len(np.unique(ids)),
        "size_m": [round(float(value), 3) for value in high - low],
        "bounds_m": [[round(float(value), 3) for value in corner] for corner in (low, high)],
        "memory_mib": round((sum(held) + sum(t.pixels.nbytes for t in arrays.textures)) / 2**20, 1),
    }


def _ground(scene: Scene, plan: Plan) -> tuple[NavMesh, str]:
    why = "baked"
    if scene.navmesh_path is not None and not plan.bake:
        mesh = navmesh_for(scene)
        if mesh.settings.suits(plan.settings):
            return mesh, str(scene.navmesh_path)
        why = f"baked, as {scene.navmesh_path} is for a smaller agent"
    if scene.walkable is not None and not plan.bake:
        return navmesh_for(scene), "the house"
    return bake_navmesh(scene.positions, scene.triangles, plan.settings, source=scene.scene_id), why


def _walkable(ground: Survey, mesh: NavMesh) -> Findings:
    total = ground.area_m2
    return {
        "walkable_m2": round(total, 2),
        "polygons": mesh.num_polygons,
        "num_islands": len(ground.islands),
        "largest_island_share": round(ground.islands[0].area_m2 / total, 4),
        "islands": [
            {
                "area_m2": round(island.area_m2, 2),
                "radius_m": round(island.radius, 2),
                "height_m": round(island.height, 2),
            }
            for island in ground.islands[:LISTED_ISLANDS]
        ],
        "storeys": [
            {
                "height_m": round(storey.height, 2),
                "area_m2": round(storey.area_m2, 2),
                "largest_island_share": round(storey.largest_island_share, 4),
            }
            for storey in ground.storeys
        ],
    }


def _draw(found: Findings, scene: Scene, ground: Survey, folder: Path) -> None:
    from .drawing.preview import draw_preview

    islands = found["num_islands"]
    colors = "one island" if islands == 1 else f"{islands} islands, the largest in blue, others in orange"
    facts = (
        f"{found['triangles']:,} triangles, textures: {found['textures']}, "
        f"{' x '.join(f'{side:.1f}' for side in found['size_m'])} m, {found['walkable_m2']:,.1f} m2 to walk "
        f"on ({colors})"
    )
    name = scene.scene_id if scene.walkable is not None else file_name(scene.scene_id)
    page = draw_preview(scene.arrays, ground, name, facts, np.random.default_rng(SEED))
    path = folder / f"{file_name(scene.scene_id)}.png"
    page.image.save(path, optimize=True)
    found["preview"] = str(path)
    found["renderer_memory_mib"] = round(page.memory / 2**20, 1)
    found["drawn_by"] = page.backend
