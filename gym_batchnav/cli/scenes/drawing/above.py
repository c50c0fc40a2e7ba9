"""A storey from above: the scene cut open over its floor, with the walkable ground drawn on it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from batchnav_renderer import SceneArrays
from batchnav_renderer.camera import world_from_camera

from ....envs.watching.overhead import CUT, PAPER, Lens, MapFrame, overhead
from ....nav.survey import Survey
from .choice import EYE_HEIGHT, HFOV_DEG, Viewpoint
from .text import font
from .views import draw

__all__ = ["CUT", "PAPER", "MapFrame", "draw_above", "frame_of", "with_ground"]

MARGIN = 0.8
"""Metres around the walkable ground."""
MAIN, OTHER, MARK = (26, 115, 200), (226, 112, 20), (190, 24, 60)
_SMOOTHING = 2


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


def draw_above(arrays: SceneArrays, floor: float, frame: MapFrame, **options: Any) -> Image.Image:
    """A storey of a scene from above without what is over the cut; ``options`` are those of ``overhead``."""

    def shoot(poses: NDArray[np.float64], lens: Lens) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
        drawn = draw(arrays, poses, lens)
        return drawn.rgb, drawn.depth

    return overhead(shoot, floor, frame, **options)


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
