"""Floor plans: rooms, doors and windows, in whole millimetres.

Plan coordinates are (x, z) as seen from above. The sides of a rectangle are numbered 0: z = z0, 1: x = x1,
2: z = z1, 3: x = x0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from .staircase import Stairs

RoomKind = Literal[
    "hall",
    "living",
    "kitchen",
    "dining",
    "bedroom",
    "bath",
    "study",
    "storage",
    "great_room",
    "studio",
]
"""``great_room``: living room and kitchen in one; ``studio``: that and a bed. A landing is a ``hall``."""

INNER_WALL = 120
"""Thickness of walls between rooms."""
OUTER_WALL = 150
"""Thickness of walls to the outside; they stand outside the footprint."""
WALL_HEIGHT = 2600
STOREY = 2800
"""Height from floor to floor: 16 risers of 175 mm; the slab between storeys is 200 mm thick."""
DOOR_WIDTH = 900
LINTEL = 2050
"""Height of doors and of the upper edge of windows."""
SILL = 900
"""Height of the lower edge of most windows."""


class Rect(NamedTuple):
    """Axis-aligned rectangle, millimetres."""

    x0: int
    z0: int
    x1: int
    z1: int

    @property
    def width(self) -> int:
        """Extent along x."""
        return self.x1 - self.x0

    @property
    def depth(self) -> int:
        """Extent along z."""
        return self.z1 - self.z0

    @property
    def area(self) -> int:
        """Square millimetres."""
        return self.width * self.depth

    def grown(self, by: int) -> Rect:
        """The rectangle with every side moved out."""
        return Rect(self.x0 - by, self.z0 - by, self.x1 + by, self.z1 + by)

    def overlaps(self, other: Rect) -> bool:
        """Whether the interiors meet."""
        return self.x0 < other.x1 and other.x0 < self.x1 and self.z0 < other.z1 and other.z0 < self.z1

    def span(self, side: int) -> tuple[int, int]:
        """Extent along the wall of a side."""
        return (self.x0, self.x1) if side % 2 == 0 else (self.z0, self.z1)

    def line(self, side: int) -> int:
        """Coordinate of a side across its wall."""
        return (self.z0, self.x1, self.z1, self.x0)[side]

    def strip(self, side: int, low: int, high: int, depth: int) -> Rect:
        """Rectangle of the given depth inside of a side, from ``low`` to ``high`` along it."""
        line = self.line(side)
        near, far = (line, line + depth) if side in (0, 3) else (line - depth, line)
        return Rect(low, near, high, far) if side % 2 == 0 else Rect(near, low, far, high)


@dataclass(frozen=True, slots=True)
class Opening:
    """A gap in the wall of one room."""

    side: int
    low: int
    high: int
    """Extent along the wall."""
    kind: Literal["door", "arch", "window", "entrance"]
    bottom: int = 0
    """Height of its lower edge above the floor; the upper one is at ``LINTEL``."""


@dataclass(frozen=True, slots=True)
class Door:
    """A gap between two rooms, from the side of each."""

    rooms: tuple[int, int]
    openings: tuple[Opening, Opening]

    @property
    def width(self) -> int:
        """Clear width."""
        return self.openings[0].high - self.openings[0].low


@dataclass(frozen=True, slots=True)
class Room:
    """One room."""

    kind: RoomKind
    cell: Rect
    """Its part of the footprint, up to the middle of the walls between rooms."""
    inner: Rect
    """Its floor, between the faces of its walls."""
    outer_sides: tuple[int, ...]
    """Sides that face the outside over their whole length."""
    exposed: tuple[tuple[int, int, int], ...] = ()
    """Stretches of wall to the outside: side, and extent along it."""
    storey: int = 0
    stairs: tuple[Rect, ...] = ()
    """The staircase or the stairwell in it."""
    blocked: tuple[Rect, ...] = ()
    """Parts of the floor where nothing may be put: the stairs and the space before their ends."""

    @property
    def y(self) -> int:
        """Height of its floor."""
        return self.storey * STOREY


@dataclass(frozen=True, slots=True)
class Plan:
    """A floor plan of all storeys."""

    rooms: tuple[Room, ...]
    doors: tuple[Door, ...]
    openings: tuple[tuple[Opening, ...], ...]
    """All openings of each room: doors, arches, windows and the entrance."""
    stairs: Stairs | None = None
    """The staircase of a house of two storeys."""

    @property
    def area(self) -> int:
        """Floor area of all storeys in square millimetres."""
        return sum(room.inner.area for room in self.rooms)

    @property
    def storeys(self) -> int:
        """Number of storeys."""
        return 1 if self.stairs is None else 2


def exposed_spans(cells: tuple[Rect, ...], number: int) -> tuple[tuple[int, int, int], ...]:
    """Stretches (side, low, high) of the border of a cell behind which there is no other cell."""
    cell = cells[number]
    found: list[tuple[int, int, int]] = []
    for side in range(4):
        free = [cell.span(side)]
        for other in cells:
            if other.line((side + 2) % 4) == cell.line(side):
                free = [part for span in free for part in without(span, other.span(side))]
        found += [(side, low, high) for low, high in free]
    return tuple(found)


def without(span: tuple[int, int], hole: tuple[int, int]) -> list[tuple[int, int]]:
    """What is left of an extent beside another."""
    low, high = span
    parts = [(low, min(high, hole[0])), (max(low, hole[1]), high)]
    return [part for part in parts if part[0] < part[1]]


def common_inner(storeys: list[tuple[Rect, ...]]) -> tuple[Rect, tuple[int, ...]]:
    """Floor of cell 0, which is the same in all storeys, and its sides that face the outside in all of them.

    A wall of the hall with the stairs stands in the same place in both storeys, whatever is behind it.
    """
    outer = [inner_rect(cells[0], exposed_spans(cells, 0))[1] for cells in storeys]
    sides = tuple(side for side in outer[0] if all(side in other for other in outer))
    cell = storeys[0][0]
    return inner_rect(cell, tuple((side, *cell.span(side)) for side in sides))


def inner_rect(cell: Rect, exposed: tuple[tuple[int, int, int], ...]) -> tuple[Rect, tuple[int, ...]]:
    """Floor of a cell between its wall faces, and the sides that face the outside all along."""
    half = INNER_WALL // 2
    outer = tuple(side for side in range(4) if (side, *cell.span(side)) in exposed)
    inset = [0 if side in outer else half for side in range(4)]
    inner = Rect(cell.x0 + inset[3], cell.z0 + inset[0], cell.x1 - inset[1], cell.z1 - inset[2])
    return inner, outer
