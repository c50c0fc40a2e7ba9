"""Images that stay on the GPU: GL buffers that a backend fills and CUDA maps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..config import RenderConfig
from ..errors import CapacityError
from .api import GLApi
from .buffers import GLBuffer
from .ring import CudaSide, SharedRing
from .worker import GLWorker


@dataclass(frozen=True, slots=True)
class DeviceImages:
    """Images of one output in a GL buffer; slices along the views as an array does."""

    buffer: int
    """Name of the GL buffer."""
    view_bytes: int
    """Bytes of an image."""
    start: int
    """First image."""
    count: int
    """Number of images."""

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, rows: slice) -> DeviceImages:
        start, stop, _ = rows.indices(self.count)
        return DeviceImages(self.buffer, self.view_bytes, self.start + start, max(0, stop - start))

    def take(self, api: GLApi, source: int) -> None:
        """Queue a copy of the images, which lie at the beginning of another buffer in their final form."""
        place, size = self.start * self.view_bytes, self.count * self.view_bytes
        api.glCopyNamedBufferSubData(source, self.buffer, 0, place, size)


class SharedImages:
    """The images of the last renders as CUDA tensors, in a ring of GL buffers."""

    def __init__(self, config: RenderConfig, worker: GLWorker, cuda: CudaSide) -> None:
        """Make the buffers and share them.

        Args:
            config: says which images, of how many views, and how many sets of them.
            worker: the thread and the context that draw.
            cuda: the CUDA side.

        Raises:
            CapacityError: the buffers do not fit; nothing is kept.
            InteropError: CUDA cannot map them; nothing is kept.
        """
        self._count = config.num_views
        self._view_bytes = {
            name: int(np.prod(shape)) * config.dtypes[name].itemsize for name, shape in config.shapes.items()
        }
        self._sets = worker.run(_make_buffers, worker.api, config.image_ring, self._sizes())
        try:
            names = [{name: buffer.name for name, buffer in buffers.items()} for buffers in self._sets]
            self._ring = SharedRing(cuda, worker, names, config.shapes, config.dtypes)
        except BaseException:
            worker.run(_delete_buffers, self._sets)
            raise
        self._set = 0

    @property
    def nbytes(self) -> int:
        """Bytes of the ring."""
        return len(self._sets) * sum(self._sizes().values())

    def fresh(self, count: int) -> dict[str, DeviceImages]:
        """Where the next ``count`` images are to be drawn."""
        self._set, self._count = self._ring.begin(), count
        return {
            name: DeviceImages(buffer.name, self._view_bytes[name], 0, count)
            for name, buffer in self._sets[self._set].items()
        }

    def delivered(self, images: Any) -> dict[str, Any]:
        """What was drawn into the last ``fresh``, as tensors; raises ``InteropError``."""
        return self._ring.finish(self._set, self._count)

    def _sizes(self) -> dict[str, int]:
        return {name: size * self._count for name, size in self._view_bytes.items()}


def _make_buffers(api: GLApi, sets: int, sizes: Mapping[str, int]) -> list[dict[str, GLBuffer]]:
    api.errors()
    made = [{name: GLBuffer(api) for name in sizes} for _ in range(sets)]
    try:
        for buffers in made:
            for name, buffer in buffers.items():
                buffer.resize(sizes[name])
        if pending := api.errors():
            raise CapacityError(
                f"{sets} sets of images of {sum(sizes.values()):,} bytes left GL errors {pending} (0x505 is "
                "out of memory); lower num_views, the resolution or image_ring"
            )
    except BaseException:
        _delete_buffers(made)
        raise
    return made


def _delete_buffers(made: list[dict[str, GLBuffer]]) -> None:
    for buffers in made:
        for buffer in buffers.values():
            buffer.delete()
