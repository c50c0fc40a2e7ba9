"""Where the agent's centre can be: floor minus walls and furniture, shrunk by its radius."""

from __future__ import annotations

from typing import Any

import numpy as np
import shapely

from ..scene import WalkableGround
from .brush import Footprint
from .convex import merge_convex
from .plan import INNER_WALL, Plan, Rect

GRID = 10
"""Corners of the walkable ground lie on a grid of this many millimetres."""
CLEAR_RADIUS = 200
"""Every room must be reachable for an agent of this radius, millimetres, so that no way is a squeeze."""
_SMALL_ISLAND = 600_000
"""Islands up to this area (mm2) are dropped."""

Region = Any
"""A shapely geometry."""


def free_region(plan: Plan, footprints: list[Footprint], radius: int) -> Region:
    """Region of the plan in which the centre of an agent of that radius (mm) fits, in millimetres.

    Corners are mitred; all corners lie on the ``GRID``.
    """
    floors = [shapely.box(*room.inner.grown(-radius)) for room in plan.rooms]
    floors += [shapely.box(*passage(plan, number, radius)) for number in range(len(plan.doors))]
    free = shapely.union_all(floors, grid_size=GRID)
    if footprints:
        outlines = [footprint.outline(radius) for footprint in footprints]
        owner = np.repeat(np.arange(len(outlines)), [len(outline) for outline in outlines])
        rings = shapely.linearrings(np.concatenate(outlines).astype(np.float64), indices=owner)
        solid = shapely.polygons(rings)
        free = shapely.difference(free, shapely.union_all(solid, grid_size=GRID), grid_size=GRID)
    return free


def passage(plan: Plan, door: int, radius: int) -> Rect:
    """Rectangle through a door that joins the floors of its rooms, both shrunk by ``radius`` (mm)."""
    room, opening = plan.rooms[plan.doors[door].rooms[0]], plan.doors[door].openings[0]
    line = room.inner.line(opening.side)
    outwards = INNER_WALL if opening.side in (1, 2) else -INNER_WALL
    near, far = sorted((line, line + outwards))
    low, high = opening.low + radius, opening.high - radius
    if opening.side % 2 == 0:
        return Rect(low, near - radius, high, far + radius)
    return Rect(near - radius, low, far + radius, high)


def main_island(region: Region) -> Region | None:
    """The largest part of a region; None where another part is too large to be dropped."""
    parts = sorted(shapely.get_parts(region), key=lambda part: float(part.area))
    if not parts or any(part.area > _SMALL_ISLAND for part in parts[:-1]):
        return None
    return shapely.simplify(parts[-1], 0)


def joins_all_rooms(plan: Plan, footprints: list[Footprint]) -> bool:
    """Whether a wide agent gets through every door and to a good part of every room."""
    parts = shapely.get_parts(free_region(plan, footprints, CLEAR_RADIUS))
    if not len(parts):
        return False
    island = parts[int(np.argmax(shapely.area(parts)))]
    for number in range(len(plan.doors)):
        if not shapely.contains(island, shapely.box(*passage(plan, number, CLEAR_RADIUS)).centroid):
            return False
    for room in plan.rooms:
        inside = float(shapely.intersection(island, shapely.box(*room.inner)).area)
        if inside < min(0.22 * room.inner.area, 2_500_000):
            return False
    return True


def ground_of(island: Region) -> WalkableGround:
    """Cut a polygon (mm) into convex polygons that share whole edges."""
    triangles = shapely.get_parts(shapely.constrained_delaunay_triangles(island))
    rings = shapely.get_coordinates(triangles).reshape(len(triangles), 4, 2)[:, :3]
    corners = np.rint(rings).astype(np.int64)
    points, numbers = np.unique(corners.reshape(-1, 2), axis=0, return_inverse=True)
    polygons = merge_convex(points, numbers.reshape(-1, 3))
    vertices = np.zeros((len(points), 3), np.float32)
    vertices[:, [0, 2]] = (points / 1000.0).astype(np.float32)
    return WalkableGround(vertices=vertices, polygons=polygons)
