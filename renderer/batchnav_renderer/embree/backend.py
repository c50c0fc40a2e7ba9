"""The Embree backend: threads that each draw some views straight into the outputs."""

from __future__ import annotations

import os
import sys
import time
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor, wait
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..backends import Images
from ..config import Output, RenderConfig
from ..cpus import num_cpus
from ..prepare import Preparer
from ..types import SceneArrays
from .cameras import pixel_rays
from .images import Targets
from .packets import BEYOND, EVERYWHERE, TILE_BITS, Frame
from .surface import Surface, build_surface
from .tracer import make_tracer

_BUILDER_NICENESS = 10
Job = list[tuple[int, NDArray[np.int64]]]
"""Scenes with their views."""
Pending = list[Future[None]]


class Prepared(NamedTuple):
    """What a scene is added from."""

    positions: NDArray[np.float32]
    triangles: NDArray[np.uint32]
    surface: Surface


class Scene(NamedTuple):
    """A resident scene."""

    tree: Any
    surface: Surface


Work = deque[list[tuple[Scene, NDArray[np.int64]]]]
"""Jobs that no thread has taken yet."""


class EmbreeBackend:
    """Draws with rays on the CPU; used by the facade, which checks the arguments."""

    def __init__(self, config: RenderConfig, reason: str) -> None:
        """Load Embree and start the threads; raises ``EmbreeError``."""
        self._config = config
        self._tracer = make_tracer(config.watertight)
        self._frame = _frame(config, self._tracer.lanes)
        self._workers = min(config.num_workers or num_cpus(), config.num_views)
        self._pool = ThreadPoolExecutor(self._workers, thread_name_prefix="batchnav-renderer-embree")
        self._builder = ThreadPoolExecutor(1, "batchnav-renderer-build", initializer=_give_way)
        self._scenes: dict[int, Scene] = {}
        self._jobs: list[Job] = []
        self._scene_ids = np.zeros(0, np.int64)
        self._running: list[tuple[NDArray[np.int64], Future[None]]] = []
        self._cameras = np.zeros((0, 3, 5), np.float32)
        self._begun = 0.0
        self.timings: dict[str, float] = {}
        self.info: dict[str, Any] = {
            "backend": "embree",
            **self._tracer.info,
            "device": "cpu",
            "software": True,
            "workers": self._workers,
            "reason": reason,
        }

    gl_worker = None

    @property
    def preparer(self) -> Preparer:
        """Makes the tables of surfaces."""
        config = self._config
        outputs = tuple(sorted(name for name in config.outputs if name in ("rgb", "ids")))
        kind = f"embree outputs={','.join(outputs)} max_texture_size={config.max_texture_size}"
        return Preparer(kind, partial(prepare, outputs=outputs, limit=config.max_texture_size))

    def add_scene(self, scene_id: int, payload: Prepared) -> Future[None]:
        """Start building the tree of a scene; fails with a ``CapacityError`` where memory is short."""
        return self._builder.submit(self._build, scene_id, payload)

    def remove_scene(self, scene_id: int) -> None:
        """Free a scene once nothing that was submitted shows it."""
        shown = [future for scene_ids, future in self._running if scene_id in scene_ids]
        self._builder.submit(_free, self._scenes.pop(scene_id), shown)

    def set_views(
        self, scene_ids: NDArray[np.int64], world_from_camera: NDArray[np.float64], hfov: NDArray[np.float64]
    ) -> None:
        """Take scene, pose and field of view of all views."""
        self._cameras = pixel_rays(world_from_camera, hfov, self._config.height, self._config.width)
        if not np.array_equal(scene_ids, self._scene_ids):
            self._jobs, self._scene_ids = split_views(scene_ids, self._workers), scene_ids

    def submit(self, out: Images) -> Pending:
        """Start drawing the current views into contiguous arrays."""
        self._begun = time.perf_counter()
        targets = _targets(out, self._config)
        work = deque([(self._scenes[scene], views) for scene, views in job] for job in self._jobs)
        # A task a thread that takes job after job: a task a job would cost each a wait for the GIL.
        futures = [
            self._pool.submit(self._draw, work, targets, self._cameras)
            for _ in range(min(self._workers, len(work)))
        ]
        self._running = [running for running in self._running if not running[1].done()]
        self._running += ((self._scene_ids, future) for future in futures)
        return futures

    def collect(self, pending: Pending) -> None:
        """Wait for drawing; raises what a worker raised."""
        wait(pending)  # all of them, so that after an error no thread still writes into the arrays
        self.timings = {"draw": time.perf_counter() - self._begun}
        for future in pending:
            future.result()

    def memory(self) -> dict[str, int]:
        """Bytes of our own allocations; "scenes" are the tables and, but for embreex, Embree's trees."""
        tables = sum(scene.surface.nbytes for scene in list(self._scenes.values()))
        return {"scenes": tables + self._tracer.tree_bytes(), "images": 0}

    def close(self) -> None:
        """End the threads and free the scenes; may be called again."""
        self._pool.shutdown(wait=True)
        self._builder.shutdown(wait=True)
        while self._scenes:
            self._scenes.popitem()[1].tree.close()

    def _build(self, scene_id: int, payload: Prepared) -> None:
        tree = self._tracer.build(payload.positions, payload.triangles)
        self._scenes[scene_id] = Scene(tree, payload.surface)

    def _draw(self, work: Work, targets: Targets, cameras: NDArray[np.float32]) -> None:
        while work:
            try:
                job = work.popleft()
            except IndexError:  # another thread has taken the last one
                return
            for scene, views in job:
                self._tracer.draw(scene.tree, scene.surface, self._frame, targets, cameras, views)


