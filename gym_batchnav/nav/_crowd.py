"""One step of many agents on one mesh: motion, the place reached, and the distance to the goal from there."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gym_batchnav.nav._geodesic import distance
from gym_batchnav.nav._jit import Flag, Real, Whole, kernel
from gym_batchnav.nav._locate import in_search_box, nearest_polygon
from gym_batchnav.nav._motion import walk
from gym_batchnav.nav._sight import place
from gym_batchnav.nav._visibility import Flood, see_from_spot
from gym_batchnav.nav.ground import Ground
from gym_batchnav.nav.triangles import SightMesh

UNPLACED = -2
"""Polygon of a goal that was not put on the mesh yet."""


class Members(NamedTuple):
    """Arrays of the agents of a crowd, one row each, some of them spare."""

    rows: NDArray[np.intp]
    """(M,) the agent's row in the arrays of the caller."""
    goals: NDArray[np.float32]
    """(M, 3) metres."""
    tables: NDArray[np.float32]
    """(M, C) rows of ``NavMesh.goal_table``."""
    goal_polys: NDArray[np.int32]
    """(M,) polygon nearest to the goal, -1 for none, ``UNPLACED``."""
    goal_points: NDArray[np.float32]
    """(M, 3) the goal put on the mesh."""
    goal_spots: NDArray[np.int64]
    """(M, 3) the goal's place in the triangles."""
    goal_views: NDArray[np.uint8]
    """(M, T) what the goal sees of each triangle, as `see_from_spot` fills it in."""
    places: NDArray[np.float32]
    """(M, 3) the position that the next two belong to; NaN before the first step."""
    polys: NDArray[np.int32]
    """(M,) polygon nearest to it, -1 for none."""
    points: NDArray[np.float32]
    """(M, 3) the position put on the mesh."""


@kernel
def _copy(source: NDArray[np.float32], target: NDArray[np.float32]) -> None:
    for axis in range(3):
        target[axis] = source[axis]


@kernel
def _put(g: Ground, point: NDArray[np.float32], on_mesh: NDArray[np.float32]) -> Whole:
    """Fills `on_mesh` (3,) with the point of the mesh nearest to `point` (3,); returns its polygon."""
    poly, x, y, z = nearest_polygon(g, point[0], point[1], point[2])
    on_mesh[0], on_mesh[1], on_mesh[2] = x, y, z
    return poly


@kernel
def _stands_at(place: NDArray[np.float32], position: NDArray[np.float32]) -> Flag:
    return place[0] == position[0] and place[1] == position[1] and place[2] == position[2]


@kernel
def stands_on(g: Ground, a: Members, k: Whole, position: NDArray[np.float32]) -> Whole:
    """Brings what is known of the position of agent `k` up to date; returns its polygon (-1: none)."""
    if not _stands_at(a.places[k], position):
        _copy(position, a.places[k])
        a.polys[k] = _put(g, position, a.points[k])
    return a.polys[k]


@kernel
def place_goals(g: Ground, m: SightMesh, f: Flood, a: Members, first: Whole, last: Whole) -> None:
    """Puts those goals of the agents `first` to `last` on the mesh that are not yet; `f` is scratch."""
    for k in range(first, last):
        if a.goal_polys[k] == UNPLACED:
            a.goal_polys[k] = _put(g, a.goals[k], a.goal_points[k])
            place(m, a.goal_polys[k], a.goal_points[k], a.goal_spots[k])
            see_from_spot(m, f, a.goal_spots[k])
            for t in range(len(f.seen)):
                a.goal_views[k, t] = f.seen[t]


@kernel
def headed_for_ground(g: Ground, one_island: Flag, poly: Whole, target: NDArray[np.float32]) -> Flag:
    """Whether the ground nearest to the target is on the polygon's island (habitat-sim, tryStep)."""
    x, y, z = target[0], target[1], target[2]
    if one_island and in_search_box(g, poly, x, y, z):
        return True
    other = nearest_polygon(g, x, y, z)[0]
    return other >= 0 and g.poly_island[poly] == g.poly_island[other]


@kernel
def step_crowd(
    g: Ground,
    one_island: Flag,
    m: SightMesh,
    a: Members,
    first: Whole,
    last: Whole,
    walking: NDArray[np.bool_],
    targets: NDArray[np.float32],
    sliding: Flag,
    scratch: Real,
    bound: NDArray[np.float64],
    spot: NDArray[np.int64],
    positions: NDArray[np.float32],
    distances: NDArray[np.float64],
    strayed: NDArray[np.int32],
) -> Whole:
    """Walks those of the agents `first` to `last` that are `walking`; returns how many have strayed.

    `last` is excluded; `one_island` says that the mesh has no other island. Overwrites `positions` (N, 3) and
    `distances` (N,) in the agents' rows. Fills (M,) `strayed`: -1, or the polygon reached where the agent now
    lies on a wall of no thickness with another island beyond, so that its distance is not right. `scratch` is
    of `_motion.make_scratch`; `bound` (C,) and `spot` (3,) are scratch.
    """
    end = scratch[3]
    num_strayed = 0
    for k in range(first, last):
        row = a.rows[k]
        strayed[k] = -1
        if not walking[row]:
            continue
        poly = stands_on(g, a, k, positions[row])
        if poly >= 0 and headed_for_ground(g, one_island, poly, targets[row]):
            reached = walk(g, poly, a.points[k], targets[row], sliding, scratch)
            if reached >= 0:
                _copy(end, positions[row])
                landed = stands_on(g, a, k, end)
                if landed < 0 or g.poly_island[landed] != g.poly_island[reached]:
                    strayed[k] = reached
                    num_strayed += 1
        place(m, a.polys[k], a.points[k], spot)
        distances[row] = distance(
            m, spot, a.goal_spots[k], a.points[k], a.goal_points[k], a.tables[k], a.goal_views[k], bound
        )
    return num_strayed
