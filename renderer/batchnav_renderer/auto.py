"""What ``backend="auto"`` takes on a GPU: rasterisation, or rays where a measurement shows them faster."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping

import numpy as np

from .backends import Backend
from .camera import world_from_camera
from .config import RenderConfig
from .errors import RendererError
from .types import SceneArrays

# NVIDIA's accelerators for data centres since Hopper have raster hardware in a small part of their units.
_LITTLE_RASTER = re.compile(r"\b(?:G?H(?:100|200|20|800)|G?B(?:100|200|300))(?![0-9])")
_VIEWS, _SIDE = 256, 64
_WARM_UPS, _WINDOWS = 2, 5
_BOXES = 1666  # 12 triangles each, 19,992 with the room: 20,004
_ROOM = ((-6.0, 0.0, -6.0), (12.0, 3.0, 12.0))
_SIDES = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))

Speeds = Mapping[str, float | str]
"""Backend to views/s, or to what went wrong."""


def has_little_raster(gl_renderer: str) -> bool:
    """Whether a GPU, by the name that GL gives, has so little raster hardware that rays may be faster."""
    return _LITTLE_RASTER.search(gl_renderer) is not None


def choose_on_gpu(gl_renderer: str, measure: Callable[[], Speeds]) -> tuple[str, str]:
    """The backend for a GPU, and why.

    Args:
        gl_renderer: the GPU's name.
        measure: gives the speeds of "gl" and "gl-raycast"; called only where the name leaves it open.
    """
    if not has_little_raster(gl_renderer):
        return "gl", f"{gl_renderer} rasterises"
    speeds = measure()
    raster, rays = speeds["gl"], speeds["gl-raycast"]
    if isinstance(rays, str):
        return "gl", f"{gl_renderer} has little raster hardware, but gl-raycast fails on it: {rays}"
    if isinstance(raster, str):
        return "gl-raycast", f"gl fails on {gl_renderer}: {raster}"
    taken = "gl-raycast" if rays > raster else "gl"
    figures = f"gl {raster:,.0f}, gl-raycast {rays:,.0f} views/s"
    return taken, f"{gl_renderer} has little raster hardware, and a test scene drew at: {figures}"


def measured_speeds(make: Callable[[RenderConfig], Backend], device: str) -> dict[str, float | str]:
    """Speeds of both GL backends on a device, views/s: medians over a test scene of 20,000 triangles.

    Args:
        make: makes a backend.
        device: "cuda:<ordinal>".
    """
    scene, poses = measuring_scene()
    found: dict[str, float | str] = {}
    for name in ("gl", "gl-raycast"):
        config = RenderConfig(
            num_views=_VIEWS,
            height=_SIDE,
            width=_SIDE,
            device=device,
            backend=name,
        )
        try:
            found[name] = _speed(make(config), config, scene, poses)
        except RendererError as error:
            found[name] = str(error).splitlines()[0]
    return found


def measuring_scene() -> tuple[SceneArrays, np.ndarray[tuple[int, ...], np.dtype[np.float64]]]:
    """A room of 12 x 3 x 12 m with 1,666 boxes, 20,004 triangles, and 256 cameras at eye height in it."""
    generator = np.random.default_rng(0)
    unit = np.stack(np.meshgrid(*[[0.0, 1.0]] * 3, indexing="ij"), -1).reshape(-1, 3)
    low, size = (np.array(part) for part in _ROOM)
    corners = low + generator.uniform(0.0, 1.0, (_BOXES, 1, 3)) * size
    boxes = corners + unit * generator.uniform(0.05, 0.4, (_BOXES, 1, 3))
    positions = np.concatenate([(low + unit * size)[None], boxes]).reshape(-1, 3).astype(np.float32)
    faces = np.array([[a, *pair] for a, b, c, d in _SIDES for pair in ((b, c), (c, d))])
    triangles = (faces + 8 * np.arange(_BOXES + 1)[:, None, None]).reshape(-1, 3).astype(np.uint32)
    scene = SceneArrays(
        positions=positions, triangles=triangles, material_ids=np.zeros(len(triangles), np.int32)
    )
    where = generator.uniform((-5.0, 1.2, -5.0), (5.0, 1.7, 5.0), (_VIEWS, 3))
    return scene, world_from_camera(where, generator.uniform(-np.pi, np.pi, _VIEWS))


def _speed(
    backend: Backend,
    config: RenderConfig,
    scene: SceneArrays,
    poses: np.ndarray[tuple[int, ...], np.dtype[np.float64]],
) -> float:
    try:
        backend.add_scene(0, backend.preparer(scene).payload).result()
        backend.set_views(np.zeros(_VIEWS, np.int64), poses, np.full(_VIEWS, config.hfov))
        out = {"depth": np.empty((_VIEWS, _SIDE, _SIDE, 1), np.float32)}
        seconds = []
        for _ in range(_WARM_UPS + _WINDOWS):
            begun = time.perf_counter()
            backend.collect(backend.submit(out))
            seconds.append(time.perf_counter() - begun)
    finally:
        backend.close()
    return float(_VIEWS / np.median(seconds[_WARM_UPS:]))
