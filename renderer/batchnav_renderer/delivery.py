"""Where images are drawn into, and how they are handed out: arrays, host tensors, or shared GPU memory."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any, Protocol

from .backends import Backend, Images
from .checks import checked_out
from .config import RenderConfig
from .errors import InteropError, RenderConfigError

_log = logging.getLogger("batchnav_renderer")


class Delivery(Protocol):
    """Gives a backend what it draws into, and the caller what was drawn."""

    interop: str
    """Whether torch gets images of the GPU without a copy, and why not."""

    @property
    def nbytes(self) -> int:
        """Bytes that are kept for images."""

    def fresh(self, out: Mapping[str, Any] | None, count: int) -> Images:
        """What the backend is to draw the next ``count`` images into."""

    def delivered(self, images: Images) -> Images:
        """What the caller gets for that; called once the backend has drawn."""


def make_delivery(config: RenderConfig, backend: Backend) -> Delivery:
    """What a configuration asks for; where memory cannot be shared, images are copied, with a warning.

    Raises:
        InteropError: torch is missing, or cannot use the device at all.
    """
    if config.images == "numpy":
        return _Arrays(config)
    device = str(backend.info["device"])
    if not device.startswith("cuda"):
        return _HostTensors(config, "cpu", "not needed: images are drawn in the memory of the CPU")
    try:
        return _SharedTensors(config, backend, device)
    except InteropError as error:
        _log.warning("images are read back and copied to %s, for it cannot be shared: %s", device, error)
        return _HostTensors(config, device, f"copied: {error}")


class _Arrays:
    """NumPy arrays, the caller's or fresh ones."""

    interop = "not asked for: images='numpy'"
    nbytes = 0

    def __init__(self, config: RenderConfig) -> None:
        self._config = config

    def fresh(self, out: Mapping[str, Any] | None, count: int) -> Images:
        return checked_out(out, self._config, count)

    def delivered(self, images: Images) -> Images:
        return images


class _HostTensors:
    """Fresh tensors on the host; for a GPU page-locked ones, and their copies on it."""

    nbytes = 0

    def __init__(self, config: RenderConfig, device: str, interop: str) -> None:
        from .interop import HostTensors

        self._config, self.interop = config, interop
        self._host = HostTensors(device)
        self._tensors: dict[str, Any] = {}

    def fresh(self, out: Mapping[str, Any] | None, count: int) -> Images:
        _refuse(out)
        shapes = {name: (count, *shape) for name, shape in self._config.shapes.items()}
        self._tensors = self._host.fresh(shapes, self._config.dtypes)
        return self._host.arrays(self._tensors)

    def delivered(self, images: Images) -> Images:
        tensors, self._tensors = self._tensors, {}
        return self._host.delivered(tensors)


class _SharedTensors:
    """Tensors over GL buffers, in a ring."""

    def __init__(self, config: RenderConfig, backend: Backend, device: str) -> None:
        from .gl.shared import SharedImages
        from .interop import CudaGL, HostTensors

        HostTensors(device)
        worker = backend.gl_worker
        if worker is None:
            raise InteropError(
                f"{backend.info['backend']} draws with {backend.info['workers']} contexts; take "
                "num_workers=None"
            )
        self._shared = SharedImages(config, worker, CudaGL(device))
        self.interop = f"shared: a ring of {config.image_ring} on {device}"

    @property
    def nbytes(self) -> int:
        return self._shared.nbytes

    def fresh(self, out: Mapping[str, Any] | None, count: int) -> Images:
        _refuse(out)
        return dict(self._shared.fresh(count))

    def delivered(self, images: Images) -> Images:
        return self._shared.delivered(images)


def _refuse(out: object) -> None:
    if out is not None:
        raise RenderConfigError("out is not taken with images='torch'; copy the tensors that render returns")
