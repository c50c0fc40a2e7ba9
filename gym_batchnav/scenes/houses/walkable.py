"""Where the agent's centre can be: floor minus walls and furniture, shrunk by its radius."""

from __future__ import annotations

from typing import Any

import numpy as np
import shapely

from ..scene import WalkableGround
from .brush import Footprint
from .convex import merge_convex
from .plan import INNER_WALL, STOREY, Plan, Rect
from .staircase import Stairs

GRID = 10
"""Corners of the walkable ground lie on a grid of this many millimetres."""
CLEAR_RADIUS = 200
"""Every room must be reachable for an agent of this radius, millimetres, so that no way is a squeeze."""
_SMALL_ISLAND = 600_000
"""Islands up to this area (mm2) are dropped."""

Region = Any
"""A shapely geometry."""
Corner = tuple[int, int, int]
"""x, y, z in millimetres."""


def free_region(plan: Plan, footprints: list[Footprint], radius: int, storey: int = 0) -> Region:
    """Region of a storey in which the centre of an agent of that radius (mm) fits, in millimetres.

    Corners are mitred; all corners lie on the ``GRID``. It reaches up to the sloped ground of the stairs.
    """
    floors = [shapely.box(*room.inner.grown(-radius)) for room in plan.rooms if room.storey == storey]
    floors += [
        shapely.box(*passage(plan, number, radius))
        for number, door in enumerate(plan.doors)
        if plan.rooms[door.rooms[0]].storey == storey
    ]
    free = shapely.union_all(floors, grid_size=GRID)
    solid = _solids([thing for thing in footprints if thing.place.y // STOREY == storey], radius)
    if plan.stairs is not None:
        solid.append(shapely.box(*plan.stairs.obstacles(radius)[storey]))
    if solid:
        free = shapely.difference(free, shapely.union_all(solid, grid_size=GRID), grid_size=GRID)
    if plan.stairs is not None:
        mouth = shapely.box(*plan.stairs.mouths(radius)[storey])
        free = shapely.union(free, mouth, grid_size=GRID)
    return free


def _solids(footprints: list[Footprint], radius: int) -> list[Region]:
    if not footprints:
        return []
    outlines = [footprint.outline(radius) for footprint in footprints]
    owner = np.repeat(np.arange(len(outlines)), [len(outline) for outline in outlines])
    rings = shapely.linearrings(np.concatenate(outlines).astype(np.float64), indices=owner)
    return list(shapely.polygons(rings))


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


def main_islands(plan: Plan, footprints: list[Footprint], radius: int) -> list[Region] | None:
    """The walkable ground of each storey; None where a part is cut off, or the stairs."""
    islands = []
    for storey in range(plan.storeys):
        island = main_island(free_region(plan, footprints, radius, storey))
        if island is None or not _holds_mouth(island, plan.stairs, radius, storey):
            return None
        islands.append(island)
    return islands


def _holds_mouth(island: Region, stairs: Stairs | None, radius: int, storey: int) -> bool:
    return stairs is None or bool(
        shapely.contains(island, shapely.box(*stairs.mouths(radius)[storey]).centroid)
    )


def joins_all_rooms(plan: Plan, footprints: list[Footprint]) -> bool:
    """Whether a wide agent gets through every door, to the stairs, and to a good part of every room."""
    return all(_joins_storey(plan, footprints, storey) for storey in range(plan.storeys))


def _joins_storey(plan: Plan, footprints: list[Footprint], storey: int) -> bool:
    parts = shapely.get_parts(free_region(plan, footprints, CLEAR_RADIUS, storey))
    if not len(parts):
        return False
    island = parts[int(np.argmax(shapely.area(parts)))]
    if not _holds_mouth(island, plan.stairs, CLEAR_RADIUS, storey):
        return False
    for number, door in enumerate(plan.doors):
        if plan.rooms[door.rooms[0]].storey == storey and not shapely.contains(
            island, shapely.box(*passage(plan, number, CLEAR_RADIUS)).centroid
        ):
            return False
    for room in (room for room in plan.rooms if room.storey == storey):
        inside = float(shapely.intersection(island, shapely.box(*room.inner)).area)
        if inside < min(0.22 * (room.inner.area - sum(rect.area for rect in room.stairs)), 2_500_000):
            return False
    return True


def ground_of(islands: list[Region], stairs: Stairs | None, radius: int) -> WalkableGround:
    """Cut the ground of all storeys (mm) into convex polygons that share whole edges, and add the stairs."""
    ground = _Ground()
    for storey, island in enumerate(islands):
        ground.add_level(island, storey * STOREY)
    if stairs is not None:
        landing = stairs.landing(radius)
        if landing is not None:
            parts = [landing, *stairs.landing_mouths(radius)]
            ground.add_level(
                shapely.simplify(shapely.union_all([shapely.box(*part) for part in parts]), 0), STOREY // 2
            )
        for ramp in stairs.ramps(radius):
            low, high = (ramp.s0, ramp.y0), (ramp.s1, ramp.y1)
            corners = [(ramp.u0, *low), (ramp.u1, *low), (ramp.u1, *high), (ramp.u0, *high)]
            ground.add_slope([(*stairs.apply(u, s), y) for u, s, y in corners])
    vertices = np.array(ground.corners, np.int64).reshape(-1, 3) / 1000.0
    return WalkableGround(vertices=vertices.astype(np.float32), polygons=tuple(ground.polygons))


class _Ground:
    """Polygons on their way."""

    def __init__(self) -> None:
        self.corners: list[Corner] = []
        self.polygons: list[tuple[int, ...]] = []

    def add_level(self, island: Region, y: int) -> None:
        """A flat polygon, with holes or without."""
        triangles = shapely.get_parts(shapely.constrained_delaunay_triangles(island))
        rings = shapely.get_coordinates(triangles).reshape(len(triangles), 4, 2)[:, :3]
        corners = np.rint(rings).astype(np.int64)
        points, numbers = np.unique(corners.reshape(-1, 2), axis=0, return_inverse=True)
        first = len(self.corners)
        self.polygons += [
            tuple(first + corner for corner in ring) for ring in merge_convex(points, numbers.reshape(-1, 3))
        ]
        self.corners += [(int(x), y, int(z)) for x, z in points]

    def add_slope(self, corners: list[tuple[int, int, int]]) -> None:
        """A sloped rectangle, x, z and height of its corners; they are corners of level polygons already."""
        ring = [self.corners.index((x, y, z)) for x, z, y in corners]
        (xa, za, _), (xb, zb, _), (xc, zc, _) = corners[:3]
        turns = (xb - xa) * (zc - zb) - (zb - za) * (xc - xb)
        self.polygons.append(tuple(ring if turns > 0 else ring[::-1]))
