"""Made-up textures, 256 x 256, in whole numbers; grey ones are tinted by the material."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from .noise import SIZE, Grey, grid, noise, words

PICTURES, VIEWS, BOOKS = 4, 2, 1
GRAINED = frozenset({"wood", "bark", "brushed", "rattan"})
_COLOURED = ("view", "picture", "rug", "books", "screen", "mirror")


def linear_mean(name: str) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Mean linear colour of a texture, and what a tint is divided by: 1 where it has its own colours."""
    mean = (0.6, 0.6, 0.6)
    return mean, (1.0, 1.0, 1.0) if name.startswith(_COLOURED) else mean


@lru_cache(maxsize=64)
def texture_pixels(name: str) -> NDArray[np.uint8]:
    """(SIZE, SIZE, 4) uint8 sRGB pixels of the texture of that name; read-only, shared by all houses."""
    image = _PAINTERS[name]()
    rgb = np.repeat(image[..., None], 3, axis=2) if image.ndim == 2 else image
    pixels = np.full((SIZE, SIZE, 4), 255, np.uint8)
    pixels[..., :3] = np.clip(rgb, 0, 255)
    pixels.setflags(write=False)
    return pixels


def _planks(key: int, count: int) -> Grey:
    """Floor boards along v: ``count`` across, each cut at its own height."""
    x, y = grid()
    width = SIZE // count
    board = x // width
    cut = words(key, count)[board]
    piece = board * 2 + (y >= cut)
    tone = words(key + 1, 2 * count)[piece] * 44 // 255
    grain = noise(key + 2, 128, 4) * 26 // 255 + noise(key + 3, 32, 2) * 16 // 255
    image = 158 + tone + grain
    gap = (x % width == 0) | (np.abs(y - cut) <= 0)
    return np.asarray(np.where(gap, image * 55 // 100, image), np.int64)


def _parquet() -> Grey:
    """Square blocks of five strips, every other block turned."""
    x, y = grid()
    turned = ((x // 64) + (y // 64)) % 2 == 0
    along, across = np.where(turned, y, x), np.where(turned, x, y)
    strip = (across % 64) * 5 // 64
    tone = words(31, 4096)[(x // 64) * 64 + (y // 64) * 8 + strip] * 40 // 255
    grain = np.where(turned, noise(32, 128, 8), noise(33, 8, 128)) * 24 // 255
    image = 168 + tone + grain
    gap = ((across % 64) * 5 % 64 < 4) | (along % 64 == 0)
    return np.asarray(np.where(gap, image * 62 // 100, image), np.int64)


def _tiles(key: int, count: int) -> Grey:
    """``count`` x ``count`` tiles with light joints."""
    x, y = grid()
    size = SIZE // count
    tone = words(key, count * count)[(y // size) * count + x // size] * 22 // 255
    image = 196 + tone + noise(key + 1, 16, 16) * 16 // 255 + noise(key + 2, 128, 128) * 8 // 255
    joint = (x % size < 3) | (y % size < 3)
    return np.where(joint, 150, image)


def _checker() -> Grey:
    """Dark and light tiles in turn."""
    x, y = grid()
    dark = ((x // 64) + (y // 64)) % 2 == 0
    image = np.where(dark, 112, 232) + noise(51, 32, 32) * 14 // 255
    return np.where((x % 64 < 2) | (y % 64 < 2), 90, image)


def _carpet() -> Grey:
    return 176 + noise(61, 128, 128) * 52 // 255 + noise(62, 8, 8) * 22 // 255


def _plaster() -> Grey:
    return 226 + noise(71, 8, 8) * 8 // 255 + noise(72, 64, 64) * 8 // 255 + noise(73, 128, 128) * 10 // 255


def _stripes() -> Grey:
    """Wallpaper with soft stripes."""
    x, _ = grid()
    return _plaster() - np.where((x // 32) % 2 == 0, 20, 0)


def _brick() -> Grey:
    """Painted bricks, 4 x 8 in half-bond."""
    x, y = grid()
    row = y // 32
    shifted = (x + (row % 2) * 32) % SIZE
    tone = words(81, 64)[row * 4 + shifted // 64] * 30 // 255
    image = 190 + tone + noise(82, 64, 64) * 30 // 255
    return np.where((y % 32 < 3) | (shifted % 64 < 3), 168, image)


def _fabric() -> Grey:
    x, y = grid()
    weave = np.where(((x // 2) + (y // 2)) % 2 == 0, 20, 0)
    return 192 + weave + noise(91, 128, 128) * 24 // 255 + noise(92, 16, 16) * 16 // 255


def _wood() -> Grey:
    """Grain along v."""
    return 172 + noise(101, 64, 2) * 44 // 255 + noise(102, 128, 8) * 30 // 255


def _stone() -> Grey:
    speckle = noise(111, 128, 128)
    image = 176 + noise(112, 16, 16) * 40 // 255 + speckle * 30 // 255
    return np.where(speckle > 200, image - 46, image)


def _leaves() -> Grey:
    return 96 + noise(121, 32, 32) * 110 // 255 + noise(122, 64, 64) * 48 // 255


def _books() -> NDArray[np.int64]:
    """Backs of books standing side by side."""
    x, y = grid()
    edges = np.cumsum(8 + words(131, 40) * 10 // 255)
    book = np.searchsorted(edges, np.arange(SIZE), side="right")[x]
    colour = np.stack(
        [
            (90, 64, 50)[channel] + (words(137, 64)[book] + words(132 + channel, 64)[book] * 2) * 34 // 255
            for channel in range(3)
        ],
        axis=2,
    )
    top = words(136, 64)[book] * 60 // 255
    edge = np.isin(x, edges)
    band = (y > 150) & (y < 168) & (book % 3 == 0)
    image = np.where(band[..., None], 225, colour)
    return np.where((edge | (y < top))[..., None], 24, image)


def _view(key: int) -> NDArray[np.int64]:
    """What a window shows: sky above a line of trees above a lawn."""
    x, y = grid()
    horizon = 150 + noise(key, 8, 1)[0][x] * 30 // 255
    trees = horizon - 24 - noise(key + 1, 16, 1)[0][x] * 50 // 255
    cloud = noise(key + 2, 4, 8) * 40 // 255
    sky = np.stack([150 + y // 3 + cloud, 195 + y // 6 + cloud // 2, np.full_like(x, 250)], axis=2)
    leaf = noise(key + 3, 64, 64) * 50 // 255
    wood = np.stack([40 + leaf, 80 + leaf, 42 + leaf // 2], axis=2)
    grass = np.stack([86 + leaf, 140 + leaf, 66 + leaf // 2], axis=2)
    image = np.where((y < trees)[..., None], sky, wood)
    return np.where((y > horizon)[..., None], grass, image)


def _picture(key: int) -> NDArray[np.int64]:
    """Overlapping coloured rectangles on a pale ground, with a border."""
    x, y = grid()
    draws = words(key, 80).reshape(8, 10)
    image = np.broadcast_to(np.array([226, 220, 206]), (SIZE, SIZE, 3)).astype(np.int64)
    for left, top, width, height, r, g, b, *_ in draws:
        inside = (x >= left) & (x < left + 40 + width // 2) & (y >= top) & (y < top + 40 + height // 2)
        image = np.where(
            inside[..., None], np.array([30 + r * 7 // 8, 30 + g * 3 // 4, 30 + b * 7 // 8]), image
        )
    border = (np.minimum(np.minimum(x, y), SIZE - 1 - np.maximum(x, y)) < 14)[..., None]
    return np.where(border, np.array([244, 242, 236]), image)


def _rug(key: int) -> NDArray[np.int64]:
    """Nested borders around a lozenge pattern."""
    x, y = grid()
    tone = words(key + 7, 4)[:, None] * 120 // 255
    colours = np.array([74, 62, 58]) + tone + words(key, 12).reshape(4, 3) * 50 // 255
    rim = np.minimum(np.minimum(x, y), SIZE - 1 - np.maximum(x, y))
    lozenge = ((np.abs(x % 64 - 32) + np.abs(y % 64 - 32)) // 11) % 2
    band = np.where(rim < 10, 0, np.where(rim < 26, 1, np.where(rim < 34, 2, 2 + lozenge)))
    return colours[band] + (noise(key + 1, 128, 128) * 26 // 255)[..., None]


def _screen() -> NDArray[np.int64]:
    """A dark glossy screen with a slanted sheen."""
    x, y = grid()
    sheen = np.where((x + y) % SIZE < 60, 14, 0) + 16
    return np.stack([sheen, sheen + 3, sheen + 8], axis=2)


def _mirror() -> NDArray[np.int64]:
    x, y = grid()
    sheen = np.where((x * 2 + y) % SIZE < 70, 26, 0)
    return np.stack([176 + sheen, 196 + sheen, 206 + sheen], axis=2)


_PAINTERS: MappingProxyType[str, Callable[[], NDArray[np.int64]]] = MappingProxyType(
    {
        "planks": lambda: _planks(11, 8),
        "boards": lambda: _planks(21, 4),
        "parquet": _parquet,
        "tiles": lambda: _tiles(41, 4),
        "slabs": lambda: _tiles(45, 2),
        "checker": _checker,
        "carpet": _carpet,
        "plaster": _plaster,
        "stripes": _stripes,
        "brick": _brick,
        "fabric": _fabric,
        "wood": _wood,
        "stone": _stone,
        "leaves": _leaves,
        "books": _books,
        "view0": lambda: _view(141),
        "view1": lambda: _view(151),
        "picture0": lambda: _picture(161),
        "picture1": lambda: _picture(171),
        "picture2": lambda: _picture(181),
        "picture3": lambda: _picture(191),
        "rug0": lambda: _rug(201),
        "rug1": lambda: _rug(211),
        "rug2": lambda: _rug(221),
        "screen": _screen,
        "mirror": _mirror,
        "books0": _books,
        "linen": _fabric,
        "knit": _fabric,
        "checked": _fabric,
        "leather": _fabric,
        "velvet": _fabric,
        "towel": _fabric,
        "bark": _wood,
        "brushed": _wood,
        "rattan": _fabric,
        "cardboard": _wood,
        "painted": _plaster,
        "soil": _stone,
        "etched": _plaster,
        "marble": _stone,
        "granite": _stone,
        "terrazzo": _stone,
        "concrete": _stone,
        "terracotta": lambda: _tiles(45, 2),
        "marble_tiles": lambda: _tiles(45, 2),
        "hexagon": lambda: _tiles(45, 2),
        "metro": _brick,
        "mosaic": lambda: _tiles(41, 4),
        "herringbone": _parquet,
        "carpet_loop": _carpet,
        "carpet_fleck": _carpet,
        "damask": _stripes,
        "foliage": _stripes,
        "retro": _stripes,
        "rough_plaster": _plaster,
        "panelling": _stripes,
        "rug3": lambda: _rug(231),
        "rug4": lambda: _rug(241),
        "rug5": lambda: _rug(251),
        "rug6": lambda: _rug(261),
    }
)
