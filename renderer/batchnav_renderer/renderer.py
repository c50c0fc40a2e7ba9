"""The public face of the renderer."""

from __future__ import annotations

import os
from collections.abc import Mapping
from concurrent.futures import Future
from types import TracebackType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .backends import Backend, make_backend
from .checks import checked_hfov, checked_ids, checked_poses, listed
from .config import RenderConfig
from .delivery import make_delivery
from .errors import ClosedError, RenderConfigError, RendererError
from .prepare import PreparedScene, Preparer
from .types import SceneArrays


class BatchRenderer:
    """Draws N views of any resident scenes at a time.

    Not thread-safe: one thread uses it at a time. Several renderers may live side by side. It belongs to the
    process that made it; make it after a fork.
    """

    def __init__(self, config: RenderConfig) -> None:
        """Choose a backend and a device; this is when GL or Embree is loaded.

        Raises:
            EGLError: no headless GL context could be made.
            EmbreeError: Embree could not be loaded.
            InteropError: images are wanted as torch tensors, and torch is missing or cannot use the device.
        """
        self.config = config
        self._closed = False
        self._process = os.getpid()
        self._next_id = 0
        self._scenes: set[int] = set()
        self._adding: dict[int, Future[None]] = {}
        self._used: set[int] = set()
        self._num_placed = 0
        self._pending: tuple[Any, Any] | None = None
        self._backend: Backend = make_backend(config)
        try:
            self._delivery = make_delivery(config, self._backend)
        except BaseException:
            self._backend.close()
            raise

    @property
    def info(self) -> dict[str, Any]:
        """What draws: backend, device, software, workers, reason; of GL also gl_renderer and the like.

        "interop" says whether images reach torch on the GPU without a copy, and why not.
        """
        return {**self._backend.info, "interop": self._delivery.interop}

    @property
    def timings(self) -> dict[str, float]:
        """Seconds of the last render: "draw", and with GL "upload" and "readback"; the slowest worker."""
        return dict(self._backend.timings)

    @property
    def memory(self) -> dict[str, int]:
        """Bytes of the renderer's own allocations: "scenes" and "images"."""
        bytes_of = self._backend.memory()
        return {**bytes_of, "images": bytes_of["images"] + self._delivery.nbytes}

    @property
    def scene_ids(self) -> tuple[int, ...]:
        """Ids of the resident scenes."""
        return tuple(sorted(self._scenes))

    @property
    def preparer(self) -> Preparer:
        """Does the work of ``add_scene`` that needs no device; can be sent to another process."""
        return self._backend.preparer

    def add_scene(self, scene: SceneArrays | PreparedScene, wait: bool = True) -> int:
        """Copy a scene to the device; may be called while a render is pending.

        Args:
            scene: the arrays, or what ``preparer`` made of them.
            wait: False returns at once. The id is good right away: ``set_views`` waits for what it names, and
                ``scene_ready`` tells.

        Returns:
            Its id, never used again after removal.

        Raises:
            CapacityError: there is no room for it; with ``wait=False`` raised by ``set_views`` and
                ``scene_ready``.
            RenderConfigError: it was prepared for another kind of renderer.
        """
        self._check_open()
        prepared = scene if isinstance(scene, PreparedScene) else self.preparer(scene)
        if prepared.kind != self.preparer.kind:
            raise RenderConfigError(
                f"the scene was prepared for {prepared.kind!r}; this renderer is {self.preparer.kind!r}; use "
                "its own preparer"
            )
        scene_id = self._next_id
        self._next_id += 1
        future = self._backend.add_scene(scene_id, prepared.payload)
        if wait:
            future.result()
        else:
            self._adding[scene_id] = future
        self._scenes.add(scene_id)
        return scene_id

    def scene_ready(self, scene_id: int) -> bool:
        """Whether a scene added with ``wait=False`` can be drawn without waiting; raises what went wrong."""
        self._check_open()
        self._check_resident(scene_id)
        if scene_id in self._adding and not self._adding[scene_id].done():
            return False
        self._settle(scene_id)
        return True

    def wait_for_scene(self, scene_id: int) -> None:
        """Wait until a scene added with ``wait=False`` can be drawn; raises what went wrong."""
        self._check_open()
        self._check_resident(scene_id)
        self._settle(scene_id)

    def remove_scene(self, scene_id: int) -> None:
        """Free a scene; raises ``RenderConfigError`` for an unknown one or one that the views show."""
        self._check_open()
        self._check_resident(scene_id)
        if scene_id in self._used:
            raise RenderConfigError(
                f"scene {scene_id} is shown by the current views; call set_views without it first"
            )
        self._settle(scene_id)
        self._backend.remove_scene(scene_id)
        self._scenes.discard(scene_id)

    def set_views(
        self, scene_ids: ArrayLike, world_from_camera: ArrayLike, hfov_deg: ArrayLike | None = None
    ) -> None:
        """Place the cameras; the arrays are copied.

        Args:
            scene_ids: (n,) ids from ``add_scene``; 1 <= n <= N, and ``render`` then gives n images.
            world_from_camera: (n, 4, 4) rigid transforms; a camera looks down -Z, +Y up.
            hfov_deg: (n,) horizontal fields of view, degrees; None takes the configuration's.

        Raises:
            RenderConfigError: a wrong shape, an unknown scene, a pose that is not finite or not invertible.
        """
        self._check_usable()
        ids = checked_ids(np.asarray(scene_ids), self.config.num_views, self._scenes)
        poses = checked_poses(np.asarray(world_from_camera), len(ids))
        hfov = checked_hfov(hfov_deg, len(ids), self.config.hfov_deg)
        used = set(ids.tolist())
        for scene_id in used & self._adding.keys():
            self._settle(scene_id)
        self._backend.set_views(ids, poses, hfov)
        self._used = used
        self._num_placed = len(ids)

    def render(self, out: Mapping[str, NDArray[Any]] | None = None) -> dict[str, Any]:
        """Draw all views.

        Args:
            out: C-contiguous arrays to write into, one for each output; None makes fresh ones. Not with
                ``images="torch"``.

        Returns:
            Of these, the configured outputs; row 0 is the top.
            "depth": (N, H, W, 1) float32 or float16, planar metres; misses and all beyond ``far`` read it.
            "rgb": (N, H, W, 3) uint8 sRGB; misses are black.
            "ids": (N, H, W, 1) int32, ``SceneArrays.object_ids`` of what is seen; misses read -1.
            "normals": (N, H, W, 3) float32, unit normals of the triangles in camera space (x right, y up, z
            to the camera), of the side that is seen; misses read 0.

            With ``images="torch"`` they are tensors on the device that draws. On the CPU they are fresh each
            time. On an NVIDIA GPU that shares its memory (``info["interop"]``) they lie in a ring of
            ``image_ring`` sets of buffers: a tensor is valid until that many renders have been submitted
            after its own, or ``close``; clone what is to stay. They are ordered on torch's current stream of
            the calling thread: there, work may be queued at once, and drawing into a set again waits for
            what was queued. Work on another stream must be waited for by the current one.

        Raises:
            RendererError: ``set_views`` was never called.
        """
        self.submit(out)
        return self.collect()

    def submit(self, out: Mapping[str, NDArray[Any]] | None = None) -> None:
        """Start drawing as ``render`` does; the arrays belong to the renderer until ``collect``."""
        self._check_usable()
        if not self._num_placed:
            raise RendererError("there are no views to draw; call set_views first")
        images = self._delivery.fresh(out, self._num_placed)
        self._pending = self._backend.submit(images), images

    def collect(self) -> dict[str, Any]:
        """Wait for the ``submit`` before and return its images."""
        self._check_open()
        if self._pending is None:
            raise RendererError("nothing is being drawn; call submit first")
        pending, images = self._pending
        self._pending = None
        self._backend.collect(pending)
        return self._delivery.delivered(images)

    def close(self) -> None:
        """Free everything; may be called again. Other renderers are untouched."""
        if self._closed:
            return
        self._closed = True
        if os.getpid() == self._process:
            self._backend.close()

    def __enter__(self) -> BatchRenderer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _check_open(self) -> None:
        if self._closed:
            raise ClosedError("the renderer is closed; make a new BatchRenderer")
        if os.getpid() != self._process:
            raise RendererError(
                f"the renderer was made in process {self._process} and is used in its fork {os.getpid()}; "
                "make renderers after forking, or use the 'spawn' start method"
            )

    def _check_usable(self) -> None:
        self._check_open()
        if self._pending is not None:
            raise RendererError("a render is pending; call collect first")

    def _check_resident(self, scene_id: int) -> None:
        if scene_id not in self._scenes:
            raise RenderConfigError(
                f"scene {scene_id} is not resident; resident are {listed(self.scene_ids)}"
            )

    def _settle(self, scene_id: int) -> None:
        """Wait until a scene is added; one that failed is forgotten and its error raised."""
        future = self._adding.pop(scene_id, None)
        if future is None:
            return
        try:
            future.result()
        except BaseException:
            self._scenes.discard(scene_id)
            raise
