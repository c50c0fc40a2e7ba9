"""The walkable ground as triangles on an integer grid, and the corners around which shortest paths bend.

Every polygon is cut into triangles from its middle, so that each triangle has a proper area even where
vertices of the polygon lie on one line. Coordinates are integers: the side of a line on which a point lies is
then exact in 64 bits, and no ray that grazes a corner is lost to rounding.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gym_batchnav.nav._jit import Real, Whole, kernel
from gym_batchnav.nav.ground import Ground, freeze

GRID_BITS = 30
"""Bits of a coordinate: a difference of two products of differences fits into 64 bits with a sign."""
NO_LINK = -1


class SightMesh(NamedTuple):
    """T triangles wound counter-clockwise in the (x, z) plane, C corners, F entries of fans, K of bends."""

    grid: NDArray[np.float64]
    """(3,) x and z of the grid's origin, grid steps per metre."""
    tri_start: NDArray[np.int32]
    """(P + 1,) first triangle of each polygon of the ground."""
    tri_xz: NDArray[np.int64]
    """(T, 3, 2) grid coordinates; vertex 2 is the middle of the polygon, edge 0 is an edge of the polygon."""
    tri_link: NDArray[np.int32]
    """(T, 3) what lies across edge (k, k + 1): 4 x triangle + its edge, or -1 for a wall."""
    tri_corner: NDArray[np.int32]
    """(T, 3) corner at each vertex, or -1."""
    corner_xz: NDArray[np.int64]
    """(C, 2) grid coordinates."""
    corner_walls: NDArray[np.int64]
    """(C, 2, 2) grid coordinates of the two neighbours of the corner along the walls."""
    corner_xyz: NDArray[np.float64]
    """(C, 3) metres."""
    corner_island: NDArray[np.int32]
    """(C,) island."""
    fan_start: NDArray[np.int32]
    """(C + 1,) first entry of each corner's fan."""
    fan: NDArray[np.int32]
    """(F,) 4 x triangle + the corner's place in it, counter-clockwise."""
    bend_start: NDArray[np.int64]
    """(T + 1,) first of each triangle's bends."""
    bend: NDArray[np.int32]
    """(K,) the corners that points of the triangle may see and at which a path from there may bend."""
    bend_clear: NDArray[np.bool_]
    """(K,) whether all points of the triangle see the corner."""


@kernel
def orient(ax: Whole, az: Whole, bx: Whole, bz: Whole, cx: Whole, cz: Whole) -> Whole:
    """Twice the signed area of the triangle abc on the grid, above 0 if c lies left of a to b."""
    return (bx - ax) * (cz - az) - (bz - az) * (cx - ax)


def build_sight_mesh(g: Ground) -> SightMesh:
    """Triangulates the walkable polygons and finds the corners; ``with_bends`` adds the bends."""
    box = g.poly_box[g.poly_island >= 0]
    low = box[:, :2].min(axis=0).astype(np.float64)
    extent = max(float((box[:, 2:].max(axis=0) - low).max()), 1e-6)
    scale = 2.0 ** math.floor(math.log2((1 << GRID_BITS) / extent))
    grid_xz = np.rint((g.verts[:, [0, 2]].astype(np.float64) - low) * scale).astype(np.int64)
    walkable = g.poly_island >= 0
    tri_start = np.concatenate([[0], np.cumsum(np.where(walkable, g.poly_count, 0))]).astype(np.int32)
    tri_xz, tri_link, tri_vert = _triangulate(g, grid_xz, tri_start)
    corner_vert, walls, fan_start, fan = _corners(tri_xz, tri_link, tri_vert)
    tri_corner = np.full((len(tri_xz), 3), -1, np.int32)
    tri_corner[fan >> 2, fan & 3] = np.repeat(np.arange(len(corner_vert)), np.diff(fan_start))
    poly_of_tri = np.repeat(np.arange(len(walkable)), np.diff(tri_start))
    mesh = SightMesh(
        grid=np.array([low[0], low[1], scale]),
        tri_start=tri_start,
        tri_xz=tri_xz,
        tri_link=tri_link,
        tri_corner=tri_corner,
        corner_xz=grid_xz[corner_vert].reshape(-1, 2),
        corner_walls=walls,
        corner_xyz=g.verts[corner_vert].astype(np.float64).reshape(-1, 3),
        corner_island=g.poly_island[poly_of_tri[fan[fan_start[:-1]] >> 2]].astype(np.int32),
        fan_start=fan_start,
        fan=fan,
        bend_start=np.zeros(len(tri_xz) + 1, np.int64),
        bend=np.empty(0, np.int32),
        bend_clear=np.empty(0, np.bool_),
    )
    frozen: SightMesh = freeze(mesh)
    return frozen


