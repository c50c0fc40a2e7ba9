"""Finds places for furniture in one room: at the walls or in the middle, never before a door."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .brush import Brush, Footprint, Thing
from .dice import Dice
from .furniture import Piece
from .mesh import QUARTER_TURNS, MeshBuilder, Place, Turn
from .plan import STOREY, Opening, Rect, Room, without

_STEP = 50
_DOOR_DEPTH = 850
"""Depth of the space that stays free before a door."""
_ARCH_DEPTH = 450
"""The same for the wide arches, which furniture may stand beside."""
WALL_GAP = 20
"""Distance of furniture from its wall, past the skirting boards."""
_HUNG_GAP = 3
"""Distance of pictures and curtains from the wall, so that faces do not coincide with it."""

Rects = NDArray[np.int64]
Prefer = Literal["any", "corner", "middle", "low", "high"]
Span = tuple[int, int]


class Spot(NamedTuple):
    """Where a piece can stand at a wall."""

    side: int
    low: int
    """Its lower end along the wall."""


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
    most: int = 100
    """Pieces that may be put."""
    reserved: list[Rect] = field(default_factory=list)
    taken: list[Rect] = field(default_factory=list)
    backs: list[tuple[int, Span, int]] = field(default_factory=list)
    """What stands at walls: side, extent along it, height."""
    ways: list[Rect] = field(default_factory=list)
    """Spaces before doors, which are part of what is reserved."""
    rugs: list[Rect] = field(default_factory=list)
    """What lies flat on the floor."""
    tables: list[tuple[int, int]] = field(default_factory=list)
    """Where the middles of dining tables are, below their lamps."""

    def __post_init__(self) -> None:
        self.taken += self.room.blocked
        self.reserved += self.room.blocked
        for opening in self.openings:
            if opening.kind != "window":
                short = min(self.room.inner.width, self.room.inner.depth)
                depth = _ARCH_DEPTH if opening.kind == "arch" else min(_DOOR_DEPTH, short * 2 // 3)
                self.ways.append(
                    self.room.inner.strip(opening.side, opening.low - 80, opening.high + 80, depth)
                )
        self.reserved += self.ways

    def again(self, most: int) -> RoomPlacer:
        """A placer for a fresh try in the same room, with at most ``most`` pieces."""
        lane = self.lane
        return RoomPlacer(self.room, self.openings, self.dice, self.mesh, self.footprints, lane, most)

    @property
    def full(self) -> bool:
        """Whether no further piece may be put."""
        return len(self.taken) - len(self.room.blocked) >= self.most

    def near(self, first: int) -> list[Footprint]:
        """Footprints from number ``first`` on, and those before it that reach into the room."""
        rect = self.inner
        found = self.footprints[first:]
        for shape in self.footprints[:first]:
            outline = shape.outline(0)
            xs, zs = [x for x, _ in outline], [z for _, z in outline]
            same = self.room.y <= shape.place.y < self.room.y + STOREY
            if same and rect.overlaps(Rect(min(xs), min(zs), max(xs), max(zs))):
                found.append(shape)
        return found

    @property
    def inner(self) -> Rect:
        """The floor of the room."""
        return self.room.inner

    def at_wall(
        self, piece: Piece, *, prefer: Prefer = "any", sides: tuple[int, ...] = (0, 1, 2, 3)
    ) -> Spot | None:
        """Put a piece with its back to a wall; returns where, or None where there is no room."""
        spot = self.find(piece, prefer=prefer, sides=sides)
        if spot is not None:
            self.put(piece, spot)
        return spot

    def find(
        self, piece: Piece, *, prefer: Prefer = "any", sides: tuple[int, ...] = (0, 1, 2, 3)
    ) -> Spot | None:
        """A place for a piece with its back to one of the ``sides``; None where there is no room."""
        choices = [Spot(side, low) for side in self.dice.shuffled(sides) for low in self.fits(piece, side)]
        return self._choose(choices, piece, prefer) if choices else None

    def carve(self, place: Place, parts: list[tuple[int, int, int, int]]) -> None:
        """Replace the last taken rectangle by smaller ones (x0, z0, x1, z1) in the frame of ``place``."""
        self.taken.pop()
        for x0, z0, x1, z1 in parts:
            (ax, az), (bx, bz) = place.apply(x0, z0), place.apply(x1, z1)
            self.taken.append(Rect(min(ax, bx), min(az, bz), max(ax, bx), max(az, bz)))

    def put(self, piece: Piece, spot: Spot) -> None:
        """Draw a piece where ``find`` or ``fits`` said."""
        side, low = spot
        span = (low, low + piece.width)
        self.taken.append(self.inner.strip(side, *span, piece.depth + WALL_GAP))
        self.backs.append((side, span, piece.height))
        if piece.front:
            self.reserved.append(
                self.inner.strip(side, low + 100, low + piece.width - 100, piece.depth + piece.front)
            )
        self._draw(piece, self.place_at(side, low + piece.half, WALL_GAP))

    def place_at(self, side: int, along: int, gap: int) -> Place:
        """The frame at a wall: its origin ``gap`` before it, its z into the room."""
        line = self.inner.line(side) + (gap if side in (0, 3) else -gap)
        x, z = (along, line) if side % 2 == 0 else (line, along)
        return Place(x, z, QUARTER_TURNS[side], self.room.y)

    def stand(self, piece: Piece, place: Place, *, lane: int = 0, overlap: int = 0) -> bool:
        """Put a piece at a place if nothing is there; it may reach ``overlap`` into what is reserved."""
        rect = _bounds(place, piece)
        if self.full or not self.inside(rect) or self._meets(rect.grown(lane), self.taken):
            return False
        if self._meets(rect, self.ways) or self._meets(rect.grown(-overlap), self.reserved):
            return False
        self.taken.append(rect)
        self._draw(piece, place)
        return True

    def can_stand(self, piece: Piece, place: Place) -> bool:
        """Whether ``stand`` would find the place free."""
        rect = _bounds(place, piece)
        return self.inside(rect) and self.is_free(rect)

    def inside(self, rect: Rect) -> bool:
        """Whether a rectangle lies within the room, a little off its walls."""
        free = self.inner.grown(-WALL_GAP)
        return free.x0 <= rect.x0 and free.z0 <= rect.z0 and rect.x1 <= free.x1 and rect.z1 <= free.z1

    def in_middle(
        self, piece: Piece, *, turns: tuple[int, ...] = (0, 1, 2, 3), lane: int | None = None
    ) -> Place | None:
        """Put a piece away from the walls, with a lane around it; None where there is no room."""
        lane = self.lane if lane is None else lane
        if self.full:
            return None
        for turn in self.dice.shuffled(turns)[:2]:
            width, depth = (piece.width, piece.depth) if turn % 2 == 0 else (piece.depth, piece.width)
            solid = self._free_rects(width, depth, lane)
            if len(solid):
                rect = Rect(*(int(value) for value in solid[self.dice.below(len(solid))]))
                self.taken.append(rect)
                centre = Place(rect.x0 + width // 2, rect.z0 + depth // 2, QUARTER_TURNS[turn])
                back = Place(*centre.apply(0, -(piece.depth // 2)), QUARTER_TURNS[turn], self.room.y)
                self._draw(piece, back)
                return back
        return None

    def _free_rects(self, width: int, depth: int, lane: int) -> Rects:
        """(N, 4) rectangles of a size that have a lane around them."""
        free = self.inner.grown(-lane)
        xs = np.arange(free.x0, free.x1 - width + 1, 2 * _STEP)
        zs = np.arange(free.z0, free.z1 - depth + 1, 2 * _STEP)
        x, z = (axis.ravel() for axis in np.meshgrid(xs, zs, indexing="ij"))
        solid = np.stack([x, z, x + width, z + depth], axis=1)
        around = solid + np.array([-lane, -lane, lane, lane])
        return solid[~_hits(around, self.taken) & ~_hits(solid, self.reserved)]

    def askew(self, piece: Piece, turn: Turn) -> bool:
        """Put a small piece turned by an odd angle into the middle."""
        size = max(piece.width, piece.depth) * 7 // 5

        def draw(brush: Brush) -> None:
            piece.draw(brush.moved(0, size // 2, turn).moved(0, -piece.depth // 2))

        whole = Piece(size, size, piece.height, draw, class_name=piece.class_name)
        return self.in_middle(whole, lane=min(self.lane, 350)) is not None

    def brush(self, place: Place, class_name: str) -> Brush:
        """A pen for something new at a place."""
        return Brush(self.mesh, self.footprints, place, Thing(self.mesh, class_name))

    def hang(self, side: int, along: int, y: int, draw: Callable[[Brush], None]) -> None:
        """Draw something on a wall; ``draw`` opens its own parts."""
        place = self.place_at(side, along, _HUNG_GAP)
        draw(self.brush(place._replace(y=place.y + y), "objects"))

    def lay(self, rect: Rect, draw: Callable[[Brush, Span, Span], None]) -> None:
        """Lay something flat on the floor with the extents x and z, unless it would lie on another."""
        if not self._meets(rect, self.rugs) and self.inside(rect.grown(-WALL_GAP)):
            self.rugs.append(rect)
            draw(self.brush(Place(0, 0, y=self.room.y), "misc"), (rect.x0, rect.x1), (rect.z0, rect.z1))

    def lay_at(self, place: Place, x: Span, z: Span, draw: Callable[[Brush, Span, Span], None]) -> None:
        """``lay`` with extents in the frame of a place turned by quarters."""
        (ax, az), (bx, bz) = place.apply(x[0], z[0]), place.apply(x[1], z[1])
        self.lay(Rect(min(ax, bx), min(az, bz), max(ax, bx), max(az, bz)), draw)

    def free_wall(self, side: int, low: int, high: int) -> list[Span]:
        """Stretches of a wall without openings and tall furniture between two heights."""
        spans = [self.inner.span(side)]
        holes = [
            (opening.low - 100, opening.high + 100)
            for opening in self.openings
            if opening.side == side and opening.bottom < high
        ]
        holes += [span for other, span, top in self.backs if other == side and top > low]
        near = self.inner.strip(side, *spans[0], 400)
        holes += [rect.span(side) for rect in self.room.stairs if rect.overlaps(near)]
        for hole in holes:
            spans = [part for span in spans for part in without(span, hole)]
        return spans

    def is_free(self, rect: Rect) -> bool:
        """Whether nothing is in a rectangle, and no door needs it."""
        return not self._meets(rect, self.taken) and not self._meets(rect, self.reserved)

    @staticmethod
    def _meets(rect: Rect, others: list[Rect]) -> bool:
        return any(rect.overlaps(other) for other in others)

    def _draw(self, piece: Piece, place: Place) -> None:
        piece.draw(self.brush(place, piece.class_name))

    def fits(self, piece: Piece, side: int) -> list[int]:
        """Places along a side where the piece fits, millimetres along the wall."""
        low, high = self.inner.span(side)
        across = self.inner.depth if side % 2 == 0 else self.inner.width
        if self.full or across < piece.depth + max(piece.front, 600):
            return []
        starts = np.arange(low + WALL_GAP, high - piece.width - WALL_GAP + 1, _STEP)
        last = high - WALL_GAP - piece.width
        if len(starts) and starts[-1] < last:
            starts = np.append(starts, last)
        strip = self.inner.strip(side, 0, 0, piece.depth + WALL_GAP)
        front = self.inner.strip(side, 0, 0, piece.depth + piece.front)
        solid, clear = (_along(rect, side, starts, piece.width) for rect in (strip, front))
        free = ~_hits(solid, self.reserved) & ~_hits(solid, self.taken) & ~_hits(clear, self.taken)
        needed = piece.height if piece.sill is None else piece.sill
        for opening in self.openings:
            if opening.side == side and opening.kind == "window" and needed > opening.bottom:
                free &= (starts >= opening.high) | (starts + piece.width <= opening.low)
        return [int(start) for start in starts[free]]

    def _choose(self, choices: list[Spot], piece: Piece, prefer: Prefer) -> Spot:
        if prefer == "any":
            return self.dice.pick(choices)

        def rank(choice: Spot) -> int:
            low, high = self.inner.span(choice.side)
            if prefer in ("low", "high"):
                return choice.low - low if prefer == "low" else high - choice.low
            return abs(2 * choice.low + piece.width - low - high)

        ranked = sorted(choices, key=rank, reverse=prefer == "corner")
        return self.dice.pick(ranked[: max(1, min(3, len(ranked) // 8))])


def _bounds(place: Place, piece: Piece) -> Rect:
    """Axis-aligned bounds of a piece at a place."""
    ends = [place.apply(x, z) for x in (-piece.half, piece.half) for z in (0, piece.depth)]
    xs, zs = [x for x, _ in ends], [z for _, z in ends]
    return Rect(min(xs), min(zs), max(xs), max(zs))


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
