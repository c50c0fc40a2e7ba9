"""Small pieces in corners, and things on the floor."""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType

from ..brush import Brush
from ..furniture import Decor, Piece, books, lamps, loose, plants, sofas, tables
from ..placing import RoomPlacer
from ..plan import RoomKind

Lying = tuple[tuple[Callable[[Brush, Decor], None], int], ...]
_CORNERS: tuple[Callable[[Decor], Piece], ...] = (
    plants.floor_plant,
    lamps.floor_lamp,
    plants.floor_plant,
    sofas.pouf,
    tables.side_table,
)


def small_things(placer: RoomPlacer, decor: Decor, count: int) -> None:
    """Put small pieces into corners, and with clutter low things on the floor beside the furniture."""
    kind = placer.room.kind
    makers = _WET if kind in ("kitchen", "storage") else _CORNERS
    if kind in ("living", "great_room", "studio"):  # A lamp stands by the sofa.
        makers = tuple(make for make in makers if make is not lamps.floor_lamp)
    for make in decor.dice.shuffled(makers)[:count]:
        placer.at_wall(make(decor), prefer="corner")
    for _ in range(decor.amount(2 + count)):
        draw, size = decor.dice.pick(_FLOOR.get(kind, _ANYWHERE))
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


_BASKET, _BIN, _SHOES = (loose.basket, 420), (loose.bin_, 300), (loose.shoes, 360)
_CUSHION, _PILE, _LAUNDRY = (loose.floor_cushion, 690), (books.pile, 340), (loose.laundry, 680)
_BRICKS, _CAR = (loose.bricks, 520), (loose.car, 260)
_ANYWHERE: Lying = (_BASKET, _BIN, _CUSHION, _PILE, _CAR, _BRICKS)
_FLOOR: MappingProxyType[RoomKind, Lying] = MappingProxyType(
    {
        "kitchen": (_BASKET, _BIN),
        "bedroom": (_BASKET, _SHOES, _LAUNDRY, _PILE, _CUSHION),
        "study": (_BIN, _PILE, _PILE, _BASKET),
        "storage": (_BASKET, _LAUNDRY, _SHOES),
    }
)
_WET = (plants.floor_plant, plants.floor_plant)
_TOYS: Lying = (
    (loose.ball, 260),
    _BRICKS,
    _CAR,
    (loose.bear, 340),
    _BASKET,
)
_HIGH = (loose.bin_, loose.basket, loose.ball, loose.bear)
"""Those that are too high to step over."""
