"""The renderer at work: batches of views of resident scenes, drawn in turn."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from batchnav_renderer import BatchRenderer
from batchnav_renderer.types import SceneArrays

from ...config import EnvConfig
from ...envs.images import make_renderer
from .peers.window import Window, run_window


class Drawing:
    """A renderer with its scenes, and the time that it spent in each stage."""

    def __init__(
        self,
        config: EnvConfig,
        scenes: Sequence[SceneArrays],
        slots: NDArray[np.intp],
        poses: NDArray[np.float32],
    ) -> None:
        """Make the renderer and add the scenes.

        Args:
            config: Sensors, resolution, field of view and backend.
            scenes: K scenes.
            slots: (N,) the scene of each view.
            poses: (S, N, 4, 4) world_from_camera: S batches of views.
        """
        self._poses, self._calls = poses, 0
        self._spent: dict[str, float] = {}
        self._renderer = make_renderer(len(slots), config, config.image_sensors)
        try:
            self._ids = np.array([self._renderer.add_scene(scene) for scene in scenes])[slots]
        except BaseException:
            self._renderer.close()
            raise

    def draw(self) -> int:
        """Draw the next batch until its images are there; returns their number."""
        begun = time.perf_counter()
        self._renderer.set_views(self._ids, self._poses[self._calls % len(self._poses)])
        placed = time.perf_counter()
        _finish(self._renderer.render())
        stages = {"set_views": placed - begun, "render": time.perf_counter() - placed}
        stages.update({f"render/{name}": seconds for name, seconds in self._renderer.timings.items()})
        for name, seconds in stages.items():
            self._spent[name] = self._spent.get(name, 0.0) + seconds
        self._calls += 1
        return len(self._ids)

    def window(self, seconds: float) -> Window:
        """Draw for some seconds."""
        return run_window(self.draw, seconds)

    def start(self) -> None:
        """The measurement begins."""
        self._calls = 0
        self._spent.clear()

    @property
    def stages_ms(self) -> dict[str, float]:
        """Milliseconds per batch by stage."""
        return {name: 1000 * seconds / self._calls for name, seconds in self._spent.items()}

    @property
    def renderer(self) -> BatchRenderer:
        """What draws."""
        return self._renderer

    @property
    def near(self) -> float:
        """Distance of the near plane, metres."""
        return self._renderer.config.near

    @property
    def info(self) -> dict[str, Any]:
        """What draws, and why."""
        return self._renderer.info

    @property
    def memory(self) -> dict[str, int]:
        """Bytes of the renderer's own allocations."""
        return self._renderer.memory

    def __enter__(self) -> Drawing:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._renderer.close()


def _finish(images: Mapping[str, Any]) -> None:
    """Wait for images that a GPU may still be drawing."""
    for device in {image.device for image in images.values() if getattr(image, "is_cuda", False)}:
        import torch

        torch.cuda.synchronize(device)
