"""The Embree backend: threads that each draw some views straight into the outputs."""

from __future__ import annotations

import os
import time
from concurrent.futures import Future, ThreadPoolExecutor, wait
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..backends import Images
from ..config import RenderConfig
from ..cpus import num_cpus
from ..prepare import Preparer
from ..types import SceneArrays
from .cameras import pixel_rays
from .check import check_layout
from .images import draw_surfaces
from .library import Embree
from .packets import TILE_BITS, draw_depth, new_packet
from .scene import Tree
from .surface import Surface, build_surface

_JOBS_PER_WORKER = 4


class Prepared(NamedTuple):
    """What a scene is added from."""

    positions: NDArray[np.float32]
    triangles: NDArray[np.uint32]
    surface: Surface | None


class Scene(NamedTuple):
    """A resident scene."""

    tree: Tree
    surface: Surface | None
    """None where depth alone is drawn and all is opaque."""


class EmbreeBackend:
    """Draws with packets of rays on the CPU; used by the facade, which checks the arguments."""

    def __init__(self, config: RenderConfig, reason: str) -> None:
        """Load Embree and start the threads; raises ``EmbreeError``."""
        self._config = config
        self._embree = Embree()
        self._lanes = self._embree.lanes
        self._function = self._embree.intersect(self._lanes)
        check_layout(self._embree, self._lanes)
        self._workers = min(config.num_workers or num_cpus(), config.num_views)
        self._pool = ThreadPoolExecutor(self._workers, thread_name_prefix="batchnav-renderer-embree")
        self._builder = ThreadPoolExecutor(1, thread_name_prefix="batchnav-renderer-build")
        self._scenes: dict[int, Scene] = {}
        self._jobs: list[tuple[int, NDArray[np.int64]]] = []
        self._cameras = np.zeros((0, 3, 4), np.float32)
        self._begun = 0.0
        self.timings: dict[str, float] = {}
        self.info: dict[str, Any] = {
            "backend": "embree",
            "embree_version": self._embree.version,
            "embree_library": os.path.basename(self._embree.path),
            "packet_rays": self._lanes,
            "device": "cpu",
            "software": True,
            "workers": self._workers,
            "reason": reason,
        }

    gl_worker = None

    @property
    def preparer(self) -> Preparer:
        """Makes the tables of surfaces."""
        rgb, limit = "rgb" in self._config.outputs, self._config.max_texture_size
        return Preparer(f"embree rgb={rgb} max_texture_size={limit}", partial(prepare, rgb=rgb, limit=limit))

    def add_scene(self, scene_id: int, payload: Prepared) -> Future[None]:
        """Start building the tree of a scene; fails with an ``EmbreeError`` where memory is short."""
        return self._builder.submit(self._build, scene_id, payload)

    def remove_scene(self, scene_id: int) -> None:
        """Free a scene."""
        self._scenes.pop(scene_id).tree.close()

    def set_views(
        self, scene_ids: NDArray[np.int64], world_from_camera: NDArray[np.float64], hfov: NDArray[np.float64]
    ) -> None:
        """Take scene, pose and field of view of all views."""
        self._cameras = pixel_rays(world_from_camera, hfov, self._config.height, self._config.width)
        self._jobs = split_views(scene_ids, self._workers * _JOBS_PER_WORKER)

    def submit(self, out: Images) -> tuple[Images, list[Future[None]]]:
        """Start drawing the current views into contiguous arrays."""
        self._begun = time.perf_counter()
        jobs = [self._pool.submit(self._draw, self._scenes[scene], views, out) for scene, views in self._jobs]
        return out, jobs

    def collect(self, pending: tuple[Images, list[Future[None]]]) -> Images:
        """Wait for drawing; raises what a worker raised."""
        out, futures = pending
        wait(futures)  # all of them, so that after an error no thread still writes into the arrays
        self.timings = {"draw": time.perf_counter() - self._begun}
        for future in futures:
            future.result()
        return out

    def memory(self) -> dict[str, int]:
        """Bytes of our own allocations, without Embree's trees."""
        surfaces = [scene.surface for scene in self._scenes.values() if scene.surface is not None]
        return {"scenes": sum(table.nbytes for surface in surfaces for table in surface), "images": 0}

    def close(self) -> None:
        """End the threads and free the scenes; may be called again."""
        self._builder.shutdown(wait=True)
        self._pool.shutdown(wait=True)
        while self._scenes:
            self._scenes.popitem()[1].tree.close()

    def _build(self, scene_id: int, payload: Prepared) -> None:
        tree = Tree(self._embree, payload.positions, payload.triangles)
        self._scenes[scene_id] = Scene(tree, payload.surface)

    def _draw(self, scene: Scene, views: NDArray[np.int64], out: Images) -> None:
        config, lanes = self._config, self._lanes
        size = (config.height, config.width)
        # An empty array stands for an output that nobody wants.
        depth = out["depth"] if "depth" in out else np.empty((0, *size, 1), np.float32)
        packet = new_packet(self._function, scene.tree.handle, lanes)
        views_of = (*packet[:5], TILE_BITS[lanes], self._cameras, views)
        limits = np.float32(config.near), np.float32(config.far)
        if (surface := scene.surface) is None:
            draw_depth(*views_of, *limits, depth)
        else:
            rgb = out["rgb"] if "rgb" in out else np.empty((0, *size, 3), np.uint8)
            draw_surfaces(*views_of, *limits, depth, rgb, surface.has_holes, *surface)


def prepare(arrays: SceneArrays, rgb: bool, limit: int) -> Prepared:
    """The part of adding a scene that needs no device."""
    return Prepared(arrays.positions, arrays.triangles, build_surface(arrays, rgb, limit))


def split_views(scene_ids: NDArray[np.int64], num_jobs: int) -> list[tuple[int, NDArray[np.int64]]]:
    """Jobs of (scene, its views), none larger than a fair share of ``num_jobs``."""
    most = -(-len(scene_ids) // num_jobs)
    jobs = []
    for scene in np.unique(scene_ids):
        views = np.flatnonzero(scene_ids == scene)
        jobs += [(int(scene), views[first : first + most]) for first in range(0, len(views), most)]
    return jobs
