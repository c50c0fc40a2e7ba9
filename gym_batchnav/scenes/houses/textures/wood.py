"""Wood: grain and floors of it."""

from __future__ import annotations

import numpy as np

from .noise import SIZE, Image, cells, clouds, grid, mix, noise, stamp, toned, wave, white, words

_RED, _GREEN, _BLUE = 92, 100, 108
"""Dark grain is redder than light grain."""


def grain(key: int, *, knots: int = 0) -> Image:
    """Grey grain along v, about 128."""
    x, _ = grid()
    phase = 8 * x + noise(key, 3, 1) * 3 + noise(key + 1, 6, 1) * 2 + noise(key + 2, 16, 2) // 2
    for number in range(knots):
        at_x, at_y = (int(word) for word in words(key + 9 + number, 2))
        index, dx, dy = stamp(phase, (at_x, at_y), 60)
        away = np.sqrt((9.0 * dx * dx + dy * dy) * 16.0).astype(np.int32)
        phase[index] += np.maximum(240 - away, 0) * 5
    rings = wave(phase)
    streaks = noise(key + 3, 128, 3) + noise(key + 4, 256, 12)
    image = (
        128 + (rings - 128) * 13 // 100 + (streaks - 255) * 9 // 100 + (clouds(key + 5, 4, 1, 2) - 128) // 6
    )
    pores = (noise(key + 6, 256, 24) > 214) & (noise(key + 7, 8, 2) > 90)
    return np.where(pores, image - 20, image)


def wood() -> Image:
    """Furniture and doors, grain along v."""
    return toned(grain(101, knots=2), _RED, _GREEN, _BLUE)


def bark() -> Image:
    """Rough, along v."""
    ridges = np.abs(clouds(105, 16, 4) - 128) * 2
    return toned(96 + ridges * 2 // 3 + noise(106, 128, 16) * 24 // 255, 95, 100, 103)


def _boards(key: int, count: int, tones: int, gap: int) -> Image:
    """``count`` boards along v, each cut twice, every piece with its own grain and tone."""
    x, y = grid()
    width = SIZE // count
    board = x // width
    first = words(key, count)
    second = (first + 90 + words(key + 1, count) * 76 // 255) % SIZE
    low, high = np.minimum(first, second)[board], np.maximum(first, second)[board]
    piece = board * 2 + ((y >= low) & (y < high))
    source = grain(key + 2, knots=1)
    shift = words(key + 3, 2 * count), words(key + 4, 2 * count)
    image = source[(y + shift[0][piece]) % SIZE, (x + shift[1][piece]) % SIZE]
    image = image + (words(key + 5, 2 * count)[piece] - 128) * tones // 128
    warm = (words(key + 6, 2 * count)[piece] - 128) * 4 // 128
    colored = toned(image, _RED, _GREEN, _BLUE)
    colored[..., 0] += warm
    colored[..., 2] -= warm
    side = np.minimum(x % width, width - 1 - x % width)
    end = np.minimum(np.abs(y - low), np.abs(y - high))
    colored = mix(colored, 58, np.where((x % width == 0) | (end == 0), gap, 0))
    return mix(colored, 180, np.where((side == 1) & (end > 0), 30, 0))


def planks() -> Image:
    """A floor of boards."""
    return _boards(11, 8, 16, 150)


def boards() -> Image:
    """A floor of wide boards."""
    return _boards(21, 4, 14, 190)


def _strips(key: int, strip: Image, along: Image, across: Image, gap: Image, tones: int) -> Image:
    """Numbered strips with their own grain: ``along`` and ``across`` are the place in a strip."""
    source = grain(key)
    count = 4096
    shift = words(key + 3, count)[strip % count], words(key + 4, count)[strip % count]
    image = source[(along + shift[0]) % SIZE, (across * 2 + shift[1]) % SIZE]
    image = image + (words(key + 5, count)[strip % count] - 128) * tones // 128
    return mix(toned(image, _RED, _GREEN, _BLUE), 60, gap)


def parquet() -> Image:
    """Square blocks of four strips, every other block turned."""
    x, y = grid()
    turned = (x // 64 + y // 64) % 2 == 0
    along, across = np.where(turned, y, x) % 64, np.where(turned, x, y) % 64
    strip = (x // 64 * 4 + y // 64) * 4 + across // 16
    gap = np.where((across % 16 == 0) | (along == 0), 150, 0)
    return _strips(31, strip, along, across % 16, gap, 26)


def herringbone() -> Image:
    """Strips of 16 x 64 pixels that meet at right angles."""
    x, y = grid()
    column, row = x // 16, y // 16
    turn = (column - row) % 8
    flat = turn < 4
    left, top = np.where(flat, column - turn, column) % 16, np.where(flat, row, row - (7 - turn)) % 16
    along = np.where(flat, turn * 16 + x % 16, (7 - turn) * 16 + y % 16)
    across = np.where(flat, y % 16, x % 16)
    gap = np.where((across == 0) | (along == 0), 140, 0)
    return _strips(35, left * 16 + top + np.where(flat, 0, 256), along, across, gap, 30)


def rattan() -> Image:
    """Wickerwork: strands over and under."""
    x, y = grid()
    over = (x // 16 + y // 8) % 2 == 0
    bow = np.where(over, wave((x % 16) * 16), wave((y % 8) * 32))
    strand = np.where(over, wave((y % 8) * 32), 90)
    image = 60 + bow * 60 // 255 + strand * 90 // 255 + noise(109, 64, 64) * 40 // 255
    return toned(image, 90, 100, 112)


def cardboard() -> Image:
    """Fibres on faint corrugation along v."""
    x, _ = grid()
    return 128 + wave(x * 16) * 8 // 255 + white(107) * 14 // 255 + noise(108, 24, 24) * 14 // 255


def soil() -> Image:
    """Crumbs."""
    crumbs = cells(127, 32)
    return 60 + crumbs.edge * 2 // 3 + words(128, 1024)[crumbs.number] * 70 // 255 + white(129) * 30 // 255
