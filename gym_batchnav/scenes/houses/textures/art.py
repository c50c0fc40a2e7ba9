"""Pictures, rugs and the backs of books."""

from __future__ import annotations

from typing import Any

import numpy as np

from .noise import SIZE, WAYS, Image, clouds, grid, leaf_shape, mix, noise, stamp, wave, white, words

_SETS = np.array(
    [
        [[222, 210, 188], [178, 92, 70], [62, 84, 98], [214, 166, 92], [116, 132, 110]],
        [[232, 228, 220], [44, 56, 74], [150, 168, 176], [196, 140, 104], [92, 110, 128]],
        [[238, 230, 214], [196, 88, 60], [232, 176, 80], [74, 118, 116], [52, 60, 72]],
        [[226, 222, 214], [96, 112, 92], [168, 174, 148], [204, 186, 156], [70, 78, 70]],
        [[236, 226, 222], [176, 110, 118], [226, 180, 166], [108, 84, 104], [160, 152, 170]],
    ]
)
"""Sets of five colours, a pale ground first."""


def picture(number: int) -> Image:
    """One of twelve pictures, in a mount."""
    colors = _SETS[number % len(_SETS)]
    image = (_blocks, _range, _circles, _sprig, _waves, _sunset)[number % 6](511 + 20 * number, colors)
    x, y = grid()
    rim = np.minimum(np.minimum(x, y), SIZE - 1 - np.maximum(x, y))
    mount = np.where((rim == 25)[..., None], np.array([198, 194, 186]), np.array([240, 237, 230]))
    return np.where((rim < 26)[..., None] & (number % 3 > 0), mount, image + white(601)[..., None] // 32 - 4)


def _flat(color: Any) -> Image:
    return np.broadcast_to(np.asarray(color), (SIZE, SIZE, 3)).astype(np.int32)


def _blocks(key: int, colors: Any) -> Image:
    """Overlapping translucent rectangles."""
    x, y = grid()
    image = _flat(colors[0])
    for left, top, wide, high, pick in words(key, 45).reshape(9, 5).tolist():
        inside = (x >= left - 20) & (x < left + 20 + wide // 2) & (y >= top - 20) & (y < top + 20 + high // 2)
        image = mix(image, colors[1 + pick % 4], np.where(inside, 190, 0))
    return image + clouds(key + 1, 16, 16)[..., None] // 12 - 10


def _range(key: int, colors: Any) -> Image:
    """Layers of mountains."""
    x, y = grid()
    image = mix(colors[0], colors[3], np.clip(y, 0, 160))
    sun = (x - 170) * (x - 170) + (y - 70) * (y - 70) < 26 * 26
    image = np.where(sun[..., None], mix(colors[0], (255, 250, 236), 150), image)
    for layer in range(4):
        ridge = 110 + 36 * layer - noise(key + layer, 3 + layer, 1)[0] // 3 - noise(key + 9, 24, 1)[0] // 24
        tone = mix(mix(colors[2], colors[4], layer * 85), colors[0], 150 - 50 * layer)
        image = np.where((y > ridge[x])[..., None], tone, image)
    return image


def _circles(key: int, colors: Any) -> Image:
    """Discs and arches."""
    x, y = grid()
    image = _flat(colors[0])
    for at_x, at_y, size, pick in words(key, 28).reshape(7, 4).tolist():
        away = (x - at_x) * (x - at_x) + (y - at_y) * (y - at_y)
        radius = 18 + size // 4
        shape = away < radius * radius
        if pick % 3 == 0:
            shape &= away > (radius * 2 // 3) * (radius * 2 // 3)
        image = np.where(shape[..., None], colors[1 + pick % 4], image)
    return image + noise(key + 1, 128, 128)[..., None] // 24 - 5


def _sprig(key: int, colors: Any) -> Image:
    """A twig with leaves."""
    x, y = grid()
    bend = noise(key, 3, 1)[0][y] // 6 - 20
    image = np.where(
        (np.abs(x - 128 - bend) < 2)[..., None] & (y > 40)[..., None], colors[4], _flat(colors[0])
    )
    for number in range(12):
        at_y = 50 + number * 15
        at_x = 128 + int(bend[at_y, 0])
        side = 1 if number % 2 else -1
        index, dx, dy = stamp(image, (at_x + side * 26, at_y - 10), 40)
        way = WAYS[1] if side < 0 else WAYS[7]
        shape = leaf_shape(dx, dy, way, 30 - number, 10)
        tone = mix(colors[1 + number % 2 * 2], colors[4], shape // 3)
        image[index] = np.where((shape > 0)[..., None], tone, image[index])
    return image


def _waves(key: int, colors: Any) -> Image:
    """Wavy bands of colour."""
    x, y = grid()
    phase = y * 2 + noise(key, 2, 1)[0][x] + noise(key + 1, 3, 3) // 2
    shown: Image = colors[(phase // 44) % 5] + clouds(key + 2, 8, 8)[..., None] // 12 - 10
    return shown


def _sunset(key: int, colors: Any) -> Image:
    """A glowing sky above water."""
    x, y = grid()
    image = mix(colors[4], colors[3], np.clip(y * 2, 0, 255))
    sun = (x - 110) * (x - 110) + (y - 120) * (y - 120) < 30 * 30
    image = np.where(sun[..., None], np.array([250, 226, 176]), image)
    water = mix(
        colors[2],
        colors[3],
        np.clip(noise(key, 16, 64) - 60 - np.maximum(np.abs(x - 110) - 20, 0) * 4, 0, 200),
    )
    return np.where((y > 136)[..., None], water, image + clouds(key + 1, 3, 10)[..., None] // 8 - 16)


def rug(number: int) -> Image:
    """One of seven rugs; 0 to 2 oriental, 3 Berber, 4 geometric, 5 washed, 6 jute rings."""
    design = (_oriental, _oriental, _oriental, _berber, _geometric, _washed, _jute)[number]
    key = 701 + 20 * number
    pile = white(key + 9) * 22 // 255 + noise(key + 10, 128, 128) * 14 // 255 - 18
    return design(key, number) + pile[..., None]


def _rim() -> Image:
    x, y = grid()
    shown: Image = np.minimum(np.minimum(x, y), SIZE - 1 - np.maximum(x, y))
    return shown


_ORIENTAL = np.array(
    [
        [[122, 40, 38], [36, 46, 70], [206, 184, 140], [168, 98, 60], [70, 84, 78]],
        [[44, 58, 84], [128, 52, 46], [214, 200, 168], [150, 122, 82], [86, 104, 110]],
        [[164, 104, 66], [78, 52, 44], [222, 204, 164], [112, 116, 88], [146, 64, 50]],
    ]
)


def _oriental(key: int, number: int) -> Image:
    """Borders around a field with a medallion and scattered flowers."""
    x, y = grid()
    field, dark, pale, warm, cool = _ORIENTAL[number]
    rim, u, v = _rim(), np.abs(x - 128), np.abs(y - 128)
    image = np.where((((u % 32 - 16) ** 2 + (v % 32 - 16) ** 2) // 22 % 3 == 0)[..., None], warm, field)
    image = np.where(((u % 16 - 8) ** 2 + (v % 16 - 8) ** 2 < 7)[..., None], pale, image)
    star = u * 3 // 2 + v + np.minimum(u, v) // 2
    for reach, color in (
        (116, dark),
        (108, pale),
        (102, cool),
        (74, warm),
        (66, dark),
        (40, pale),
        (30, field),
    ):
        image = np.where((star < reach)[..., None], color, image)
    corner = np.maximum(0, 250 - (u * 3 // 2 + v)) < 72
    image = np.where(corner[..., None], np.where((((u + v) // 6) % 3 == 0)[..., None], pale, cool), image)
    diamond = np.abs(x % 16 - 8) + np.abs(y % 16 - 8)
    band = np.where((diamond < 5)[..., None], pale, np.where((diamond < 7)[..., None], warm, dark))
    for reach, color in ((38, pale), (35, band), (17, pale), (14, field), (7, dark)):
        image = np.where((rim < reach)[..., None], color, image)
    shown: Image = image
    return shown


def _berber(key: int, _: int) -> Image:
    """Dark lozenge lines on wool white."""
    x, y = grid()
    wobble = noise(key, 32, 32) // 64 + noise(key + 1, 8, 8) // 32
    line = np.abs(np.abs((x + wobble) % 128 - 64) * 3 // 2 + np.abs((y + wobble) % 128 - 64) - 64)
    image = np.where((line < 4)[..., None], np.array([70, 62, 58]), np.array([226, 218, 202]))
    fringe = (y < 5) | (y > 250)
    return np.where(fringe[..., None] & (x % 6 < 3)[..., None], np.array([190, 180, 160]), image)


def _geometric(key: int, _: int) -> Image:
    """Triangles in five colours."""
    x, y = grid()
    colors = np.array([[222, 214, 200], [126, 148, 152], [204, 160, 104], [84, 98, 108], [182, 186, 178]])
    upper = (x % 64) + (y % 64) < 64
    number = (y // 64) * 8 + (x // 64) * 2 + upper
    shown: Image = colors[words(key, 64)[number] % 5]
    return shown


def _washed(key: int, _: int) -> Image:
    """Faded blues and greys."""
    base = mix((172, 178, 182), (86, 106, 130), np.clip(clouds(key, 4, 4, 6) * 3 - 250, 0, 255))
    worn = np.clip(clouds(key + 7, 8, 8, 5) * 4 - 420, 0, 200)
    image = mix(base, (212, 204, 190), worn)
    return np.where((_rim() < 6)[..., None], np.array([116, 122, 132]), image)


def _jute(key: int, _: int) -> Image:
    """Coils of jute with a dark border."""
    x, y = grid()
    u, v = np.abs(x - 128), np.abs(y - 128)
    coil = wave(np.maximum(u, v) * 32)
    image = mix((150, 118, 80), (206, 176, 130), coil)
    border = (np.maximum(u, v) > 108) & (np.maximum(u, v) < 118)
    return np.where(border[..., None], mix((70, 66, 62), (110, 104, 98), coil), image)


def books(number: int) -> Image:
    """Backs of books that stand side by side, some leaning on no one: gaps are dark."""
    x, y = grid()
    key = 851 + 20 * number
    edges = np.cumsum(7 + words(key, 40) * 12 // 255)
    book = np.searchsorted(edges, np.arange(SIZE), side="right")[x]
    hue = _SETS[words(key + 1, 64)[book] % len(_SETS), words(key + 2, 64)[book] % 5]
    tone = (words(key + 3, 64)[book] - 128) // 6
    start = np.concatenate([[0], edges])[book]
    wide = np.maximum(np.append(edges, SIZE)[book] - start, 1)
    round_ = wave((x - start) * 256 // wide) * 46 // 255 - 34
    image = hue * 8 // 10 + (tone + round_)[..., None]
    title = words(key + 4, 64)[book]
    band = (y > 90) & (y < 90 + title // 4) & (x - start > 1) & (start + wide - x > 2)
    lines = band & (words(key + 5, 4096)[book * 64 + y // 4] > 110)
    image = np.where(lines[..., None], mix(image, (236, 220, 180), 190), image)
    rule = ((np.abs(y - 66) < 2) | (np.abs(y - 222) < 2)) & (book % 3 == 0)
    image = np.where(rule[..., None], mix(image, (226, 196, 120), 200), image)
    top = words(key + 6, 64)[book] * 50 // 255
    gap = (y < top) | (words(key + 7, 64)[book] > 244)
    return np.where((gap | (x == start))[..., None], np.array([34, 30, 28]), image)
