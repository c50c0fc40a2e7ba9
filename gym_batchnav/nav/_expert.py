"""Which way to turn before the next step forward, so that it brings an agent nearest to its goal."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gym_batchnav.nav._crowd import Members, headed_for_ground, stands_on
from gym_batchnav.nav._geodesic import distance
from gym_batchnav.nav._jit import Flag, Real, Whole, kernel
from gym_batchnav.nav._motion import walk
from gym_batchnav.nav._sight import place
from gym_batchnav.nav.ground import Ground
from gym_batchnav.nav.triangles import SightMesh

_EFFORT = 1e-3
"""What a turn costs, in steps forward: of two equally good ways the one with fewer turns is taken."""
_STUCK = 0.05
"""A step that gains less than this share of its length gains nothing."""


class Walker(NamedTuple):
    """A crowd on its mesh, how its agents move, and scratch memory."""

    ground: Ground
    one_island: Flag
    """Whether the mesh has no other island."""
    sight: SightMesh
    members: Members
    half: Whole
    """Turns that make half a circle."""
    turn_angle: Real
    """Radians."""
    forward_step: Real
    """Metres."""
    sliding: Flag
    scratch: Any
    """Of `_motion.make_scratch`."""
    bound: NDArray[np.float64]
    """(C,)"""
    spot: NDArray[np.int64]
    """(3,)"""
    target: NDArray[np.float32]
    """(3,)"""
    between: NDArray[np.float32]
    """(3,)"""


@kernel
def _try_step(w: Walker, poly: Whole, start: NDArray[np.float32], heading: Real) -> Whole:
    """The polygon that a step from `start` on `poly` reaches (-1: none); its end is in `scratch[3]`."""
    w.target[0] = np.float32(start[0] - math.sin(heading) * w.forward_step)
    w.target[1] = start[1]
    w.target[2] = np.float32(start[2] - math.cos(heading) * w.forward_step)
    if not headed_for_ground(w.ground, w.one_island, poly, w.target):
        return -1
    return walk(w.ground, poly, start, w.target, w.sliding, w.scratch)


@kernel
def _left(w: Walker, k: Whole, poly: Whole, point: NDArray[np.float32]) -> Real:
    """Distance to the goal of agent `k` from a point on a polygon."""
    a = w.members
    place(w.sight, poly, point, w.spot)
    return distance(
        w.sight, w.spot, a.goal_spots[k], point, a.goal_points[k], a.tables[k], a.goal_views[k], w.bound
    )


@kernel
def _one_step(
    w: Walker, k: Whole, poly: Whole, start: NDArray[np.float32], heading: Real
) -> tuple[Real, Whole]:
    """Least distance to the goal after a step, with what the turns before it cost, and these turns."""
    least, best = np.inf, 0
    for turn in range(1 - w.half, w.half + 1):
        reached = _try_step(w, poly, start, heading + turn * w.turn_angle)
        if reached >= 0:
            left = _left(w, k, reached, w.scratch[3]) + _EFFORT * w.forward_step * abs(turn)
            if left < least:
                least, best = left, turn
    return least, best


@kernel
def _two_steps(w: Walker, k: Whole, poly: Whole, start: NDArray[np.float32], heading: Real) -> Whole:
    """The turns before the first of the two steps that bring the agent nearest to its goal."""
    least, best = np.inf, 0
    for turn in range(1 - w.half, w.half + 1):
        turned = heading + turn * w.turn_angle
        reached = _try_step(w, poly, start, turned)
        if reached < 0:
            continue
        for axis in range(3):
            w.between[axis] = w.scratch[3][axis]
        left = _one_step(w, k, reached, w.between, turned)[0] + _EFFORT * w.forward_step * abs(turn)
        if left < least:
            least, best = left, turn
    return best


@kernel
def best_turns(
    w: Walker,
    first: Whole,
    last: Whole,
    acting: NDArray[np.bool_],
    positions: NDArray[np.float32],
    headings: NDArray[np.float64],
    turns: NDArray[np.int64],
) -> None:
    """Fills (N,) `turns` to the left (negative: right) of the agents `first` to `last` that are `acting`.

    For each number of turns up to half a circle, one step forward is tried, and the geodesic distance from
    where it ends is read (as habitat-sim's GreedyGeodesicFollower does). Where no step brings the agent
    nearer, it looks two steps ahead.
    """
    for k in range(first, last):
        row = w.members.rows[k]
        if not acting[row]:
            continue
        turns[row] = 0
        poly = stands_on(w.ground, w.members, k, positions[row])
        if poly < 0:
            continue
        start = w.members.points[k]
        left, turns[row] = _one_step(w, k, poly, start, headings[row])
        if left > _left(w, k, poly, start) - _STUCK * w.forward_step:
            turns[row] = _two_steps(w, k, poly, start, headings[row])
