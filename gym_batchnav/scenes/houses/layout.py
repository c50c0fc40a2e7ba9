"""Layouts: flats, corridors, great rooms and split plans of one storey, or a stair hall with two."""

from __future__ import annotations

import itertools
import math
from typing import Literal, NamedTuple

from .config import LEAST_ROOMS_OF_TWO_STOREYS, HouseConfig
from .cutting import (
    GRID,
    MIN_SIDE,
    Cells,
    Layout,
    cut_line,
    cut_rect,
    drop_corner,
    snap,
    stretch,
    turn_layout,
)
from .dice import Dice
from .plan import Rect
from .stair_hall import two_storeys

# How often a house has so many rooms, from 2 to 12: most have 4 to 8.
_ROOM_WEIGHTS = (3, 6, 17, 22, 20, 14, 8, 4, 3, 2, 1)
_TWO_STOREY_PERCENT = {6: 26, 7: 34, 8: 44, 9: 54, 10: 64, 11: 70, 12: 75}
_L_PERCENT = 30
_SMALL_ROOM, _LARGE_ROOM = 11.5, 20.0
"""Square metres that a room takes on average, at least and at most."""
_SHAPES: tuple[Literal["corridor", "great_room", "split"], ...] = (
    *("corridor", "corridor", "great_room", "great_room"),
    "split",
)
_MOST_WITHOUT_HALL = 7


class Programme(NamedTuple):
    """What a house is to be."""

    rooms: int
    storeys: int
    shape: Literal["flat", "corridor", "great_room", "split", "stair_hall"]
    corner: bool
    """Whether a corner is left out, so that the house is L-shaped."""


def draw_programme(dice: Dice, config: HouseConfig) -> Programme:
    """Draw what a house is to be."""
    rooms = _draw_rooms(dice, config)
    storeys = config.storeys or (2 if dice.chance(_TWO_STOREY_PERCENT.get(rooms, 0)) else 1)
    corner = rooms >= 4 and dice.chance(_L_PERCENT)
    if storeys == 2:
        return Programme(rooms, storeys, "stair_hall", corner)
    if rooms <= 3:
        return Programme(rooms, storeys, "flat", corner)
    # Four rooms are too few for a corridor; many without one are a maze.
    shapes = _SHAPES[2:] if rooms == 4 else _SHAPES if rooms <= _MOST_WITHOUT_HALL else _SHAPES[:4]
    return Programme(rooms, storeys, dice.pick(shapes), corner)


def draw_layout(dice: Dice, config: HouseConfig, programme: Programme) -> Layout | None:
    """Cut a house; None where this draw does not work out."""
    rooms = programme.rooms
    # A draw around what so many rooms need, kept inside the bounds; walls take about 7% of the footprint.
    wanted = rooms * dice.between(13_500, 18_500) / 1000.0 * 1.07
    area = min(max(wanted, config.min_area * 1.1), config.max_area * 1.02)
    if programme.shape == "stair_hall":
        layout = two_storeys(dice, rooms, area, corner=programme.corner)
    else:
        layout = _one_storey(dice, programme, area)
    return None if layout is None else turn_layout(dice, layout)


def _draw_rooms(dice: Dice, config: HouseConfig) -> int:
    least = max(config.min_rooms, LEAST_ROOMS_OF_TWO_STOREYS if config.storeys == 2 else 2)
    most = config.max_rooms
    # As many as the area has room for, where the bounds leave a choice.
    least = min(max(least, math.ceil(config.min_area / _LARGE_ROOM)), most)
    most = max(min(most, math.floor(config.max_area / _SMALL_ROOM)), least)
    weights = _ROOM_WEIGHTS[least - 2 : most - 1]
    draw, rooms = dice.below(sum(weights)), least
    for weight in weights:
        if draw < weight:
            break
        draw, rooms = draw - weight, rooms + 1
    return rooms


def _one_storey(dice: Dice, programme: Programme, area: float) -> Layout | None:
    rooms, corner = programme.rooms, programme.corner
    if programme.shape == "flat":
        return _flat(dice, rooms, area)
    cut = {"corridor": _corridor, "great_room": _great_room, "split": _split}[programme.shape]
    count = rooms + 1 if corner else rooms
    layout = cut(dice, count, area * count / rooms)
    if layout is None or not corner:
        return layout
    cells = drop_corner(dice, layout.size, layout.storeys[0])
    return Layout(layout.size, (cells,)) if len(cells.cells) == rooms else None


