"""Cutting quads for baked light."""

from __future__ import annotations

import numpy as np
import pytest

from gym_batchnav.scenes.houses.quads import LONGEST, Quads, cut_long, triangles


def quads_of(corners, texture=None) -> Quads:
    corners = np.array(corners, np.int64).reshape(-1, 4, 3)
    count = len(corners)
    texture = corners[..., [0, 1]] if texture is None else np.array(texture, np.int64)
    normals = np.tile(np.array([0, 0, 1], np.int64), (count, 4, 1))
    return Quads(corners, texture, normals, np.arange(count), np.arange(count) + 7)


BOARD = [[0, 0, 0], [3622, 0, 0], [3622, 1500, 0], [0, 1500, 0]]


def test_a_long_board_is_cut_into_equal_parts():
    """3622 x 1500 mm: four columns of 905 or 906 mm, two rows of 750 mm."""
    cut = cut_long(quads_of(BOARD), np.array([False]))
    assert len(cut.corners) == 8
    assert np.unique(cut.corners[..., 0]).tolist() == [0, 906, 1811, 2717, 3622]  # 905.5 rounds up.
    assert np.unique(cut.corners[..., 1]).tolist() == [0, 750, 1500]
    assert (cut.texture == cut.corners[..., :2]).all()
    assert (cut.finish == 0).all()
    assert (cut.owner == 7).all()
    size = cut.corners[:, 2] - cut.corners[:, 0]
    assert size.min(axis=0).tolist() == [905, 750, 0]  # Same turning sense as the whole.
    assert (size[:, 0] * size[:, 1]).sum() == 3622 * 1500


def test_both_sides_of_an_edge_are_cut_alike():
    """Neighbours that name an edge from different ends get the same corners on it."""
    other = [[3622, 500, 0], [3622, 500, -333], [0, 503, -333], [0, 503, 0]]
    slanted = [[0, 503, 0], [3622, 500, 0], [3622, 900, 0], [0, 903, 0]]
    cut = cut_long(quads_of([other, slanted]), np.array([False, False]))
    edges = []
    for finish in (0, 1):
        flat = cut.corners[cut.finish == finish].reshape(-1, 3)
        edges.append({tuple(point) for point in flat.tolist() if point[2] == 0 and point[1] < 504})
    assert edges[0] == edges[1]
    assert len(edges[0]) == 5


def test_what_is_not_cut():
    """Kept ones, small ones, thin strips, and quads that are no parallelograms."""
    kite = [[0, 0, 0], [900, 0, 0], [700, 900, 0], [0, 900, 0]]
    strip = [[0, 0, 0], [2000, 0, 0], [2000, 8, 0], [0, 8, 0]]
    small = [[0, 0, 0], [LONGEST, 0, 0], [LONGEST, LONGEST, 0], [0, LONGEST, 0]]
    quads = quads_of([BOARD, kite, strip, small])
    cut = cut_long(quads, np.array([True, False, False, False]))
    assert sorted(cut.corners.tolist()) == sorted(quads.corners.tolist())


def test_pieces_are_short():
    rng = np.random.default_rng(5)
    origin, u, v = (rng.integers(-3000, 3000, (200, 3)) for _ in range(3))
    corners = np.stack([origin, origin + u, origin + u + v, origin + v], axis=1)
    cut = cut_long(quads_of(corners, np.zeros((200, 4, 2))), np.zeros(200, bool))
    edges = np.linalg.norm(cut.corners - np.roll(cut.corners, 1, axis=1), axis=2)
    assert edges.max() <= LONGEST + 5
    areas = np.linalg.norm(
        np.cross(cut.corners[:, 1] - cut.corners[:, 0], cut.corners[:, 3] - cut.corners[:, 0]), axis=1
    )
    whole = np.linalg.norm(np.cross(u, v), axis=1)
    assert np.bincount(cut.finish, areas) == pytest.approx(whole, rel=0.02)


def test_diagonals_join_equal_light():
    """The dark corner is cut off alone, whichever it is; corners of no parallelogram keep their diagonal."""
    kite = [[0, 0, 0], [300, 0, 0], [200, 300, 0], [0, 300, 0]]
    quads = quads_of([BOARD, BOARD, kite])
    light = np.full((3, 4, 3), 200, np.uint8)
    light[0, 1] = light[1, 2] = light[2, 2] = 50
    faces, drawn = triangles(quads, light)
    assert drawn.all()
    assert faces.tolist() == [[0, 1, 2], [0, 2, 3], [4, 5, 7], [5, 6, 7], [8, 9, 10], [8, 10, 11]]


def test_triangles_without_area_are_left_out():
    fan = [[0, 0, 0], [300, 0, 0], [300, 0, 0], [0, 300, 0]]
    faces, drawn = triangles(quads_of([fan, BOARD]), np.zeros((2, 4, 3), np.uint8))
    assert drawn.tolist() == [False, True, True, True]
    assert faces.tolist() == [[0, 2, 3], [4, 5, 6], [4, 6, 7]]
