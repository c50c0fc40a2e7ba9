"""The GL backend: workers with a context each, the scenes they share, and the split of the views."""

from __future__ import annotations

import ctypes
import logging
import os
import weakref
from collections.abc import Sequence
from concurrent.futures import Future, wait
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..backends import Images
from ..camera import clip_from_camera, rigid_inverse
from ..config import RenderConfig
from ..errors import EGLError, RendererError
from ..prepare import Preparer
from ..types import SceneArrays
from .api import GLApi
from .devices import choose_device, device_table
from .egl import EGL, Display
from .pipeline import VIEW_RECORD, ViewPipeline
from .plan import Batch, plan_batches
from .residency import Residency, Resident
from .store import SceneStore
from .worker import GLWorker

_log = logging.getLogger("batchnav_renderer")
_TARGET_BYTES = 1 << 29  # of one texture array; llvmpipe refuses more than twice this
_COMMAND_BYTES = 1 << 28  # of the indirect draw commands of one batch
_SOFTWARE = ("llvmpipe", "softpipe", "SWR")
Pending = tuple[Images, list[Future[dict[str, float]]]]
_NEEDED = ("GL_ARB_indirect_parameters",)


class GLBackend:
    """Draws with OpenGL; used by the facade, which checks the arguments."""

    def __init__(self, config: RenderConfig) -> None:
        """Choose the device, start the workers; raises ``EGLError``."""
        self._config = config
        displays, reason = _choose_displays(config.device)
        self._workers: list[GLWorker] = []
        self._finalizer = weakref.finalize(self, _stop, self._workers)
        self._finalizer.atexit = False
        try:
            self._start(displays)
            self.info = self._describe(displays[0], reason)
            if self.info["software"] and config.device is None:
                _log.warning("drawing in software with %s: %s", self.info["gl_renderer"], reason)
            self._pipelines = self._make_pipelines()
        except BaseException:
            self.close()
            raise
        self._scenes: dict[int, Resident] = {}
        self._scene_ids = np.zeros(0, np.int64)
        self._batches: list[tuple[int, Batch]] = []
        self._views = np.zeros(0, VIEW_RECORD)
        self.timings: dict[str, float] = {}

    def _start(self, displays: Sequence[Display]) -> None:
        software = displays[0].software
        wanted = self._config.num_workers or (_num_cpus() if software else 1)
        for number in range(min(wanted, self._config.num_views)):
            display = displays[number % len(displays)]
            share = self._workers[number % len(displays)] if number >= len(displays) else None
            self._workers.append(GLWorker(display, share, self._config.debug))
        self._stores = [SceneStore(worker.api) for worker in self._workers[: len(displays)]]

    def _describe(self, display: Display, reason: str) -> dict[str, Any]:
        self._limits = self._workers[0].run(_query_limits, self._workers[0].api)
        strings = self._limits.strings
        if missing := [name for name in _NEEDED if name not in self._limits.extensions]:
            raise EGLError(f"{strings['gl_renderer']} lacks {', '.join(missing)}; a newer driver is needed")
        return {
            "backend": "gl",
            **strings,
            "device": self._config.device or ("cpu" if display.software else "cuda"),
            "display": display.name,
            "software": strings["gl_renderer"].startswith(_SOFTWARE),
            "workers": len(self._workers),
            "reason": reason,
        }

    def _make_pipelines(self) -> list[ViewPipeline]:
        config, limits = self._config, self._limits
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

    owns_images = False

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

    def submit(self, out: Images | None) -> Pending:
        """Start drawing the current views into contiguous arrays."""
        assert out is not None
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
        self._finalizer.detach()
        _stop(self._workers, wait=True)
        self._workers.clear()


def _as_it_is(arrays: SceneArrays) -> SceneArrays:
    return arrays


class _Limits:
    """What the driver says of itself."""

    def __init__(self, api: GLApi) -> None:
        self.strings = {
            f"gl_{name}": (ctypes.string_at(api.glGetString(code)) or b"").decode()
            for name, code in (
                ("renderer", api.GL_RENDERER),
                ("vendor", api.GL_VENDOR),
                ("version", api.GL_VERSION),
            )
        }
        count = _integer(api, api.GL_NUM_EXTENSIONS)
        names = (ctypes.string_at(api.glGetStringi(api.GL_EXTENSIONS, number)) for number in range(count))
        self.extensions = frozenset(name.decode() for name in names)
        self.layers = min(
            _integer(api, api.GL_MAX_ARRAY_TEXTURE_LAYERS), _integer(api, api.GL_MAX_FRAMEBUFFER_LAYERS), 2048
        )
        self.storage_bytes = _integer(api, api.GL_MAX_SHADER_STORAGE_BLOCK_SIZE)


def _query_limits(api: GLApi) -> _Limits:
    return _Limits(api)


def _integer(api: GLApi, name: int) -> int:
    value = ctypes.c_int()
    api.glGetIntegerv(name, ctypes.byref(value))
    return value.value & 0x7FFFFFFF if value.value >= 0 else 0x7FFFFFFF


def _choose_displays(device: str | None) -> tuple[Sequence[Display], str]:
    egl = EGL()
    chosen = choose_device(device, egl.devices, os.environ.get("CUDA_VISIBLE_DEVICES"))
    if chosen is not None:
        return (
            egl.device_display(chosen),
        ), f"EGL device {chosen.index} is CUDA device {chosen.cuda_ordinal}"
    displays = egl.software_displays()
    if device is None:
        reason = f"no usable NVIDIA device among EGL's devices:\n{device_table(egl.devices)}"
        return displays, reason
    return displays, "device='cpu' was asked for"


def _num_cpus() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _stop(workers: list[GLWorker], wait: bool = False) -> None:
    # Contexts that share objects go in reverse order; the first one of a group owns the store.
    for worker in reversed(workers):
        worker.stop(wait=wait)