def _triangulate(
    g: Ground, grid_xz: NDArray[np.int64], tri_start: NDArray[np.int32]
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32]]:
    """Triangle k of a polygon stands on the polygon's edge k, whichever way the polygon is wound."""
    poly = np.repeat(np.arange(len(g.poly_count)), np.diff(tri_start))
    first, count = tri_start[poly].astype(np.int64), g.poly_count[poly].astype(np.int64)
    k = np.arange(len(poly)) - first
    a, b = g.poly_verts[poly, k], g.poly_verts[poly, (k + 1) % count]
    pa, pb = grid_xz[a], grid_xz[b]
    origin = grid_xz[g.poly_verts[poly, 0]]
    doubled = orient.py_func(origin[:, 0], origin[:, 1], pa[:, 0], pa[:, 1], pb[:, 0], pb[:, 1])
    flip = np.bincount(poly, doubled.astype(np.float64), len(g.poly_count))[poly] < 0
    before, after = (k - 1) % count, (k + 1) % count
    tri_link = np.empty((len(poly), 3), np.int32)
    tri_link[:, 0] = _links_across(poly, g.poly_next[poly, k], a, b)
    tri_link[:, 1] = 4 * (first + np.where(flip, before, after)) + 2
    tri_link[:, 2] = 4 * (first + np.where(flip, after, before)) + 1
    total = np.stack([np.bincount(poly, pa[:, axis].astype(np.float64)) for axis in range(2)], axis=1)
    middle = total[poly] / count[:, None]
    tri_xz = np.stack([pa, pb, np.rint(middle).astype(np.int64)], axis=1)
    tri_xz[flip, :2] = tri_xz[flip, 1::-1]
    tri_vert = np.stack([np.where(flip, b, a), np.where(flip, a, b), np.full(len(a), -1)], axis=1)
    return tri_xz, tri_link, tri_vert.astype(np.int32)


def _links_across(
    poly: NDArray[np.int64], other: NDArray[np.int32], a: NDArray[np.int32], b: NDArray[np.int32]
) -> NDArray[np.int32]:
    """Pairs the triangles whose edges 0 are one: the same two vertices between the same two polygons."""
    link = np.full(len(poly), NO_LINK, np.int32)
    inner = np.flatnonzero(other >= 0)
    ends = np.sort(np.stack([a[inner], b[inner]]), axis=0)
    sides = np.sort(np.stack([poly[inner], other[inner]]), axis=0)
    keys = np.concatenate([ends, sides])
    order = np.lexsort(keys)
    pair = np.flatnonzero((keys[:, order[:-1]] == keys[:, order[1:]]).all(axis=0))
    one, two = inner[order[pair]], inner[order[pair + 1]]
    link[one], link[two] = 4 * two, 4 * one
    return link


@kernel
def _fan_from(
    tri_xz: NDArray[np.int64], tri_link: NDArray[np.int32], t: Whole, fan: NDArray[np.int32]
) -> tuple[Whole, Real]:
    """Walks around vertex 0 of triangle t from the wall on its edge 0 to the next wall: entries and angle."""
    k = 0
    count = 0
    angle = 0.0
    while count < len(fan):
        fan[count] = 4 * t + k
        count += 1
        v, a, b = tri_xz[t, k], tri_xz[t, (k + 1) % 3], tri_xz[t, (k + 2) % 3]
        ux, uz, wx, wz = float(a[0] - v[0]), float(a[1] - v[1]), float(b[0] - v[0]), float(b[1] - v[1])
        angle += math.atan2(ux * wz - uz * wx, ux * wx + uz * wz)
        link = tri_link[t, (k + 2) % 3]
        if link < 0:
            break
        t, k = link >> 2, link & 3
    return count, angle


def _corners(
    tri_xz: NDArray[np.int64], tri_link: NDArray[np.int32], tri_vert: NDArray[np.int32]
) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int32], NDArray[np.int32]]:
    """Vertices where the ground spans more than half a turn, one corner per fan of ground between walls."""
    walls = np.flatnonzero(tri_link[:, 0] < 0)
    corner_wall = np.empty(len(walls), np.int32)
    sides = np.empty((len(walls), 2, 2), np.int64)
    fan_start = np.zeros(len(walls) + 1, np.int32)
    # Each vertex of a triangle is in one fan at most.
    fan = np.empty(3 * len(tri_link), np.int32)
    count = _find_corners(tri_xz, tri_link, walls, corner_wall, sides, fan_start, fan)
    corner_vert = tri_vert[corner_wall[:count], 0]
    return corner_vert, sides[:count], fan_start[: count + 1], fan[: fan_start[count]]


@kernel
def _find_corners(
    tri_xz: NDArray[np.int64],
    tri_link: NDArray[np.int32],
    wall_tris: NDArray[np.int64],
    corner_wall: NDArray[np.int32],
    sides: NDArray[np.int64],
    fan_start: NDArray[np.int32],
    fan: NDArray[np.int32],
) -> Whole:
    """Fills the last four arrays and returns the number of corners; a corner is the start of a wall."""
    corners = 0
    entries = 0
    for t in wall_tris:
        count, angle = _fan_from(tri_xz, tri_link, t, fan[entries:])
        last = fan[entries + count - 1]
        v, a = tri_xz[t, 0], tri_xz[t, 1]
        b = tri_xz[last >> 2, ((last & 3) + 2) % 3]
        reflex = angle > math.pi
        if abs(angle - math.pi) < 0.5:
            reflex = orient(v[0], v[1], a[0], a[1], b[0], b[1]) < 0
        if reflex:
            corner_wall[corners] = t
            for axis in range(2):
                sides[corners, 0, axis] = a[axis]
                sides[corners, 1, axis] = b[axis]
            corners += 1
            entries += count
            fan_start[corners] = entries
    return corners
