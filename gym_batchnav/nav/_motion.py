"""One step of an agent, as habitat-sim's PathFinder.tryStep over Detour's moveAlongSurface."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from gym_batchnav.nav._detour import height, inside, segment_distance
from gym_batchnav.nav._jit import Flag, Real, Whole, kernel
from gym_batchnav.nav.ground import Ground

MAX_NODES = 64
"""Polygons that one step's search may know (Detour's tiny node pool)."""
MAX_QUEUE = 48
"""Polygons that may wait at a time (Detour's MAX_STACK)."""

_ZERO = np.float32(0.0)
_ONE = np.float32(1.0)
_HALF = np.float32(0.5)
_SLACK = np.float32(0.001)
_PARALLEL = np.float32(1e-6)
_NUDGE = np.float32(1e-4)
_HUGE = np.float32(3.4e38)


@kernel
def _crossing(a: Real, b: Real, p: Real, q: Real) -> tuple[Flag, Real]:
    """Whether the segments ab and pq cross seen from above, and where on ab."""
    ux, uz = b[0] - a[0], b[2] - a[2]
    vx, vz = q[0] - p[0], q[2] - p[2]
    wx, wz = a[0] - p[0], a[2] - p[2]
    d = ux * vz - uz * vx
    if abs(d) < _PARALLEL:
        return False, _ZERO
    s = (vx * wz - vz * wx) / d
    t = (ux * wz - uz * wx) / d
    return t >= _ZERO and t <= _ONE and s >= _ZERO and s <= _ONE, s


@kernel
def _stop_on(a: Real, b: Real, p: Real, q: Real, sliding: Flag) -> tuple[Real, Real]:
    """Squared distance from q to where wall ab ends the walk from p to q, and the place on ab."""
    if sliding:
        distance, t = segment_distance(q[0], q[2], a[0], a[2], b[0], b[2])
        return distance, t
    hit, t = _crossing(a, b, p, q)
    if not hit:
        return _HUGE, t
    x = a[0] + (b[0] - a[0]) * t - q[0]
    z = a[2] + (b[2] - a[2]) * t - q[2]
    return x * x + z * z, t


@kernel
def _known(nodes: NDArray[np.int32], count: Whole, poly: Whole) -> Whole:
    """The place of the polygon among the known ones, `count` if it is new, -1 if there is no room."""
    for k in range(count):
        if nodes[k] == poly:
            return k
    return count if count < MAX_NODES else -1


@kernel
def _search(g: Ground, start: Whole, p: Real, q: Real, sliding: Flag, scratch: Real, end: Real) -> Whole:
    """Local search, breadth first, from polygon `start`: the polygon reached (-1: none); fills `end`."""
    nodes, closed, queue, _ = scratch
    mx, mz = p[0] + (q[0] - p[0]) * _HALF, p[2] + (q[2] - p[2]) * _HALF
    dx, dy, dz = q[0] - p[0], q[1] - p[1], q[2] - p[2]
    radius = np.float32(math.sqrt(dx * dx + dy * dy + dz * dz)) * _HALF + _SLACK
    reach = radius * radius
    best = -1
    best_distance = _HUGE
    nodes[0], closed[0], queue[0] = start, True, 0
    count, head, tail = np.int64(1), 0, 1
    while head < tail:
        poly = nodes[queue[head]]
        head += 1
        if inside(g, poly, q[0], q[2]):
            for axis in range(3):
                end[axis] = q[axis]
            return poly
        sides = g.poly_count[poly]
        for step in range(sides):
            k = step - 1 if step > 0 else sides - 1
            a = g.verts[g.poly_verts[poly, k]]
            b = g.verts[g.poly_verts[poly, step]]
            other = g.poly_next[poly, k]
            if other < 0:
                distance, t = _stop_on(a, b, p, q, sliding)
                if distance < best_distance:
                    best, best_distance = poly, distance
                    for axis in range(3):
                        end[axis] = a[axis] + (b[axis] - a[axis]) * t
                continue
            node = _known(nodes, count, other)
            if node < 0:
                continue
            if node == count:
                nodes[node], closed[node] = other, False
                count += 1
            if closed[node] or segment_distance(mx, mz, a[0], a[2], b[0], b[2])[0] > reach:
                continue
            if (sliding or _crossing(a, b, p, q)[0]) and tail - head < MAX_QUEUE:
                closed[node] = True
                queue[tail] = node
                tail += 1
    return best


def make_scratch() -> tuple[NDArray[np.int32], NDArray[np.bool_], NDArray[np.int32], NDArray[np.float32]]:
    """Memory for `walk_all`: polygons known, whether closed, waiting ones, and a point."""
    known, queue = np.empty(MAX_NODES, np.int32), np.empty(MAX_NODES, np.int32)
    return known, np.empty(MAX_NODES, np.bool_), queue, np.empty(3, np.float32)


@kernel
def walk(g: Ground, start: Whole, p: Real, q: Real, sliding: Flag, scratch: Real) -> Whole:
    """Walks from p on polygon `start` to q: the polygon reached (-1: none); the end is in `scratch[3]`."""
    end = scratch[3]
    poly = _search(g, start, p, q, sliding, scratch, end)
    if poly >= 0:
        found, level = height(g, poly, end[0], end[2])
        if found:
            end[1] = level
    return poly


@kernel
def walk_all(
    g: Ground,
    polys: NDArray[np.int32],
    snapped: NDArray[np.float32],
    targets: NDArray[np.float32],
    sliding: Flag,
    scratch: Real,
    result: NDArray[np.float32],
    reached: NDArray[np.int32],
) -> None:
    """Walks each row from `snapped` on polygon `polys` (-1: it stays) and overwrites `result`, both (B, 3).

    Fills the (B,) polygons `reached`, -1 where `result` was left alone; `scratch` is of `make_scratch`.
    """
    end = scratch[3]
    for row in range(len(polys)):
        reached[row] = -1
        if polys[row] < 0:
            continue
        reached[row] = walk(g, polys[row], snapped[row], targets[row], sliding, scratch)
        if reached[row] >= 0:
            for axis in range(3):
                result[row, axis] = end[axis]


def nudged(g: Ground, polys: NDArray[np.int32], points: NDArray[np.float32]) -> NDArray[np.float32]:
    """The points 0.1 mm nearer to the middle of their polygons: off a wall of no thickness."""
    result = points.copy()
    for row, poly in enumerate(polys):
        middle = g.verts[g.poly_verts[poly, : g.poly_count[poly]]].mean(axis=0)
        away = middle - points[row]
        result[row] += _NUDGE * away / np.linalg.norm(away)
    return result
