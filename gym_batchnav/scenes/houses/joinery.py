"""Doors with their frames, panelled leaves and handles, the entrance, and pictures."""

from __future__ import annotations

from .brush import Brush, Footprint
from .dice import Dice
from .mesh import MeshBuilder
from .palette import Style
from .plan import INNER_WALL, LINTEL, Door, Opening, Room
from .shell import BOARD, along, wall_place

_CASING = 70
_PROUD = 4
"""How far linings stand out from the wall, so that no seam shows."""
_LEAF = 840
_LEAF_THICKNESS = 40
_LEAF_HEIGHT = LINTEL - 15
_DEEP = 110
"""Depth of the entrance door's face behind the wall's face."""

# Raised panels of leaves: left, bottom, right and top in thousandths of the leaf.
_PANELS = (
    ((140, 80, 860, 430), (140, 500, 860, 940)),
    ((140, 70, 460, 420), (540, 70, 860, 420), (140, 490, 460, 940), (540, 490, 860, 940)),
    ((140, 70, 860, 240), (140, 290, 860, 460), (140, 510, 860, 680), (140, 730, 860, 940)),
    ((120, 60, 880, 950),),
    (),
)
DOOR_PATTERNS = len(_PANELS)
"""Kinds of door leaves; a house has one."""


def add_door(mesh: MeshBuilder, rooms: tuple[Room, ...], door: Door, style: Style, owner: int) -> None:
    """Add the lining, the frames and the threshold of a gap between rooms."""
    opening = door.openings[0]
    first = rooms[door.rooms[0]]
    brush = Brush(mesh, [], wall_place(first, opening.side), owner)
    x0, x1 = along(opening.side, opening.low, opening.high)
    deep = (-INNER_WALL - _PROUD, _PROUD)
    _lining(brush, x0, x1, deep, style.trim)
    brush.box(style.wood, (x0, x1), (0, 6), (-INNER_WALL // 2 - 30, -INNER_WALL // 2 + 30))
    if opening.kind == "door":
        for x in ((x0, x0 + 12), (x1 - 12, x1)):
            brush.box(style.trim, x, (0, LINTEL), (-75, -45))
        brush.box(style.trim, (x0 + 12, x1 - 12), (LINTEL - 12, LINTEL), (-75, -45))
    for number, own in zip(door.rooms, door.openings, strict=True):
        _casing(mesh, rooms[number], own, style.trim, owner)


def add_leaf(
    mesh: MeshBuilder,
    footprints: list[Footprint],
    room: Room,
    opening: Opening,
    hinge_low: bool,
    style: Style,
    pattern: int,
    owner: int,
) -> None:
    """Add an open door leaf that stands square to the wall, in the room that it opens into.

    Args:
        mesh: where to.
        footprints: gets the leaf.
        room: the room.
        opening: the door as the room has it.
        hinge_low: whether the hinges are at the low end of the opening.
        style: finishes.
        pattern: kind of leaf, below ``DOOR_PATTERNS``.
        owner: object id of the door.
    """
    edge = opening.low - _LEAF_THICKNESS + 4 if hinge_low else opening.high - 4
    x = along(opening.side, edge, edge + _LEAF_THICKNESS)
    brush = Brush(mesh, footprints, wall_place(room, opening.side), owner)
    z = (16, 16 + _LEAF)
    brush.box(style.door, x, (8, _LEAF_HEIGHT), z)
    for left, bottom, right, top in _PANELS[pattern]:
        y = (_LEAF_HEIGHT * bottom // 1000, _LEAF_HEIGHT * top // 1000)
        brush.box(
            style.door,
            (x[0] - 8, x[1] + 8),
            y,
            (z[0] + _LEAF * left // 1000, z[0] + _LEAF * right // 1000),
            solid=False,
        )
    lock = z[1] - 70
    brush.box(style.metal, (x[0] - 6, x[1] + 6), (960, 1130), (lock - 20, lock + 20), solid=False)
    for side in (x[0] - 45, x[1] + 30):
        brush.box(style.metal, (side, side + 15), (1040, 1058), (lock - 110, lock + 8), solid=False)
    brush.box(style.metal, (x[0] - 40, x[1] + 40), (1041, 1057), (lock - 8, lock + 8), solid=False)


def add_entrance(
    mesh: MeshBuilder, room: Room, opening: Opening, dice: Dice, style: Style, owner: int
) -> None:
    """Add the closed front door, with a glowing pane above or beside its lock now and then."""
    brush = Brush(mesh, [], wall_place(room, opening.side), owner)
    x0, x1 = along(opening.side, opening.low, opening.high)
    _lining(brush, x0, x1, (-_DEEP - 40, _PROUD), style.trim)
    _casing(mesh, room, opening, style.trim, owner)
    brush.box(style.door, (x0 - 10, x1 + 10), (-10, LINTEL + 10), (-_DEEP - 40, -_DEEP))
    brush.box(style.metal, (x0, x1), (0, 18), (-_DEEP, -_DEEP + 90))
    width = x1 - x0
    panels = [(150, 90, 850, 380), (150, 440, 850, 620)]
    for left, bottom, right, top in panels:
        across = (x0 + width * left // 1000, x0 + width * right // 1000)
        y = (LINTEL * bottom // 1000, LINTEL * top // 1000)
        brush.box(style.door, across, y, (-_DEEP, -_DEEP + 12))
    pane = (x0 + width * 150 // 1000, x0 + width * 850 // 1000)
    if dice.chance(50):
        brush.box(style.view(dice), pane, (1400, 1900), (-_DEEP, -_DEEP + 2))
        for y in ((1380, 1400), (1900, 1920)):
            brush.box(style.door, (pane[0] - 20, pane[1] + 20), y, (-_DEEP, -_DEEP + 14))
        for x in ((pane[0] - 20, pane[0]), (pane[1], pane[1] + 20)):
            brush.box(style.door, x, (1400, 1900), (-_DEEP, -_DEEP + 14))
    else:
        brush.box(style.door, pane, (1380, 1920), (-_DEEP, -_DEEP + 12))
    brush.box(style.metal, (x0 + 45, x0 + 85), (940, 1140), (-_DEEP, -_DEEP + 8))
    brush.box(style.metal, (x0 + 55, x0 + 75), (1030, 1050), (-_DEEP + 8, -_DEEP + 50))
    brush.box(style.metal, (x0 + 55, x0 + 180), (1030, 1050), (-_DEEP + 50, -_DEEP + 64))
    brush.box(style.metal, (x1 - 40, x1 - 20), (200, 320), (-_DEEP, -_DEEP + 10))


def _lining(brush: Brush, x0: int, x1: int, deep: tuple[int, int], finish: int) -> None:
    """Boards along the sides and the head of an opening, through the wall; they overlap the wall's edges."""
    for x in ((x0 - BOARD - 10, x0), (x1, x1 + BOARD + 10)):
        brush.box(finish, x, (-10, LINTEL + BOARD + 10), deep)
    brush.box(finish, (x0, x1), (LINTEL, LINTEL + BOARD + 10), deep)


def _casing(mesh: MeshBuilder, room: Room, opening: Opening, finish: int, owner: int) -> None:
    """Boards around an opening on one face of the wall."""
    brush = Brush(mesh, [], wall_place(room, opening.side), owner)
    x0, x1 = along(opening.side, opening.low, opening.high)
    for x in ((x0 - _CASING, x0 - 5), (x1 + 5, x1 + _CASING)):
        brush.box(finish, x, (0, LINTEL + _CASING), (0, 16))
    brush.box(finish, (x0 - 5, x1 + 5), (LINTEL + 5, LINTEL + _CASING), (0, 16))
