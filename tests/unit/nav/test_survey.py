"""Islands and storeys of walkable ground."""

from __future__ import annotations

import numpy as np
import pytest

from gym_batchnav.nav import NavMesh
from gym_batchnav.nav.survey import storey_heights, survey


def square(side, y, x=0.0, z=0.0):
    return [[x, y, z], [x, y, z + side], [x + side, y, z + side], [x + side, y, z]]


def mesh_of(*squares):
    vertices = np.concatenate([np.array(one, np.float32) for one in squares])
    return NavMesh.from_polygons(vertices, [range(4 * n, 4 * n + 4) for n in range(len(squares))])


def test_islands_from_the_largest_on():
    found = survey(mesh_of(square(1, 0.0, 20), square(10, 0.0), square(4, 0.0, 30)))
    assert [island.area_m2 for island in found.islands] == pytest.approx([1 * 100, 16, 1])
    # The middle of a square is half a diagonal from its corners.
    assert [island.radius for island in found.islands] == pytest.approx([50**0.5, 8**0.5, 0.5**0.5])
    assert found.area_m2 == pytest.approx(117)
    # Each triangle lies on the island that it is said to lie on.
    middles = found.triangles.mean(axis=1)[:, 0]
    assert np.array_equal(found.triangle_island, np.select([middles < 11, middles > 25], [0, 1], 2))


def test_storeys_with_tables_and_a_roof_apart():
    # A floor of 100 m2 with a table top of 1 m2 on it, an upper floor of 36 m2, and a shelf of 2 m2 over it.
    found = survey(mesh_of(square(10, 0.0), square(1, 0.9, 3, 3), square(6, 3.0), square(2**0.5, 4.2)))
    lower, upper = found.storeys
    assert (lower.height, upper.height) == pytest.approx((0.0, 3.0))
    assert (lower.area_m2, upper.area_m2) == pytest.approx((101, 38))
    assert lower.largest_island_share == pytest.approx(100 / 101)
    assert upper.largest_island_share == 0.0


def test_stairs_join_storeys_and_are_none_themselves():
    # Two floors of 8 x 8 m, 3 m apart, with a ramp 1 m wide and 4 m long between them.
    vertices = [[0, 0, 0], [0, 0, 8], [8, 0, 8], [8, 0, 1], [8, 0, 0], [12, 3, 0], [12, 3, 1]]
    vertices += [[12, 3, 8], [20, 3, 8], [20, 3, 0]]
    found = survey(NavMesh.from_polygons(vertices, [[0, 1, 2, 3, 4], [4, 3, 6, 5], [5, 6, 7, 8, 9]]))
    assert len(found.islands) == 1
    assert [storey.height for storey in found.storeys] == pytest.approx([0, 3])
    # The ramp is 5 m long along its slope; its two triangles have their middles at 1 and 2 m.
    assert [storey.area_m2 for storey in found.storeys] == pytest.approx([64 + 5, 64])
    assert all(storey.largest_island_share == 1.0 for storey in found.storeys)


def test_little_ground_is_one_storey():
    (storey,) = survey(mesh_of(square(1, 2.0))).storeys
    assert (storey.height, storey.area_m2) == pytest.approx((2.0, 1.0))


def test_rims_are_the_edges_without_a_neighbour():
    # Two squares that share the edge x = 4.
    vertices = [[0, 0, 0], [0, 0, 4], [4, 0, 4], [4, 0, 0], [8, 0, 4], [8, 0, 0]]
    found = survey(NavMesh.from_polygons(vertices, [[0, 1, 2, 3], [3, 2, 4, 5]]))
    lengths = np.linalg.norm(found.rims[:, 0] - found.rims[:, 1], axis=1)
    assert lengths.sum() == pytest.approx(24)
    assert not ((found.rims[:, :, 0] == 4).all(axis=1)).any()
    assert set(found.rim_island) == set(found.rim_storey) == {0}


def test_a_slope_is_not_a_pile_of_storeys():
    # 400 m2 that rise evenly by 40 m: each metre of height has 10 m2, which are only 2.5%.
    heights = np.linspace(0, 40, 401)
    assert len(storey_heights(heights, np.ones(401))) == 1
    # Where most lies on two floors, the ramp between them adds none.
    two = np.concatenate([np.zeros(200), np.full(200, 6.0), np.linspace(0, 6, 61)])
    assert storey_heights(two, np.ones(461)).tolist() == [0.0, 6.0]
