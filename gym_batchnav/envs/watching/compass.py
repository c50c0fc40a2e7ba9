"""An arrow to the goal over a view."""

from __future__ import annotations

import math

from PIL import Image, ImageDraw

from .theme import ACCENT, GOOD, INK, SHADE, SMOOTHING, font, pasted_layer

ARRIVED_M = 0.2
"""A goal nearer than this has no direction: a dot shows it."""


def draw_compass(image: Image.Image, distance: float, angle: float, *, near: float = ARRIVED_M) -> None:
    """Draw a round compass at the lower middle of a view: the way to the goal, and how far it is in a line.

    Args:
        image: the view; is drawn on.
        distance: to the goal, metres.
        angle: to the goal, radians, positive to the left; 0 (ahead) points up.
        near: metres within which the arrow is a dot.
    """
    radius = max(8, min(image.width, image.height) // 9)
    gap = max(2, radius // 5)
    middle = (image.width // 2, image.height - radius - gap)
    whole = 2 * radius * SMOOTHING
    layer = Image.new("RGBA", (whole, whole))
    pen = ImageDraw.Draw(layer)
    pen.ellipse((0, 0, whole - 1, whole - 1), fill=SHADE)
    if distance <= near:
        dot, center = whole / 6, whole / 2
        pen.ellipse((center - dot, center - dot, center + dot, center + dot), fill=GOOD)
    else:
        pen.polygon(_arrow(whole / 2, angle), fill=ACCENT)
    pasted_layer(image, layer, (middle[0] - radius, middle[1] - radius))
    size = radius * 2 // 3
    if size >= 9:
        place = (middle[0] + radius + gap, middle[1])
        text = f"{distance:.1f} m"
        pen = ImageDraw.Draw(image)
        pen.text(
            place, text, fill=INK, font=font(size), anchor="lm", stroke_width=max(1, size // 8),
            stroke_fill=SHADE[:3],
        )  # fmt: skip


def _arrow(half: float, angle: float) -> list[tuple[float, float]]:
    """Corners of an arrow around (half, half) that points up at angle 0 and turns left with it."""
    ahead = (-math.sin(angle), -math.cos(angle))
    aside = (-ahead[1], ahead[0])
    shape = ((0.78, 0.0), (-0.55, 0.5), (-0.25, 0.0), (-0.55, -0.5))
    return [
        (half * (1 + along * ahead[0] + across * aside[0]), half * (1 + along * ahead[1] + across * aside[1]))
        for along, across in shape
    ]
