"""A storey from above: the scene cut open over its floor."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from batchnav_renderer.camera import world_from_camera

CUT = 2.0
"""Height over the floor at which a storey is cut open, metres."""
PAPER = (238, 241, 245)
"""Colour of where there is nothing."""
FAR = 100.0
"""Depth of what is not hit, metres."""
_STEEP = 60.0
"""The camera's height over the cut, in halves of the picture's side: so far that it sees hardly any walls."""
_BELOW = 0.7
"""What lies this deep under the floor, metres, belongs to the storey below and is drawn pale."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lens:
    """Size and field of view of pictures."""

    width: int
    height: int
    hfov_deg: float = 90.0
    near: float = 0.01
    far: float = FAR


@dataclass(frozen=True, slots=True, kw_only=True)
class MapFrame:
    """Where on a picture a place is: x to the right, z down."""

    low: NDArray[np.float64]
    """(2,) x and z of the upper left corner, metres."""
    pixels_per_meter: float
    width: int
    height: int

    def pixels(self, points: NDArray[np.floating]) -> NDArray[np.float64]:
        """(..., 3) metres to (..., 2) pixels from the left and from the top."""
        return (np.asarray(points, np.float64)[..., [0, 2]] - self.low) * self.pixels_per_meter

    @property
    def middle(self) -> NDArray[np.float64]:
        """(2,) x and z, metres."""
        return self.low + np.array([self.width, self.height]) / (2 * self.pixels_per_meter)


Shoot = Callable[[NDArray[np.float64], Lens], tuple[NDArray[np.uint8], NDArray[np.float32]]]
"""Draws a scene from poses (n, 4, 4); gives RGB (n, h, w, 3) and depth (n, h, w) in metres, of the lens' size
or a multiple of it."""


def overhead(
    shoot: Shoot,
    floor: float,
    frame: MapFrame,
    *,
    cut: float = CUT,
    steep: float = _STEEP,
    fit: Literal["floor", "cut"] = "floor",
) -> Image.Image:
    """A storey from above without what is over the cut.

    Args:
        shoot: Draws the scene.
        floor: Height of the storey, metres.
        frame: What to show.
        cut: Height of the cut over the floor, metres.
        steep: The camera's height over the cut, in halves of the picture's width; small numbers show walls.
        fit: At which height the frame is exact.
    """
    half = frame.width / (2 * frame.pixels_per_meter)
    over = steep * half
    lens = Lens(
        width=frame.width,
        height=frame.height,
        hfov_deg=math.degrees(2 * math.atan(half / (over + cut if fit == "floor" else over))),
        near=over,
        far=over + cut + 60.0,
    )
    x, z = frame.middle
    rgb, depth = shoot(world_from_camera([[x, floor + cut + over, z]], 0.0, -math.pi / 2), lens)
    under = depth[0] - over - cut
    fade = np.where(depth[0] >= lens.far, 1.0, 0.8 * np.clip((under - _BELOW) / 0.6, 0.0, 1.0))[..., None]
    mixed = (1 - fade) * rgb[0] + fade * np.array(PAPER)
    image = Image.fromarray(np.rint(mixed).astype(np.uint8))
    return image.resize((frame.width, frame.height), Image.Resampling.BOX)
