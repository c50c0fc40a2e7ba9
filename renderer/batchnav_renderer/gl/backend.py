"""The GL backend: workers with a context each, the scenes they share, and the split of the views."""

from __future__ import annotations

import logging
from concurrent.futures import Future, wait
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ..backends import Images
from ..config import RenderConfig
from ..errors import RendererError
from ..prepare import Preparer
from .mesh import Mesh, build_mesh
from .pipeline import STAGES, PipelineSettings, ViewPipeline
from .plan import Batch, plan_batches
from .residency import Residency, Resident
from .settings import NEEDED, batch_limits, largest_that_fits, mesh_settings, pipeline_settings
from .store import SceneStore
from .uploads import UploadQueue, gathered
from .views import VIEW_RECORD, view_records
from .worker import GLWorker
from .workers import GLWorkers

_log = logging.getLogger("batchnav_renderer")
Pending = list[tuple[int, Future[dict[str, float]]]]


class GLBackend:
    """Draws with OpenGL; used by the facade, which checks the arguments."""

    def __init__(self, config: RenderConfig) -> None:
        """Choose the device, start the workers; raises ``EGLError``."""
        self._config = config
        self._contexts = GLWorkers(config, share=True, needed=NEEDED)
        self._workers = self._contexts.all
        try:
            limits = self._contexts.limits
            self._mesh = mesh_settings(config)
            self._limits = batch_limits(config, limits)
            self.info = self._contexts.describe("gl")
            self._residency = Residency(self._mesh, limits.layers, limits.storage_bytes)
            self._stores = self._make_stores()
            self._queues = [UploadQueue(worker) for worker in self._workers[: len(self._stores)]]
            self._pipelines = self._make_pipelines(pipeline_settings(config, self._mesh, limits))
            self._limits = self._reserved(), self._limits[1]
        except BaseException:
            self.close()
            raise
        self._scenes: dict[int, Resident] = {}
        self._scene_ids = np.zeros(0, np.int64)
        self._batches: list[tuple[int, Batch]] = []
        self._views = np.zeros(0, VIEW_RECORD)
        self.timings: dict[str, float] = {}

    def _make_stores(self) -> list[SceneStore]:
        displays = len(self._contexts.displays)
        return [
            SceneStore(worker, self._mesh, self._workers[number + displays :: displays])
            for number, worker in enumerate(self._workers[:displays])
        ]

    def _make_pipelines(self, settings: PipelineSettings) -> list[ViewPipeline]:
        futures = [
            worker.submit(ViewPipeline, worker.api, self._stores[number % len(self._stores)], settings)
            for number, worker in enumerate(self._workers)
        ]
        return [future.result() for future in futures]

    def _reserved(self) -> int:
        """Make the targets; returns the most views of a batch, fewer where the driver refuses as many."""
        share = -(-self._config.num_views // len(self._workers))
        wanted = min(self._limits[0], share)

        def reserve(layers: int) -> None:
            pairs = zip(self._workers, self._pipelines, strict=True)
            for future in [worker.submit(pipeline.reserve, layers) for worker, pipeline in pairs]:
                future.result()

        most = largest_that_fits(reserve, wanted)
        if most < wanted:
            _log.warning("the driver refuses %d layers; batches of %d views are drawn instead", wanted, most)
        self.info["views_per_batch"] = most
        return most

    @property
    def gl_worker(self) -> GLWorker | None:
        """The worker that draws, where a GPU does and its images may stay there."""
        return self._workers[0] if len(self._workers) == 1 and self._pipelines[0].packed else None

    @property
    def preparer(self) -> Preparer:
        """Clusters triangles, and resamples and compresses textures."""
        return Preparer(f"gl {self._mesh}", partial(build_mesh, self._mesh))

    def add_scene(self, scene_id: int, payload: Mesh) -> Future[None]:
        """Copy a scene to the device, in short steps between renders; fails with ``CapacityError``."""
        try:
            upload = self._residency.place(payload)
        except RendererError as error:
            failed: Future[None] = Future()
            failed.set_exception(error)
            return failed
        self._scenes[scene_id] = upload.resident
        queues = zip(self._queues, self._stores, strict=True)
        copies = [queue.add(store.upload(upload)) for queue, store in queues]
        return gathered(copies, partial(self.remove_scene, scene_id))

    def remove_scene(self, scene_id: int) -> None:
        """Free the pages of a scene that no pending render shows, as the facade sees to."""
        self._residency.remove(self._scenes.pop(scene_id))

    def set_views(
        self, scene_ids: NDArray[np.int64], world_from_camera: NDArray[np.float64], hfov: NDArray[np.float64]
    ) -> None:
        """Take scene, pose and field of view of all views."""
        views = view_records(world_from_camera, hfov, self._config.aspect, self._config.near)
        if not np.array_equal(scene_ids, self._scene_ids):
            self._batches = self._plan(scene_ids)
            self._scene_ids = scene_ids
        for _, batch in self._batches:
            views["layer"][batch.start : batch.stop] = np.arange(batch.num_views)
        self._views = views

    def _plan(self, scene_ids: NDArray[np.int64]) -> list[tuple[int, Batch]]:
        segments = {number: self._scenes[number].segments for number in set(scene_ids.tolist())}
        edges = np.linspace(0, len(scene_ids), len(self._workers) + 1).astype(int).tolist()
        return [
            (number, batch)
            for number in range(len(self._workers))
            for batch in plan_batches(
                scene_ids, segments, edges[number], edges[number + 1], *self._limits, self._mesh.page_chunks
            )
        ]

    def submit(self, out: Images) -> Pending:
        """Start drawing the current views into contiguous arrays, or images on the device."""
        return [
            (
                number,
                self._workers[number].submit(
                    self._pipelines[number].render,
                    batch,
                    self._views[batch.start : batch.stop],
                    {name: images[batch.start : batch.stop] for name, images in out.items()},
                ),
            )
            for number, batch in self._batches
        ]

    def collect(self, pending: Pending) -> None:
        """Wait for drawing; raises what a worker raised."""
        wait([future for _, future in pending])  # so that no worker still writes into arrays after an error
        totals: dict[int, dict[str, float]] = {}
        for number, future in pending:
            worker = totals.setdefault(number, dict.fromkeys(STAGES, 0.0))
            for name, seconds in future.result().items():
                worker[name] += seconds
        self.timings = {name: max(worker[name] for worker in totals.values()) for name in STAGES}

    def memory(self) -> dict[str, int]:
        """Bytes of our own allocations: "scenes", "images" and "work" (views and draw lists)."""
        return {
            "scenes": sum(store.num_bytes for store in self._stores),
            "images": sum(pipeline.num_image_bytes for pipeline in self._pipelines),
            "work": sum(pipeline.num_work_bytes for pipeline in self._pipelines),
        }

    def close(self) -> None:
        """End the workers and destroy their contexts; may be called again."""
        self._contexts.close()
