"""Draws furniture in the local frame of a piece and remembers what stands in the way."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .mesh import QUARTER_TURNS, MeshBuilder, Place, Turn
from .quads import Ints
from .shapes.shape import Shape

STEP = 200
"""Millimetres that the agent can step over."""
REACH = 1500
"""The agent's height, millimetres."""

# Corners of regular polygons, in thousandths; and the cosine of half the angle of a side.
_ROUND = {
    6: ((1000, 0), (500, 866), (-500, 866), (-1000, 0), (-500, -866), (500, -866)),
    8: ((1000, 0), (707, 707), (0, 1000), (-707, 707), (-1000, 0), (-707, -707), (0, -1000), (707, -707)),
    12: (
        *((1000, 0), (866, 500), (500, 866), (0, 1000), (-500, 866), (-866, 500)),
        *((-1000, 0), (-866, -500), (-500, -866), (0, -1000), (500, -866), (866, -500)),
    ),
}
_COSINES = {6: 866, 8: 924, 12: 966}


@dataclass(frozen=True, slots=True)
class Footprint:
    """Convex outline of something that the agent cannot pass."""

    place: Place
    box: tuple[int, int, int, int] | None = None
    """x0, z0, x1, z1 in the local frame."""
    cut: int = 0
    """Millimetres cut off along both sides of every corner of the box, at 45 degrees."""
    disc: tuple[int, int, int, int] | None = None
    """Centre x, z, radius and number of sides in the local frame."""

    def outline(self, margin: int) -> list[tuple[int, int]]:
        """Corners in plan coordinates, every side moved out by ``margin`` (mitred)."""
        if self.box is not None:
            x0, z0, x1, z1 = self.box
            x0, z0, x1, z1 = x0 - margin, z0 - margin, x1 + margin, z1 + margin
            # A mitred octagon grows by the margin on all sides, its cuts by 2 - sqrt(2) of it.
            c = self.cut + margin * 586 // 1000 if self.cut else 0
            corners = [(x0, z0), (x1, z0), (x1, z1), (x0, z1)]
            if c:
                corners = [(x0 + c, z0), (x1 - c, z0), (x1, z0 + c), (x1, z1 - c)]
                corners += [(x1 - c, z1), (x0 + c, z1), (x0, z1 - c), (x0, z0 + c)]
        else:
            assert self.disc is not None
            x, z, radius, sides = self.disc
            radius += margin * 1000 // _COSINES[sides]
            corners = [(x + radius * u // 1000, z + radius * v // 1000) for u, v in _ROUND[sides]]
        return [self.place.apply(*corner) for corner in corners]


class Thing:
    """An object that gets its id when something of it is drawn for the first time."""

    def __init__(self, mesh: MeshBuilder, class_name: str) -> None:
        self._mesh, self._class_name = mesh, class_name
        self._number: int | None = None

    @property
    def number(self) -> int:
        """Its id."""
        if self._number is None:
            self._number = self._mesh.new_object(self._class_name)
        return self._number


class Brush:
    """Pen for one piece: x along its back, z from back to front, y up, millimetres."""

    def __init__(
        self, mesh: MeshBuilder, footprints: list[Footprint], place: Place, owner: int | Thing
    ) -> None:
        self._mesh, self._footprints, self._place, self._thing = mesh, footprints, place, owner

    @property
    def _owner(self) -> int:
        return self._thing if isinstance(self._thing, int) else self._thing.number

    def moved(self, x: int, z: int, turn: Turn = QUARTER_TURNS[0], *, y: int = 0) -> Brush:
        """A brush for a part of the piece with its own local frame, ``y`` above the piece's own."""
        return Brush(self._mesh, self._footprints, self._at(x, y, z, turn), self._thing)

    def part(self, class_name: str) -> Brush:
        """A brush for a thing of its own, with an id of its own, in the same frame."""
        return Brush(self._mesh, self._footprints, self._place, Thing(self._mesh, class_name))

    def put(
        self,
        shape: Shape,
        finish: Ints | int,
        x: int = 0,
        y: int = 0,
        z: int = 0,
        turn: Turn = QUARTER_TURNS[0],
    ) -> None:
        """Draw a shape with its origin at (x, y, z); it stands in nobody's way unless ``block`` says so."""
        self._mesh.add_shape(shape, self._at(x, y, z, turn), finish, self._owner)

    def block(self, x: tuple[int, int], z: tuple[int, int], cut: int = 0) -> None:
        """Keep the agent out of a rectangle, its corners cut off where ``cut`` is given."""
        self._footprints.append(Footprint(self._place, box=(x[0], z[0], x[1], z[1]), cut=cut))

    def block_disc(self, x: int, z: int, radius: int, sides: int = 8) -> None:
        """Keep the agent out of a disc: a regular polygon around it."""
        around = radius * 1000 // _COSINES[sides] + 1
        self._footprints.append(Footprint(self._place, disc=(x, z, around, sides)))

    def _at(self, x: int, y: int, z: int, turn: Turn) -> Place:
        """Where a point of the local frame is, and how a part turned there is turned."""
        place = self._place
        if turn == QUARTER_TURNS[0]:
            both = place.turn
        else:
            c, s, d = place.turn
            both = Turn(c * turn.c - s * turn.s, s * turn.c + c * turn.s, d * turn.d)
        return Place(*place.apply(x, z), both, place.y + y)

    def box(
        self, finish: int, x: tuple[int, int], y: tuple[int, int], z: tuple[int, int], *, solid: bool = True
    ) -> None:
        """A box; ``solid=False`` for what is too flat to stand in the way."""
        self._mesh.add_box((x[0], y[0], z[0], x[1], y[1], z[1]), self._place, finish, self._owner)
        if solid and y[1] > STEP and y[0] < REACH:
            self._footprints.append(Footprint(self._place, box=(x[0], z[0], x[1], z[1])))

    def legs(
        self, finish: int, x: tuple[int, int], z: tuple[int, int], top: int, thickness: int = 50
    ) -> None:
        """Four legs in the corners of a rectangle."""
        for left in (x[0], x[1] - thickness):
            for back in (z[0], z[1] - thickness):
                self.box(finish, (left, left + thickness), (0, top), (back, back + thickness))

    def drum(
        self,
        finish: int,
        centre: tuple[int, int],
        radii: tuple[int, int],
        y: tuple[int, int],
        *,
        sides: int = 8,
        cap: bool = True,
    ) -> None:
        """An upright prism or frustum with the radii of its bottom and its top."""
        ring = np.array(_ROUND[sides], np.int64)
        rings = []
        for radius, height in zip(radii, y, strict=True):
            flat = [
                self._place.apply(centre[0] + radius * int(u) // 1000, centre[1] + radius * int(v) // 1000)
                for u, v in ring
            ]
            rings.append([(px, self._place.y + height, pz) for px, pz in flat])
        bottom, top = np.array(rings[0], np.int64), np.array(rings[1], np.int64)
        self._sides(finish, bottom, top, ring, max(radii))
        if cap and radii[1]:
            self._cap(finish, top)
        if y[1] > STEP and y[0] < REACH:
            self._footprints.append(Footprint(self._place, disc=(*centre, max(radii), sides)))

    def _sides(self, finish: int, bottom: Ints, top: Ints, ring: Ints, radius: int) -> None:
        """The mantle; light falls as on faces along the ring's corners."""
        next_bottom, next_top = np.roll(bottom, -1, axis=0), np.roll(top, -1, axis=0)
        corners = np.stack([next_bottom, bottom, top, next_top], axis=1)
        around = np.arange(len(ring)) * (radius * 6283 // 1000) // len(ring)
        after = (np.arange(len(ring)) + 1) * (radius * 6283 // 1000) // len(ring)
        across = np.stack([after, around, around, after], axis=1)
        texture = np.stack([across, -corners[..., 1]], axis=2)
        c, s, _ = self._place.turn
        out = np.stack(
            [c * ring[:, 0] - s * ring[:, 1], np.zeros(len(ring), np.int64), s * ring[:, 0] + c * ring[:, 1]],
            1,
        )
        after_out = np.roll(out, -1, axis=0)
        normals = np.stack([after_out, out, out, after_out], axis=1)
        self._mesh.add_quads(corners, texture, finish, self._owner, normals)

    def _cap(self, finish: int, ring: Ints) -> None:
        """The upper lid: a fan of quads around its first corner."""
        count = (len(ring) - 2) // 2
        fan = np.array([[0, 2 * k + 3, 2 * k + 2, 2 * k + 1] for k in range(count)])
        corners = ring[fan]
        self._mesh.add_quads(corners, corners[..., [0, 2]], finish, self._owner)

    def sheet(self, finish: int, x: tuple[int, int], z: tuple[int, int], y: int) -> None:
        """A flat sheet that lies on the floor, such as a rug."""
        self._mesh.add_box((x[0], 0, z[0], x[1], y, z[1]), self._place, finish, self._owner)
