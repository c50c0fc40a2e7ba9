"""Small pieces in corners, and things on the floor."""

from __future__ import annotations

from collections.abc import Callable

from ..brush import Brush
from ..furniture import Decor, Piece, clutter, lamps, plants, sofas, tables
from ..placing import RoomPlacer

_CORNERS: tuple[Callable[[Decor], Piece], ...] = (
    plants.floor_plant,
    lamps.floor_lamp,
    plants.floor_plant,
    sofas.pouf,
    tables.side_table,
)


def small_things(placer: RoomPlacer, decor: Decor, count: int, *, floor_toys: bool = True) -> None:
    """Put small pieces into corners, and with clutter low things on the floor beside the furniture."""
    for _ in range(count):
        placer.at_wall(decor.dice.pick(_CORNERS)(decor), prefer="corner")
    for _ in range(decor.amount(2 + count if floor_toys else 1)):
        draw, size = decor.dice.pick(_FLOOR)
        placer.at_wall(_lying(decor, draw, size), prefer="any")


def toys(placer: RoomPlacer, decor: Decor) -> None:
    """Toys on the floor of a child's room."""
    for _ in range(decor.amount(6)):
        draw, size = decor.dice.pick(_TOYS)
        placer.in_middle(_lying(decor, draw, size), lane=100)


def _lying(decor: Decor, draw: Callable[[Brush, Decor], None], size: int) -> Piece:
    """A thing on the floor as a piece."""

    def paint(brush: Brush) -> None:
        draw(brush.moved(0, size // 2), decor)
        if draw in _HIGH:
            brush.block_disc(0, size // 2, size // 2 - 30, 8)

    return Piece(size, size, 300, paint, class_name="objects")


_FLOOR: tuple[tuple[Callable[[Brush, Decor], None], int], ...] = (
    (clutter.basket, 420),
    (clutter.bin_, 300),
    (clutter.floor_cushion, 560),
    (clutter.pile, 340),
    (clutter.shoes, 360),
    (clutter.laundry, 560),
)
_TOYS: tuple[tuple[Callable[[Brush, Decor], None], int], ...] = (
    (clutter.ball, 260),
    (clutter.bricks, 520),
    (clutter.car, 260),
    (clutter.bear, 340),
    (clutter.basket, 420),
)
_HIGH = (clutter.bin_, clutter.basket, clutter.ball, clutter.bear)
"""Those that are too high to step over."""
