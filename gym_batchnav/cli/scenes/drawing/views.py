"""Views of one scene, drawn twice as large and shrunk, so that edges are smooth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from batchnav_renderer import BatchRenderer, RenderConfig, SceneArrays

from ....envs.watching.overhead import FAR, Lens

__all__ = ["FAR", "Drawn", "Lens", "draw", "shrunk"]

_SMOOTHING = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """What the renderer gives."""

    rgb: NDArray[np.uint8]
    """(n, h, w, 3)"""
    depth: NDArray[np.float32]
    """(n, h, w) metres; the lens' ``far`` where nothing is hit."""
    memory: int
    """Bytes that the renderer takes for the scene."""
    backend: str
    """What drew."""


def draw(arrays: SceneArrays, poses: NDArray[np.float64], lens: Lens, *, smooth: bool = True) -> Drawn:
    """Draw views of a scene.

    Scenes without textures are shaded, so that their shape is seen; others are drawn as they are.

    Args:
        arrays: The scene.
        poses: (n, 4, 4) world_from_camera.
        lens: Size and field of view.
        smooth: Whether to give images of twice the size, for ``shrunk``.
    """
    factor = _SMOOTHING if smooth else 1
    config = RenderConfig(
        num_views=len(poses),
        width=lens.width * factor,
        height=lens.height * factor,
        hfov_deg=lens.hfov_deg,
        near=lens.near,
        far=lens.far,
        outputs=("rgb", "depth"),
        shading="unlit" if arrays.textures else "headlight",
    )
    with BatchRenderer(config) as renderer:
        number = renderer.add_scene(arrays)
        renderer.set_views([number] * len(poses), poses)
        images: dict[str, Any] = renderer.render()
        return Drawn(
            rgb=np.array(images["rgb"]),
            depth=np.array(images["depth"])[..., 0],
            memory=renderer.memory["scenes"],
            backend=str(renderer.info["backend"]),
        )


def shrunk(pixels: NDArray[np.uint8]) -> Image.Image:
    """A picture (h, w, 3) at half its size."""
    image = Image.fromarray(pixels)
    return image.resize((image.width // _SMOOTHING, image.height // _SMOOTHING), Image.Resampling.BOX)
