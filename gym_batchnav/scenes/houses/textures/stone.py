"""Tiles, stone, concrete, plaster and brick."""

from __future__ import annotations

import numpy as np

from .noise import SIZE, Image, cells, clouds, grid, mix, noise, toned, wave, white, words


def _joined(image: Image, rim: Image, joint: int, width: int) -> Image:
    """Tiles with joints where ``rim`` (pixels to the border) is small, and a rounded edge beside them."""
    edge = np.clip((rim - width) * 64, 0, 128)
    return np.where(rim < width, joint, image - 16 + edge // 8)


def _rim(x: Image, y: Image, wide: int, high: int) -> Image:
    across, down = x % wide, y % high
    return np.minimum(np.minimum(across, wide - 1 - across), np.minimum(down, high - 1 - down))


def _square(key: int, count: int, joint: int, tones: int) -> Image:
    x, y = grid()
    size = SIZE // count
    tone = words(key, count * count)[(y // size) * count + x // size] * tones // 255
    slope = (x % size + y % size) * 10 // (2 * size)
    image = 196 + tone - slope + clouds(key + 1, 8, 8, 3) * 18 // 255
    return _joined(image, _rim(x, y, size, size), joint, 1)


def tiles() -> Image:
    """4 x 4 glazed tiles."""
    return _square(41, 4, 158, 14)


def slabs() -> Image:
    """2 x 2 stone slabs."""
    x, y = grid()
    tone = words(45, 4)[(y // 128) * 2 + x // 128] * 16 // 255
    image = 180 + tone + clouds(46, 6, 6, 5) * 50 // 255 - np.where(white(47) > 250, 12, 0)
    return _joined(image, _rim(x, y, 128, 128), 130, 1)


def mosaic() -> Image:
    """16 x 16 small tiles of many tones."""
    return _square(48, 16, 176, 40)


def metro() -> Image:
    """Bevelled wall tiles in half-bond, 4 x 8."""
    x, y = grid()
    shifted = (x + (y // 32 % 2) * 32) % SIZE
    tone = words(51, 32)[(y // 32) * 4 + shifted // 64] * 12 // 255
    across, down = shifted % 64, y % 32
    rim = _rim(shifted, y, 64, 32)
    bevel = np.where(rim < 5, np.where((down < 5) | (across < 5), 12, -16), 0)
    return np.where(rim < 1, 170, 214 + tone + bevel + noise(52, 16, 16) * 6 // 255)


def hexagon() -> Image:
    """Hexagonal tiles: 7 across, 8 rows."""
    x, y = grid()
    u, v = x * 7, y * 4
    nearest = second = np.full((SIZE, SIZE), 1 << 20, np.int32)
    number = np.zeros((SIZE, SIZE), np.int32)
    for row in range(3):
        for shift in (0, 1, 2):
            # Rows of points lie half a unit apart and are shifted by half a unit in turn.
            j = (v + 64) // 128 + row - 1
            i = (u - (j % 2) * 128) // 256 + shift
            at_x, at_y = i * 256 + (j % 2) * 128, j * 128
            dx, dy = u - at_x, (v - at_y) * 7 // 4
            away = dx * dx + dy * dy
            second = np.minimum(second, np.maximum(nearest, away))
            number = np.where(away < nearest, (i % 7) + 7 * (j % 8), number)
            nearest = np.minimum(nearest, away)
    edge = (second - nearest) // 256
    image = 196 + words(55, 64)[number] * 30 // 255 + clouds(56, 8, 8, 3) * 16 // 255
    return np.where(edge < 14, 150, image - np.where(edge < 24, 12, 0))


def checker() -> Image:
    """Dark and light tiles in turn."""
    x, y = grid()
    dark = (x // 64 + y // 64) % 2 == 0
    veins = _veins(57, 3)
    image = np.where(dark, 74 + veins * 60 // 255, 232 - veins * 40 // 255)
    return np.where(_rim(x, y, 64, 64) < 1, 120, image)


def terracotta() -> Image:
    """Handmade tiles, 4 x 4."""
    x, y = grid()
    number = (y // 64) * 4 + x // 64
    tone, hue = words(58, 16)[number], words(59, 16)[number]
    image = 150 + tone * 40 // 255 + clouds(60, 8, 8, 4) * 44 // 255
    colored = toned(image, 98, 100, 102)
    colored[..., 0] += hue * 6 // 255
    colored[..., 1:] += np.where(_rim(x, y, 64, 64) < 2, 8, 0)[..., None]
    return mix(colored, 186, np.where(_rim(x, y, 64, 64) < 2, 150, 0))


def _veins(key: int, size: int) -> Image:
    """Thin lines that run through stone, 255 on them."""
    base, fine = clouds(key, size, size, 5), clouds(key + 1, 2 * size, 2 * size, 4)
    ridge = np.maximum(255 - np.abs(base - 128) * 14, 0)
    shown: Image = np.minimum(ridge * fine // 160 + np.maximum(255 - np.abs(fine - 120) * 24, 0) // 4, 255)
    return shown


def marble() -> Image:
    """Pale with grey veins."""
    veins = _veins(61, 2)
    image = 226 - veins * 84 // 255 - clouds(63, 4, 4, 3) * 18 // 255
    return toned(image, 100, 100, 96)


def marble_tiles() -> Image:
    """2 x 2 tiles of marble, cut from different places."""
    x, y = grid()
    number = (y // 128) * 2 + x // 128
    shift = words(65, 8)
    image = marble()[(y + shift[number]) % SIZE, (x + shift[number + 4]) % SIZE]
    return np.where(_rim(x, y, 128, 128)[..., None] < 1, 176, image)


def stone() -> Image:
    """Fine speckled composite."""
    speckle = white(111)
    image = 178 + clouds(112, 16, 16, 3) * 34 // 255 + noise(113, 128, 128) * 22 // 255
    return np.where(speckle > 244, image - 40, np.where(speckle < 8, image + 26, image))


def granite() -> Image:
    """Grains of several tones."""
    large, small = cells(114, 32), noise(115, 256, 256)
    tone = words(116, 1024)[large.number]
    image = 130 + tone * 60 // 255 + small * 50 // 255
    return np.where(tone > 226, image + 40, np.where(tone < 24, image - 50, image))


def terrazzo() -> Image:
    """Coloured chips in cement."""
    chips, small = cells(117, 16), cells(118, 32)
    kind, other = words(119, 256)[chips.number], words(120, 1024)[small.number]
    colours = np.array([[224, 220, 212], [150, 120, 104], [112, 126, 122], [206, 168, 128], [96, 96, 100]])
    base = np.stack([206 + noise(121, 64, 64) * 10 // 255] * 3, axis=2)
    image = np.where((small.edge > 40)[..., None] & (other > 120)[..., None], colours[other % 5], base)
    shown = (chips.edge > 44) & (kind > 90)
    return np.where(shown[..., None], colours[kind % 5], image)


def concrete() -> Image:
    """Cloudy, with pores and joints of the form."""
    image = 170 + clouds(122, 3, 3, 6) * 60 // 255 + white(123) * 8 // 255
    pores = cells(124, 32)
    pore = (pores.near < 17) & (words(125, 1024)[pores.number] > 225)
    return np.where(pore, image - 24, image)


def plaster() -> Image:
    """A painted wall: the faint structure of a roller."""
    return (
        230 + clouds(71, 4, 4, 3) * 6 // 255 + noise(72, 64, 64) * 5 // 255 + noise(73, 128, 128) * 7 // 255
    )


def rough_plaster() -> Image:
    """Plaster with strokes of the trowel."""
    strokes = np.maximum(clouds(74, 12, 4, 4), clouds(75, 4, 12, 4))
    slope = strokes - np.roll(strokes, (2, 2), (0, 1))
    shown: Image = 216 + np.clip(slope, -8, 8) + clouds(76, 4, 4, 3) * 10 // 255
    return shown


def painted() -> Image:
    """Painted wood: brush strokes along v, hardly to be seen."""
    return 232 + noise(77, 128, 2) * 5 // 255 + noise(78, 32, 2) * 4 // 255


def panelling() -> Image:
    """Narrow painted boards with grooves along v."""
    x, _ = grid()
    across = x % 32
    groove = np.where(across < 2, -52, np.where(across == 2, 14, np.where(across == 31, -18, 0)))
    return painted() + groove


def _bricks(key: int) -> tuple[Image, Image, Image]:
    """Tone of each brick, whether a pixel is mortar, and the roughness; 4 x 12 in half-bond."""
    x, y = grid()
    wobble = (noise(key, 32, 32) - 128) // 64
    row = np.minimum(y * 12 // SIZE, 11)
    shifted = (x + row % 2 * 32 + wobble) % SIZE
    down = y - (row * SIZE + 11) // 12
    tone = words(key + 1, 64)[row * 4 + shifted // 64]
    mortar = (shifted % 64 < 2) | (down < 2)
    return tone, mortar, clouds(key + 2, 32, 32, 3)


def brick() -> Image:
    """Painted bricks."""
    tone, mortar, rough = _bricks(81)
    image = 206 + tone * 14 // 255 + rough * 26 // 255
    return np.where(mortar, 186 + rough * 14 // 255, image)


def red_brick() -> Image:
    """Bare bricks with pale mortar."""
    tone, mortar, rough = _bricks(85)
    base = mix((128, 62, 44), (186, 108, 78), tone)
    image = mix(base, (92, 58, 50), np.where(words(89, 64)[tone % 64] > 214, 120, 0))
    grey = (168, 160, 150) + (rough[..., None] - 128) * 30 // 128
    return np.where(mortar[..., None], grey, image + (rough[..., None] - 128) * 44 // 128)


def stripes() -> Image:
    """Wallpaper with soft stripes."""
    x, _ = grid()
    band = np.clip(wave(x * 8) * 3 - 255, 0, 255)
    return plaster() - band * 20 // 255 - np.where(x % 32 == 8, 10, 0)


def brushed() -> Image:
    """Metal, brushed along v."""
    return 176 + noise(79, 256, 2) * 34 // 255 + noise(80, 64, 1) * 14 // 255
