"""What windows show, screens and mirrors."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .noise import SIZE, Image, cells, clouds, grid, mix, noise, words

_HAZE = (206, 220, 232)


def _sky(key: int, top: tuple[int, int, int] = (118, 172, 226)) -> Image:
    """Blue above, pale at the horizon, with clouds."""
    _, y = grid()
    sky = mix(top, (216, 230, 240), np.minimum(y * 255 // 150, 255))
    cover = np.clip((clouds(key, 2, 5, 5) - 120) * 5, 0, 220)
    return mix(sky, (248, 249, 250), cover)


def _skyline(key: int, low: int, rise: int, knots: int) -> NDArray[np.int32]:
    """(SIZE,) heights of a row of hills or trees: rows of the image."""
    fine = noise(key + 1, min(4 * knots, 128), 1)[0]
    shown: Image = low - noise(key, knots, 1)[0] * rise // 255 - fine * rise // 1020
    return shown


def _trees(image: Image, key: int, low: int, rise: int, tone: int) -> Image:
    """Paint tree tops up to a skyline over everything below it."""
    x, y = grid()
    crowns = cells(key + 2, 32)
    shade = np.clip(150 - crowns.near // 2 + words(key + 3, 1024)[crowns.number] // 4, 0, 255)
    green = mix((26, 46, 24), (128, 156, 84), shade * tone // 255)
    return np.where((y > _skyline(key, low, rise, 16)[x])[..., None], green, image)


def _ground(image: Image, key: int, top: int, color: tuple[int, int, int]) -> Image:
    _, y = grid()
    blades = noise(key, 128, 64) * 40 // 255 + clouds(key + 1, 4, 8, 3) * 40 // 255
    far = np.clip((y - top) * 4, 0, 90)
    grass = np.asarray(color) - 40 + blades[..., None] + far[..., None] // 4
    return np.where((y > top)[..., None], grass, image)


def garden() -> Image:
    """Trees behind a lawn."""
    image = _trees(_sky(301), 303, 150, 60, 170)
    image = _trees(image, 307, 176, 46, 255)
    return _ground(image, 311, 182, (112, 148, 78))


def hills() -> Image:
    """Ranges of hills behind meadows."""
    x, y = grid()
    image = _sky(321, (104, 160, 218))
    for number, (low, rise, far) in enumerate(((124, 50, 190), (146, 44, 130), (164, 34, 70))):
        slope = mix(mix((84, 112, 70), (120, 140, 86), noise(323 + number, 16, 16)), _HAZE, far)
        image = np.where((y > _skyline(325 + 4 * number, low, rise, 3)[x])[..., None], slope, image)
    return _trees(_ground(image, 341, 166, (140, 160, 86)), 345, 236, 40, 220)


def sea() -> Image:
    """Water and a strip of shore."""
    x, y = grid()
    image = _sky(351, (96, 158, 222))
    ripple = noise(353, 32, 128) * 26 // 255 + noise(354, 64, 256) * 14 // 255
    water = mix((122, 172, 194), (40, 104, 142), np.clip((y - 140) * 4, 0, 255)) + ripple[..., None]
    image = np.where((y > 138)[..., None], water, image)
    sand = np.stack([214 - ripple // 2, 196 - ripple // 2, 158 - ripple // 2], axis=2)
    return np.where((y > 206 + noise(355, 6, 1)[0][x] // 16)[..., None], sand, image)


def _house(
    image: Image,
    box: tuple[int, int, int, int],
    wall: tuple[int, int, int],
    roof: tuple[int, int, int],
    floors: int,
) -> Image:
    """A house front: wall, gable-less roof, rows of windows; ``box`` is left, top, right, bottom."""
    x, y = grid()
    left, top, right, bottom = box
    rough = noise(left + 400, 64, 64) * 14 // 255
    inside = (x >= left) & (x < right) & (y >= top) & (y < bottom)
    image = np.where(inside[..., None], np.asarray(wall) + rough[..., None], image)
    slope = (y >= top - 26) & (y < top) & (x >= left - 4 + (top - y) // 2) & (x < right + 4 - (top - y) // 2)
    rows = np.where(y % 4 == 0, -14, 0)[..., None] + rough[..., None]
    image = np.where(slope[..., None], np.asarray(roof) + rows, image)
    high = (bottom - top) // floors
    u, v = (x - left) % 26 - 6, (y - top) % high - high // 4
    frame = inside & (u >= 0) & (u < 14) & (v >= 0) & (v < high // 2) & (x < right - 6)
    pane = frame & (u >= 2) & (u < 12) & (v >= 2) & (v < high // 2 - 2) & (u != 6) & (u != 7)
    image = np.where(frame[..., None], np.array([236, 234, 228]), image)
    return np.where(pane[..., None], mix((56, 70, 84), (128, 150, 168), (v * 8) % 256), image)


def street() -> Image:
    """Houses opposite, behind hedges."""
    image = _trees(_sky(361), 363, 132, 50, 180)
    image = _house(image, (10, 104, 92, 200), (216, 204, 180), (142, 84, 66), 2)
    image = _house(image, (108, 88, 172, 200), (196, 112, 88), (88, 84, 88), 3)
    image = _house(image, (190, 112, 250, 200), (222, 220, 212), (120, 90, 76), 2)
    return _ground(_trees(image, 367, 200, 22, 230), 371, 214, (126, 142, 96))


def city() -> Image:
    """Tall blocks."""
    x, y = grid()
    image = _sky(381, (138, 178, 216))
    tops = words(383, 40)
    for row, (wide, low, tone) in enumerate(((18, 60, 186), (28, 90, 150), (40, 130, 120))):
        block = x // wide
        top = low + tops[block + 12 * row] * 70 // 255
        shade = tone + tops[block + 12 * row + 3] * 40 // 255 - 20
        lit = ((x % wide) % 6 > 2) & ((x % wide) > 2) & (y % 8 > 3)
        wall = np.stack([shade, shade + 2, shade + 8], axis=2)
        wall = np.where(lit[..., None], wall * 7 // 10, wall)
        image = np.where((y > top)[..., None], wall, image)
    return _trees(image, 387, 224, 26, 220)


def forest() -> Image:
    """Trunks and crowns close by."""
    x, y = grid()
    image = _trees(_sky(391), 393, 90, 70, 150)
    trunks = (noise(397, 48, 2) > 196) & (y > 70)
    image = np.where(trunks[..., None], mix((58, 44, 34), (112, 92, 74), noise(398, 128, 32)), image)
    image = _trees(image, 401, 230, 30, 230)
    crowns = cells(405, 16)
    fringe = (y < 60 - noise(406, 16, 1)[0][x] // 5) & (crowns.near < 150)
    return np.where(fringe[..., None], mix((40, 74, 34), (120, 160, 80), 255 - crowns.near), image)


def screen() -> Image:
    """A dark glossy screen: sheen and the faint mirror image of a window."""
    x, y = grid()
    sheen = 18 + np.clip(60 - np.abs(x + y - 200), 0, 60) // 4 + y // 24
    window = (x > 166) & (x < 226) & (y > 40) & (y < 120) & (x != 196)
    sheen = sheen + np.where(window, 20, 0)
    return np.stack([sheen, sheen + 3, sheen + 8], axis=2)


def mirror() -> Image:
    """The blurred image of a room: ceiling, wall, floor, a door and a window."""
    x, y = grid()
    wall = mix((214, 220, 220), (182, 190, 192), np.minimum(y * 255 // 190, 255))
    image = np.where((y < 46 - np.abs(x - 128) // 8)[..., None], np.array([226, 230, 231]), wall)
    floor = mix((150, 140, 130), (120, 112, 106), np.clip((y - 196) * 4, 0, 255))
    image = np.where((y > 196 + np.abs(x - 128) // 10)[..., None], floor, image)
    door = np.clip(np.minimum(np.minimum(x - 46, 98 - x), y - 78) * 40, 0, 200) * (y < 202)
    image = mix(image, (150, 140, 128), door)
    window = np.clip(np.minimum(np.minimum(x - 156, 216 - x), np.minimum(y - 76, 146 - y)) * 40, 0, 220)
    image = mix(image, (236, 244, 250), window)
    sheen = np.clip(26 - np.abs((x * 2 + y) % SIZE - 110), 0, 26)
    shown: Image = image + sheen[..., None]
    return shown
