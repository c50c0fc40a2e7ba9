"""What the cameras of the agents see."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from ..config import EnvConfig
from ..errors import ConfigError
from ..sim.random import Words
from .noise import ImageNoise

if TYPE_CHECKING:
    from batchnav_renderer import BatchRenderer
    from batchnav_renderer.config import Output
    from batchnav_renderer.prepare import PreparedScene, Preparer

Array = NDArray[Any]


_OUTPUTS: dict[str, Output] = {"depth": "depth", "rgb": "rgb", "semantic": "ids", "normals": "normals"}
"""What the renderer calls the images of each sensor."""


class Images:
    """Images of all cameras of all environments; owns the renderer, which is made by ``start``.

    An observation holds one array (N, H, W, channels) for each camera and sensor, named as
    ``EnvConfig.image_key`` says: depth float32 as configured, rgb uint8, semantic int32, normals float32.
    """

    def __init__(self, num_envs: int, config: EnvConfig, sensors: tuple[str, ...]) -> None:
        self._config = config
        self._cameras = config.all_cameras
        self._num_views = num_envs * len(self._cameras)
        self.sensors = sensors
        self._renderer: Any = None
        self._buffers: dict[str, Array] = {}
        self._ids = iter(range(1 << 62))
        self._leaving: list[int] = []
        self._noise = ImageNoise(config)

    def start(self) -> None:
        """Make the renderer, where there is anything to draw; the first GL call is made here.

        Raises:
            ConfigError: the renderer refuses the configuration.
        """
        if self._renderer is not None or not self.sensors:
            return
        self._renderer = make_renderer(self._num_views, self._config, self.sensors)

    @property
    def info(self) -> dict[str, Any]:
        """What the renderer says of itself; a blind environment has the backend ``none``."""
        if self._renderer is not None:
            return dict(self._renderer.info)
        return {"backend": self._config.render_backend if self.sensors else "none"}

    @property
    def preparer(self) -> Preparer | None:
        """Makes what ``add_scene`` takes, in any process; None for a blind environment."""
        return cast("Preparer", self._renderer.preparer) if self.sensors else None

    def add_scene(self, prepared: PreparedScene | None, *, wait: bool) -> int:
        """Give a scene to the renderer; returns its id there, which is good at once."""
        return int(self._renderer.add_scene(prepared, wait=wait)) if self.sensors else next(self._ids)

    def wait(self, view_id: int) -> None:
        """Wait until a scene can be drawn; raises what went wrong."""
        if self._renderer is not None:
            self._renderer.wait_for_scene(view_id)

    def remove_scene(self, view_id: int) -> None:
        """Take a scene from the renderer as soon as no camera stands in it any more."""
        if self._renderer is not None:
            self._leaving.append(view_id)

    def frame_keys(self) -> tuple[str, ...]:
        """Names of the colour images, camera by camera."""
        return tuple(self._config.image_key(camera, "rgb") for camera in self._cameras)

    def draw(
        self, view_ids: NDArray[np.int64], poses: NDArray[np.float32], noise_keys: Words | None
    ) -> dict[str, Array]:
        """Images of all cameras: fresh arrays, or with ``copy=False`` arrays that the next call overwrites.

        They are tensors where ``keeps_tensors`` says so.

        Args:
            view_ids: (N,) the scene that each environment is in.
            poses: (C N, 4, 4) of the first camera of all environments, then the second, ...
            noise_keys: (N,) of the environments' noise in this step; None for no noise.
        """
        if keeps_tensors(self._config):
            images: dict[str, Any] = self._render(view_ids, poses, noise_keys, None)
            if self._config.copy:
                # The renderer draws into the memory of its tensors again two calls later.
                images = {name: image.clone() for name, image in images.items()}
        else:
            images = self._render(view_ids, poses, noise_keys, None if self._config.copy else self._buffers)
            if not self._config.copy:
                self._buffers = dict(images)
        return self._by_key(images, len(view_ids))

    def draw_some(self, view_ids: Array, poses: Array, noise_keys: Words | None = None) -> dict[str, Array]:
        """As ``draw`` of some environments, to be copied from at once; touches no earlier image.

        Without ``noise_keys`` there is no noise.
        """
        return self._by_key(self._render(view_ids, poses, noise_keys, None), len(view_ids))

    def redraw(
        self,
        images: dict[str, Array],
        rows: NDArray[np.intp],
        view_ids: Array,
        poses: Array,
        noise_keys: Words | None,
    ) -> None:
        """Replace the images of some rows; the arguments behind ``rows`` are of those rows alone."""
        for name, fresh in self.draw_some(view_ids, poses, noise_keys).items():
            images[name][rows] = fresh

    def close(self) -> None:
        """Give all GL memory back; safe to call twice."""
        if self._renderer is not None:
            self._renderer.close()

    def _render(
        self, view_ids: Array, poses: Array, noise_keys: Words | None, out: dict[str, Array] | None
    ) -> dict[str, Array]:
        if not self.sensors:
            return {}
        hfov_deg = None
        if self._config.cameras is not None:
            hfov_deg = np.repeat([camera.hfov_deg for camera in self._cameras], len(view_ids))
        self._renderer.set_views(np.tile(view_ids, len(self._cameras)), poses, hfov_deg)
        # The renderer refuses to remove scenes that its views show, so it is done once they have moved on.
        while self._leaving:
            self._renderer.remove_scene(self._leaving.pop())
        images = dict(self._renderer.render(out=out) if out else self._renderer.render())
        if noise_keys is not None:
            self._noise.apply(images, noise_keys)
        self._adjust(images)
        return images

    def _adjust(self, images: dict[str, Array]) -> None:
        """Bring depth and normals into the ranges of their spaces, in place."""
        if "normals" in images:
            # A unit vector's component may round to a little over 1.
            _clip(images["normals"], -1.0, 1.0)
        config, depth = self._config, images.get("depth")
        if depth is None:
            return
        # The renderer has clipped depth above, but noise may have gone beyond that.
        if config.depth_noise is not None:
            _clip(depth, np.float32(config.min_depth), np.float32(config.max_depth))
        elif config.min_depth > 0.0:
            _clip(depth, np.float32(config.min_depth), None)
        if config.normalize_depth:
            if config.min_depth > 0.0:
                depth -= np.float32(config.min_depth)
            depth /= np.float32(config.max_depth) - np.float32(config.min_depth)

    def _by_key(self, images: dict[str, Array], count: int) -> dict[str, Array]:
        """The images of each camera and sensor, as slices of the renderer's arrays."""
        return {
            self._config.image_key(camera, sensor): images[_OUTPUTS[sensor]][first : first + count]
            for first, camera in zip(range(0, count * len(self._cameras), count), self._cameras, strict=True)
            for sensor in self.sensors
        }


def keeps_tensors(config: EnvConfig) -> bool:
    """Whether images stay on the GPU as tensors from the renderer to whoever gets the observations."""
    return config.output == "torch" and (config.device or "").startswith("cuda")


def _clip(array: Any, low: Any, high: Any) -> None:
    """Clip an array or a tensor in place."""
    if isinstance(array, np.ndarray):
        np.clip(array, low, high, out=array)
    else:
        array.clamp_(low, high)


def make_renderer(num_views: int, config: EnvConfig, sensors: tuple[str, ...]) -> BatchRenderer:
    """The renderer of ``num_views`` cameras that draw for ``sensors`` as the configuration says.

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
            outputs=tuple(_OUTPUTS[sensor] for sensor in sensors),
            images="torch" if keeps_tensors(config) else "numpy",
            shading=config.shading,
            far=config.max_depth,
            device=config.device,
            backend=config.render_backend,  # type: ignore[arg-type]
        )
        return batchnav_renderer.BatchRenderer(wanted)
    except RenderConfigError as error:
        raise ConfigError(f"the renderer cannot be made with this configuration: {error}") from error
