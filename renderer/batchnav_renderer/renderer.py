"""The public face of the renderer."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from types import TracebackType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .backends import Backend, make_backend
from .config import RenderConfig
from .errors import CapacityError, ClosedError, RenderConfigError, RendererError
from .types import SceneArrays

_SHAPES: dict[str, tuple[int, type[np.generic]]] = {"depth": (1, np.float32), "rgb": (3, np.uint8)}


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
        """
        self.config = config
        self._closed = False
        self._process = os.getpid()
        self._next_id = 0
        self._scenes: set[int] = set()
        self._used: set[int] = set()
        self._num_placed = 0
        self._pending: tuple[dict[str, NDArray[Any]], list[Future[Any]]] | None = None
        self._backend: Backend = make_backend(config)

    @property
    def info(self) -> dict[str, Any]:
        """What draws: backend, device, software, workers, reason; of GL also gl_renderer and the like."""
        return dict(self._backend.info)

    @property
    def timings(self) -> dict[str, float]:
        """Seconds of the last render: "draw", and with GL "upload" and "readback"; the slowest worker."""
        return dict(self._backend.timings)

    @property
    def scene_ids(self) -> tuple[int, ...]:
        """Ids of the resident scenes."""
        return tuple(sorted(self._scenes))

    def add_scene(self, arrays: SceneArrays) -> int:
        """Copy a scene to the device.

        Returns:
            Its id, never used again after removal.

        Raises:
            CapacityError: there is no room for it.
        """
        self._check_usable()
        scene_id = self._next_id
        self._backend.add_scene(scene_id, arrays)
        self._next_id += 1
        self._scenes.add(scene_id)
        return scene_id

    def remove_scene(self, scene_id: int) -> None:
        """Free a scene; raises ``RenderConfigError`` for an unknown one or one that the views show."""
        self._check_usable()
        if scene_id not in self._scenes:
            raise RenderConfigError(f"scene {scene_id} is not resident; resident are {self._listed()}")
        if scene_id in self._used:
            raise RenderConfigError(
                f"scene {scene_id} is shown by the current views; call set_views without it first"
            )
        self._backend.remove_scene(scene_id)
        self._scenes.discard(scene_id)

    def set_views(self, scene_ids: ArrayLike, world_from_camera: ArrayLike) -> None:
        """Place the cameras; both arrays are copied.

        Args:
            scene_ids: (n,) ids from ``add_scene``; 1 <= n <= N, and ``render`` then gives n images.
            world_from_camera: (n, 4, 4) rigid transforms; a camera looks down -Z, +Y up.

        Raises:
            RenderConfigError: a wrong shape, an unknown scene, a pose that is not finite or not invertible.
        """
        self._check_usable()
        ids = self._checked_ids(np.asarray(scene_ids))
        poses = self._checked_poses(np.asarray(world_from_camera), len(ids))
        self._backend.set_views(ids, poses)
        self._used = set(ids.tolist())
        self._num_placed = len(ids)

    def render(self, out: Mapping[str, NDArray[Any]] | None = None) -> dict[str, NDArray[Any]]:
        """Draw all views.

        Args:
            out: C-contiguous arrays to write into, one for each output; None makes fresh ones.

        Returns:
            "depth": (N, H, W, 1) float32, planar metres, misses and all beyond ``far`` read ``far``;
            "rgb": (N, H, W, 3) uint8 sRGB, misses are black. Row 0 is the top. Of these, the
            configured outputs.

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
        if self._pending is not None:
            raise RendererError("a render is pending; call collect first")
        images = self._checked_out(out)
        self._pending = images, self._backend.submit(images)

    def collect(self) -> dict[str, NDArray[Any]]:
        """Wait for the ``submit`` before and return its images."""
        self._check_open()
        if self._pending is None:
            raise RendererError("nothing is being drawn; call submit first")
        images, futures = self._pending
        self._pending = None
        self._backend.collect(futures)
        return images

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

    def _listed(self) -> str:
        ids: Sequence[int] = self.scene_ids
        return str(list(ids)) if len(ids) <= 20 else f"{len(ids)} scenes, ids {ids[0]} to {ids[-1]}"

    def _checked_ids(self, ids: NDArray[Any]) -> NDArray[np.int64]:
        most = self.config.num_views
        if ids.ndim != 1 or not 1 <= len(ids) <= most or not np.issubdtype(ids.dtype, np.integer):
            raise RenderConfigError(
                f"scene_ids has shape {ids.shape} and dtype {ids.dtype}; expected (n,) integers with "
                f"1 <= n <= num_views = {most}"
            )
        if unknown := sorted(set(ids.tolist()) - self._scenes):
            raise RenderConfigError(f"scene_ids names {unknown[:10]}; resident are {self._listed()}")
        return ids.astype(np.int64)

    def _checked_poses(self, poses: NDArray[Any], count: int) -> NDArray[np.float64]:
        expected = (count, 4, 4)
        if poses.shape != expected or poses.dtype.kind not in "fiu":
            raise RenderConfigError(
                f"world_from_camera has shape {poses.shape} and dtype {poses.dtype}; expected "
                f"{expected} floats"
            )
        poses = poses.astype(np.float64)
        finite = np.isfinite(poses).all(axis=(1, 2))
        if not finite.all():
            raise RenderConfigError(
                f"world_from_camera[{int(np.argmin(finite))}] holds NaN or infinite values; give finite poses"
            )
        wrong = (np.abs(np.linalg.det(poses[:, :3, :3])) < 1e-9) | (poses[:, 3] != (0, 0, 0, 1)).any(axis=1)
        if wrong.any():
            raise RenderConfigError(
                f"world_from_camera[{int(np.argmax(wrong))}] is no invertible affine transform with last row "
                "(0, 0, 0, 1)"
            )
        return poses

    def _checked_out(self, out: Mapping[str, NDArray[Any]] | None) -> dict[str, NDArray[Any]]:
        config = self.config
        size = (self._num_placed, config.height, config.width)
        if out is None:
            return {name: self._fresh((*size, _SHAPES[name][0]), _SHAPES[name][1]) for name in config.outputs}
        if not isinstance(out, Mapping):
            raise RenderConfigError(f"out is {out!r:.80}; expected a dict with the keys {config.outputs}")
        if set(out) != set(config.outputs):
            raise RenderConfigError(f"out has the keys {list(out)}; expected {sorted(config.outputs)}")
        for name, array in out.items():
            shape, dtype = (*size, _SHAPES[name][0]), np.dtype(_SHAPES[name][1])
            if not isinstance(array, np.ndarray):
                raise RenderConfigError(
                    f"out[{name!r}] is {array!r:.80}; expected a NumPy array, {shape} {dtype}"
                )
            if (
                array.shape != shape
                or array.dtype != dtype
                or not array.flags.c_contiguous
                or not array.flags.writeable
            ):
                raise RenderConfigError(
                    f"out[{name!r}] has shape {array.shape} and dtype {array.dtype}; expected a writable "
                    f"C-contiguous {shape} {dtype}"
                )
        return dict(out)

    @staticmethod
    def _fresh(shape: tuple[int, ...], dtype: type[np.generic]) -> NDArray[Any]:
        try:
            return np.empty(shape, dtype)
        except (MemoryError, ValueError) as error:
            raise CapacityError(
                f"an output of shape {shape} does not fit into memory; lower num_views or the resolution"
            ) from error
