"""The font of all pictures; it comes with Pillow."""

from __future__ import annotations

from functools import lru_cache

from PIL import ImageFont


@lru_cache(maxsize=16)
def font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    """The font at a size in pixels."""
    return ImageFont.load_default(size)


def fitted(text: str, width: int, size: int) -> str:
    """The text, cut in its middle where it is wider than ``width`` pixels."""
    letters = font(size)
    if letters.getlength(text) <= width:
        return text
    keep = len(text)
    while keep > 2 and letters.getlength(f"{text[: keep // 2]}...{text[-(keep - keep // 2) :]}") > width:
        keep -= 1
    return f"{text[: keep // 2]}...{text[-(keep - keep // 2) :]}"
