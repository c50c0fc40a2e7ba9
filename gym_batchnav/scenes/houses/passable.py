"""Whether one furnished room can be walked, before the whole house is looked at."""

from __future__ import annotations

import numpy as np
import shapely

from .brush import Footprint
from .plan import Opening, Rect, Room

_WIDE, _SLIM = 210, 100
"""Radii of an agent that must get to every door, and of one that no large part may be cut off from."""
_SHARE = 0.25
_ENOUGH = 2_700_000
_CUT_OFF = 500_000
"""Square millimetres that may be cut off."""


def is_passable(room: Room, openings: tuple[Opening, ...], footprints: list[Footprint]) -> bool:
    """Whether a wide agent gets from every door to every other and to a good part of the room.

    Args:
        room: the room.
        openings: its openings.
        footprints: of all that stands in it; those elsewhere do no harm.
    """
    parts = _free_parts(room, footprints, _WIDE)
    if not parts:
        return False
    island = parts[-1]
    area = room.inner.area - sum(rect.area for rect in room.stairs)
    if float(island.area) < min(_SHARE * area, _ENOUGH):
        return False
    sills = [_inside(room.inner, opening) for opening in openings if opening.kind != "window"]
    if not all(bool(shapely.intersects(island, shapely.Point(sill))) for sill in sills):
        return False
    return not any(float(part.area) > _CUT_OFF for part in _free_parts(room, footprints, _SLIM)[:-1])


def _inside(inner: Rect, opening: Opening) -> tuple[float, float]:
    """A point before the middle of a door."""
    rect = inner.strip(opening.side, opening.low, opening.high, 2 * _WIDE + 20)
    return (rect.x0 + rect.x1) / 2, (rect.z0 + rect.z1) / 2


def _free_parts(room: Room, footprints: list[Footprint], radius: int) -> list[shapely.Geometry]:
    """Parts of the room where an agent's centre can be, the largest last."""
    free = shapely.box(*room.inner.grown(-radius))
    solid = [shapely.Polygon(shape.outline(radius)) for shape in footprints]
    solid += [shapely.box(*rect.grown(radius)) for rect in room.stairs]
    if solid:
        free = shapely.difference(free, shapely.union_all(np.array(solid)))
    parts = [part for part in shapely.get_parts(free) if part.area > 0]
    return sorted(parts, key=lambda part: float(part.area))
