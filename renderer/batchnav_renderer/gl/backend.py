"""The GL backend: workers with a context each, the scenes they share, and the split of the views."""

from __future__ import annotations

from concurrent.futures import Future, wait

import numpy as np
from numpy.typing import NDArray

from ..backends import Images
from ..camera import clip_from_camera, rigid_inverse
from ..config import RenderConfig
from ..errors import EGLError, RendererError
from ..prepare import Preparer
from ..types import SceneArrays
from .pipeline import VIEW_RECORD, ViewPipeline
from .plan import Batch, plan_batches
from .residency import Residency, Resident
from .store import SceneStore
from .workers import GLWorkers

_TARGET_BYTES = 1 << 29  # of one texture array; llvmpipe refuses more than twice this
_COMMAND_BYTES = 1 << 28  # of the indirect draw commands of one batch
Pending = tuple[Images, list[Future[dict[str, float]]]]
_NEEDED = ("GL_ARB_indirect_parameters",)


class GLBackend:
    """Draws with OpenGL; used by the facade, which checks the arguments."""

    def __init__(self, config: RenderConfig) -> None:
        """Choose the device, start the workers; raises ``EGLError``."""
        self._config = config
        self._contexts = GLWorkers(config, share=True, needed=_NEEDED)
        self._workers = self._contexts.all
        try:
            displays = self._contexts.displays
            self._stores = [SceneStore(worker.api) for worker in self._workers[: len(displays)]]
            self.info = self._contexts.describe("gl")
            self._pipelines = self._make_pipelines()
        except BaseException:
            self.close()
            raise
        self._scenes: dict[int, Resident] = {}
        self._scene_ids = np.zeros(0, np.int64)
        self._batches: list[tuple[int, Batch]] = []
        self._views = np.zeros(0, VIEW_RECORD)
        self.timings: dict[str, float] = {}

    def _make_pipelines(self) -> list[ViewPipeline]:
        config, limits = self._config, self._contexts.limits
        in_vertex = "GL_ARB_shader_viewport_layer_array" in limits.extensions
        if config.layer_stage == "vertex" and not in_vertex:
            raise EGLError("layer_stage is 'vertex', but the driver lacks GL_ARB_shader_viewport_layer_array")
        in_vertex = in_vertex and config.layer_stage != "geometry"
        layer_bytes = config.height * config.width * 4
        self._max_views = max(1, min(config.max_layers or 2048, limits.layers, _TARGET_BYTES // layer_bytes))
        self._command_bytes = min(limits.storage_bytes, _COMMAND_BYTES)
        self._residency = Residency(
            "rgb" in config.outputs, config.max_texture_size, limits.layers, config.chunk_triangles
        )
        futures = [
            worker.submit(ViewPipeline, worker.api, self._stores[i % len(self._stores)], config, in_vertex)
            for i, worker in enumerate(self._workers)
        ]
        return [future.result() for future in futures]

    gl_worker = None

    @property
    def preparer(self) -> Preparer:
        """Leaves scenes as they are."""
        return Preparer("gl", _as_it_is)

    def add_scene(self, scene_id: int, payload: SceneArrays) -> Future[None]:
        """Copy a scene to the device; fails with ``CapacityError``."""
        future: Future[None] = Future()
        try:
            self._add(scene_id, payload)
        except RendererError as error:
            future.set_exception(error)
        else:
            future.set_result(None)
        return future

    def _add(self, scene_id: int, arrays: SceneArrays) -> None:
        upload, resident = self._residency.place(arrays)
        futures = [
            worker.submit(store.write, upload, self._residency)
            for worker, store in zip(self._workers, self._stores, strict=False)
        ]
        failures = [error for future in futures if (error := future.exception())]
        if failures:
            self._residency.remove(resident)
            raise failures[0]
        self._scenes[scene_id] = resident

    def remove_scene(self, scene_id: int) -> None:
        """Free the room of a scene."""
        self._residency.remove(self._scenes.pop(scene_id))

    def set_views(
        self, scene_ids: NDArray[np.int64], world_from_camera: NDArray[np.float64], hfov: NDArray[np.float64]
    ) -> None:
        """Take scene, pose and field of view of all views."""
        config = self._config
        clip = clip_from_camera(hfov, config.aspect, config.near) @ rigid_inverse(world_from_camera)
        views = np.zeros(len(scene_ids), VIEW_RECORD)
        views["clip_x"], views["clip_y"], views["clip_w"] = clip[:, 0], clip[:, 1], clip[:, 3]
        if not np.array_equal(scene_ids, self._scene_ids):
            self._batches = self._plan(scene_ids)
            self._scene_ids = scene_ids
        for _, batch in self._batches:
            views["layer"][batch.start : batch.stop, 0] = np.arange(batch.num_views)
        self._views = views

    def _plan(self, scene_ids: NDArray[np.int64]) -> list[tuple[int, Batch]]:
        segments = {number: scene.segments for number, scene in self._scenes.items()}
        edges = np.linspace(0, len(scene_ids), len(self._workers) + 1).astype(int).tolist()
        return [
            (number, batch)
            for number in range(len(self._workers))
            for batch in plan_batches(
                scene_ids,
                segments,
                edges[number],
                edges[number + 1],
                self._max_views,
                self._command_bytes,
            )
        ]

    def submit(self, out: Images) -> Pending:
        """Start drawing the current views into contiguous arrays."""
        return out, [
            self._workers[number].submit(
                self._pipelines[number].render,
                batch,
                self._views[batch.start : batch.stop],
                {name: images[batch.start : batch.stop] for name, images in out.items()},
            )
            for number, batch in self._batches
        ]

    def collect(self, pending: Pending) -> Images:
        """Wait for drawing; raises what a worker raised."""
        out, futures = pending
        wait(futures)  # all of them, so that after an error no worker still writes into the arrays
        stages = [future.result() for future in futures]
        totals: dict[int, dict[str, float]] = {}
        for (number, _), stage in zip(self._batches, stages, strict=True):
            worker = totals.setdefault(number, dict.fromkeys(stage, 0.0))
            for name, seconds in stage.items():
                worker[name] += seconds
        self.timings = {name: max(worker[name] for worker in totals.values()) for name in stages[0]}
        return out

    def memory(self) -> dict[str, int]:
        """Bytes of our own allocations."""
        return {"scenes": 0, "images": 0}

    def close(self) -> None:
        """End the workers and destroy their contexts; may be called again."""
        self._contexts.close()


def _as_it_is(arrays: SceneArrays) -> SceneArrays:
    return arrays
