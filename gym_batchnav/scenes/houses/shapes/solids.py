"""Boxes with sharp or rounded edges, prisms and slabs of any outline."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from .circle import COSINES, SINES
from .shape import UNIT, Ints, Shape, flat, join, moved, surface, tipped, unit

_CORNERS = np.array([[0, 4, 6, 2], [5, 1, 3, 7], [0, 1, 5, 4], [6, 7, 3, 2], [1, 0, 2, 3], [4, 5, 7, 6]])
_AXES = ((2, 1), (2, 1), (0, 2), (0, 2), (0, 1), (0, 1))


@lru_cache(maxsize=2048)
def cuboid(width: int, height: int, depth: int, faces: str = "lrdubf") -> Shape:
    """A box with sharp edges: x and z about 0, y from 0.

    Args:
        width: along x.
        height: along y.
        depth: along z.
        faces: those that are drawn: left, right, down, up, back, front.
    """
    bits = np.arange(8)[:, None] >> np.arange(3) & 1
    low = np.array([-(width // 2), 0, -(depth // 2)])
    points = low + bits * np.array([width, height, depth])
    keep = [number for number, face in enumerate("lrdubf") if face in faces]
    corners = points[_CORNERS[keep]]
    return flat(corners, np.stack([_grained(corners[k][:, _AXES[face]]) for k, face in enumerate(keep)]))


def _grained(plane: Ints) -> Ints:
    """Texture coordinates (..., 2) with the second along the longer extent, pointing down."""
    extent = plane.reshape(-1, 2).max(axis=0) - plane.reshape(-1, 2).min(axis=0)
    return plane[..., ::-1] if extent[0] > extent[1] else plane * np.array([1, -1])


@lru_cache(maxsize=1024)
def rounded_box(
    width: int, height: int, depth: int, radius: int, steps: int = 1, *, bottom: bool = False
) -> Shape:
    """A box with soft edges: x and z about 0, y from 0; flat faces are shaded flat.

    Args:
        width: along x.
        height: along y.
        depth: along z.
        radius: of the edges; at most a third of each extent.
        steps: quads around each edge.
        bottom: whether the lower face and its soft edges are drawn; without, it stands on something.
    """
    assert 3 * radius <= min(width, depth), "too round"
    assert radius * (2 if bottom else 1) <= height, "too round"
    quarter = _quarter(steps)
    rings = [(radius - radius * c // UNIT, height - radius + radius * s // UNIT, c, s) for c, s in quarter]
    lower = [(inset, height - y, c, -s) for inset, y, c, s in rings][::-1] if bottom else [(0, 0, UNIT, 0)]
    layers = lower + rings
    outline = [
        round_rect(width - 2 * i, depth - 2 * i, max(radius + radius // 2 + 2 - i, 2), steps)
        for i, *_ in layers
    ]
    points = np.stack(
        [np.insert(plan, 1, y, axis=1) for (plan, _), (_, y, *_) in zip(outline, layers, strict=True)]
    )
    normals = np.stack(
        [
            np.insert(out * c // UNIT, 1, s, axis=1)
            for (_, out), (*_, c, s) in zip(outline, layers, strict=True)
        ]
    )
    parts = [surface(points, _around(points, height), normals), lid(points[-1], 1)]
    if bottom:
        parts.append(lid(points[0], -1))
    return join(*parts)


def _quarter(steps: int) -> list[tuple[int, int]]:
    """(cosine, sine) from level to upright in ``steps`` steps."""
    marks = [6 * k // steps for k in range(steps + 1)]
    return [(int(COSINES[mark]), int(SINES[mark])) for mark in marks]


def round_rect(width: int, depth: int, radius: int, steps: int) -> tuple[Ints, Ints]:
    """(N + 1, 2) outline (x, z) and normals, from +x by way of -z."""
    radius = min(radius, min(width, depth) // 2 - 2)
    half = np.array([width // 2 - radius, depth // 2 - radius])
    points, normals = [], []
    for quarter, (sx, sz) in enumerate(((1, -1), (-1, -1), (-1, 1), (1, 1))):
        for step in range(steps + 1):
            angle = (6 * quarter + 6 * step // steps) % 24
            out = np.array([COSINES[angle], -SINES[angle]])
            points.append(half * (sx, sz) + (2 * out * radius + UNIT) // (2 * UNIT))
            normals.append(out)
    return np.array([*points, points[0]], np.int64), np.array([*normals, normals[0]], np.int64)


def _around(points: Ints, height: int) -> Ints:
    """(R, C, 2) texture coordinates around the widest ring; the grain runs along the longer way."""
    ring = points[len(points) // 2]
    steps = np.abs(np.diff(ring, axis=0)).max(axis=1)
    u = np.broadcast_to(np.concatenate([[0], np.cumsum(steps)]), points.shape[:2])
    v = -points[..., 1]
    return np.stack([v, u] if 4 * height < u[0, -1] else [u, v], axis=2)


def lid(ring: Ints, up: int) -> Shape:
    """The upper (1) or lower (-1) face of a rounded box: quads across, from the back to the front."""
    count = len(ring) - 1
    half = count // 2
    rolled = np.roll(ring[:-1], count // 4, axis=0)
    right, left = rolled[:half], rolled[half:][::-1]
    corners = np.stack([left[:-1], right[:-1], right[1:], left[1:]], axis=1)
    corners = corners if up > 0 else corners[:, ::-1]
    normals = np.zeros_like(corners)
    normals[..., 1] = up * UNIT
    return Shape(corners, _grained(corners[..., [0, 2]]), normals)


@lru_cache(maxsize=1024)
def panel(width: int, height: int, thick: int, bevel: int = 3) -> Shape:
    """An upright board with soft front edges: x about 0, y from 0, its back at z = 0 (and not drawn)."""
    return moved(tipped(rounded_box(height, thick, width, bevel), "z"), 0, height // 2, 0)


@lru_cache(maxsize=256)
def sheet(width: int, height: int, across: int = 1, up: int = 1) -> Shape:
    """A flat upright picture for fitted finishes: x about 0, y from 0, seen from +z."""
    x, y = np.arange(across + 1), np.arange(up + 1)[:, None]
    flat_x, flat_y = np.broadcast_arrays(-(width // 2) + width * x // across, height * y // up)
    points = np.stack([flat_x, flat_y, np.zeros_like(flat_x)], axis=2)
    u, v = np.broadcast_arrays(1000 * x // across, 1000 - 1000 * y // up)
    return surface(points, np.stack([u, v], axis=2), np.broadcast_to(np.array([0, 0, UNIT]), points.shape))


@lru_cache(maxsize=256)
def soft_box(
    width: int, height: int, depth: int, radius: int, crown: int = 0, *, bottom: bool = False
) -> Shape:
    """A padded block, round on all edges: x and z about 0, y from 0.

    Args:
        width: along x.
        height: along y, without the crown.
        depth: along z.
        radius: of the edges; at most half of each extent.
        crown: how much the middle of its upper side is raised.
        bottom: whether the lower face is drawn.
    """
    size = np.array([width, height, depth])
    middle = np.array([0, height // 2, 0])
    low, high = middle - size // 2, middle - size // 2 + size
    parts = []
    for face in range(6):
        if face == 2 and not bottom:
            continue
        axis, sign = face // 2, 1 if face % 2 else -1
        first, second = ((1, 2), (2, 0), (0, 1))[axis] if sign > 0 else ((2, 1), (0, 2), (1, 0))[axis]
        a, b = np.meshgrid(_lines(low[first], high[first], radius), _lines(low[second], high[second], radius))
        points = np.empty((*a.shape, 3), np.int64)
        points[..., first], points[..., second] = a, b
        points[..., axis] = high[axis] if sign > 0 else low[axis]
        parts.append(_inflated(points, (low, high), radius, crown, swap=size[first] > size[second]))
    return join(*parts)


def _lines(low: int, high: int, radius: int) -> Ints:
    """Where the grid of a padded face has its lines."""
    marks = [low, low + radius, (low + high) // 2, high - radius, high]
    return np.array(sorted(set(map(int, marks))), np.int64)


def _inflated(points: Ints, box: tuple[Ints, Ints], radius: int, crown: int, *, swap: bool) -> Shape:
    """A face of a box drawn onto the rounded box, and raised in the middle of the upper side."""
    low, high = box
    inner = np.clip(points, low + radius, high - radius)
    normals = unit(points - inner)
    texture = np.delete(points, int(np.argmax(np.ptp(points.reshape(-1, 3), axis=0) == 0)), axis=2)
    out = inner + np.rint(normals * (radius / UNIT)).astype(np.int64)
    if crown:
        u = (2000 * out[..., 0]) // (high[0] - low[0])
        v = (2000 * out[..., 2]) // (high[2] - low[2])
        fade = np.clip(normals[..., 1], 0, UNIT)
        hill = (10**6 - u * u) * (10**6 - v * v) // 10**9
        out[..., 1] += crown * np.clip(hill, 0, 1000) // 1000 * fade // UNIT
        normals[..., 0] += fade * crown * 4 * u // 1000 // int(high[0] - low[0]) * (10**6 - v * v) // 10**6
        normals[..., 2] += fade * crown * 4 * v // 1000 // int(high[2] - low[2]) * (10**6 - u * u) // 10**6
    return surface(out, texture[..., ::-1] if swap else texture, normals)


@lru_cache(maxsize=256)
def prism(outline: tuple[tuple[int, int], ...], height: int) -> Shape:
    """An upright prism over a convex outline (x, z) with an even number of corners, from +x by way of -z."""
    ring = np.array(outline, np.int64)
    after = np.roll(ring, -1, axis=0)
    low, high = np.insert(ring, 1, 0, axis=1), np.insert(ring, 1, height, axis=1)
    low_after, high_after = np.insert(after, 1, 0, axis=1), np.insert(after, 1, height, axis=1)
    sides = np.stack([low, low_after, high_after, high], axis=1)
    run = np.concatenate([[0], np.cumsum(np.abs(after - ring).max(axis=1))])
    u = np.stack([run[:-1], run[1:], run[1:], run[:-1]], axis=1)
    walls = flat(sides, np.stack([u, -sides[..., 1]], axis=2))
    fan = np.array([[0, 2 * k + 1, 2 * k + 2, 2 * k + 3] for k in range(len(ring) // 2 - 1)])
    lids = [
        flat(high[fan], _grained(high[fan][..., [0, 2]])),
        flat(low[fan][:, ::-1], _grained(low[fan][:, ::-1][..., [0, 2]])),
    ]
    return join(walls, *lids)


@lru_cache(maxsize=256)
def slab(lower: tuple[tuple[int, int], ...], upper: tuple[tuple[int, int], ...], depth: int) -> Shape:
    """A board with a drawn outline, ``depth`` thick about z = 0.

    Args:
        lower: (x, y) along its lower edge from left to right.
        upper: as many along its upper edge from left to right; no point may be one of ``lower``.
        depth: thickness along z.
    """
    low, high = np.array(lower, np.int64), np.array(upper, np.int64)
    face = np.stack([low[:-1], low[1:], high[1:], high[:-1]], axis=1)
    front = np.insert(face, 2, depth - depth // 2, axis=2)
    back = np.insert(face, 2, -(depth // 2), axis=2)[:, ::-1]
    ring = np.concatenate([low, high[::-1]])
    after = np.roll(ring, -1, axis=0)
    rim = np.stack(
        [
            np.insert(ring, 2, -(depth // 2), axis=1),
            np.insert(after, 2, -(depth // 2), axis=1),
            np.insert(after, 2, depth - depth // 2, axis=1),
            np.insert(ring, 2, depth - depth // 2, axis=1),
        ],
        axis=1,
    )
    run = np.concatenate([[0], np.cumsum(np.abs(after - ring).max(axis=1))])
    u = np.stack([run[:-1], run[1:], run[1:], run[:-1]], axis=1)
    texture = np.stack([rim[..., 2], u], axis=2)
    return join(*(flat(part, _grained(part[..., :2])) for part in (front, back)), flat(rim, texture))
