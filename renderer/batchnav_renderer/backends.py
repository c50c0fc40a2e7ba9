"""What a backend can do, and which one is taken."""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping
from concurrent.futures import Future
from functools import cache
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from .config import RenderConfig
from .errors import EGLError, EmbreeError
from .prepare import Preparer

if TYPE_CHECKING:
    from .gl.worker import GLWorker

Images = dict[str, Any]
_log = logging.getLogger("batchnav_renderer")


class Backend(Protocol):
    """Draws for the facade, which checks the arguments."""

    info: dict[str, Any]
    """What draws, and why."""
    timings: dict[str, float]
    """Seconds of each stage of the last render."""

    @property
    def gl_worker(self) -> GLWorker | None:
        """The thread and context that draw, where there is just one of GL.

        ``submit`` then takes ``DeviceImages`` over buffers of that context too.
        """

    @property
    def preparer(self) -> Preparer:
        """Turns scenes into what ``add_scene`` takes, in any process."""

    def add_scene(self, scene_id: int, payload: Any) -> Future[None]:
        """Start adding a prepared scene; the future is done when it can be drawn, or holds the error."""

    def remove_scene(self, scene_id: int) -> None:
        """Free a scene as soon as nothing that was submitted shows it."""

    def set_views(
        self, scene_ids: NDArray[np.int64], world_from_camera: NDArray[np.float64], hfov: NDArray[np.float64]
    ) -> None:
        """Take scene, pose and horizontal field of view (radians) of all views."""

    def submit(self, out: Images) -> Any:
        """Start drawing the current views into contiguous arrays; returns what ``collect`` takes."""

    def collect(self, pending: Any) -> None:
        """Wait until the arrays that ``submit`` took are filled; raises what a worker raised."""

    def memory(self) -> dict[str, int]:
        """Bytes of our own allocations by kind, "scenes" and "images" among them."""

    def close(self) -> None:
        """Free everything; may be called again."""


def make_backend(config: RenderConfig) -> Backend:
    """The backend of a configuration.

    "auto" takes one of the GL backends on an NVIDIA GPU, else Embree, else GL in software; it says which and
    why in ``info["reason"]`` and once in the log.

    Raises:
        EGLError: GL was asked for, or is all that is left, and cannot be had.
        EmbreeError: Embree was asked for and cannot be loaded.
    """
    if config.backend != "auto":
        backend = _named(config, config.backend)
        backend.info["reason"] = f"backend={config.backend!r} was asked for; {backend.info['reason']}"
        return backend
    why_cpu = _why_cpu(config.device)
    backend = _on_gpu(config) if why_cpu is None else _on_cpu(config, why_cpu)
    _say(f"drawing with {backend.info['backend']}: {backend.info['reason']}")
    return backend


def _on_gpu(config: RenderConfig) -> Backend:
    from .auto import choose_on_gpu

    device = config.device or "cuda"
    try:
        backend = _named(config, "gl")
    except EGLError as error:
        if config.device is not None:
            raise
        _log.warning("the GPU cannot draw, so the CPU does: %s", error)
        return _on_cpu(config, f"the GPU cannot draw ({str(error).splitlines()[0]})")
    name, reason = choose_on_gpu(str(backend.info.get("gl_renderer", device)), lambda: _speeds(device))
    if name != "gl":
        backend.close()
        backend = _named(config, name)
    backend.info["reason"] = f"{backend.info['reason']}; {reason}"
    return backend


def _on_cpu(config: RenderConfig, why_cpu: str) -> Backend:
    try:
        backend = _named(config, "embree")
    except (EmbreeError, ImportError) as error:
        try:
            backend = _named(config, "gl")
        except EGLError as gl_error:
            raise EGLError(f"{gl_error}\nNor can Embree draw: {error}") from gl_error
        backend.info["reason"] = f"{backend.info['reason']}; not Embree, for: {error}"
        return backend
    backend.info["reason"] = f"{why_cpu}, and Embree is the fastest there"
    return backend


def _why_cpu(device: str | None) -> str | None:
    """Why a CPU draws; None where an NVIDIA GPU is to draw."""
    from .gl.devices import choose_device
    from .gl.egl import EGL

    if device is not None:
        return "device='cpu' was asked for" if device == "cpu" else None
    try:
        devices = EGL().devices
    except EGLError:
        return "there is no EGL library, so no GPU that could draw"
    found = choose_device(None, devices, os.environ.get("CUDA_VISIBLE_DEVICES"))
    return "EGL shows no usable NVIDIA device" if found is None else None


@cache
def _speeds(device: str) -> Mapping[str, float | str]:
    """Speeds of the GL backends on a device, measured once in a process."""
    from .auto import measured_speeds

    return measured_speeds(make_backend, device)


@cache
def _say(message: str) -> None:
    """Log a message once in a process."""
    _log.info(message)


def _named(config: RenderConfig, name: str) -> Backend:
    if name == "embree":
        from .embree.backend import EmbreeBackend

        return EmbreeBackend(config, "it draws on the CPU")
    if name == "gl-raycast":
        from .gl.raycast import RaycastBackend

        return RaycastBackend(config)
    from .gl.backend import GLBackend

    return GLBackend(config)
