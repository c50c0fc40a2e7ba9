"""The threads and contexts that a GL backend draws with, and what their driver can do."""

from __future__ import annotations

import ctypes
import logging
import os
import weakref
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..config import RenderConfig
from ..cpus import num_cpus
from ..errors import EGLError
from .api import GLApi
from .devices import choose_device, device_table
from .display import Display
from .egl import EGL
from .window import WindowDisplay
from .worker import GLWorker

_log = logging.getLogger("batchnav_renderer")
_SOFTWARE = ("llvmpipe", "softpipe", "SWR")


@dataclass(frozen=True, slots=True)
class Limits:
    """What the driver says of itself."""

    strings: dict[str, str]
    """gl_renderer, gl_vendor and gl_version."""
    extensions: frozenset[str]
    """Names of the extensions."""
    layers: int
    """Layers of an array texture that can be drawn to, 2,048 at most."""
    storage_bytes: int
    """Bytes of a buffer that a shader can reach."""
    texture_units: int
    """Textures that a compute shader can read at once."""

    @property
    def software(self) -> bool:
        """Whether a CPU draws."""
        return self.strings["gl_renderer"].startswith(_SOFTWARE)

    @property
    def nvidia(self) -> bool:
        """Whether NVIDIA's driver draws, so that the device is one of CUDA's."""
        return "NVIDIA" in self.strings["gl_vendor"]


class GLWorkers:
    """Workers on one display or several; they end with this object, or by ``close``."""

    def __init__(self, config: RenderConfig, *, share: bool, needed: Sequence[str] = ()) -> None:
        """Choose the device and start the workers.

        Args:
            config: says the device, and how many workers.
            share: whether contexts of one display share their objects.
            needed: extensions that the backend cannot do without.

        Raises:
            EGLError: there is no context to be had, or it lacks an extension.
        """
        self._config = config
        self.displays, self.reason = _choose_displays(config)
        self.all: list[GLWorker] = []
        self._finalizer = weakref.finalize(self, _stop, self.all)
        self._finalizer.atexit = False
        try:
            self._start(share)
            self.limits = self.all[0].run(_query_limits, self.all[0].api)
            self._check(needed)
        except BaseException:
            self.close()
            raise

    def describe(self, backend: str) -> dict[str, Any]:
        """What draws, and why, for ``BatchRenderer.info``."""
        display = self.displays[0]
        return {
            "backend": backend,
            **self.limits.strings,
            "device": self._config.device or ("cuda" if self.limits.nvidia else "cpu"),
            "display": display.name,
            "software": self.limits.software,
            "gl_layers": self.limits.layers,
            "workers": len(self.all),
            "reason": self.reason,
        }

    def close(self) -> None:
        """End the workers and destroy their contexts; may be called again."""
        self._finalizer.detach()
        _stop(self.all, wait=True)
        self.all.clear()

    def _start(self, share: bool) -> None:
        displays, config = self.displays, self._config
        wanted = config.num_workers or (num_cpus() if displays[0].software else 1)
        for number in range(min(wanted, config.num_views, displays[0].most_contexts or wanted)):
            first = self.all[number % len(displays)] if share and number >= len(displays) else None
            self.all.append(GLWorker(displays[number % len(displays)], first, config.debug))

    def _check(self, needed: Sequence[str]) -> None:
        renderer = self.limits.strings["gl_renderer"]
        if missing := [name for name in needed if name not in self.limits.extensions]:
            raise EGLError(f"{renderer} lacks {', '.join(missing)}; a newer driver is needed")
        if (self._config.device or "").startswith("cuda") and not self.limits.nvidia:
            raise EGLError(
                f"device is {self._config.device!r}, but what draws is {renderer} ({self.reason}); take "
                "device='cpu', or install NVIDIA's driver"
            )
        if self.limits.software and self._config.device is None:
            _log.warning("drawing in software with %s: %s", renderer, self.reason)


def _choose_displays(config: RenderConfig) -> tuple[Sequence[Display], str]:
    device = config.device
    try:
        egl = EGL()
    except EGLError as error:
        return _window(error)
    visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    chosen = choose_device(device, egl.devices, visible, _torch_uuid(config))
    if chosen is not None:
        reason = f"EGL device {chosen.index} is CUDA device {chosen.cuda_ordinal}"
        return (egl.device_display(chosen),), reason
    try:
        displays = egl.software_displays()
    except EGLError as error:
        return _window(error)
    if device is None:
        reason = f"no usable NVIDIA device among EGL's devices:\n{device_table(egl.devices)}"
        return displays, reason
    return displays, "device='cpu' was asked for"


def _torch_uuid(config: RenderConfig) -> str | None:
    """UUID of the device that the tensors are to be on."""
    if config.images != "torch" or config.device == "cpu":
        return None
    from ..interop import device_uuid

    return device_uuid(config.device or "cuda")


def _window(without: EGLError) -> tuple[Sequence[Display], str]:
    """A hidden window, where EGL cannot be had."""
    try:
        return (WindowDisplay(),), f"EGL cannot be had: {str(without).splitlines()[0]}"
    except EGLError as error:
        raise EGLError(f"{without}\n{error}") from without


def _query_limits(api: GLApi) -> Limits:
    strings = {
        f"gl_{name}": (ctypes.string_at(api.glGetString(code)) or b"").decode()
        for name, code in (
            ("renderer", api.GL_RENDERER),
            ("vendor", api.GL_VENDOR),
            ("version", api.GL_VERSION),
        )
    }
    count = query_integer(api, api.GL_NUM_EXTENSIONS)
    names = (ctypes.string_at(api.glGetStringi(api.GL_EXTENSIONS, number)) for number in range(count))
    return Limits(
        strings=strings,
        extensions=frozenset(name.decode() for name in names),
        layers=min(
            query_integer(api, api.GL_MAX_ARRAY_TEXTURE_LAYERS),
            query_integer(api, api.GL_MAX_FRAMEBUFFER_LAYERS),
            2048,
        ),
        storage_bytes=query_integer(api, api.GL_MAX_SHADER_STORAGE_BLOCK_SIZE),
        texture_units=query_integer(api, api.GL_MAX_COMPUTE_TEXTURE_IMAGE_UNITS),
    )


def query_integer(api: GLApi, name: int) -> int:
    """A limit of the current context; those that do not fit 31 bits are cut to them."""
    value = ctypes.c_int()
    api.glGetIntegerv(name, ctypes.byref(value))
    return value.value & 0x7FFFFFFF if value.value >= 0 else 0x7FFFFFFF


def _stop(workers: list[GLWorker], wait: bool = False) -> None:
    # Contexts that share objects go in reverse order; the first one of a group owns the store.
    for worker in reversed(workers):
        worker.stop(wait=wait)
