"""Which small things stand where, and how many."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from ..brush import Brush
from . import books, loose, trinkets
from .decor import Decor


class Kind(NamedTuple):
    """A kind of small thing."""

    draw: Callable[[Brush, Decor], None]
    half: int
    """Half of its extent from above."""
    height: int


_MUG, _VASE, _BOWL_KIND = (
    Kind(trinkets.mug, 70, 95),
    Kind(trinkets.vase, 150, 330),
    Kind(trinkets.bowl, 135, 142),
)
_PILE, _PHOTO, _CANDLES = (
    Kind(books.pile, 140, 130),
    Kind(trinkets.photo, 95, 225),
    Kind(trinkets.candle, 130, 135),
)
_PLANT, _TRAY, _REMOTE = (
    Kind(trinkets.small_plant, 140, 330),
    Kind(trinkets.tray, 180, 125),
    Kind(trinkets.remote, 90, 18),
)
_MAGAZINE, _CLOCK, _SCULPTURE = (
    Kind(books.magazine, 185, 18),
    Kind(trinkets.clock, 65, 130),
    Kind(trinkets.sculpture, 100, 235),
)
_SOAPS, _BRUSHES, _TUMBLER = (
    Kind(trinkets.soap, 120, 168),
    Kind(trinkets.cup_of_brushes, 45, 195),
    Kind(trinkets.tumbler, 40, 110),
)
_JARS, _BOTTLE_KIND, _CAR, _BEAR = (
    Kind(trinkets.jars, 160, 155),
    Kind(trinkets.bottle, 42, 295),
    Kind(loose.car, 110, 105),
    Kind(loose.bear, 150, 320),
)


LIVING = (_MUG, _VASE, _BOWL_KIND, _PILE, _PHOTO, _CANDLES, _PLANT, _TRAY, _REMOTE, _MAGAZINE, _SCULPTURE)
SHELF = (_VASE, _PHOTO, _CANDLES, _PLANT, _CLOCK, _SCULPTURE, _PILE, _JARS)
STUDY = (_MUG, _PILE, _PHOTO, _BRUSHES, _MAGAZINE, _PLANT, _CLOCK)
HALL = (_VASE, _BOWL_KIND, _PHOTO, _PLANT, _TRAY, _CLOCK, _SCULPTURE, _MUG)
BATH = (_SOAPS, _BRUSHES, _TUMBLER, _CANDLES)
KITCHEN = (_JARS, _BOTTLE_KIND, _MUG, _BOWL_KIND, _PLANT, _TUMBLER, _TRAY)
BEDSIDE = (_MUG, _CLOCK, _TUMBLER, _PHOTO)
TOYS = (_CAR, _BEAR)


def any_of(
    brush: Brush, decor: Decor, kinds: tuple[Kind, ...], *, tall: int = 2000, wide: int = 2000
) -> None:
    """Draw one thing that is not taller than ``tall`` and not wider than ``wide``."""
    fitting = [kind for kind in kinds if kind.height <= tall and 2 * kind.half <= wide]
    if fitting:
        decor.dice.pick(fitting).draw(brush, decor)


def scatter(
    brush: Brush,
    decor: Decor,
    area: tuple[int, int],
    kinds: tuple[Kind, ...],
    *,
    most: int,
    tall: int = 2000,
) -> None:
    """Draw small things side by side.

    Args:
        brush: its origin is the middle of the area.
        decor: of the house; its clutter decides how many.
        area: width and depth of the surface, which they do not leave.
        kinds: to choose from.
        most: how many there are at most.
        tall: what is taller is left out.
    """
    count = min(decor.amount(most), max(area[0] // 190, 1))
    for number in range(count):
        slot = area[0] // count
        room = min(slot, area[1])
        fitting = [kind for kind in kinds if 2 * kind.half <= room and kind.height <= tall]
        if not fitting:
            continue
        kind = decor.dice.pick(fitting)
        middle = -area[0] // 2 + slot * number + slot // 2
        x, z = (max(extent // 2 - kind.half, 0) for extent in (slot, area[1]))
        at = (middle + decor.dice.between(-x, x), decor.dice.between(-z, z))
        kind.draw(brush.moved(*at), decor)
