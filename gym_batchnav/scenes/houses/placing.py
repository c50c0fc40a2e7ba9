"""Finds places for furniture in one room: at the walls or in the middle, never before a door."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from .brush import Brush, Footprint
from .dice import Dice
from .furniture import Piece
from .mesh import QUARTER_TURNS, MeshBuilder, Place, Turn
from .plan import SILL, Opening, Rect, Room

_STEP = 50
_DOOR_DEPTH = 850
"""Depth of the space that stays free before a door."""
_ARCH_DEPTH = 450
"""The same for the wide arches, which furniture may stand beside."""
_WALL_GAP = 20
"""Distance of furniture from its wall, so that faces do not coincide with it."""

Rects = NDArray[np.int64]


@dataclass(slots=True)
class RoomPlacer:
    """Occupied and reserved space of a room, and the pen that draws into it."""

    room: Room
    openings: tuple[Opening, ...]
    dice: Dice
    mesh: MeshBuilder
    footprints: list[Footprint]
    lane: int
    """Width that must stay free between a piece in the middle and everything else."""
    clutter: int = 50
    """How many small things lie about, in per cent."""
    reserved: list[Rect] = field(default_factory=list)
    taken: list[Rect] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.taken += self.room.blocked
        self.reserved += self.room.blocked
        for opening in self.openings:
            if opening.kind != "window":
                short = min(self.room.inner.width, self.room.inner.depth)
                depth = _ARCH_DEPTH if opening.kind == "arch" else min(_DOOR_DEPTH, short * 2 // 3)
                self.reserved.append(
                    self.room.inner.strip(opening.side, opening.low - 80, opening.high + 80, depth)
                )

    def at_wall(
        self,
        piece: Piece,
        *,
        prefer: Literal["any", "corner", "middle"] = "any",
        sides: tuple[int, ...] = (0, 1, 2, 3),
    ) -> int | None:
        """Put a piece with its back to a wall; returns the side, or None where there is no room."""
        choices = [(side, low) for side in self.dice.shuffled(sides) for low in self._fits(piece, side)]
        if not choices:
            return None
        side, low = self._choose(choices, piece, prefer)
        inner = self.room.inner
        self.taken.append(inner.strip(side, low, low + piece.width, piece.depth + _WALL_GAP))
        if piece.front:
            self.reserved.append(
                inner.strip(side, low + 100, low + piece.width - 100, piece.depth + piece.front)
            )
        line = inner.line(side) + (_WALL_GAP if side in (0, 3) else -_WALL_GAP)
        along = low + piece.half
        x, z = (along, line) if side % 2 == 0 else (line, along)
        self._draw(piece, Place(x, z, QUARTER_TURNS[side], self.room.y))
        return side

    def in_middle(
        self, piece: Piece, *, turns: tuple[int, ...] = (0, 1, 2, 3), lane: int | None = None
    ) -> bool:
        """Put a piece away from the walls, with a lane around it; False where there is no room."""
        lane = self.lane if lane is None else lane
        turn = self.dice.pick(turns)
        width, depth = (piece.width, piece.depth) if turn % 2 == 0 else (piece.depth, piece.width)
        free = self.room.inner.grown(-lane)
        xs = np.arange(free.x0, free.x1 - width + 1, 2 * _STEP)
        zs = np.arange(free.z0, free.z1 - depth + 1, 2 * _STEP)
        if not len(xs) or not len(zs):
            return False
        x, z = (axis.ravel() for axis in np.meshgrid(xs, zs, indexing="ij"))
        around = np.stack([x - lane, z - lane, x + width + lane, z + depth + lane], axis=1)
        solid = around + np.array([lane, lane, -lane, -lane])
        open_ = ~_hits(around, self.taken) & ~_hits(solid, self.reserved)
        found = np.nonzero(open_)[0]
        if not len(found):
            return False
        chosen = int(found[self.dice.below(len(found))])
        rect = Rect(*(int(value) for value in solid[chosen]))
        self.taken.append(rect)
        centre_x, centre_z = rect.x0 + width // 2, rect.z0 + depth // 2
        turned = Place(centre_x, centre_z, QUARTER_TURNS[turn])
        corner = turned.apply(0, -(piece.depth // 2))
        self._draw(piece, Place(*corner, QUARTER_TURNS[turn], self.room.y))
        return True

    def askew(self, piece: Piece, turn: Turn) -> bool:
        """Put a small piece turned by an odd angle into the middle."""
        size = max(piece.width, piece.depth) * 7 // 5

        def draw(brush: Brush) -> None:
            piece.draw(brush.moved(0, size // 2, turn).moved(0, -piece.depth // 2))

        return self.in_middle(
            Piece(size, size, piece.height, draw, class_name=piece.class_name), lane=min(self.lane, 350)
        )

    def _draw(self, piece: Piece, place: Place) -> None:
        owner = self.mesh.new_object(piece.class_name)
        piece.draw(Brush(self.mesh, self.footprints, place, owner))

    def _fits(self, piece: Piece, side: int) -> list[int]:
        """Places along a side where the piece fits, millimetres along the wall."""
        low, high = self.room.inner.span(side)
        across = self.room.inner.depth if side % 2 == 0 else self.room.inner.width
        if across < piece.depth + max(piece.front, 600):
            return []
        starts = np.arange(low + _WALL_GAP, high - piece.width - _WALL_GAP + 1, _STEP)
        last = high - _WALL_GAP - piece.width
        if len(starts) and starts[-1] < last:
            starts = np.append(starts, last)
        strip = self.room.inner.strip(side, 0, 0, piece.depth + _WALL_GAP)
        front = self.room.inner.strip(side, 0, 0, piece.depth + piece.front)
        solid, clear = (_along(rect, side, starts, piece.width) for rect in (strip, front))
        free = ~_hits(solid, self.reserved) & ~_hits(solid, self.taken) & ~_hits(clear, self.taken)
        if piece.height > SILL:
            for opening in self.openings:
                if opening.side == side and opening.kind == "window":
                    free &= (starts >= opening.high) | (starts + piece.width <= opening.low)
        return [int(start) for start in starts[free]]

    def _choose(
        self, choices: list[tuple[int, int]], piece: Piece, prefer: Literal["any", "corner", "middle"]
    ) -> tuple[int, int]:
        if prefer == "any":
            return self.dice.pick(choices)

        def off_centre(choice: tuple[int, int]) -> int:
            low, high = self.room.inner.span(choice[0])
            return abs(2 * choice[1] + piece.width - low - high)

        ranked = sorted(choices, key=off_centre, reverse=prefer == "corner")
        return self.dice.pick(ranked[: max(1, min(3, len(ranked) // 8))])


def _along(strip: Rect, side: int, starts: NDArray[np.int64], width: int) -> Rects:
    """(C, 4) copies of a strip moved along its wall."""
    rects = np.tile(np.array(strip, np.int64), (len(starts), 1))
    column = 0 if side % 2 == 0 else 1
    rects[:, column], rects[:, column + 2] = starts, starts + width
    return rects


def _hits(candidates: Rects, blocked: list[Rect]) -> NDArray[np.bool_]:
    """(C,) whether a candidate meets one of the blocked rectangles."""
    if not blocked:
        return np.zeros(len(candidates), np.bool_)
    a, b = candidates[:, None], np.array(blocked, np.int64)[None]
    meets = (
        (a[..., 0] < b[..., 2]) & (b[..., 0] < a[..., 2]) & (a[..., 1] < b[..., 3]) & (b[..., 1] < a[..., 3])
    )
    return np.asarray(meets.any(axis=1))
