"""One picture of an agent at one moment: its views, the map, the way to the goal, and figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from .compass import draw_compass
from .theme import BAD, FAINT, GOOD, INK, PAGE, SHADE, fitted, font, pill, rounded_mask, text_width

Picture = NDArray[np.uint8]
SMALLEST_WITH_TEXT = 120
"""Side of the tiles, pixels, from which a line of text fits below them."""
SMALLEST_WITH_CAPTIONS = 180
LETTERS = 12
"""Smallest letters that are easy to read, pixels."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How an episode has ended."""

    good: bool
    text: str
    """In a few words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """What is to be seen of one agent at one moment."""

    tiles: tuple[tuple[str, Picture], ...]
    """Captions and pictures (H, W, 3), from left to right; the first is what the agent sees."""
    goal: tuple[float, float] | None = None
    """Metres to the goal as the crow flies, and the angle to it, radians, positive to the left."""
    title: str = ""
    """Below, on the left."""
    facts: tuple[str, ...] = ()
    """Below, on the right."""
    outcome: Outcome | None = None
    """None while the episode goes on."""


def draw_panel(moment: Moment, side: int, *, lines: Sequence[str] = ()) -> Picture:
    """Draw a moment: its tiles side by side, and a line of text below where there is room.

    Args:
        moment: what to show; there is at least one tile.
        side: height of the tiles, pixels; pictures keep their shape.
        lines: text over everything, such as a help; none is shown for none.

    Returns:
        (H, W, 3) uint8, of the size that ``panel_size`` gives.
    """
    gap, bar = _gap(side), _bar(side)
    tiles = [_resized(picture, side) for _, picture in moment.tiles]
    width, height = panel_size([picture.shape[:2] for _, picture in moment.tiles], side)
    page = Image.new("RGB", (width, height), PAGE)
    left = gap
    for number, (tile, (caption, _)) in enumerate(zip(tiles, moment.tiles, strict=True)):
        if number == 0:
            _mark(tile, moment)
        if side >= SMALLEST_WITH_CAPTIONS:
            pill(tile, (side // 40, side // 40), caption, _letters(side) - 1, SHADE, anchor="left")
        page.paste(tile, (left, gap), rounded_mask(tile.width, side, side // 40))
        left += tile.width + gap
    if bar:
        _write(page, moment, side, gap, gap + side)
    if lines:
        _cover(page, lines, _letters(side))
    return np.array(page)


def panel_size(shapes: Sequence[tuple[int, ...]], side: int) -> tuple[int, int]:
    """Width and height in pixels of a panel with tiles of ``shapes`` (height, width), ``side`` high."""
    gap = _gap(side)
    widths = [_width(shape, side) for shape in shapes]
    return gap + sum(width + gap for width in widths), gap + side + (_bar(side) or gap)


def _mark(view: Image.Image, moment: Moment) -> None:
    """What lies over the view: the way to the goal, and how the episode has ended."""
    if moment.goal is not None:
        draw_compass(view, *moment.goal)
    if moment.outcome is None:
        return
    color, side = GOOD if moment.outcome.good else BAD, view.height
    rim = max(2, side // 60)
    box = (0, 0, view.width - 1, side - 1)
    ImageDraw.Draw(view).rounded_rectangle(box, side // 40, outline=color, width=rim)
    if side >= SMALLEST_WITH_TEXT:
        size = max(LETTERS, side // 14)
        pill(view, (view.width // 2, side // 6), moment.outcome.text, size, color, anchor="middle")


def _write(page: Image.Image, moment: Moment, side: int, gap: int, top: int) -> None:
    """The line of text: facts on the right, and what fits of the title on the left."""
    size, pen = _letters(side), ImageDraw.Draw(page)
    middle = top + _bar(side) // 2
    facts = list(moment.facts)
    room = page.width - 2 * gap
    while facts and text_width(_joined(facts), size) > room:
        facts.pop()
    text = _joined(facts)
    pen.text((page.width - gap, middle), text, fill=INK, font=font(size), anchor="rm")
    title = fitted(moment.title, room - text_width(text, size) - 2 * size, size)
    pen.text((gap, middle), title, fill=FAINT, font=font(size), anchor="lm")


def _cover(page: Image.Image, lines: Sequence[str], size: int) -> None:
    """Lines of text over the middle of a page."""
    step = round(1.5 * size)
    width = max(text_width(line, size) for line in lines) + 3 * size
    height = step * len(lines) + 2 * size
    left, top = (page.width - width) // 2, (page.height - height) // 2
    ground = Image.new("RGBA", (width, height), (*PAGE, 230))
    page.paste(ground, (left, top), ground)
    pen = ImageDraw.Draw(page)
    for number, line in enumerate(lines):
        pen.text((left + 1.5 * size, top + size + number * step), line, fill=INK, font=font(size))


def _resized(picture: Picture, side: int) -> Image.Image:
    """At the height ``side``; pictures that grow keep their pixels square, others are averaged."""
    image = Image.fromarray(picture)
    how = Image.Resampling.NEAREST if picture.shape[0] < side else Image.Resampling.BOX
    return image.resize((_width(picture.shape, side), side), how)


def _width(shape: tuple[int, ...], side: int) -> int:
    return max(1, round(shape[1] * side / shape[0]))


def _joined(facts: Sequence[str]) -> str:
    return "   ".join(facts)


def _gap(side: int) -> int:
    return max(2, side // 40)


def _letters(side: int) -> int:
    return max(LETTERS, side // 18)


def _bar(side: int) -> int:
    """Height of the line of text with its margins; 0 where there is no room."""
    return 2 * _letters(side) if side >= SMALLEST_WITH_TEXT else 0
