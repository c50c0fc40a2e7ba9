"""Fabrics, carpets, leather and wallpapers."""

from __future__ import annotations

import numpy as np

from .noise import SIZE, WAYS, Image, cells, clouds, grid, leaf_shape, noise, stamp, wave, white, words
from .stone import plaster


def fabric() -> Image:
    """Coarse weave."""
    x, y = grid()
    over = (x // 4 + y // 4) % 2 == 0
    bow = np.where(over, wave((x % 4) * 64 + 32), wave((y % 4) * 64 + 32))
    thread = np.where(over, words(91, 64)[y // 4], words(92, 64)[x // 4])
    shown: Image = 168 + bow * 34 // 255 + thread * 22 // 255 + clouds(93, 16, 16, 3) * 16 // 255
    return shown


def linen() -> Image:
    """Fine weave with uneven threads."""
    across = noise(94, 8, 128) + noise(95, 16, 256)
    along = noise(96, 128, 8) + noise(97, 256, 16)
    return 180 + (across + along) * 40 // 1020 + white(98) * 12 // 255


def velvet() -> Image:
    """Soft pile, brushed this way and that."""
    return 190 + clouds(99, 4, 6, 5) * 36 // 255 + white(100) * 10 // 255


def knit() -> Image:
    """Rows of V-shaped stitches, 16 x 16."""
    x, y = grid()
    column = x % 16
    slant = (y * 2 + np.where(column < 8, column, 15 - column) * 2) % 32
    body = wave(slant * 8) * wave((column % 8) * 32 + 16) // 255
    return 110 + body * 96 // 255 + white(101) * 16 // 255


def checked() -> Image:
    """Gingham of two tones with fine lines."""
    x, y = grid()
    bands = (x // 32 % 2) + (y // 32 % 2)
    lines = np.where((x % 64 == 48) | (y % 64 == 48), 26, 0)
    twill = np.where((x + y) % 4 < 2, 6, 0)
    return 236 - bands * 42 - lines + twill + white(102) * 8 // 255


def towel() -> Image:
    """Terry loops with two smooth bands."""
    _, y = grid()
    loops = white(103) * 34 // 255 + noise(104, 128, 128) * 26 // 255
    band = (np.abs(y - 40) < 5) | (np.abs(y - 60) < 3)
    return np.where(band, 196, 190 + loops)


def leather() -> Image:
    """Fine creases."""
    large, small = cells(105, 32), cells(106, 64)
    crease = np.minimum(large.edge, 40) * 16 // 40 + np.minimum(small.edge, 20) * 16 // 20
    shown: Image = 176 + crease + clouds(107, 4, 4, 4) * 26 // 255
    return shown


def carpet() -> Image:
    """Cut pile."""
    return 168 + white(61) * 40 // 255 + noise(62, 128, 128) * 26 // 255 + clouds(63, 4, 4, 3) * 22 // 255


def carpet_loop() -> Image:
    """Loops in rows."""
    x, y = grid()
    shifted = x + (y // 8 % 2) * 4
    loop = wave((shifted % 8) * 32) * wave((y % 8) * 32) // 255
    return 140 + loop * 70 // 255 + white(64) * 20 // 255 + noise(65, 32, 32) * 16 // 255


def carpet_fleck() -> Image:
    """Cut pile with light and dark flecks."""
    fleck = noise(66, 128, 128)
    image = carpet()
    return np.where(fleck > 214, image - 44, np.where(fleck < 40, image + 30, image))


def damask() -> Image:
    """Mirrored ornaments in half-drop."""
    x, y = grid()
    column = x // 128
    u, v = np.abs(x % 128 - 64), (y + column * 128) % SIZE - 128
    ornament = np.zeros((SIZE, SIZE), np.bool_)
    for at_x, at_y, long, wide, way in (
        (0, -88, 30, 12, (0, 64)),
        (18, -62, 26, 9, (45, -45)),
        (40, -44, 18, 7, (59, 24)),
        (0, -34, 26, 13, (0, 64)),
        (22, -8, 30, 10, (24, -59)),
        (46, -6, 16, 6, (45, 45)),
        (0, 20, 30, 8, (0, 64)),
        (20, 44, 30, 10, (24, 59)),
        (42, 62, 20, 7, (45, -45)),
        (0, 74, 26, 12, (0, 64)),
        (14, 104, 20, 7, (24, 59)),
    ):
        shape = leaf_shape(u - at_x, v - at_y, way, long, wide)
        ornament |= (shape > 20) & ((shape < 200) | (shape > 232))
    return plaster() - np.where(ornament, 24, 0)


def foliage() -> Image:
    """Wallpaper of scattered leaves."""
    image = plaster()
    draws = words(131, 4 * 64).reshape(64, 4)
    for number, (at_x, at_y, way, size) in enumerate(draws.tolist()):
        index, dx, dy = stamp(image, (at_x, at_y), 34)
        shape = leaf_shape(dx, dy, WAYS[way % 8], 20 + size % 13, 7 + size % 4)
        tone = 12 + number % 3 * 8
        vein = np.where((shape > 225) | ((dx + 2 * dy) % 9 == 0), tone // 2, tone)
        image[index] = np.where(shape > 0, 232 - vein, image[index])
    return image


def retro() -> Image:
    """Wallpaper of overlapping rings."""
    x, y = grid()
    image = plaster()
    for shift in (0, 32):
        dx, dy = (x + shift) % 64 - 32, (y + shift) % 64 - 32
        away = np.sqrt((dx * dx + dy * dy) * 1.0).astype(np.int32)
        image = image - np.where((away > 18) & (away < 25), 26, 0) - np.where(away < 9, 18, 0)
    return image


def etched() -> Image:
    """A frosted pane with a fine weave etched into it."""
    x, y = grid()
    frost = 216 + clouds(135, 16, 16, 3) * 24 // 255
    return frost - np.where((x // 2 + y // 2) % 2 == 0, 0, 12)


def leaves() -> Image:
    """Foliage of a plant: overlapping leaves over shadow."""
    image = np.full((SIZE, SIZE), 70)
    draws = words(141, 5 * 150).reshape(150, 5)
    for at_x, at_y, way, size, tone in draws.tolist():
        index, dx, dy = stamp(image, (at_x, at_y), 26)
        shape = leaf_shape(dx, dy, WAYS[way % 8], 16 + size % 9, 6 + size % 4)
        body = 120 + tone * 90 // 255 + np.where(shape > 220, 26, 0) - (255 - shape) * 24 // 255
        image[index] = np.where(shape > 0, body, image[index])
    return image + noise(143, 128, 128) * 14 // 255
