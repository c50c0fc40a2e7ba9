"""A page of many houses: of each two views at eye level, and its storeys cut open from above."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from PIL import Image, ImageDraw

from batchnav_renderer import SceneArrays

from ....nav.survey import Survey
from .above import PAPER, draw_above, frame_of
from .choice import choose_views
from .text import fitted, font
from .views import Lens, draw, shrunk

COLUMNS = 4
_LENS = Lens(width=252, height=189, hfov_deg=90.0)
_VIEWS = 2
_PLAN_HEIGHT = 260
_GAP, _HEAD, _LINE, _CAPTION, _SLIT = 16, 52, 26, 24, 4
_WIDTH = _VIEWS * _LENS.width + (_VIEWS - 1) * _SLIT
_HEIGHT = _LINE + _LENS.height + _SLIT + _PLAN_HEIGHT + _CAPTION
_STEEP = 2.2
"""So near over the cut that walls are seen a little, as in a doll's house."""
_MARGIN = 0.45
"""Metres around the walkable ground: the walls, and a little."""
_MAX_STOREYS = 3
_INK, _GREY = (25, 32, 44), (90, 100, 115)
_COLORS = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class Exhibit:
    """A house on a sheet."""

    arrays: SceneArrays
    ground: Survey
    name: str
    facts: str


def draw_sheet(exhibits: Sequence[Exhibit], title: str, seed: int) -> Image.Image:
    """The page, in colours that a small file holds.

    Args:
        exhibits: The houses.
        title: Heading.
        seed: Of the places to look from.
    """
    columns = min(COLUMNS, len(exhibits))
    rows = -(-len(exhibits) // columns)
    tall = _HEIGHT + _GAP
    page = Image.new("RGB", (_GAP + columns * (_WIDTH + _GAP), _HEAD + rows * tall), "white")
    ImageDraw.Draw(page).text((_GAP, 12), title, fill=_INK, font=font(24))
    for number, exhibit in enumerate(exhibits):
        cell = _cell(exhibit, np.random.default_rng([seed, number]))
        row, column = divmod(number, columns)
        page.paste(cell, (_GAP + column * (_WIDTH + _GAP), _HEAD + row * tall))
    return page.quantize(_COLORS, Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)


def _cell(exhibit: Exhibit, generator: np.random.Generator) -> Image.Image:
    arrays, ground = exhibit.arrays, exhibit.ground
    cell = Image.new("RGB", (_WIDTH, _HEIGHT), "white")
    pen = ImageDraw.Draw(cell)
    pen.text((0, 4), fitted(exhibit.name, _WIDTH, 16), fill=_INK, font=font(16))
    largest = max(range(len(ground.storeys)), key=lambda number: ground.storeys[number].area_m2)
    views = choose_views(arrays, ground, largest, _VIEWS, generator)
    drawn = draw(arrays, np.stack([view.pose for view in views]), _LENS)
    for place, rgb in enumerate(drawn.rgb):
        cell.paste(shrunk(rgb), (place * (_LENS.width + _SLIT), _LINE))
    cell.paste(_plans(arrays, ground), (0, _LINE + _LENS.height + _SLIT))
    text = fitted(exhibit.facts, _WIDTH, 14)
    pen.text((0, cell.height - _CAPTION + 4), text, fill=_GREY, font=font(14))
    return cell


def _plans(arrays: SceneArrays, ground: Survey) -> Image.Image:
    """The storeys side by side, the lowest on the left, all at one scale."""
    storeys = list(range(len(ground.storeys)))[:_MAX_STOREYS]
    wide = (_WIDTH - (len(storeys) - 1) * _SLIT) // len(storeys)
    frame = frame_of(ground, storeys, wide, _PLAN_HEIGHT, margin=_MARGIN)
    band = Image.new("RGB", (_WIDTH, _PLAN_HEIGHT), PAPER)
    for place, storey in enumerate(storeys):
        plan = draw_above(arrays, ground.storeys[storey].height, frame, steep=_STEEP, fit="cut")
        left = place * (wide + _SLIT) + (wide - plan.width) // 2
        band.paste(plan, (left, (_PLAN_HEIGHT - plan.height) // 2))
    return band
