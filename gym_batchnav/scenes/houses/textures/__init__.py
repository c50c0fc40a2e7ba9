"""Made-up textures, 256 x 256, in whole numbers; those without own colours are tinted by the material."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from . import art, cloth, scenes, stone, wood
from .noise import SIZE, Image

__all__ = [
    "BOOKS",
    "GRAINED",
    "PICTURES",
    "RUGS",
    "SIZE",
    "TEXTURES",
    "VIEWS",
    "linear_mean",
    "texture_pixels",
]

GRAINED = frozenset({"wood", "bark", "brushed", "painted", "cardboard"})
"""Textures whose grain, along v, follows the longer side of a face."""

_TINTED: MappingProxyType[str, tuple[Callable[[], Image], int]] = MappingProxyType(
    {
        "planks": (wood.planks, 218),
        "boards": (wood.boards, 218),
        "parquet": (wood.parquet, 218),
        "herringbone": (wood.herringbone, 218),
        "wood": (wood.wood, 220),
        "bark": (wood.bark, 180),
        "rattan": (wood.rattan, 200),
        "cardboard": (wood.cardboard, 222),
        "soil": (wood.soil, 170),
        "tiles": (stone.tiles, 228),
        "slabs": (stone.slabs, 222),
        "mosaic": (stone.mosaic, 228),
        "metro": (stone.metro, 230),
        "hexagon": (stone.hexagon, 226),
        "checker": (stone.checker, 150),
        "marble": (stone.marble, 232),
        "marble_tiles": (stone.marble_tiles, 230),
        "terracotta": (stone.terracotta, 200),
        "stone": (stone.stone, 222),
        "granite": (stone.granite, 196),
        "terrazzo": (stone.terrazzo, 211),
        "concrete": (stone.concrete, 216),
        "plaster": (stone.plaster, 244),
        "rough_plaster": (stone.rough_plaster, 238),
        "painted": (stone.painted, 246),
        "panelling": (stone.panelling, 240),
        "brick": (stone.brick, 232),
        "stripes": (stone.stripes, 238),
        "damask": (cloth.damask, 238),
        "foliage": (cloth.foliage, 236),
        "retro": (cloth.retro, 236),
        "brushed": (stone.brushed, 222),
        "fabric": (cloth.fabric, 220),
        "linen": (cloth.linen, 236),
        "velvet": (cloth.velvet, 216),
        "knit": (cloth.knit, 216),
        "checked": (cloth.checked, 222),
        "towel": (cloth.towel, 234),
        "leather": (cloth.leather, 216),
        "carpet": (cloth.carpet, 212),
        "carpet_loop": (cloth.carpet_loop, 212),
        "carpet_fleck": (cloth.carpet_fleck, 212),
        "leaves": (cloth.leaves, 170),
        "etched": (cloth.etched, 236),
    }
)
"""Painter of each texture that takes a tint, and the mean that its channels are brought to."""

_VIEWS = (scenes.garden, scenes.hills, scenes.sea, scenes.street, scenes.city, scenes.forest)
VIEWS = len(_VIEWS)
"""Views out of windows: ``view0`` and so on."""
PICTURES, RUGS, BOOKS = 12, 7, 4
_COLORED: MappingProxyType[str, Callable[[], Image]] = MappingProxyType(
    {
        "red_brick": stone.red_brick,
        "screen": scenes.screen,
        "mirror": scenes.mirror,
        **{f"view{number}": painter for number, painter in enumerate(_VIEWS)},
        **{f"picture{number}": partial(art.picture, number) for number in range(PICTURES)},
        **{f"rug{number}": partial(art.rug, number) for number in range(RUGS)},
        **{f"books{number}": partial(art.books, number) for number in range(BOOKS)},
    }
)
TEXTURES = (*_TINTED, *_COLORED)
"""Names of all textures."""


@cache
def texture_pixels(name: str) -> NDArray[np.uint8]:
    """(SIZE, SIZE, 4) uint8 sRGB pixels of the texture of that name; read-only, shared by all houses."""
    tinted = name in _TINTED
    image = _TINTED[name][0]() if tinted else _COLORED[name]()
    pixels = np.full((SIZE, SIZE, 4), 255, np.uint8)
    rgb = np.repeat(image[..., None], 3, axis=2) if image.ndim == 2 else image[..., :3]
    if tinted:
        rgb = rgb + (_TINTED[name][1] - rgb.sum(axis=(0, 1), dtype=np.int64) // (SIZE * SIZE))
    pixels[..., :3] = np.clip(rgb, 0, 255)
    if image.ndim == 3 and image.shape[2] == 4:
        pixels[..., 3] = image[..., 3]
    pixels.setflags(write=False)
    return pixels


@cache
def linear_mean(name: str) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Mean linear colour of a texture, and what a tint is divided by: 1 where it has its own colours."""
    counts = [np.bincount(texture_pixels(name)[..., channel].ravel(), minlength=256) for channel in range(3)]
    mean = tuple(int(count @ _LINEAR) / (SIZE * SIZE * 65535.0) for count in counts)
    return mean, mean if name in _TINTED else (1.0, 1.0, 1.0)


def linear(channel: int) -> float:
    """Linear light of an sRGB byte: a cubic fit of the sRGB curve, free of library powers."""
    c = channel / 255.0
    return c * (c * (c * 0.305306011 + 0.682171111) + 0.012522878)


_LINEAR = np.array([round(65535 * linear(channel)) for channel in range(256)], np.int64)
