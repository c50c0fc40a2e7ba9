"""Floors, ceilings and walls of a plan."""

from __future__ import annotations

import itertools

import numpy as np

from .light import Ints
from .mesh import QUARTER_TURNS, MeshBuilder, Place
from .plan import LINTEL, OUTER_WALL, SILL, WALL_HEIGHT, Opening, Rect, Room

_ROWS = (0, 350, SILL, LINTEL, WALL_HEIGHT)
_CORNER = 600
_MAX_QUAD = 2200
_FLOOR_QUAD = 600
_CEILING_QUAD = 1600


def wall_place(rect: Rect, side: int) -> Place:
    """Local frame of a side: x along the wall (see ``along``), z into the room."""
    line = rect.line(side)
    return Place(*((0, line) if side % 2 == 0 else (line, 0)), QUARTER_TURNS[side])


def along(side: int, low: int, high: int) -> tuple[int, int]:
    """An extent along a wall as the x extent in the frame of ``wall_place``."""
    return (low, high) if side < 2 else (-high, -low)


def add_floor(mesh: MeshBuilder, room: Room, finish: int, owner: int) -> None:
    """Add the floor of a room, up to the middle of its walls."""
    corners = _plane(room, _FLOOR_QUAD, 0)[:, ::-1]
    mesh.add_quads(corners, corners[..., [0, 2]], finish, owner)


def add_ceiling(mesh: MeshBuilder, room: Room, finish: int, owner: int) -> None:
    """Add the ceiling of a room."""
    corners = _plane(room, _CEILING_QUAD, WALL_HEIGHT)
    mesh.add_quads(corners, corners[..., [0, 2]], finish, owner)


def add_walls(
    mesh: MeshBuilder, room: Room, openings: tuple[Opening, ...], finishes: tuple[int, int], owner: int
) -> None:
    """Add the wall faces of a room with its openings left out, and skirting boards.

    Args:
        mesh: where to.
        room: the room.
        openings: its openings.
        finishes: of the walls and of the skirting boards.
        owner: object id.
    """
    for side in range(4):
        holes = [opening for opening in openings if opening.side == side]
        _wall(mesh, room.inner, side, holes, finishes[0], owner)
        _skirting(mesh, room.inner, side, holes, finishes[1], owner)


def wall_quads(rect: Rect, side: int, spans: Ints, rows: Ints, inset: int) -> Ints:
    """(Q, 4, 3) quads parallel to a side: ``spans`` (Q, 2) along it, ``rows`` (Q, 2) up."""
    line = rect.line(side) + (inset if side in (0, 3) else -inset)
    low, high = spans.T
    left, right = (low, high) if side < 2 else (high, low)
    flat = np.stack([left, right, right, left], axis=1)
    up = rows[:, [0, 0, 1, 1]]
    across = np.full_like(flat, line)
    return np.stack([flat, up, across] if side % 2 == 0 else [across, up, flat], axis=2)


def _wall(mesh: MeshBuilder, rect: Rect, side: int, holes: list[Opening], finish: int, owner: int) -> None:
    low, high = rect.span(side)
    columns = _breaks(low, high, holes)
    cells = [
        (left, right, bottom, top)
        for left, right in itertools.pairwise(columns)
        for bottom, top in itertools.pairwise(_ROWS)
        if not any(hole.low <= left < hole.high and hole.bottom <= bottom < LINTEL for hole in holes)
    ]
    table = np.array(cells, np.int64)
    corners = wall_quads(rect, side, table[:, :2], table[:, 2:], 0)
    flat, up = corners[..., 0 if side % 2 == 0 else 2], corners[..., 1]
    mesh.add_quads(corners, np.stack([flat, -up], axis=2), finish, owner)


def _breaks(low: int, high: int, holes: list[Opening]) -> list[int]:
    """Where the quads of a wall end along it."""
    marks = {low, high, low + min(_CORNER, (high - low) // 2), high - min(_CORNER, (high - low) // 2)}
    marks |= {edge for hole in holes for edge in (hole.low, hole.high)}
    breaks = sorted(marks)
    for left, right in itertools.pairwise(breaks):
        parts = -(-(right - left) // _MAX_QUAD)
        marks |= {left + (right - left) * part // parts for part in range(1, parts)}
    return sorted(marks)


def _skirting(
    mesh: MeshBuilder, rect: Rect, side: int, holes: list[Opening], finish: int, owner: int
) -> None:
    place = wall_place(rect, side)
    gaps = sorted((hole.low - 60, hole.high + 60) for hole in holes if hole.kind != "window")
    starts = [rect.span(side)[0], *(gap[1] for gap in gaps)]
    ends = [*(gap[0] for gap in gaps), rect.span(side)[1]]
    for start, end in zip(starts, ends, strict=True):
        if end > start:
            x0, x1 = along(side, start, end)
            mesh.add_box((x0, 0, 0, x1, 80, 12), place, finish, owner)


def _plane(room: Room, quad: int, y: int) -> Ints:
    """(Q, 4, 3) quads of a horizontal plane over the cell of a room, seen from below."""
    grow = [OUTER_WALL if side in room.outer_sides else 0 for side in range(4)]
    cell, inner = room.cell, room.inner
    xs = np.array(_steps(cell.x0 - grow[3], inner.x0, inner.x1, cell.x1 + grow[1], quad))
    zs = np.array(_steps(cell.z0 - grow[0], inner.z0, inner.z1, cell.z1 + grow[2], quad))
    x0, z0 = (axis.ravel() for axis in np.meshgrid(xs[:-1], zs[:-1], indexing="ij"))
    x1, z1 = (axis.ravel() for axis in np.meshgrid(xs[1:], zs[1:], indexing="ij"))
    flat = np.stack(
        [np.stack([x0, z0], 1), np.stack([x1, z0], 1), np.stack([x1, z1], 1), np.stack([x0, z1], 1)], 1
    )
    return np.stack([flat[..., 0], np.full(flat.shape[:2], y), flat[..., 1]], axis=2)


def _steps(start: int, low: int, high: int, end: int, quad: int) -> list[int]:
    """Even steps of about ``quad`` from ``low`` to ``high``, the outermost ones widened to start and end."""
    parts = max(-(-(high - low) // quad), 1)
    steps = [low + (high - low) * part // parts for part in range(parts + 1)]
    return [start, *steps[1:-1], end]
