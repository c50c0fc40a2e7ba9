"""What the cameras of the agents see."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..config import EnvConfig
from ..errors import ConfigError
from ..scenes import Scene

if TYPE_CHECKING:
    from batchnav_renderer import BatchRenderer

Array = NDArray[Any]


class Images:
    """Depth and RGB of all environments; owns the renderer, which is made by ``start``."""

    def __init__(self, num_envs: int, config: EnvConfig, outputs: tuple[str, ...]) -> None:
        self._num_envs = num_envs
        self._config = config
        self.outputs = outputs
        self._renderer: Any = None
        self._buffers: dict[str, Array] = {}
        self._ids = iter(range(1 << 62))
        self._leaving: list[int] = []

    def start(self) -> None:
        """Make the renderer, where there is anything to draw; the first GL call is made here.

        Raises:
            ConfigError: the renderer refuses the configuration.
        """
        if self._renderer is not None or not self.outputs:
            return
        self._renderer = make_renderer(self._num_envs, self._config, self.outputs)

    @property
    def info(self) -> dict[str, Any]:
        """What the renderer says of itself; a blind environment has the backend ``none``."""
        if self._renderer is not None:
            return dict(self._renderer.info)
        return {"backend": self._config.render_backend if self.outputs else "none"}

    def add_scene(self, scene: Scene) -> int:
        """Give a scene to the renderer; returns its id there."""
        return int(self._renderer.add_scene(scene.arrays)) if self.outputs else next(self._ids)

    def remove_scene(self, view_id: int) -> None:
        """Take a scene from the renderer as soon as no camera stands in it any more."""
        if self._renderer is not None:
            self._leaving.append(view_id)

    def draw(self, view_ids: NDArray[np.int64], poses: NDArray[np.float32]) -> dict[str, Array]:
        """Images of all N cameras: depth (N, H, W, 1) float32 as configured, rgb (N, H, W, 3) uint8.

        Fresh arrays, or with ``copy=False`` arrays that the next call overwrites.
        """
        images = self._render(view_ids, poses, None if self._config.copy else self._buffers)
        if not self._config.copy:
            self._buffers = dict(images)
        return self._normalized(images)

    def redraw(self, images: dict[str, Array], rows: NDArray[np.intp], view_ids: Array, poses: Array) -> None:
        """Replace the images of some rows; ``view_ids`` and ``poses`` are of those rows alone."""
        if self.outputs:
            for name, fresh in self._normalized(self._render(view_ids, poses, None)).items():
                images[name][rows] = fresh

    def close(self) -> None:
        """Give all GL memory back; safe to call twice."""
        if self._renderer is not None:
            self._renderer.close()

    def _render(self, view_ids: Array, poses: Array, out: dict[str, Array] | None) -> dict[str, Array]:
        if not self.outputs:
            return {}
        self._renderer.set_views(view_ids, poses)
        # The renderer refuses to remove scenes that its views show, so it is done once they have moved on.
        while self._leaving:
            self._renderer.remove_scene(self._leaving.pop())
        return dict(self._renderer.render(out=out) if out else self._renderer.render())

    def _normalized(self, images: dict[str, Array]) -> dict[str, Array]:
        """Map depth from [min_depth, max_depth] to [0, 1], in place; the renderer has clipped it above."""
        config, depth = self._config, images.get("depth")
        if depth is not None:
            if config.min_depth > 0.0:
                np.maximum(depth, np.float32(config.min_depth), out=depth)
            if config.normalize_depth:
                if config.min_depth > 0.0:
                    np.subtract(depth, np.float32(config.min_depth), out=depth)
                np.divide(depth, np.float32(config.max_depth) - np.float32(config.min_depth), out=depth)
        return images


def make_renderer(num_views: int, config: EnvConfig, outputs: tuple[str, ...]) -> BatchRenderer:
    """The renderer of ``num_views`` cameras that draw ``outputs`` as the configuration says.

    Raises:
        ConfigError: the renderer refuses the configuration.
        RendererError: the backend cannot be loaded.
    """
    import batchnav_renderer
    from batchnav_renderer.errors import RenderConfigError

    try:
        wanted = batchnav_renderer.RenderConfig(
            num_views=num_views,
            height=config.resolution[0],
            width=config.resolution[1],
            hfov_deg=config.hfov_deg,
            outputs=outputs,  # type: ignore[arg-type]
            far=config.max_depth,
            device=config.device,
            backend=config.render_backend,  # type: ignore[arg-type]
        )
        return batchnav_renderer.BatchRenderer(wanted)
    except RenderConfigError as error:
        raise ConfigError(f"the renderer cannot be made with this configuration: {error}") from error
