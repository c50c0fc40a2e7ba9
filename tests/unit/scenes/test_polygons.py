"""Polygons cut into triangles, held against shapely."""

from __future__ import annotations

import numpy as np
import pytest
import shapely

from gym_batchnav.scenes import SceneWarning, load_scene, polygons
from gym_batchnav.scenes.polygons import triangulate


def areas(points, triangles):
    a, b, c = (points[triangles[:, corner]] for corner in range(3))
    return np.cross(b - a, c - a) / 2.0


def cut(outline):
    """Triangles of one outline in the plane z = 0."""
    points = np.column_stack([outline, np.zeros(len(outline))])
    result = triangulate(points, np.array([len(outline)]))
    assert result.num_left == 0
    assert len(result.triangles) == len(outline) - 2
    return points, result.triangles


def star(rng, corners):
    """A random outline that is seen whole from its middle, and is seldom convex."""
    angles = (np.arange(corners) + rng.uniform(0.1, 0.9, corners)) * (2 * np.pi / corners)
    return rng.uniform(0.2, 2.0, (corners, 1)) * np.column_stack([np.cos(angles), np.sin(angles)])


@pytest.mark.parametrize("corners", [4, 5, 6, 9, 17, 40])
def test_triangles_fill_the_polygon_and_nothing_else(rng, corners):
    for _ in range(20):
        outline = star(rng, corners)
        points, triangles = cut(outline)
        polygon = shapely.Polygon(outline)
        pieces = shapely.polygons(points[triangles][..., :2])
        # All face the polygon's way, their areas sum to its area, and none leaves it.
        assert (areas(points, triangles)[:, 2] >= -1e-9).all()
        assert areas(points, triangles)[:, 2].sum() == pytest.approx(polygon.area)
        assert shapely.difference(shapely.union_all(pieces), polygon).area < 1e-9


def test_many_polygons_in_any_plane(rng):
    outlines = [star(rng, corners) for corners in rng.integers(3, 12, 50)]
    turn, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    points = np.concatenate([np.column_stack([one, np.full(len(one), 7.0)]) for one in outlines]) @ turn.T
    result = triangulate(points, np.array([len(one) for one in outlines]))
    found = np.bincount(result.polygons, np.linalg.norm(areas(points, result.triangles), axis=1))
    np.testing.assert_allclose(found, [shapely.Polygon(one).area for one in outlines])


def test_a_hole_that_a_slit_joins_to_the_outline():
    """A square of 4 x 4 with a hole of 2 x 2, written as one outline that passes the slit twice."""
    outer, inner = [(0, 0), (4, 0), (4, 4), (0, 4)], [(1, 1), (1, 3), (3, 3), (3, 1)]
    points, triangles = cut(np.array([*outer, outer[0], *inner, inner[0]], float))
    assert np.abs(areas(points, triangles)[:, 2]).sum() == pytest.approx(16 - 4)


def test_sizes_under_three_and_flat_polygons_are_no_trouble():
    points = np.array([[0, 0, 0], [1, 0, 0], [2, 0, 0], [3, 0, 0], [0, 0, 0], [1, 0, 0], [0, 0, 0]], float)
    result = triangulate(points, np.array([4, 2, 1, 0]))
    np.testing.assert_array_equal(result.triangles, [[0, 1, 2], [0, 2, 3]])
    np.testing.assert_array_equal(result.polygons, [0, 0])


def test_an_outline_that_crosses_itself_still_ends():
    points = np.array([[0, 0], [4, 4], [4, 0], [0, 4], [2, 9], [1, -3]], float)
    assert len(cut(points)[1]) == 4


def test_what_would_take_too_long_is_said(tmp_path, monkeypatch):
    monkeypatch.setattr(polygons, "_MOST_TESTS", -400)  # and 20 for each of 12 corners
    corners = [(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)]  # an L
    text = "".join(f"v {x} {y} 0\n" for x, y in [*corners[3:], *corners[:3]]) + "f 3 4 5 6 1 2\n" * 2
    path = tmp_path / "scene.obj"
    path.write_text(text.replace("f 3 4 5 6 1 2", "f 5 6 1 2 3 4"))
    with pytest.warns(SceneWarning, match=r"scene\.obj: 2 faces that are not convex are too large"):
        assert load_scene(path).arrays.num_triangles == 8
