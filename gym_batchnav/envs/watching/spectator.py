"""Draws for people what the observations do not hold: larger colour images, and scenes from above."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from batchnav_renderer.prepare import PreparedScene

from ...config import EnvConfig
from ..images import make_renderer
from ..loading import Loadable, Loading
from .overhead import Lens, MapFrame, overhead

MOST_SCENES = 8
"""Scenes that are held beside those that are shown."""
MOST_PLANS = 32
_SMOOTHING = 2
_STEEP = 9.0
"""Low enough for the walls to be seen."""
_WHITER = 0.2
"""How much of a plan is paper, so that the ways on it stand out."""


class _Held(NamedTuple):
    prepared: PreparedScene
    view_id: int


class Spectator:
    """A renderer of its own beside that of the observations, which stay what they are.

    Args:
        num_envs: environments.
        config: of the environments.
        resolution: height and width of the images, pixels.
        refs: the scenes.
        loading: how they are loaded.
    """

    def __init__(
        self,
        num_envs: int,
        config: EnvConfig,
        resolution: tuple[int, int],
        refs: Sequence[Loadable],
        loading: Loading,
    ) -> None:
        self._config = replace(config, resolution=resolution, output="numpy")
        self._num_views = num_envs * len(config.all_cameras)
        self._refs, self._loading = refs, loading
        self._renderer: Any = None
        self._held: dict[int, _Held] = {}
        self._plans: dict[Any, Image.Image] = {}

    def frames(self, scenes: Sequence[int], poses: NDArray[np.float32]) -> NDArray[np.uint8]:
        """What n agents see in colour, (n, H, C W, 3): the images of C cameras side by side.

        Args:
            scenes: (n,) indices of the scenes that they are in.
            poses: (C n, 4, 4) of the first camera of all agents, then the second, ...
        """
        cameras = self._config.all_cameras
        views = np.array([self._hold(scene).view_id for scene in scenes])
        hfov_deg = None
        if self._config.cameras is not None:
            hfov_deg = np.repeat([camera.hfov_deg for camera in cameras], len(views))
        self._renderer.set_views(np.tile(views, len(cameras)), poses, hfov_deg)
        self._let_go(set(scenes))
        images = np.asarray(self._renderer.render()["rgb"])
        parts = np.split(images[: len(poses)], len(cameras))
        return np.concatenate(parts, axis=2)

    def plan(self, scene: int, floor: float, frame: MapFrame) -> Image.Image:
        """A scene from above, cut open over a floor, pale; (height, width) of the frame."""
        key = (scene, floor, tuple(frame.low), frame.pixels_per_meter, frame.width, frame.height)
        if key not in self._plans:
            while len(self._plans) >= MOST_PLANS:
                del self._plans[next(iter(self._plans))]
            prepared = self._hold(scene).prepared

            def shoot(
                poses: NDArray[np.float64], lens: Lens
            ) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
                return self._shoot(prepared, poses, lens)

            image = overhead(shoot, floor, frame, steep=_STEEP)
            self._plans[key] = Image.blend(image, Image.new("RGB", image.size, "white"), _WHITER)
        return self._plans[key]

    def close(self) -> None:
        """Give the renderer's memory back; safe to call twice."""
        if self._renderer is not None:
            self._renderer.close()

    def _hold(self, scene: int) -> _Held:
        if self._renderer is None:
            self._renderer = make_renderer(self._num_views, self._config, ("rgb",))
        if scene not in self._held:
            prepared = self._loading.load(self._refs[scene], self._renderer.preparer).prepared
            assert prepared is not None
            self._held[scene] = _Held(prepared, int(self._renderer.add_scene(prepared)))
        self._held[scene] = self._held.pop(scene)  # now the last to leave
        return self._held[scene]

    def _let_go(self, shown: set[int]) -> None:
        """Remove scenes that nobody is in any more, the longest unseen first."""
        others = [scene for scene in self._held if scene not in shown]
        for scene in others[: max(0, len(others) - MOST_SCENES)]:
            self._renderer.remove_scene(self._held.pop(scene).view_id)

    def _shoot(
        self, prepared: PreparedScene, poses: NDArray[np.float64], lens: Lens
    ) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
        import batchnav_renderer

        config = batchnav_renderer.RenderConfig(
            num_views=len(poses),
            width=lens.width * _SMOOTHING,
            height=lens.height * _SMOOTHING,
            hfov_deg=lens.hfov_deg,
            near=lens.near,
            far=lens.far,
            outputs=("rgb", "depth"),
            shading=self._config.shading,
            device=self._config.device,
            backend=self._config.render_backend,  # type: ignore[arg-type]
        )
        renderer = batchnav_renderer.BatchRenderer(config)
        try:
            number = renderer.add_scene(prepared)
            renderer.set_views([number] * len(poses), poses)
            images: Any = renderer.render()
            return np.array(images["rgb"]), np.array(images["depth"])[..., 0]
        finally:
            renderer.close()
