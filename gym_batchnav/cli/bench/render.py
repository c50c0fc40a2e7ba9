"""Speed of the renderer alone: random views from the walkable ground of several scenes."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...config import DEFAULT_RESIDENT_SCENES, EnvConfig
from ...envs.images import make_renderer
from ...envs.world import scene_refs
from ...errors import ConfigError
from ...nav import navmesh_for
from ...scenes import Scene
from ...sim.geometry import camera_poses
from ..args import BenchArgs
from .step import figures, triangle_summary
from .windows import measure

VIEW_SETS = 8


def bench_render(args: BenchArgs, config: EnvConfig) -> dict[str, Any]:
    """Draw random views in five windows, read-back included."""
    if not config.sensors:
        raise ConfigError("bench render needs at least one of --sensors depth rgb")
    limit = args.num_resident_scenes or DEFAULT_RESIDENT_SCENES
    refs = scene_refs(config)[:limit]
    scenes = [ref.load() for ref in refs]
    generator = np.random.default_rng(args.seed)
    slots = np.arange(args.num_envs) % len(scenes)
    views = [_random_views(scenes, slots, config.camera_height, generator) for _ in range(VIEW_SETS)]
    with make_renderer(args.num_envs, config, config.sensors) as renderer:
        ids = np.array([renderer.add_scene(scene.arrays) for scene in scenes])[slots]
        spent: dict[str, float] = {}
        calls = 0

        def draw() -> int:
            nonlocal calls
            begun = time.perf_counter()
            renderer.set_views(ids, views[calls % VIEW_SETS])
            placed = time.perf_counter()
            renderer.render()
            stages = {"set_views": placed - begun, "render": time.perf_counter() - placed}
            stages.update({f"render/{name}": seconds for name, seconds in renderer.timings.items()})
            for name, seconds in stages.items():
                spent[name] = spent.get(name, 0.0) + seconds
            calls += 1
            return args.num_envs

        def start() -> None:
            nonlocal calls
            calls = 0
            spent.clear()

        measured = measure(draw, args.seconds, started=start)
        info = dict(renderer.info)
    return {
        **figures(measured),
        "stages_ms": {name: 1000 * seconds / calls for name, seconds in spent.items()},
        "resident_scenes": len(scenes),
        "triangles_per_scene": triangle_summary([len(scene.triangles) for scene in scenes]),
        "renderer": info,
    }


def _random_views(
    scenes: list[Scene], slots: NDArray[np.intp], height: float, generator: np.random.Generator
) -> NDArray[np.float32]:
    """Cameras (N, 4, 4) at random places of each row's scene, looking in random directions."""
    positions = np.empty((len(slots), 3), dtype=np.float32)
    for slot, scene in enumerate(scenes):
        rows = np.flatnonzero(slots == slot)
        if len(rows):
            positions[rows] = navmesh_for(scene).sample(len(rows), generator)
    return camera_poses(positions, generator.uniform(-np.pi, np.pi, len(slots)), height)
