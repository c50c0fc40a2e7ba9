"""A storey from above: the scene cut open over its floor, with the walkable ground drawn on it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from batchnav_renderer import SceneArrays
from batchnav_renderer.camera import world_from_camera

from ....nav.survey import Survey
from .choice import EYE_HEIGHT, HFOV_DEG, Viewpoint
from .text import font
from .views import Lens, draw

CUT = 2.0
"""Height over the floor at which a storey is cut open, metres."""
MARGIN = 0.8
"""Metres around the walkable ground."""
PAPER = (238, 241, 245)
MAIN, OTHER, MARK = (26, 115, 200), (226, 112, 20), (190, 24, 60)
_STEEP = 60.0
"""The camera's height over the cut, in halves of the picture's side: so far that it sees hardly any walls."""
_BELOW = 0.7
"""What lies this deep under the floor, metres, belongs to the storey below and is drawn pale."""
_SMOOTHING = 2


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


def frame_of(
    ground: Survey, storeys: Sequence[int], width: int, height: int, *, margin: float = MARGIN
) -> MapFrame:
    """The frame that shows all ground of some storeys within ``width`` x ``height`` pixels."""
    points = ground.triangles[np.isin(ground.triangle_storey, storeys)].reshape(-1, 3)[:, [0, 2]]
    low, high = points.min(axis=0) - margin, points.max(axis=0) + margin
    span = (high - low).astype(np.float64)
    scale = float(min(width / span[0], height / span[1]))
    across, down = (max(1, int(np.ceil(side * scale))) for side in span)
    return MapFrame(low=low.astype(np.float64), pixels_per_meter=scale, width=across, height=down)


def draw_above(
    arrays: SceneArrays,
    floor: float,
    frame: MapFrame,
    *,
    cut: float = CUT,
    steep: float = _STEEP,
    fit: Literal["floor", "cut"] = "floor",
) -> Image.Image:
    """A storey from above without what is over the cut.

    Args:
        arrays: The scene.
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
    pose = world_from_camera([[x, floor + cut + over, z]], 0.0, -math.pi / 2)
    drawn = draw(arrays, pose, lens)
    under = drawn.depth[0] - over - cut
    missed = drawn.depth[0] >= lens.far
    fade = np.clip((under - _BELOW) / 0.6, 0.0, 1.0)
    fade = np.where(missed, 1.0, 0.8 * fade)[..., None]
    mixed = (1 - fade) * drawn.rgb[0] + fade * np.array(PAPER)
    image = Image.fromarray(np.rint(mixed).astype(np.uint8))
    return image.resize((frame.width, frame.height), Image.Resampling.BOX)


def with_ground(image: Image.Image, ground: Survey, storey: int, frame: MapFrame) -> Image.Image:
    """The picture with the walkable ground: the largest island blue, others orange."""
    large = image.resize((image.width * _SMOOTHING, image.height * _SMOOTHING), Image.Resampling.NEAREST)
    layer = Image.new("RGBA", large.size)
    pen = ImageDraw.Draw(layer)
    here = ground.triangle_storey == storey
    places, islands = frame.pixels(ground.triangles[here]) * _SMOOTHING, ground.triangle_island[here]
    for triangle, island in zip(places, islands, strict=True):
        pen.polygon([tuple(point) for point in triangle], fill=(*(OTHER if island else MAIN), 90))
    here = ground.rim_storey == storey
    lines, islands = frame.pixels(ground.rims[here]) * _SMOOTHING, ground.rim_island[here]
    for color, width in ((None, 6), (255, 3)):
        for line, island in zip(lines, islands, strict=True):
            ink = (255, 255, 255, 140) if color is None else (*(OTHER if island else MAIN), color)
            pen.line([tuple(end) for end in line], fill=ink, width=width)
    large = Image.alpha_composite(large.convert("RGBA"), layer).convert("RGB")
    return large.resize(image.size, Image.Resampling.BOX)


def add_marks(image: Image.Image, views: Sequence[Viewpoint], first: int, frame: MapFrame) -> None:
    """Draw where each view was taken, what it takes in, and its number from ``first`` on."""
    pen = ImageDraw.Draw(image, "RGBA")
    for number, view in enumerate(views, first):
        x, y = frame.pixels(view.ground)
        # A heading of 0 looks up the picture, and PIL counts angles clockwise from the right.
        middle = -90.0 - math.degrees(view.heading)
        box = (x - 34, y - 34, x + 34, y + 34)
        pen.pieslice(box, middle - HFOV_DEG / 2, middle + HFOV_DEG / 2, fill=(*MARK, 70))
        pen.ellipse((x - 10, y - 10, x + 10, y + 10), fill=(*MARK, 255), outline=(255, 255, 255, 255))
        pen.text((x, y), str(number), fill="white", font=font(13), anchor="mm")


def add_scale(image: Image.Image, pixels_per_meter: float) -> None:
    """A bar of a round number of metres in the lower left corner, and the axes in the lower right one."""
    pen = ImageDraw.Draw(image, "RGBA")
    target = image.width / pixels_per_meter / 5
    metres = max(size for size in (0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 1000) if size <= max(target, 0.2))
    length, bottom = metres * pixels_per_meter, image.height - 10
    pen.rectangle((4, bottom - 22, 16 + max(length, 30), image.height - 2), fill=(255, 255, 255, 215))
    pen.line([(10, bottom), (10 + length, bottom)], fill="black", width=3)
    pen.text((10, bottom - 3), f"{metres:g} m", fill="black", font=font(13), anchor="ls")
    right = image.width - 44
    pen.rectangle((right - 6, bottom - 34, image.width - 2, image.height - 2), fill=(255, 255, 255, 215))
    start = (right, bottom - 28)
    pen.line([start, (right + 22, bottom - 28)], fill="black", width=2)
    pen.line([start, (right, bottom - 6)], fill="black", width=2)
    pen.text((right + 26, bottom - 28), "x", fill="black", font=font(13), anchor="lm")
    pen.text((right + 5, bottom - 2), "z", fill="black", font=font(13), anchor="ls")


def clearance(arrays: SceneArrays, views: Sequence[Viewpoint]) -> float:
    """Height of what is over the eyes at some places, metres over the ground: the median."""
    lens = Lens(width=3, height=3, hfov_deg=20.0)
    poses = np.stack([view.pose for view in views])
    up = world_from_camera(poses[:, :3, 3], 0.0, math.pi / 2)
    return float(np.median(draw(arrays, up, lens, smooth=False).depth[:, 1, 1])) + EYE_HEIGHT
