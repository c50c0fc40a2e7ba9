"""Colours and letters of pictures for people."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

PAGE, INK, FAINT = (17, 22, 29), (236, 240, 245), (139, 151, 166)
GOOD, BAD, ACCENT = (38, 166, 114), (217, 83, 70), (88, 166, 255)
SHADE = (10, 13, 18, 165)
"""Behind letters on pictures; lets them through."""
SMOOTHING = 4
"""Overlays are drawn so many times larger and shrunk."""


@lru_cache(maxsize=32)
def font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    """Pillow's own font at a size in pixels."""
    return ImageFont.load_default(size)


def text_width(text: str, size: int) -> int:
    """Width of a line in pixels."""
    return int(np.ceil(font(size).getlength(text)))


def fitted(text: str, width: int, size: int) -> str:
    """The text, cut at its end where it is wider than ``width`` pixels; "" where nothing fits."""
    if text_width(text, size) <= width:
        return text
    while text and text_width(f"{text}...", size) > width:
        text = text[:-1]
    return f"{text}..." if text else ""


def depth_colors(depth: NDArray[np.floating]) -> NDArray[np.uint8]:
    """Depth (...) from 0 (near) to 1 (far) as colours (..., 3): bright is near.

    The square root spreads the near range, where most of a room lies.
    """
    near = 1.0 - np.sqrt(np.clip(depth, 0.0, 1.0))
    return np.asarray(_magma()[np.rint(near * 255.0).astype(np.intp)])


@lru_cache(maxsize=1)
def _magma() -> NDArray[np.uint8]:
    # Here, so that environments that nobody watches do not load it.
    import matplotlib

    colors = matplotlib.colormaps["magma"](np.arange(256))[:, :3]
    return np.asarray(np.rint(colors * 255.0), dtype=np.uint8)


def pasted_layer(image: Image.Image, layer: Image.Image, place: tuple[int, int]) -> None:
    """Shrink an RGBA layer by ``SMOOTHING`` and lay it over an image, its upper left corner at ``place``."""
    size = (layer.width // SMOOTHING, layer.height // SMOOTHING)
    small = layer.resize(size, Image.Resampling.BOX)
    image.paste(small, place, small)


def pill(
    image: Image.Image, place: tuple[int, int], text: str, size: int, fill: tuple[int, ...], *, anchor: str
) -> None:
    """A line of text on a rounded ground.

    Args:
        image: is drawn on.
        place: pixel from the left and from the top.
        text: the line.
        size: of the letters, pixels.
        fill: colour of the ground, RGB or RGBA.
        anchor: where ``place`` is: ``"left"`` for its upper left corner, ``"middle"`` for its upper middle.
    """
    pad = max(2, size // 2)
    width, height = text_width(text, size) + 2 * pad, size + pad
    left = place[0] - (width // 2 if anchor == "middle" else 0)
    opacity = fill[3] if len(fill) > 3 else 255
    mask = rounded_mask(width, height, height // 2).point(lambda value: value * opacity // 255)
    image.paste(fill[:3], (left, place[1], left + width, place[1] + height), mask)
    middle = (left + width // 2, place[1] + height // 2)
    ImageDraw.Draw(image).text(middle, text, fill=INK, font=font(size), anchor="mm")


@lru_cache(maxsize=16)
def rounded_mask(width: int, height: int, radius: int) -> Image.Image:
    """White where a picture with rounded corners is."""
    mask = Image.new("L", (width * SMOOTHING, height * SMOOTHING))
    box = (0, 0, mask.width - 1, mask.height - 1)
    ImageDraw.Draw(mask).rounded_rectangle(box, radius * SMOOTHING, fill=255)
    return mask.resize((width, height), Image.Resampling.BOX)
