"""Staircases as geometry: treads and risers, closed sides, railings, and the edge of the stairwell."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .mesh import MeshBuilder, Place
from .palette import Style
from .plan import STOREY, WALL_HEIGHT
from .staircase import NOSE, RAIL_ZONE, RISE, RISERS, TREAD, Stairs

_BOARD = 40
"""Thickness of a tread."""
_RAIL_HEIGHT = 900
_GUARD_HEIGHT = 950
_RAIL = 50
"""Width and height of handrails."""
_BALUSTER = 26
_NEWEL = 80
_PANEL_QUAD = 300
_GROUND = Place(0, 0)


@dataclass(slots=True)
class _Pen:
    """Draws boxes in the frame of the staircase."""

    mesh: MeshBuilder
    stairs: Stairs
    owner: int

    def box(self, finish: int, u: tuple[int, int], y: tuple[int, int], s: tuple[int, int]) -> None:
        """A box given by extents across, up and along, each in any order."""
        rect = self.stairs.to_rect(u[0], s[0], u[1], s[1])
        bounds = (rect.x0, min(y), rect.z0, rect.x1, max(y), rect.z1)
        self.mesh.add_box(bounds, _GROUND, finish, self.owner)

    def bar(self, finish: int, u: tuple[int, int], s: tuple[int, int], y: tuple[int, int]) -> None:
        """A sloped bar: its top goes from height y[0] at s[0] to y[1] at s[1]."""
        ring = [(u[0], -_RAIL), (u[1], -_RAIL), (u[1], 0), (u[0], 0)]
        ends = [
            [(*self.stairs.apply(across, place), height + up) for across, up in ring]
            for place, height in zip(s, y, strict=True)
        ]
        a, b = (np.array([(x, up, z) for x, z, up in end], np.int64) for end in ends)
        order = np.array([0, 1, 2, 3])
        after = np.roll(order, -1)
        quads = np.stack([a[order], a[after], b[after], b[order]], axis=1)
        quads = np.concatenate([quads, a[None, ::-1], b[None]])
        # The frame may be mirrored, and the bar may run either way.
        (ax, az), (ux, uz) = self.stairs.across, self.stairs.up
        if (ax * uz - az * ux > 0) != (s[1] > s[0]):
            quads = quads[:, ::-1]
        length = abs(s[1] - s[0])
        side = [[0, 0], [0, _RAIL], [length, _RAIL], [length, 0]]
        end = [[0, 0], [0, _RAIL], [_RAIL, _RAIL], [_RAIL, 0]]
        texture = np.array([side] * 4 + [end] * 2, np.int64)
        self.mesh.add_quads(quads, texture, finish, self.owner)


def add_stairs(mesh: MeshBuilder, stairs: Stairs, style: Style, panel: int) -> None:
    """Add a staircase and its railings; ``panel`` is the finish of its closed sides."""
    pen = _Pen(mesh, stairs, mesh.new_object("stairs"))
    steps = _steps(stairs)
    for u, s, top in steps:
        _step(pen, style, panel, u, s, top)
    if stairs.shape == "half_turn":
        u, s = (0, stairs.flights[1][1]), (stairs.run, stairs.length)
        pen.box(style.wood, u, (STOREY // 2 - _BOARD, STOREY // 2), (s[0] - NOSE, s[1]))
        riser = (STOREY // 2 - RISE - 5, STOREY // 2 - _BOARD)
        pen.box(style.trim, stairs.flights[0], riser, (s[0] - 12, s[0]))
        _faces(pen, panel, u, s, STOREY // 2 - _BOARD)
        _strip(pen, style, panel)
    _skirting(pen, style)
    _last_step(pen, style)
    _edges(pen, style)
    rails = _Pen(mesh, stairs, mesh.new_object("railing"))
    _flight_rails(rails, style)
    _guards(rails, style)


def _steps(stairs: Stairs) -> list[tuple[tuple[int, int], tuple[int, int], int]]:
    """Extents across and along, from the nose on, and height of every tread but the landing."""
    if stairs.shape == "straight":
        u = (0, stairs.breadth)
        return [(u, (k * TREAD, (k + 1) * TREAD), (k + 1) * RISE) for k in range(RISERS - 1)]
    lower, upper = stairs.flights
    half = RISERS // 2
    upper = (upper[0], stairs.breadth)
    found = [(lower, (k * TREAD, (k + 1) * TREAD), (k + 1) * RISE) for k in range(half - 1)]
    for k in range(half - 1):
        found.append((upper, (stairs.run - k * TREAD, stairs.run - (k + 1) * TREAD), (half + k + 1) * RISE))
    return found


def _step(pen: _Pen, style: Style, panel: int, u: tuple[int, int], s: tuple[int, int], top: int) -> None:
    """A tread on a closed body down to the floor."""
    forward = 1 if s[1] > s[0] else -1
    pen.box(style.wood, u, (top - _BOARD, top), (s[0] - forward * NOSE, s[1]))
    pen.box(style.trim, u, (top - RISE - 5, top - _BOARD), (s[0] - forward * 12, s[0]))
    _faces(pen, panel, u, s, top - _BOARD)


def _faces(pen: _Pen, panel: int, u: tuple[int, int], s: tuple[int, int], top: int) -> None:
    """A body from the floor to below a tread, in boxes one above the other for the light on its sides."""
    count = -(-top // _PANEL_QUAD)
    for number in range(count):
        y = (top * number // count, top * (number + 1) // count)
        pen.box(panel, u, y, s)


def _strip(pen: _Pen, style: Style, panel: int) -> None:
    """The landing's border below its railing."""
    stairs = pen.stairs
    u, s = (stairs.flights[1][1], stairs.breadth), (stairs.run, stairs.length)
    pen.box(style.wood, u, (STOREY // 2 - _BOARD, STOREY // 2), s)
    _faces(pen, panel, u, s, STOREY // 2 - _BOARD)


def _skirting(pen: _Pen, style: Style) -> None:
    """Boards along the foot of the closed sides."""
    stairs, y = pen.stairs, (0, 80)
    pen.box(style.trim, (stairs.breadth, stairs.breadth + 12), y, (0, stairs.length))
    if stairs.shape == "half_turn":
        pen.box(style.trim, (stairs.flights[0][1], stairs.breadth + 12), y, (-12, 0))
    else:
        pen.box(style.trim, (0, stairs.breadth + 12), y, (stairs.length, stairs.length + 12))


def _last_step(pen: _Pen, style: Style) -> None:
    """The last riser, up to the floor above, and the nose of that floor."""
    stairs = pen.stairs
    u, out = (stairs.flights[-1][0], stairs.flights[-1][1]), stairs.head_up
    pen.box(style.white, u, (STOREY - RISE - _BOARD, STOREY - 5), (stairs.head, stairs.head + out * 15))
    pen.box(style.wood, u, (STOREY - _BOARD, STOREY + 2), (stairs.head - out * NOSE, stairs.head + out * 90))


def _edges(pen: _Pen, style: Style) -> None:
    """Boards that cover the edges of the slab around the stairwell."""
    stairs, y = pen.stairs, (WALL_HEIGHT - 15, STOREY + 8)
    right = stairs.flights[-1][1]
    pen.box(style.trim, (right - 3, right + 18), y, (0, stairs.length))
    for end, out, u in _closed_ends(stairs):
        pen.box(style.trim, u, y, (end + 3 * -out, end + 18 * out))


def _closed_ends(stairs: Stairs) -> list[tuple[int, int, tuple[int, int]]]:
    """Ends of the well with a railing: place along s, direction away from the well, extent across."""
    if stairs.shape == "straight":
        return [(0, -1, (0, stairs.breadth))]
    return [(0, -1, (0, stairs.flights[1][0]))]


def _flight_rails(pen: _Pen, style: Style) -> None:
    """Railings along the open sides of the flights, on the steps."""
    stairs = pen.stairs
    if stairs.shape == "straight":
        _sloped(pen, style, stairs.width + RAIL_ZONE // 2, (0, stairs.run), RISE, _BELOW_SLAB)
        return
    lower, upper = stairs.flights
    _sloped(pen, style, lower[1] - RAIL_ZONE // 2, (0, stairs.run), RISE, None)
    _sloped(pen, style, upper[0] + RAIL_ZONE // 2, (stairs.run, 0), STOREY // 2 + RISE, None)
    u = upper[1] + RAIL_ZONE // 2
    _sloped(pen, style, u, (stairs.run, 0), STOREY // 2 + RISE, _BELOW_SLAB)
    # It begins at the post of the flight.
    _level(pen, style, (u, u), (stairs.run - 40, stairs.length - 40), STOREY // 2, posts=(False, True))


_BELOW_SLAB = WALL_HEIGHT - _RAIL
"""The railing beside the well ends below the slab; the one upstairs goes on."""


def _sloped(pen: _Pen, style: Style, u: int, s: tuple[int, int], first: int, limit: int | None) -> None:
    """A handrail over the noses, on balusters, from a newel on: up from the tread at height ``first``."""
    forward = 1 if s[1] > s[0] else -1
    count = abs(s[1] - s[0]) // TREAD
    tops = [first + k * RISE for k in range(count)]
    if limit is not None:
        tops = [top for top in tops if top + RISE + _RAIL_HEIGHT <= limit]
    if not tops:
        return
    across = (u - _BALUSTER // 2, u + _BALUSTER // 2)
    for k, top in enumerate(tops):
        for place in (TREAD // 4, TREAD * 3 // 4):
            at = s[0] + forward * (k * TREAD + place)
            height = top + _RAIL_HEIGHT + RISE * place // TREAD - 20
            pen.box(style.trim, across, (top, height), (at - _BALUSTER // 2, at + _BALUSTER // 2))
    end = s[0] + forward * len(tops) * TREAD
    heights = (tops[0] + _RAIL_HEIGHT, tops[-1] + RISE + _RAIL_HEIGHT)
    pen.bar(style.wood, (u - _RAIL // 2, u + _RAIL // 2), (s[0], end), heights)
    _newel(pen, style, u, s[0] + forward * 40, tops[0] - RISE, heights[0] + 100)
    _newel(pen, style, u, end - forward * 40, tops[-1], heights[1] + 40)


def _newel(pen: _Pen, style: Style, u: int, s: int, low: int, high: int) -> None:
    half = _NEWEL // 2
    u0, u1 = (u - min(half, RAIL_ZONE // 2), u + min(half, RAIL_ZONE // 2))
    pen.box(style.wood, (u0, u1), (low, high), (s - half, s + half))
    pen.box(style.wood, (u0 - 6, u1 + 6), (high, high + 18), (s - half - 6, s + half + 6))


def _guards(pen: _Pen, style: Style) -> None:
    """Railings around the well on the floor above."""
    stairs = pen.stairs
    u = stairs.flights[-1][1] + RAIL_ZONE // 2
    corner = stairs.shape == "straight"
    _level(pen, style, (u, u), (-30 if corner else 40, stairs.length - 40), STOREY)
    for end, out, (low, high) in _closed_ends(stairs):
        s = end + out * RAIL_ZONE // 2
        _level(pen, style, (low + 42, u if corner else high - 40), (s, s), STOREY, posts=(True, not corner))


def _level(
    pen: _Pen,
    style: Style,
    u: tuple[int, int],
    s: tuple[int, int],
    y: int,
    *,
    posts: tuple[bool, bool] = (True, True),
) -> None:
    """A level railing between two points, along one of the axes, with a newel at each end or at one."""
    along_s = u[0] == u[1]
    start, end = s if along_s else u
    count = max((end - start) // 130, 1)
    half = _BALUSTER // 2

    def place(low: int, high: int, thick: int) -> tuple[tuple[int, int], tuple[int, int]]:
        if along_s:
            return (u[0] - thick, u[0] + thick), (low, high)
        return (low, high), (s[0] - thick, s[0] + thick)

    for number in range(1, count):
        at = start + (end - start) * number // count
        across, lengthwise = place(at - half, at + half, half)
        pen.box(style.trim, across, (y + 60, y + _GUARD_HEIGHT - _RAIL + 10), lengthwise)
    for low, high in ((y + 30, y + 70), (y + _GUARD_HEIGHT - _RAIL, y + _GUARD_HEIGHT)):
        across, lengthwise = place(start, end, _RAIL // 2)
        pen.box(style.wood, across, (low, high), lengthwise)
    for at in (at for at, post in zip((start, end), posts, strict=True) if post):
        across, lengthwise = place(at - 40, at + 40, 30)
        pen.box(style.wood, across, (y, y + _GUARD_HEIGHT + 60), lengthwise)
