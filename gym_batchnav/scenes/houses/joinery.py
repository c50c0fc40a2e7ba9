"""Doors, door frames, windows and pictures."""

from __future__ import annotations

import numpy as np

from .brush import Brush, Footprint
from .dice import Dice
from .light import Ints
from .mesh import MeshBuilder
from .palette import Style
from .plan import INNER_WALL, LINTEL, SILL, Door, Opening, Rect, Room
from .shell import along, wall_place, wall_quads

_RECESS = 120
"""Depth of windows and of the entrance behind the wall's face."""
_CASING = 60
_LEAF = 840
_LEAF_THICKNESS = 40


def add_door(
    mesh: MeshBuilder,
    footprints: list[Footprint],
    rooms: tuple[Room, ...],
    door: Door,
    leaf: tuple[int, bool] | None,
    style: Style,
    owner: int,
) -> None:
    """Add the lining and frames of a gap between rooms, and its open leaf.

    Args:
        mesh: where to.
        footprints: gets the leaf.
        rooms: all rooms.
        door: the gap.
        leaf: which of its two rooms the leaf opens into, and whether its hinges are at the low end.
        style: finishes.
        owner: object id.
    """
    opening = door.openings[0]
    rect = rooms[door.rooms[0]].inner
    _lining(mesh, rect, opening, INNER_WALL, style.trim, owner)
    for room, own in zip(door.rooms, door.openings, strict=True):
        _casing(mesh, rooms[room].inner, own, style.trim, owner)
    if leaf is not None:
        which, hinge_low = leaf
        _leaf(mesh, footprints, rooms[door.rooms[which]].inner, door.openings[which], hinge_low, style, owner)


def add_outer_opening(
    mesh: MeshBuilder, rect: Rect, opening: Opening, dice: Dice, style: Style, owner: int
) -> None:
    """Add a window with its view, or the closed entrance."""
    _lining(mesh, rect, opening, _RECESS, style.trim, owner)
    spans, rows = np.array([[opening.low, opening.high]]), np.array([[opening.bottom, LINTEL]])
    corners = wall_quads(rect, opening.side, spans, rows, -_RECESS)
    place = wall_place(rect, opening.side)
    x0, x1 = along(opening.side, opening.low, opening.high)
    brush = Brush(mesh, [], place, owner)
    if opening.kind == "entrance":
        mesh.add_quads(corners, _fit(1), style.door, owner)
        _casing(mesh, rect, opening, style.trim, owner)
        for y in ((200, 900), (1050, 1900)):
            brush.box(style.door, (x0 + 120, x1 - 120), y, (-_RECESS, -_RECESS + 15))
        brush.box(style.metal, (x0 + 50, x0 + 75), (980, 1120), (-_RECESS, -_RECESS + 50))
        return
    view = style.view(dice)
    mesh.add_quads(corners, _fit(1), view, owner)
    deep = (-_RECESS, -_RECESS + 40)
    middle = (x0 + x1) // 2
    bars = [(x0, x0 + 50), (x1 - 50, x1)] + ([(middle - 25, middle + 25)] if x1 - x0 > 900 else [])
    for x in bars:
        brush.box(style.white, x, (SILL, LINTEL), deep)
    for y in ((SILL, SILL + 50), (LINTEL - 50, LINTEL)):
        brush.box(style.white, (x0 + 50, x1 - 50), y, deep)
    brush.box(style.white, (x0 - 40, x1 + 40), (SILL - 30, SILL), (0, 25))


def add_picture(
    mesh: MeshBuilder, rect: Rect, side: int, centre: int, dice: Dice, style: Style, owner: int
) -> None:
    """Hang a framed picture on a wall, too flat to stand in anybody's way."""
    half, rise = dice.between(200, 450, 50), dice.between(250, 400, 50)
    x0, x1 = along(side, centre - half, centre + half)
    brush = Brush(mesh, [], wall_place(rect, side), owner)
    brush.box(style.black, (x0 - 20, x1 + 20), (1580 - rise, 1580 + rise), (0, 14))
    brush.box(style.picture(dice), (x0, x1), (1600 - rise, 1560 + rise), (14, 18))


def _lining(mesh: MeshBuilder, rect: Rect, opening: Opening, depth: int, finish: int, owner: int) -> None:
    """Jambs and head of an opening (and a window's sill) through the wall, outwards from the wall's face."""
    low, high, bottom = opening.low, opening.high, opening.bottom
    a, b = (
        wall_quads(rect, opening.side, np.array([[low, high]]), np.array([[bottom, LINTEL]]), inset)[0]
        for inset in (0, -depth)
    )
    quads = [[a[0], b[0], b[3], a[3]], [b[1], a[1], a[2], b[2]], [a[3], b[3], b[2], a[2]]]
    if bottom:
        quads.append([b[0], a[0], a[1], b[1]])
    corners = np.array(quads, np.int64)
    mesh.add_quads(corners, corners[..., [0, 1]], finish, owner)


def _casing(mesh: MeshBuilder, rect: Rect, opening: Opening, finish: int, owner: int) -> None:
    """Boards around an opening on one face of the wall."""
    place = wall_place(rect, opening.side)
    x0, x1 = along(opening.side, opening.low, opening.high)
    for bounds in (
        (x0 - _CASING, 0, 0, x0, LINTEL + _CASING, 15),
        (x1, 0, 0, x1 + _CASING, LINTEL + _CASING, 15),
        (x0, LINTEL, 0, x1, LINTEL + _CASING, 15),
    ):
        mesh.add_box(bounds, place, finish, owner)


def _leaf(
    mesh: MeshBuilder,
    footprints: list[Footprint],
    rect: Rect,
    opening: Opening,
    hinge_low: bool,
    style: Style,
    owner: int,
) -> None:
    """An open door leaf, square to the wall."""
    edge = opening.low if hinge_low else opening.high - _LEAF_THICKNESS
    x = along(opening.side, edge, edge + _LEAF_THICKNESS)
    brush = Brush(mesh, footprints, wall_place(rect, opening.side), owner)
    brush.box(style.door, x, (10, LINTEL - 20), (0, _LEAF))
    brush.box(style.metal, (x[0] - 40, x[1] + 40), (1020, 1045), (_LEAF - 70, _LEAF - 50), solid=False)


def _fit(count: int) -> Ints:
    """Texture coordinates that show a fitted texture once, upright."""
    return np.tile(np.array([[[0, 1000], [1000, 1000], [1000, 0], [0, 0]]], np.int64), (count, 1, 1))
