"""Which triangles a point may see, found by cones that go from triangle to triangle.

Conservative: a cone takes its rims in, and cones that enter a triangle over one edge are merged, so that what
is not found is surely hidden. What is found to be seen whole is surely seen.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gym_batchnav.nav._jit import Flag, Whole, kernel
from gym_batchnav.nav.ground import freeze
from gym_batchnav.nav.triangles import SightMesh, orient

HIDDEN = np.uint8(0)
PART = np.uint8(1)
WHOLE = np.uint8(2)


class Flood(NamedTuple):
    """Memory of floods over T triangles; edges are numbered 3 x triangle + edge."""

    right: NDArray[np.int64]
    """(3T, 2) right rim of the cone through the edge, grid coordinates."""
    left: NDArray[np.int64]
    """(3T, 2) left rim."""
    reached: NDArray[np.uint8]
    """(3T,) `WHOLE` where the cone fills the edge, `PART` where it does not, `HIDDEN` before it came."""
    queue: NDArray[np.int64]
    """(3T,) ring of edges to go on from."""
    waiting: NDArray[np.bool_]
    """(3T,) whether the edge is in the ring."""
    seen: NDArray[np.uint8]
    """(T,) how much of each triangle is seen: `WHOLE`, perhaps a `PART`, or nothing (`HIDDEN`)."""


def make_flood(num_triangles: int) -> Flood:
    """Memory for meshes of that size."""
    edges = 3 * num_triangles
    return Flood(
        right=np.empty((edges, 2), np.int64),
        left=np.empty((edges, 2), np.int64),
        reached=np.empty(edges, np.uint8),
        queue=np.empty(edges, np.int64),
        waiting=np.zeros(edges, np.bool_),
        seen=np.empty(num_triangles, np.uint8),
    )


@kernel
def _right_of(x: Whole, z: Whole, a: NDArray[np.int64], b: NDArray[np.int64]) -> Flag:
    """Whether b lies right of the line from (x, z) through a."""
    return orient(x, z, a[0], a[1], b[0], b[1]) < 0


@kernel
def _push(
    m: SightMesh, f: Flood, x: Whole, z: Whole, t: Whole, edge: Whole, right: Whole, left: Whole, tail: Whole
) -> Whole:
    """Lets the cone between two points out over an edge of a triangle; returns the new end of the ring."""
    link = m.tri_link[t, edge]
    if link < 0:
        return tail
    entry = 3 * (link >> 2) + (link & 3)
    fresh = f.reached[entry] == HIDDEN
    grows = fresh
    if fresh or _right_of(x, z, f.right[entry], right):
        f.right[entry, 0], f.right[entry, 1], grows = right[0], right[1], True
    if fresh or _right_of(x, z, left, f.left[entry]):
        f.left[entry, 0], f.left[entry, 1], grows = left[0], left[1], True
    # Out of a triangle that is seen whole, a cone fills each edge that it leaves over.
    if f.reached[entry] < f.seen[t]:
        f.reached[entry], grows = f.seen[t], True
    if not grows or f.waiting[entry]:
        return tail
    f.queue[tail], f.waiting[entry] = entry, True
    return (tail + 1) % len(f.queue)


@kernel
def _spread(m: SightMesh, f: Flood, x: Whole, z: Whole, tail: Whole) -> None:
    """Follows the cones that wait in the ring up to `tail`."""
    head = 0
    while head != tail:
        entry = f.queue[head]
        head = (head + 1) % len(f.queue)
        f.waiting[entry] = False
        t, edge = entry // 3, entry % 3
        right, left, tip = f.right[entry], f.left[entry], m.tri_xz[t, (edge + 2) % 3]
        tip_right, tip_left = _right_of(x, z, right, tip), _right_of(x, z, tip, left)
        whole = f.reached[entry] == WHOLE and not tip_right and not tip_left
        f.seen[t] = WHOLE if whole else max(f.seen[t], PART)
        if not tip_right:
            tail = _push(m, f, x, z, t, (edge + 1) % 3, right, left if tip_left else tip, tail)
        if not tip_left:
            tail = _push(m, f, x, z, t, (edge + 2) % 3, right if tip_right else tip, left, tail)


@kernel
def _see_from_corner(m: SightMesh, f: Flood, corner: Whole) -> None:
    """Fills `f.seen` for a corner."""
    f.seen[:], f.reached[:] = HIDDEN, HIDDEN
    x, z = m.corner_xz[corner, 0], m.corner_xz[corner, 1]
    tail = 0
    for fan in range(m.fan_start[corner], m.fan_start[corner + 1]):
        t, edge = m.fan[fan] >> 2, ((m.fan[fan] & 3) + 1) % 3
        f.seen[t] = WHOLE
        tail = _push(m, f, x, z, t, edge, m.tri_xz[t, edge], m.tri_xz[t, (edge + 1) % 3], tail)
    _spread(m, f, x, z, tail)


@kernel
def see_from_spot(m: SightMesh, f: Flood, spot: NDArray[np.int64]) -> None:
    """Fills `f.seen` for a placed point (3,); all `HIDDEN` where it is off the ground."""
    f.seen[:], f.reached[:] = HIDDEN, HIDDEN
    t, x, z = spot[0], spot[1], spot[2]
    if t < 0:
        return
    tail = 0
    f.seen[t] = WHOLE
    for edge in range(3):
        tail = _push(m, f, x, z, t, edge, m.tri_xz[t, edge], m.tri_xz[t, (edge + 1) % 3], tail)
    _spread(m, f, x, z, tail)


@kernel
def _may_bend_from(m: SightMesh, corner: Whole, t: Whole) -> Flag:
    """Whether a taut path from some point of the triangle may bend at the corner."""
    x, z = m.corner_xz[corner, 0], m.corner_xz[corner, 1]
    always_a = always_b = True
    for k in range(3):
        p = m.tri_xz[t, k]
        a = orient(p[0], p[1], x, z, m.corner_walls[corner, 0, 0], m.corner_walls[corner, 0, 1])
        b = orient(p[0], p[1], x, z, m.corner_walls[corner, 1, 0], m.corner_walls[corner, 1, 1])
        always_a = always_a and a > 0 and b < 0
        always_b = always_b and a < 0 and b > 0
    return not (always_a or always_b)


@kernel
def _list_bends(
    m: SightMesh,
    f: Flood,
    write: Flag,
    end: NDArray[np.int64],
    corners: NDArray[np.int32],
    clear: NDArray[np.bool_],
) -> None:
    """Adds to (T,) `end` the number of each triangle's bends; with `write`, lists them from there on."""
    for corner in range(len(m.corner_xz)):
        _see_from_corner(m, f, corner)
        for t in range(len(end)):
            if f.seen[t] != HIDDEN and _may_bend_from(m, corner, t):
                if write:
                    corners[end[t]], clear[end[t]] = corner, f.seen[t] == WHOLE
                end[t] += 1


def with_bends(mesh: SightMesh, flood: Flood) -> SightMesh:
    """The mesh with its lists of bends; `flood` is scratch."""
    count = np.zeros(len(mesh.tri_xz), np.int64)
    _list_bends(mesh, flood, False, count, np.empty(0, np.int32), np.empty(0, np.bool_))
    start = np.concatenate([[0], np.cumsum(count)])
    bend, clear = np.empty(start[-1], np.int32), np.empty(start[-1], np.bool_)
    _list_bends(mesh, flood, True, start[:-1].copy(), bend, clear)
    frozen: SightMesh = freeze(mesh._replace(bend_start=start, bend=bend, bend_clear=clear))
    return frozen


@kernel
def corners_met(m: SightMesh, f: Flood, corner: Whole, met: NDArray[np.bool_]) -> None:
    """Fills (C,) `met` with whether the corner may see each other one."""
    met[:] = False
    _see_from_corner(m, f, corner)
    for t in range(len(f.seen)):
        if f.seen[t] != HIDDEN:
            for k in range(3):
                if m.tri_corner[t, k] >= 0:
                    met[m.tri_corner[t, k]] = True
