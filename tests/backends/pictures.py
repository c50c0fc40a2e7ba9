"""Textures whose texels are known."""

from __future__ import annotations

import numpy as np

from batchnav_renderer import Texture

TOP_LEFT_FIRST = [[0, 0], [0, 1], [1, 1], [1, 0]]


def solid(color, size=8, **fields):
    return Texture(pixels=np.broadcast_to(np.array(color, np.uint8), (size, size, 4)).copy(), **fields)


def halves(size, left, right, **fields):
    pixels = np.empty((size, size, 4), np.uint8)
    pixels[:, : size // 2], pixels[:, size // 2 :] = left, right
    return Texture(pixels=pixels, **fields)
