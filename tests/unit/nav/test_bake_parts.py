"""Parts of the bake whose results can be checked alone."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gym_batchnav.nav.agent import AgentSettings
from gym_batchnav.nav.bake.contours import Contour
from gym_batchnav.nav.bake.holes import join_holes
from gym_batchnav.nav.bake.plane import blocked, doubled_area, in_cone, meet
from gym_batchnav.nav.bake.polygons import make_polygons
from gym_batchnav.nav.bake.triangulation import insert, triangulate_hull
from gym_batchnav.nav.bake.voxels import make_grid, voxelise
from gym_batchnav.nav.tree import build_tree, tree_order


def areas(points: np.ndarray, triangles: list[tuple[int, int, int]]) -> np.ndarray:
    a, b, c = (points[[triangle[k] for triangle in triangles]] for k in range(3))
    u, v = b - a, c - a
    return (u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0]) / 2


def test_one_slanted_triangle_in_voxels() -> None:
    """Cells of 1 m and voxels of 1 m: x - y = 0 over 0 <= x <= 2, 0 <= z <= 2."""
    corners = np.array([[[0, 0, 0], [0, 0, 2], [2, 2, 0]]], np.float32)
    cells = AgentSettings(cell_size=1, cell_height=1)
    grid = make_grid(corners[0], cells, "test")
    assert (grid.width, grid.depth) == (2, 2)
    voxels = voxelise(corners, grid, cells)
    # Columns (0, 0), (1, 0) and (0, 1) are touched; (1, 1) only in the point (1, 1, 1).
    assert np.diff(voxels.columns)[:3].tolist() == [1, 1, 1]
    assert voxels.low[:3].tolist() == [0, 1, 0]
    assert voxels.high[:3].tolist() == [1, 2, 1]
    # It rises by 45 degrees.
    for slope in (44, 46):
        agent = AgentSettings(cell_size=1, cell_height=1, agent_max_slope=slope)
        assert (voxelise(corners, grid, agent).walk == (slope > 45)).all()


def test_segments() -> None:
    p = np.array
    assert meet(p([0, 0]), p([4, 4]), p([0, 4]), p([4, 0]))
    assert meet(p([0, 0]), p([4, 0]), p([2, 0]), p([2, 5]))
    assert not meet(p([0, 0]), p([4, 0]), p([5, 0]), p([6, 0]))
    square = p([[0, 0], [0, 4], [4, 4], [4, 0]])
    assert doubled_area(square) == 32
    assert doubled_area(square[::-1]) == -32
    assert blocked(p([2, 2]), p([2, 9]), square)
    assert not blocked(p([1, 1]), p([3, 3]), square)
    # From corner to corner: edges that end there do not count.
    assert not blocked(square[0], square[2], square)
    assert in_cone(square[3], square[0], square[1], square[2])
    assert not in_cone(square[3], square[0], square[1], p([-1, -1]))


def test_a_hole_is_joined_by_its_shortest_cut() -> None:
    outline = np.array([[0, 0, 0], [0, 0, 10], [10, 0, 10], [10, 0, 0]])
    hole = np.array([[2, 0, 1], [4, 0, 1], [4, 0, 3], [2, 0, 3]])
    contours = [Contour(outline, 1), Contour(hole, 1)]
    assert [contour.is_hole for contour in contours] == [False, True]
    (joined,) = join_holes(contours)
    # From the corner at the origin to the left end of the hole, around it, and back.
    ring = joined.points[:, ::2]
    assert len(ring) == 4 + 4 + 2
    assert doubled_area(ring) == 200 - 8
    polygons = make_polygons([joined], AgentSettings())
    total = sum(doubled_area(polygons.vertices[list(r)][:, ::2]) for r in polygons.rings)
    assert total == 200 - 8
    assert all(doubled_area(polygons.vertices[list(r)][:, ::2]) > 0 for r in polygons.rings)
    assert len(polygons.vertices) == 8


def test_a_hole_outside_its_outline_is_left_out() -> None:
    outline = np.array([[0, 0, 0], [0, 0, 10], [10, 0, 10], [10, 0, 0]])
    hole = np.array([[22, 0, 1], [24, 0, 1], [24, 0, 3], [22, 0, 3]])
    (joined,) = join_holes([Contour(outline, 1), Contour(hole, 1)])
    np.testing.assert_array_equal(joined.points, outline)


def test_an_ear_on_a_line_is_not_cut() -> None:
    """A triangle with two more points on one side: flat triangles would leave gaps in the height."""
    points = np.array([[0, 0], [3, 0], [1.5, 1], [1, 0], [2, 0]])
    triangles = triangulate_hull(points, [0, 3, 4, 1, 2], 3)
    assert len(triangles) == 3
    assert (areas(points, triangles) > 0.1).all()
    assert areas(points, triangles).sum() == pytest.approx(1.5)


@given(seed=st.integers(0, 2**32 - 1), rim=st.integers(3, 9), inside=st.integers(0, 12))
@settings(max_examples=60, deadline=None)
def test_insertion_keeps_a_triangulation(seed: int, rim: int, inside: int) -> None:
    rng = np.random.default_rng(seed)
    angle = (np.arange(rim) + rng.uniform(-0.3, 0.3, rim)) * 2 * np.pi / rim
    hull = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    weights = rng.dirichlet(np.ones(rim), inside)
    points = np.concatenate([hull, 0.9 * weights @ hull + 0.1 * hull.mean(axis=0)])
    triangles = triangulate_hull(points, list(range(rim)), rim)
    whole = areas(points, triangles).sum()
    for new in range(rim, len(points)):
        insert(points, triangles, new)
    assert len(triangles) == rim - 2 + 2 * inside
    assert (areas(points, triangles) > 0).all()
    assert areas(points, triangles).sum() == pytest.approx(whole)
    assert {k for triangle in triangles for k in triangle} == set(range(len(points)))


@given(seed=st.integers(0, 2**32 - 1), count=st.integers(1, 60))
@settings(max_examples=40, deadline=None)
def test_the_tree_finds_what_a_plain_search_finds(seed: int, count: int) -> None:
    rng = np.random.default_rng(seed)
    low = rng.integers(0, 100, (count, 3))
    bounds = np.concatenate([low, low + rng.integers(0, 20, (count, 3))], axis=1).astype(np.int32)
    boxes, index = build_tree(bounds)
    assert sorted(index[index >= 0]) == list(range(count))
    assert sorted(tree_order(bounds)) == list(range(count))
    start = rng.integers(0, 100, 3)
    end = start + rng.integers(0, 30, 3)
    found, node = [], 0
    while node < len(index):
        hit = (boxes[node, :3] <= end).all() and (boxes[node, 3:] >= start).all()
        if hit and index[node] >= 0:
            found.append(int(index[node]))
        node += 1 if hit or index[node] >= 0 else -int(index[node])
    plain = np.flatnonzero((bounds[:, :3] <= end).all(axis=1) & (bounds[:, 3:] >= start).all(axis=1))
    assert sorted(found) == plain.tolist()
