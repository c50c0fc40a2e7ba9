"""One step of an agent, as habitat-sim's PathFinder.tryStep over Detour's moveAlongSurface."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from gym_batchnav.nav._detour import height, inside, segment_distance
from gym_batchnav.nav._jit import kernel
from gym_batchnav.nav._locate import nearest_polygon
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
def _crossing(
    ax: float, az: float, bx: float, bz: float, px: float, pz: float, qx: float, qz: float
) -> tuple[bool, float]:
    """Whether the segments ab and pq cross seen from above, and where on ab."""
    ux, uz = bx - ax, bz - az
    vx, vz = qx - px, qz - pz
    wx, wz = ax - px, az - pz
    d = ux * vz - uz * vx
    if abs(d) < _PARALLEL:
        return False, _ZERO
    s = (vx * wz - vz * wx) / d
    t = (ux * wz - uz * wx) / d
    return t >= _ZERO and t <= _ONE and s >= _ZERO and s <= _ONE, s


@kernel
def _node(nodes: NDArray[np.int32], count: int, poly: int) -> int:
    """The place of the polygon among the known ones, `count` if it is new, -1 if there is no room."""
    for k in range(count):
        if nodes[k] == poly:
            return k
    return count if count < MAX_NODES else -1


@kernel
def _along_surface(
    g: Ground,
    start: int,
    p: tuple[float, float, float],
    q: tuple[float, float, float],
    sliding: bool,
    nodes: NDArray[np.int32],
    closed: NDArray[np.bool_],
    queue: NDArray[np.int32],
) -> tuple[int, float, float, float]:
    """Breadth-first local search from polygon `start`: the polygon reached (-1: none) and the point in it."""
    px, py, pz = p
    qx, qy, qz = q
    mx, mz = px + (qx - px) * _HALF, pz + (qz - pz) * _HALF
    dx, dy, dz = qx - px, qy - py, qz - pz
    radius = np.float32(math.sqrt(dx * dx + dy * dy + dz * dz)) * _HALF + _SLACK
    reach = radius * radius
    best = -1
    best_distance = _HUGE
    ex, ey, ez = px, py, pz
    nodes[0], closed[0], queue[0] = start, True, 0
    known, head, tail = 1, 0, 1
    while head < tail:
        poly = nodes[queue[head]]
        head += 1
        if inside(g, poly, qx, qz):
            return poly, qx, qy, qz
        count = g.poly_count[poly]
        for step in range(count):
            k = step - 1 if step > 0 else count - 1
            a = g.verts[g.poly_verts[poly, k]]
            b = g.verts[g.poly_verts[poly, step]]
            other = g.poly_next[poly, k]
            if other < 0:
                if sliding:
                    distance, t = segment_distance(qx, qz, a[0], a[2], b[0], b[2])
                else:
                    hit, t = _crossing(a[0], a[2], b[0], b[2], px, pz, qx, qz)
                    if not hit:
                        continue
                    hx = a[0] + (b[0] - a[0]) * t - qx
                    hz = a[2] + (b[2] - a[2]) * t - qz
                    distance = hx * hx + hz * hz
                if distance < best_distance:
                    best, best_distance = poly, distance
                    ex = a[0] + (b[0] - a[0]) * t
                    ey = a[1] + (b[1] - a[1]) * t
                    ez = a[2] + (b[2] - a[2]) * t
                continue
            node = _node(nodes, known, other)
            if node < 0:
                continue
            if node == known:
                nodes[node], closed[node] = other, False
                known += 1
            if closed[node] or segment_distance(mx, mz, a[0], a[2], b[0], b[2])[0] > reach:
                continue
            if not sliding and not _crossing(a[0], a[2], b[0], b[2], px, pz, qx, qz)[0]:
                continue
            if tail - head < MAX_QUEUE:
                closed[node] = True
                queue[tail] = node
                tail += 1
    return best, ex, ey, ez


@kernel
def _nudged(g: Ground, poly: int, x: float, y: float, z: float) -> tuple[float, float, float]:
    """The point 0.1 mm nearer to the middle of its polygon: off a wall of no thickness between two islands."""
    cx = cy = cz = _ZERO
    count = g.poly_count[poly]
    for k in range(count):
        v = g.verts[g.poly_verts[poly, k]]
        cx, cy, cz = cx + v[0], cy + v[1], cz + v[2]
    number = np.float32(count)
    dx, dy, dz = cx / number - x, cy / number - y, cz / number - z
    length = np.float32(math.sqrt(dx * dx + dy * dy + dz * dz))
    if length > _ZERO:
        x, y, z = x + _NUDGE * (dx / length), y + _NUDGE * (dy / length), z + _NUDGE * (dz / length)
    return x, y, z


@kernel
def move_all(
    g: Ground,
    positions: NDArray[np.float32],
    targets: NDArray[np.float32],
    sliding: bool,
    refuse_other_island: bool,
) -> NDArray[np.float32]:
    """(B, 3) float32 positions and targets to (B, 3) float32 positions; a row that cannot move stays as it is.

    habitat-sim does not move at all when the polygon nearest to the target is on another island or there is none
    (`refuse_other_island`); Detour alone slides on.
    """
    result = positions.copy()
    nodes = np.empty(MAX_NODES, np.int32)
    closed = np.empty(MAX_NODES, np.bool_)
    queue = np.empty(MAX_NODES, np.int32)
    for row in range(len(positions)):
        start, px, py, pz = nearest_polygon(g, positions[row, 0], positions[row, 1], positions[row, 2])
        qx, qy, qz = targets[row, 0], targets[row, 1], targets[row, 2]
        if start < 0:
            continue
        if refuse_other_island:
            end = nearest_polygon(g, qx, qy, qz)[0]
            if end < 0 or g.poly_island[start] != g.poly_island[end]:
                continue
        poly, x, y, z = _along_surface(g, start, (px, py, pz), (qx, qy, qz), sliding, nodes, closed, queue)
        if poly < 0:
            continue
        found, level = height(g, poly, x, z)
        if found:
            y = level
        landed = nearest_polygon(g, x, y, z)[0]
        if landed < 0 or g.poly_island[landed] != g.poly_island[start]:
            x, y, z = _nudged(g, poly, x, y, z)
        result[row, 0] = x
        result[row, 1] = y
        result[row, 2] = z
    return result