def prepare(arrays: SceneArrays, outputs: tuple[Output, ...], limit: int) -> Prepared:
    """The part of adding a scene that needs no device."""
    return Prepared(arrays.positions, arrays.triangles, build_surface(arrays, outputs, limit))


def split_views(scene_ids: NDArray[np.int64], workers: int) -> list[Job]:
    """Jobs in which the views of a scene stand together, large ones first so that workers end together."""
    order = np.argsort(scene_ids, kind="stable")
    jobs = []
    for views in np.split(order, np.cumsum(job_sizes(len(order), workers))[:-1]):
        scenes, starts = np.unique(scene_ids[views], return_index=True)
        jobs.append(list(zip(scenes.tolist(), np.split(views, starts[1:]), strict=True)))
    return jobs


def job_sizes(views: int, workers: int) -> list[int]:
    """Half of a fair share of what is left, again and again; never below a 16th of a share, as calls cost.

    Polychronopoulos and Kuck, "Guided Self-Scheduling", 1987.
    """
    smallest = -(-views // (16 * workers))
    sizes = []
    while views:
        sizes.append(min(views, max(smallest, -(-views // (2 * workers)))))
        views -= sizes[-1]
    return sizes


def _give_way() -> None:
    """Let the threads that draw go before this one, where threads have priorities of their own."""
    if sys.platform == "linux":
        os.nice(_BUILDER_NICENESS)  # of this thread alone


def _free(scene: Scene, shown: list[Future[None]]) -> None:
    wait(shown)
    scene.tree.close()


def _frame(config: RenderConfig, lanes: int) -> Frame:
    near, far = np.float32(config.near), np.float32(config.far)
    # Depth alone needs nothing beyond ``far``; colours, ids and normals are not cut there.
    end = far * BEYOND if config.outputs == ("depth",) else EVERYWHERE
    return Frame(config.height, config.width, TILE_BITS[lanes], near, far, end)


def _targets(out: Images, config: RenderConfig) -> Targets:
    def pixels(name: str, dtype: Any, channels: int) -> NDArray[Any]:
        array = out.get(name)
        return np.empty((0, channels), dtype) if array is None else array.view(dtype).reshape(-1, channels)

    depth, half_depth = np.empty((0, 1), np.float32), np.empty((0, 1), np.uint16)
    if config.depth_dtype == "float16":
        half_depth = pixels("depth", np.uint16, 1)
    else:
        depth = pixels("depth", np.float32, 1)
    return Targets(
        depth=depth,
        half_depth=half_depth,
        rgb=pixels("rgb", np.uint8, 3),
        ids=pixels("ids", np.int32, 1),
        normals=pixels("normals", np.float32, 3),
        headlight=config.shading == "headlight",
    )
