"""Windows: reveal, sill, frame, sashes with their handles, and the view behind the panes."""

from __future__ import annotations

import numpy as np

from .brush import Brush
from .dice import Dice
from .mesh import MeshBuilder
from .palette import Style
from .plan import LINTEL, Opening, Room
from .shell import BOARD, along, wall_place, wall_quads

_PANE = 105
"""Depth of the panes behind the wall's face."""
_FRAME = 50
_SASH = 45
_SASH_WIDTH = 800
"""A wider window has two sashes or more."""


def add_window(
    mesh: MeshBuilder, room: Room, opening: Opening, view: int, dice: Dice, style: Style, owner: int
) -> None:
    """Add a window.

    Args:
        mesh: where to.
        room: the room.
        opening: the window.
        view: glowing finish of what is to be seen outside.
        dice: draw the bars of the sashes.
        style: finishes.
        owner: object id.
    """
    brush = Brush(mesh, [], wall_place(room, opening.side), owner)
    x, y = along(opening.side, opening.low, opening.high), (opening.bottom, LINTEL)
    _reveal(brush, x, y, style)
    spans, rows = np.array([[opening.low - 5, opening.high + 5]]), np.array([[y[0] - 5, y[1] + 5]])
    fit = np.array([[[0, 1000], [1000, 1000], [1000, 0], [0, 0]]], np.int64)
    mesh.add_quads(wall_quads(room, opening.side, spans, rows, -_PANE), fit, view, owner)
    _ring(brush, style.white, x, y, _FRAME, (-_PANE - 10, -50))
    sashes = max(1, -(-(x[1] - x[0]) // _SASH_WIDTH))
    inner = (x[0] + _FRAME, x[1] - _FRAME)
    bars = dice.chance(25)
    for number in range(sashes):
        left, right = (inner[0] + (inner[1] - inner[0]) * (number + step) // sashes for step in (0, 1))
        _sash(brush, style, (left, right), (y[0] + _FRAME, y[1] - _FRAME), bars=bars)


def _reveal(brush: Brush, x: tuple[int, int], y: tuple[int, int], style: Style) -> None:
    """Boards around the hole, which overlap the wall's edges, and the sill."""
    deep, over = (-_PANE - 15, 4), BOARD + 10
    for side in ((x[0] - over, x[0]), (x[1], x[1] + over)):
        brush.box(style.white, side, (y[0], y[1] + over), deep)
    brush.box(style.white, x, (y[1], y[1] + over), deep)
    brush.box(style.white, (x[0] - 60, x[1] + 60), (y[0] - 32, y[0]), (-_PANE - 15, 45))


def _sash(brush: Brush, style: Style, x: tuple[int, int], y: tuple[int, int], *, bars: bool) -> None:
    deep = (-_PANE - 5, -42)
    _ring(brush, style.white, x, y, _SASH, deep)
    middle = (y[0] + y[1]) // 2
    brush.box(style.metal, (x[0] + 12, x[0] + 32), (middle - 40, middle + 40), (-42, -30))
    brush.box(style.metal, (x[0] + 14, x[0] + 30), (middle - 120, middle + 8), (-30, -16))
    if bars:
        thin, centre = (-_PANE - 5, -80), (x[0] + x[1]) // 2
        brush.box(style.white, (centre - 10, centre + 10), (y[0] + _SASH, y[1] - _SASH), thin)
        for third in (1, 2):
            at = y[0] + (y[1] - y[0]) * third // 3
            brush.box(style.white, (x[0] + _SASH, x[1] - _SASH), (at - 10, at + 10), thin)


def _ring(
    brush: Brush, finish: int, x: tuple[int, int], y: tuple[int, int], width: int, deep: tuple[int, int]
) -> None:
    """Four boards around a rectangle, inside of it."""
    for side in ((x[0], x[0] + width), (x[1] - width, x[1])):
        brush.box(finish, side, y, deep)
    for rail in ((y[0], y[0] + width), (y[1] - width, y[1])):
        brush.box(finish, (x[0] + width, x[1] - width), rail, deep)