def _flat(dice: Dice, rooms: int, area: float) -> Layout | None:
    """One large room, with a column of a bathroom and a bedroom, or of a bathroom alone, beside it."""
    column = dice.between(2100, 2600, GRID) if rooms == 2 else dice.between(2700, 3500, GRID)
    depth = dice.between(5000, 7000, GRID)
    bath = dice.between(2100, 2700, GRID)
    # The place beside the bathroom is outside where there is no bedroom.
    main = snap((area * 1e6 - column * (bath if rooms == 2 else depth)) / depth)
    if not 3600 <= main <= 7000:
        return None
    cells = [Rect(0, 0, main, depth), Rect(main, 0, main + column, bath)]
    if rooms == 3:
        cells.append(Rect(main, bath, main + column, depth))
    return Layout(
        (main + column, depth), (Cells(tuple(cells), {0: "studio" if rooms == 2 else "great_room"}),)
    )


def _corridor(dice: Dice, rooms: int, area: float) -> Layout | None:
    """A corridor between two bands of rooms, with a living room across its end."""
    width = dice.between(1300, 1600, GRID)
    percent = stretch(area, rooms)
    north, south = (snap(dice.between(2700, 4300) * percent / 100) for _ in range(2))
    depth = north + width + south
    length = snap(area * 1e6 / depth)
    living = snap(min(max(22e6 * dice.between(80, 120) / 100 / depth, 3600), 5400))
    west = dice.between(2800, 3600, GRID) if rooms >= 7 and dice.chance(50) else 0
    band = length - living - west
    in_bands = rooms - 2 - (1 if west else 0)
    top = (in_bands + dice.below(2)) // 2
    if min(top, in_bands - top) < 1 or band < 2200:
        return None
    cells = [Rect(west, north, west + band, north + width), Rect(west + band, 0, length, depth)]
    if west:
        cells.append(Rect(0, 0, west, depth))
    for count, z0, z1 in ((top, 0, north), (in_bands - top, north + width, depth)):
        cuts = cut_line(dice, west, west + band, count)
        if cuts is None:
            return None
        cells += [Rect(a, z0, b, z1) for a, b in itertools.pairwise(cuts)]
    return Layout((length, depth), (Cells(tuple(cells), {0: "hall", 1: "living"}),))


def _great_room(dice: Dice, rooms: int, area: float) -> Layout | None:
    """Living room and kitchen open to each other, with a column of rooms on one side or on both."""
    sides = 2 if rooms >= 6 else 1
    percent = stretch(area, rooms)
    columns = [snap(dice.between(2700, 3700) * percent / 100) for _ in range(sides)]
    great = snap(dice.between(4400, 6600) * percent / 100)
    length = great + sum(columns)
    depth = snap(area * 1e6 / length)
    if not 6000 <= depth <= 16_000:
        return None
    west = columns[0] if sides == 2 else 0
    cut = snap(depth * dice.between(54, 66) / 100)
    cells = [Rect(west, 0, west + great, cut), Rect(west, cut, west + great, depth)]
    left = (rooms - 2 + dice.below(2)) // 2 if sides == 2 else 0
    for count, x0, x1 in ((left, 0, west), (rooms - 2 - left, west + great, length)):
        cuts = cut_line(dice, 0, depth, count) if count else [0]
        if cuts is None:
            return None
        cells += [Rect(x0, a, x1, b) for a, b in itertools.pairwise(cuts)]
    return Layout((length, depth), (Cells(tuple(cells), {0: "living", 1: "kitchen"}),))


def _split(dice: Dice, rooms: int, area: float) -> Layout | None:
    """Halving again and again."""
    aspect = dice.between(100, 150)
    depth = snap(math.sqrt(area * 1e6 * 100 / aspect))
    length = snap(area * 1e6 / depth)
    cells = cut_rect(dice, Rect(0, 0, length, depth), rooms) if depth >= MIN_SIDE else None
    return None if cells is None else Layout((length, depth), (Cells(tuple(sorted(cells))),))
