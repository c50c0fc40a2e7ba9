"""Floors, ceilings and walls of a plan, in small quads so that light can be baked into their corners."""

from __future__ import annotations

import itertools

import numpy as np

from .mesh import QUARTER_TURNS, MeshBuilder, Place
from .plan import LINTEL, OUTER_WALL, STOREY, WALL_HEIGHT, Opening, Rect, Room
from .quads import Ints

BOARD = 20
"""How much a hole in a wall is larger than its opening, for the boards that line it."""
_WALL_QUAD = 560
_FLOOR_QUAD = 480
_CEILING_QUAD = 800
_SKIRTING, _BOARD_DEPTH = 80, 12


def wall_place(room: Room, side: int) -> Place:
    """Local frame of a side: x along the wall (see ``along``), z into the room, y up from its floor."""
    line = room.inner.line(side)
    return Place(*((0, line) if side % 2 == 0 else (line, 0)), QUARTER_TURNS[side], room.y)


def along(side: int, low: int, high: int) -> tuple[int, int]:
    """An extent along a wall as the x extent in the frame of ``wall_place``."""
    return (low, high) if side < 2 else (-high, -low)


def add_floor(mesh: MeshBuilder, room: Room, finish: int, owner: int, hole: Rect | None = None) -> None:
    """Add the floor of a room, up to the middle of its walls, without a stairwell."""
    corners = _plane(room, _FLOOR_QUAD // mesh.fineness, room.y, hole)[:, ::-1]
    mesh.add_quads(corners, corners[..., [0, 2]], finish, owner)


def add_ceiling(mesh: MeshBuilder, room: Room, finish: int, owner: int, hole: Rect | None = None) -> None:
    """Add the ceiling of a room, without a stairwell."""
    corners = _plane(room, _CEILING_QUAD // mesh.fineness, room.y + WALL_HEIGHT, hole)
    mesh.add_quads(corners, corners[..., [0, 2]], finish, owner)


def add_walls(
    mesh: MeshBuilder, room: Room, openings: tuple[Opening, ...], finishes: tuple[int, int], owner: int
) -> None:
    """Add the wall faces of a room with its openings left out, and skirting boards.

    Args:
        mesh: where to.
        room: the room; the walls below a stairwell go up to the floor above.
        openings: its openings.
        finishes: of the walls and of the skirting boards.
        owner: object id.
    """
    top = STOREY if room.stairs and not room.storey else WALL_HEIGHT
    # The same rows all around, so that the corners of walls that meet coincide.
    marks = {0, top} | {edge for opening in openings for edge in _hole(opening)[2:]}
    rows = _divided(marks, _WALL_QUAD // mesh.fineness)
    for side in range(4):
        holes = [opening for opening in openings if opening.side == side]
        _wall(mesh, room, side, holes, rows, finishes[0], owner)
        _skirting(mesh, room, side, holes, finishes[1], owner)


def wall_quads(room: Room, side: int, spans: Ints, rows: Ints, inset: int) -> Ints:
    """(Q, 4, 3) quads parallel to a side: ``spans`` (Q, 2) along it, ``rows`` (Q, 2) up from the floor."""
    line = room.inner.line(side) + (inset if side in (0, 3) else -inset)
    low, high = spans.T
    left, right = (low, high) if side < 2 else (high, low)
    flat = np.stack([left, right, right, left], axis=1)
    up = rows[:, [0, 0, 1, 1]] + room.y
    across = np.full_like(flat, line)
    return np.stack([flat, up, across] if side % 2 == 0 else [across, up, flat], axis=2)


def _hole(opening: Opening) -> tuple[int, int, int, int]:
    """Extent along the wall and upwards of the hole for an opening."""
    bottom = max(opening.bottom - BOARD, 0)
    return opening.low - BOARD, opening.high + BOARD, bottom, LINTEL + BOARD


def _wall(
    mesh: MeshBuilder,
    room: Room,
    side: int,
    openings: list[Opening],
    rows: list[int],
    finish: int,
    owner: int,
) -> None:
    holes = [_hole(opening) for opening in openings]
    edges = {*room.inner.span(side), *(edge for hole in holes for edge in hole[:2])}
    columns = _divided(edges, _WALL_QUAD // mesh.fineness)
    cells = [
        (left, right, bottom, top)
        for left, right in itertools.pairwise(columns)
        for bottom, top in itertools.pairwise(rows)
        if not any(low <= left < high and below <= bottom < above for low, high, below, above in holes)
    ]
    table = np.array(cells, np.int64)
    corners = wall_quads(room, side, table[:, :2], table[:, 2:], 0)
    flat, up = corners[..., 0 if side % 2 == 0 else 2], corners[..., 1]
    mesh.add_quads(corners, np.stack([flat, -up], axis=2), finish, owner)


def _divided(marks: set[int], size: int) -> list[int]:
    """The marks in order, and between them even steps of about ``size`` at most."""
    steps = []
    for low, high in itertools.pairwise(sorted(marks)):
        parts = -(-(high - low) // size)
        steps += [low + (high - low) * part // parts for part in range(parts)]
    return [*steps, max(marks)]


def _skirting(
    mesh: MeshBuilder, room: Room, side: int, holes: list[Opening], finish: int, owner: int
) -> None:
    """Boards along the foot of a wall; in a stairwell they cover the seam of the walls of both storeys."""
    gaps = sorted((hole.low - 60, hole.high + 60) for hole in holes if not hole.bottom)
    starts = [room.inner.span(side)[0], *(gap[1] for gap in gaps)]
    ends = [*(gap[0] for gap in gaps), room.inner.span(side)[1]]
    spans = [
        part
        for start, end in zip(starts, ends, strict=True)
        if end > start
        for part in itertools.pairwise(_divided({start, end}, _WALL_QUAD // mesh.fineness))
    ]
    if not spans:
        return
    table = np.array(spans, np.int64)
    bottom = -20 if room.storey else 0
    front = wall_quads(room, side, table, np.array([[bottom, _SKIRTING]] * len(table)), _BOARD_DEPTH)
    back = wall_quads(room, side, table, np.array([[bottom, _SKIRTING]] * len(table)), 0)
    top = np.stack([front[:, 3], front[:, 2], back[:, 2], back[:, 3]], axis=1)
    along_wall = 0 if side % 2 == 0 else 2
    for corners, up in ((front, -front[..., 1]), (top, np.abs(top[..., 2 - along_wall]))):
        mesh.add_quads(corners, np.stack([corners[..., along_wall], up], axis=2), finish, owner)


def _plane(room: Room, quad: int, y: int, hole: Rect | None) -> Ints:
    """(Q, 4, 3) quads of a horizontal plane over the cell of a room, seen from below."""
    grow = [OUTER_WALL if side in room.outer_sides else 0 for side in range(4)]
    cell, inner = room.cell, room.inner
    outer = Rect(cell.x0 - grow[3], cell.z0 - grow[0], cell.x1 + grow[1], cell.z1 + grow[2])
    xs = _steps(outer.x0, inner.x0, inner.x1, outer.x1, quad, (hole.x0, hole.x1) if hole else ())
    zs = _steps(outer.z0, inner.z0, inner.z1, outer.z1, quad, (hole.z0, hole.z1) if hole else ())
    quads = [
        [(a, c), (b, c), (b, d), (a, d)]
        for a, b in itertools.pairwise(xs)
        for c, d in itertools.pairwise(zs)
        if hole is None or not hole.overlaps(Rect(max(a, inner.x0), max(c, inner.z0), b, d))
    ]
    flat = np.array(quads, np.int64)
    return np.stack([flat[..., 0], np.full(flat.shape[:2], y), flat[..., 1]], axis=2)


def _steps(start: int, low: int, high: int, end: int, quad: int, marks: tuple[int, ...]) -> list[int]:
    """Even steps of about ``quad`` from ``low`` to ``high``, and strips under the walls to start and end."""
    return [start, *_divided({low, high, *marks}, quad), end]
