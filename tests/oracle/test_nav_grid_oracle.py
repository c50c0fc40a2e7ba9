"""Exact distances against a brute-force visibility graph in rational arithmetic.

The ground is a grid of unit squares, some of them blocked. A straight line is free if it meets no blocked
square's inside; squares that touch at one point only are avoided: whether one may squeeze through there is a
matter of taste.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from gym_batchnav.nav import NavMesh

Point = tuple[Fraction, Fraction]


def open_grid(rng: np.random.Generator, size: int, blocked_share: float) -> np.ndarray:
    """(size, size) True where free, with no two squares that touch at a corner only."""
    free = rng.random((size, size)) >= blocked_share
    changed = True
    while changed:
        changed = False
        for r, c in product(range(size - 1), range(size - 1)):
            block = free[r : r + 2, c : c + 2]
            if block[0, 0] == block[1, 1] != block[0, 1] == block[1, 0]:
                free[r : r + 2, c : c + 2] = True
                changed = True
    return free


def crosses_inside(a: Point, b: Point, column: int, row: int) -> bool:
    """Whether the segment ab meets the open unit square at (column, row)."""
    low, high = Fraction(0), Fraction(1)
    for axis, start in ((0, column), (1, row)):
        at, step = a[axis], b[axis] - a[axis]
        if step == 0:
            if not start < at < start + 1:
                return False
            continue
        t = sorted(((start - at) / step, (start + 1 - at) / step))
        low, high = max(low, t[0]), min(high, t[1])
    return low < high


def free_line(a: Point, b: Point, blocked: list[tuple[int, int]]) -> bool:
    return not any(crosses_inside(a, b, column, row) for column, row in blocked)


def runs_inside(a: Point, b: Point, size: int, free: np.ndarray) -> bool:
    """A line along a grid line needs a free square on one side, though it meets no square's inside."""
    for axis in (0, 1):
        if a[axis] != b[axis] or a[axis].denominator != 1:
            continue
        line = int(a[axis])
        other = 1 - axis
        first, last = sorted((a[other], b[other]))
        for cell in range(int(first), -int(-last // 1)):
            if max(first, Fraction(cell)) >= min(last, Fraction(cell + 1)):
                continue
            sides = [k for k in (line - 1, line) if 0 <= k < size]
            if not any((free[cell, k] if axis == 0 else free[k, cell]) for k in sides):
                return False
    return True


def brute_force(free: np.ndarray, start: Point, goal: Point) -> float:
    size = len(free)
    wall = [(c, r) for r, c in product(range(-1, size + 1), repeat=2)
            if not (0 <= r < size and 0 <= c < size and free[r, c])]  # fmt: skip
    corners = {
        (Fraction(c), Fraction(r))
        for r, c in product(range(size + 1), repeat=2)
        if any(0 <= i < size and 0 <= j < size and free[i, j] for i in (r - 1, r) for j in (c - 1, c))
    }
    nodes = [start, goal, *sorted(corners)]
    distance = {k: float("inf") for k in range(len(nodes))}
    distance[0] = 0.0
    todo = set(distance)
    while todo:
        k = min(todo, key=distance.__getitem__)
        if k == 1 or distance[k] == float("inf"):
            break
        todo.remove(k)
        a = nodes[k]
        for j in todo:
            b = nodes[j]
            length = float((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2) ** 0.5
            if distance[k] + length < distance[j] and free_line(a, b, wall) and runs_inside(a, b, size, free):
                distance[j] = distance[k] + length
    return distance[1]


def mesh_of(free: np.ndarray, turn: float, merge: bool) -> NavMesh:
    """Each free square is a polygon, or each run of them, with the vertices in between kept on its sides."""
    size = len(free)
    number = {key: k for k, key in enumerate(product(range(size + 1), repeat=2))}
    polygons = []
    for r in range(size):
        c = 0
        while c < size:
            if not free[r, c]:
                c += 1
                continue
            end = c + 1
            while merge and end < size and free[r, end]:
                end += 1
            lower = [number[r, k] for k in range(c, end + 1)]
            upper = [number[r + 1, k] for k in range(end, c - 1, -1)]
            polygons.append(lower + upper)
            c = end
    rows, columns = np.array(list(number)).T
    return NavMesh.from_polygons(turned(np.stack([columns, rows], axis=1), turn), polygons)


def turned(points: np.ndarray, turn: float) -> np.ndarray:
    """(N, 2) grid points to (N, 3) positions, turned about the vertical."""
    x, z = points.astype(float).T
    return np.stack(
        [np.cos(turn) * x - np.sin(turn) * z, np.zeros(len(x)), np.sin(turn) * x + np.cos(turn) * z], axis=1
    )


def spots(rng: np.random.Generator, free: np.ndarray, count: int) -> list[Point]:
    """Points of the ground in steps of a quarter: many lie on edges, on vertices, and in line with walls."""
    rows, columns = np.nonzero(free)
    picked = rng.integers(len(rows), size=count)
    offset = rng.integers(0, 5, size=(count, 2))
    return [
        (Fraction(int(columns[k])) + Fraction(int(dx), 4), Fraction(int(rows[k])) + Fraction(int(dz), 4))
        for k, (dx, dz) in zip(picked, offset, strict=True)
    ]


@pytest.mark.parametrize(
    ("seed", "size", "pairs"),
    [(0, 5, 6), (1, 5, 6), (2, 5, 6), *(pytest.param(k, 7, 12, marks=pytest.mark.slow) for k in range(3, 6))],
)
def test_grid_worlds(seed: int, size: int, pairs: int) -> None:
    rng = np.random.default_rng(seed)
    free = open_grid(rng, size, 0.35)
    starts, goals = spots(rng, free, pairs), spots(rng, free, pairs)
    expected = np.array([brute_force(free, a, b) for a, b in zip(starts, goals, strict=True)])
    # A turned grid rounds every coordinate, so that points in line are nearly in line.
    for turn, merge in ((0.0, False), (0.0, True), (0.7, False), (2.1, True)):
        mesh = mesh_of(free, turn, merge)
        a, b = (turned(np.array([[float(v) for v in p] for p in group]), turn) for group in (starts, goals))
        np.testing.assert_allclose(mesh.geodesic_distance(a, b), expected, rtol=1e-5, atol=1e-5)
        np.testing.assert_allclose(mesh.geodesic_distance(b, a), expected, rtol=1e-5, atol=1e-5)


def test_the_oracle_itself() -> None:
    # A wall of one square in the middle of 3 x 3: from (0, 1.5) to (3, 1.5) around (1, 1) and (2, 1):
    # sqrt(1 + 0.25) + 1 + sqrt(1 + 0.25) = 3.23607.
    free = np.ones((3, 3), bool)
    free[1, 1] = False
    half = Fraction(3, 2)
    assert brute_force(free, (Fraction(0), half), (Fraction(3), half)) == pytest.approx(1 + 5**0.5, abs=1e-12)
