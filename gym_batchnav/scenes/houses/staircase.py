"""Measures of staircases, and the sloped ground on them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from .plan import STOREY, Rect

RISERS = 16
RISE = STOREY // RISERS
"""Height of a step: 175 mm."""
TREAD = 260
"""Depth of a step from nose to nose."""
RAIL_ZONE = 60
"""Width that handrail and balusters take on the open side."""
GAP = 120
"""Between the two flights of a staircase that turns back."""
NOSE = 20
"""How far a tread stands out over its riser."""
BEFORE, BEHIND = TREAD // 2 + NOSE, TREAD // 2 - NOSE
"""The sloped ground runs through the middles of the treads: it begins on the floor before the first riser and
ends on the floor above behind the last one."""
LANE = 950
"""Depth of the free floor before the first step and behind the last one."""

Flight = tuple[int, int]
Vector = tuple[int, int]


class Ramp(NamedTuple):
    """Sloped ground: a rectangle ``u0`` to ``u1`` across, height ``y0`` at ``s0``, ``y1`` at ``s1``."""

    u0: int
    u1: int
    s0: int
    y0: int
    s1: int
    y1: int


@dataclass(frozen=True, slots=True)
class Stairs:
    """A staircase in its own frame: u across, away from its wall; s along, up the first flight from its foot.

    A ``straight`` one has all 16 risers in one flight; a ``half_turn`` has 8, a landing, and 8 back beside
    them. The side away from the wall is open and has a railing.
    """

    shape: Literal["straight", "half_turn"]
    origin: Vector
    """(x, z) of u = 0, s = 0."""
    across: Vector
    """Direction of u in the plan, along an axis."""
    up: Vector
    """Direction of s in the plan, along an axis."""
    width: int
    """Clear width of a flight."""

    @property
    def run(self) -> int:
        """Length of a flight, from its first riser to its last."""
        return TREAD * (RISERS - 1 if self.shape == "straight" else RISERS // 2 - 1)

    @property
    def breadth(self) -> int:
        """Extent along u, railing included."""
        return self.flights[-1][1] + RAIL_ZONE

    @property
    def length(self) -> int:
        """Extent along s."""
        return self.run if self.shape == "straight" else self.run + self.width

    @property
    def flights(self) -> tuple[Flight, ...]:
        """Extents along u of the flights, the lower one first."""
        if self.shape == "straight":
            return ((0, self.width),)
        return ((0, self.width), (self.width + GAP, 2 * self.width + GAP))

    @property
    def head(self) -> int:
        """Place along s where the last riser stands."""
        return self.run if self.shape == "straight" else 0

    @property
    def head_up(self) -> int:
        """Direction along s in which one leaves the stairs upstairs."""
        return 1 if self.shape == "straight" else -1

    @property
    def rect(self) -> Rect:
        """The whole staircase in the plan."""
        return self.to_rect(0, 0, self.breadth, self.length)

    @property
    def well(self) -> Rect:
        """The hole in the floor above; the railing upstairs stands beside it."""
        return self.to_rect(0, 0, self.flights[-1][1], self.length)

    @property
    def blocked(self) -> tuple[Rect, Rect]:
        """Where nothing may stand, downstairs and upstairs: the staircase and the space before its ends."""
        below = self.to_rect(0, -LANE, self.breadth, self.length)
        ends = (0, self.length + LANE) if self.head_up > 0 else (-LANE, self.length)
        return below, self.to_rect(0, ends[0], self.breadth, ends[1])

    def apply(self, u: int, s: int) -> Vector:
        """Own frame to plan."""
        return (
            self.origin[0] + u * self.across[0] + s * self.up[0],
            self.origin[1] + u * self.across[1] + s * self.up[1],
        )

    def to_rect(self, u0: int, s0: int, u1: int, s1: int) -> Rect:
        """A rectangle of the own frame in the plan."""
        (xa, za), (xb, zb) = self.apply(u0, s0), self.apply(u1, s1)
        return Rect(min(xa, xb), min(za, zb), max(xa, xb), max(za, zb))

    def turned(self, swap: bool, flip_x: bool, flip_z: bool, width: int, depth: int) -> Stairs:
        """The staircase of the plan (width x depth) mirrored in x, in z, and then transposed."""
        (x, z), (ax, az), (ux, uz) = self.origin, self.across, self.up
        if flip_x:
            x, ax, ux = width - x, -ax, -ux
        if flip_z:
            z, az, uz = depth - z, -az, -uz
        if swap:
            x, z, ax, az, ux, uz = z, x, az, ax, uz, ux
        return replace(self, origin=(x, z), across=(ax, az), up=(ux, uz))

    def ramps(self, radius: int) -> tuple[Ramp, ...]:
        """Sloped ground for an agent of that radius (mm), lower flight first."""
        tops = (STOREY,) if self.shape == "straight" else (STOREY // 2, STOREY)
        found, y = [], 0
        for number, ((u0, u1), top) in enumerate(zip(self.flights, tops, strict=True)):
            ends = (self.run + BEFORE, -BEHIND) if number else (-BEFORE, self.run + BEHIND)
            found.append(Ramp(u0 + radius, u1 - radius, ends[0], y, ends[1], top))
            y = top
        return tuple(found)

    def landing(self, radius: int) -> Rect | None:
        """Ground on the landing between two flights, in the plan; None for a straight staircase."""
        if self.shape == "straight":
            return None
        right = 2 * self.width + GAP - radius
        return self.to_rect(radius, self.run + _reach(radius), right, self.length - radius)

    def mouths(self, radius: int) -> tuple[Rect, Rect]:
        """Ground that leads from the floors, downstairs and upstairs, to the edges of the sloped ground."""
        below, above = self.flights[0], self.flights[-1]
        foot = self.to_rect(below[0] + radius, -_reach(radius) - 10, below[1] - radius, -BEFORE)
        near, far = BEHIND, _reach(radius) + RAIL_ZONE + 10
        ends = (self.head + self.head_up * near, self.head + self.head_up * far)
        return foot, self.to_rect(above[0] + radius, ends[0], above[1] - radius, ends[1])

    def landing_mouths(self, radius: int) -> tuple[Rect, ...]:
        """Ground that leads from the landing to the edges of the sloped ground."""
        if self.shape == "straight":
            return ()
        near, far = (self.run + BEHIND, self.run + BEFORE), self.run + _reach(radius) + 10
        return tuple(
            self.to_rect(u0 + radius, start, u1 - radius, far)
            for (u0, u1), start in zip(self.flights, near, strict=True)
        )

    def obstacles(self, radius: int) -> tuple[Rect, Rect]:
        """What keeps the agent's centre off the staircase, downstairs and upstairs; see ``mouths``."""
        reach, right = _reach(radius), self.breadth + radius
        below = self.to_rect(-radius, -reach, right, self.length + radius)
        # Upstairs a railing stands before the end that is not the head; both ends are treated alike.
        end = self.length + (reach + RAIL_ZONE if self.head_up > 0 else radius)
        return below, self.to_rect(-radius, -reach - RAIL_ZONE, right, end)


def _reach(radius: int) -> int:
    """How far the agent's centre keeps off the ends of a flight beside it."""
    return max(radius, BEFORE) + 10
