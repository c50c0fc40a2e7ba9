"""The page of one scene: for each storey its map and views at eye level."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import matplotlib
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from batchnav_renderer import SceneArrays

from ....nav.survey import Survey
from .above import CUT, PAPER, add_marks, add_scale, clearance, draw_above, frame_of, with_ground
from .choice import HFOV_DEG, Viewpoint, choose_views
from .text import fitted, font
from .views import Lens, draw, shrunk

VIEWS = 3
"""Views at eye level of each storey."""
MAX_STOREYS = 6
"""Storeys on a page; of more, those with the most ground."""
_LENS = Lens(width=336, height=252, hfov_deg=HFOV_DEG)
_MAP = (560, 504)
_GAP, _HEAD, _LINE = 12, 64, 24
_DEPTH_M = 10.0
_INK, _GREY = (25, 32, 44), (90, 100, 115)


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A preview."""

    image: Image.Image
    memory: int
    """Bytes that the renderer takes for the scene."""
    backend: str
    """What drew."""


def draw_preview(
    arrays: SceneArrays, ground: Survey, title: str, facts: str, generator: np.random.Generator
) -> Page:
    """Draw the page of a scene.

    Args:
        arrays: The scene.
        ground: Its walkable ground.
        title: Heading.
        facts: A line beneath it.
        generator: Draws the places to look from.
    """
    by_area = sorted(range(len(ground.storeys)), key=lambda number: -ground.storeys[number].area_m2)
    storeys = sorted(by_area[:MAX_STOREYS])
    views = [choose_views(arrays, ground, storey, VIEWS, generator) for storey in storeys]
    poses = np.stack([view.pose for storey in views for view in storey])
    drawn = draw(arrays, poses, _LENS)
    bands = []
    for place, (storey, seen) in enumerate(zip(storeys, views, strict=True)):
        first = sum(len(other) for other in views[:place])
        chosen = slice(first, first + len(seen))
        plan = _plan(arrays, ground, storey, seen, first + 1)
        bands.append(_band(plan, drawn.rgb[chosen], drawn.depth[chosen], _caption(ground, storey), first + 1))
    width = _GAP * (VIEWS + 2) + _MAP[0] + VIEWS * _LENS.width
    page = Image.new("RGB", (width, _HEAD + sum(band.height for band in bands) + _GAP), "white")
    pen = ImageDraw.Draw(page)
    pen.text((_GAP, 8), fitted(title, width - 2 * _GAP, 24), fill=_INK, font=font(24))
    pen.text((_GAP, 40), fitted(facts, width - 2 * _GAP, 15), fill=_GREY, font=font(15))
    top = _HEAD
    for band in bands:
        page.paste(band, (0, top))
        top += band.height
    return Page(image=page, memory=drawn.memory, backend=drawn.backend)


def depth_picture(depth: NDArray[np.float32]) -> NDArray[np.uint8]:
    """Metres (...) as colours (..., 3): bright is near, dark is 10 m and more."""
    colors = matplotlib.colormaps["viridis"](1.0 - np.clip(depth / _DEPTH_M, 0.0, 1.0))
    return np.asarray(np.rint(colors[..., :3] * 255), np.uint8)


def _plan(
    arrays: SceneArrays, ground: Survey, storey: int, views: Sequence[Viewpoint], first: int
) -> Image.Image:
    frame = frame_of(ground, [storey], *_MAP)
    # Low ceilings are cut away too.
    cut = min(CUT, max(0.5, clearance(arrays, views) - 0.15))
    image = draw_above(arrays, ground.storeys[storey].height, frame, cut=cut)
    image = with_ground(image, ground, storey, frame)
    add_marks(image, views, first, frame)
    box = Image.new("RGB", _MAP, PAPER)
    box.paste(image, ((_MAP[0] - image.width) // 2, (_MAP[1] - image.height) // 2))
    add_scale(box, frame.pixels_per_meter)
    return box


def _caption(ground: Survey, storey: int) -> str:
    level = ground.storeys[storey]
    name = f"storey {storey + 1} of {len(ground.storeys)}, floor" if len(ground.storeys) > 1 else "floor"
    return f"{name} at y = {level.height:.2f} m: {level.area_m2:,.1f} m2 to walk on"


def _band(
    plan: Image.Image, rgb: NDArray[np.uint8], depth: NDArray[np.float32], caption: str, first: int
) -> Image.Image:
    """The map of a storey, its views beside it, their depth beneath them."""
    height = _LINE + max(_MAP[1], 2 * _LENS.height + 4) + _GAP
    band = Image.new("RGB", (_GAP * (VIEWS + 2) + _MAP[0] + VIEWS * _LENS.width, height), "white")
    pen = ImageDraw.Draw(band)
    pen.text((_GAP, 3), caption, fill=_INK, font=font(15))
    band.paste(plan, (_GAP, _LINE))
    for number in range(len(rgb)):
        left = _MAP[0] + _GAP * (number + 2) + number * _LENS.width
        pen.text((left, 3), f"view {first + number}: colour, depth", fill=_GREY, font=font(15))
        for picture, top in ((rgb, _LINE), (depth_picture(depth), _LINE + _LENS.height + 4)):
            band.paste(shrunk(picture[number]), (left, top))
            box = (left - 1, top - 1, left + _LENS.width, top + _LENS.height)
            pen.rectangle(box, outline=(200, 206, 214))
    return band
