"""The ray-casting GL backend, for GPUs without raster hardware: compute shaders follow one ray per pixel.

A ray reads 80 bytes for each node it visits, which holds eight boxes, and 48 bytes for each triangle it is
tested against; its own state is its stack, at most 12 entries of 8 bytes in shared memory. A triangle in
memory takes 48 bytes, 36 more where surfaces matter, and about 12 of nodes.
"""

from __future__ import annotations

from concurrent.futures import Future, wait
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ..backends import Images
from ..config import RenderConfig
from ..embree.cameras import pixel_rays
from ..errors import EGLError
from ..prepare import Preparer
from .raycast_pipeline import VIEW_RECORD, RaycastPipeline
from .raycast_scene import RaycastScene, num_units, prepare
from .raycast_store import RaycastStore
from .uploads import UploadQueue, gathered
from .worker import GLWorker
from .workers import GLWorkers, Limits

_NEEDED = ("GL_EXT_texture_compression_s3tc",)
Pending = list[Future[dict[str, float]]]


class RaycastBackend:
    """Follows rays with OpenGL compute shaders; used by the facade, which checks the arguments.

    Each worker has its own context and its own copy of the scenes.
    """

    def __init__(self, config: RenderConfig) -> None:
        """Choose the device, start the workers; raises ``EGLError``."""
        self._config = config
        self._contexts = GLWorkers(config, share=False, needed=_NEEDED)
        self._workers = self._contexts.all
        limits = self._contexts.limits
        try:
            check_units(config, limits)
            self.info = self._contexts.describe("gl-raycast")
            self._stores = [
                RaycastStore(worker.api, limits.storage_bytes, limits.layers) for worker in self._workers
            ]
            self._queues = [UploadQueue(worker) for worker in self._workers]
            futures = [
                worker.submit(RaycastPipeline, worker.api, store, config, limits.storage_bytes)
                for worker, store in zip(self._workers, self._stores, strict=True)
            ]
            self._pipelines = [future.result() for future in futures]
        except BaseException:
            self.close()
            raise
        self._scene_ids = np.zeros(0, np.int64)
        self._views = np.zeros(0, VIEW_RECORD)
        self.timings: dict[str, float] = {}

    @property
    def gl_worker(self) -> GLWorker | None:
        """The one thread and context that draw, if there is just one."""
        return self._workers[0] if len(self._workers) == 1 else None

    @property
    def preparer(self) -> Preparer:
        """Builds the tree, and packs what surfaces look like."""
        rgb, limit = "rgb" in self._config.outputs, self._config.max_texture_size
        kind = f"gl-raycast rgb={rgb} max_texture_size={limit}"
        return Preparer(kind, partial(prepare, rgb=rgb, limit=limit), derives=True)

    def add_scene(self, scene_id: int, payload: RaycastScene) -> Future[None]:
        """Copy a scene to the device in slices, between which renders run; fails with ``CapacityError``."""
        queues = zip(self._queues, self._stores, strict=True)
        copies = [queue.add(store.add(scene_id, payload)) for queue, store in queues]
        return gathered(copies, partial(self.remove_scene, scene_id))

    def remove_scene(self, scene_id: int) -> None:
        """Free a scene behind the renders that were submitted."""
        for worker, store in zip(self._workers, self._stores, strict=True):
            worker.submit(store.remove, scene_id)

    def set_views(
        self, scene_ids: NDArray[np.int64], world_from_camera: NDArray[np.float64], hfov: NDArray[np.float64]
    ) -> None:
        """Take scene, pose and field of view of all views."""
        config = self._config
        rays = pixel_rays(world_from_camera, hfov, config.height, config.width)
        views = np.zeros(len(scene_ids), VIEW_RECORD)
        for column, name in enumerate(("right", "down", "first", "position")):
            views[name] = rays[:, :, column]
        views["pixel"] = 2.0 * np.tan(hfov / 2.0) / config.width
        views["back"] = world_from_camera[:, :3, 2]
        self._views, self._scene_ids = views, scene_ids

    def submit(self, out: Images) -> Pending:
        """Start drawing the current views into contiguous arrays or device memory."""
        edges = np.linspace(0, len(self._views), len(self._workers) + 1).astype(int).tolist()
        futures = []
        for number, worker in enumerate(self._workers):
            rows = slice(edges[number], edges[number + 1])
            if rows.start < rows.stop:
                images = {name: array[rows] for name, array in out.items()}
                pipeline = self._pipelines[number]
                futures.append(
                    worker.submit(pipeline.render, self._views[rows], self._scene_ids[rows], images)
                )
        return futures

    def collect(self, pending: Pending) -> None:
        """Wait for drawing; raises what a worker raised."""
        wait(pending)  # all of them, so that after an error no worker still writes into the arrays
        stages = [future.result() for future in pending]
        self.timings = {name: max(stage[name] for stage in stages) for name in stages[0]}

    def memory(self) -> dict[str, int]:
        """Bytes of our own allocations."""
        return {
            "scenes": sum(store.nbytes() for store in self._stores),
            "images": sum(pipeline.nbytes() for pipeline in self._pipelines),
        }

    def close(self) -> None:
        """End the workers and destroy their contexts; may be called again."""
        self._contexts.close()


def check_units(config: RenderConfig, limits: Limits) -> None:
    """Raise ``EGLError`` where the driver has too few texture units for all sizes of images."""
    needed = num_units(config.max_texture_size)
    if needed > limits.texture_units:
        raise EGLError(
            f"max_texture_size={config.max_texture_size} needs {needed} texture units, and "
            f"{limits.strings['gl_renderer']} has {limits.texture_units}; lower it"
        )
