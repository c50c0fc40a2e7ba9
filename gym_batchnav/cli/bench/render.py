"""Speed of the renderer alone: random views from the walkable ground of several scenes."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from contextlib import ExitStack, nullcontext
from typing import Any

import numpy as np
from numpy.typing import NDArray

from batchnav_renderer.types import SceneArrays

from ...config import DEFAULT_RESIDENT_SCENES, EnvConfig
from ...cores import usable_cores
from ...envs.choosing import scene_refs
from ...errors import ConfigError
from ...nav import navmesh_for
from ...scenes import Scene
from ...sim.geometry import camera_poses
from ..args import BenchArgs
from ..show import console
from ..waiting import waiting
from .comparison import comparison
from .drawing import Drawing
from .peers.peer import THE_SAME, Peer
from .peers.task import Mesh, Task
from .rivals import choose, start_all
from .step import figures, triangle_summary
from .subdivide import subdivide
from .swaps import measure_swaps
from .windows import Contestant, measure

VIEW_SETS = 4


@dataclasses.dataclass(frozen=True)
class Subject:
    """What is drawn."""

    arrays: Sequence[SceneArrays]
    slots: NDArray[np.intp]
    """(N,) the scene of each view."""
    poses: NDArray[np.float32]
    """(VIEW_SETS, N, 4, 4) world_from_camera."""


def bench_render(args: BenchArgs, config: EnvConfig) -> dict[str, Any]:
    """Draw random views in five windows, read-back included, between those of the peers."""
    if not args.sensors:
        raise ConfigError("bench render needs at least one of --sensors depth rgb semantic normals")
    choices = choose(args.compare, args.peer_python, "render", args.sensors)
    with waiting("loading scenes"):
        subject = random_subject(
            config,
            args.num_envs,
            num_scenes=args.num_resident_scenes or DEFAULT_RESIDENT_SCENES,
            seed=args.seed,
            pieces=args.subdivide,
        )
    with ExitStack() as stack:

        def drawing(height: int, width: int) -> Drawing:
            sized = dataclasses.replace(config, resolution=(height, width))
            return stack.enter_context(Drawing(sized, subject.arrays, subject.slots, subject.poses))

        with waiting("setting the renderer up"):
            ours = drawing(*config.resolution)
        rivals = start_all(choices, _tasks(args, config, subject, ours.near), stack, console().print)
        # A peer that cannot draw what was asked for is compared at its own resolution.
        others = dict.fromkeys(rival.task.resolution for rival in rivals)
        others.pop(config.resolution, None)
        extra = [drawing(*resolution) for resolution in others]
        contestants: list[Contestant] = [*(one.window for one in extra), *rivals]
        measured, *rest = measure(ours.draw, args.seconds, rivals=contestants, started=ours.start)
        at = dict(zip(others, rest[: len(extra)], strict=True)) | {config.resolution: measured}
        pairs = zip(rivals, rest[len(extra) :], strict=True)
        stages = ours.stages_ms
        with waiting(f"measuring swaps for {args.seconds:g} s") if args.swap_every else nullcontext():
            swaps = args.swap_every and measure_swaps(
                ours.renderer, ours.draw, subject.arrays, args.swap_every, args.seconds
            )
        return {
            **figures(measured),
            "stages_ms": stages,
            **({"swaps": swaps} if swaps else {}),
            "resident_scenes": len(subject.arrays),
            "triangles_per_scene": triangle_summary([arrays.num_triangles for arrays in subject.arrays]),
            "memory": ours.memory,
            "comparisons": [comparison(rival, theirs, at[rival.task.resolution]) for rival, theirs in pairs],
            "renderer": ours.info,
        }


def random_subject(
    config: EnvConfig, num_views: int, *, num_scenes: int, seed: int, pieces: int = 1
) -> Subject:
    """Scenes, and cameras at random places of their walkable ground.

    Args:
        config: scenes and height of the camera.
        num_views: N, spread evenly over the scenes.
        num_scenes: the first so many scenes of the set, at most.
        seed: of places and directions.
        pieces: that every edge of the scenes is cut into.
    """
    scenes = [ref.load() for ref in scene_refs(config)[:num_scenes]]
    generator = np.random.default_rng(seed)
    slots = np.arange(num_views) % len(scenes)
    poses = [_random_views(scenes, slots, config.camera_height, generator) for _ in range(VIEW_SETS)]
    return Subject([subdivide(scene.arrays, pieces) for scene in scenes], slots, np.stack(poses))


def _tasks(args: BenchArgs, config: EnvConfig, subject: Subject, near: float) -> Callable[[Peer], Task]:
    """What each peer is to draw."""

    def task(peer: Peer) -> Task:
        height, width = peer.resolution(*config.resolution)
        return Task(
            outputs=args.sensors,
            height=height,
            width=width,
            seed=args.seed,
            threads=peer.threads or usable_cores(),
            hfov_deg=config.hfov_deg,
            near=near,
            far=config.max_depth,
            scenes=[_mesh(arrays, "rgb" in args.sensors) for arrays in subject.arrays]
            if peer.scene == THE_SAME
            else (),
            slots=subject.slots,
            poses=subject.poses,
        )

    return task


def _mesh(arrays: SceneArrays, colored: bool) -> Mesh:
    return Mesh(
        positions=arrays.positions,
        triangles=arrays.triangles.astype(np.int32),
        uvs=np.empty((0, 2), np.float32) if arrays.uvs is None else arrays.uvs,
        colors=np.empty((0, 4), np.uint8) if arrays.colors is None else arrays.colors,
        material_ids=arrays.material_ids,
        base_colors=np.array([material.base_color for material in arrays.materials], np.float32),
        texture_ids=np.array([material.texture for material in arrays.materials], np.int32),
        textures=[texture.pixels for texture in arrays.textures] if colored else (),
    )


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
