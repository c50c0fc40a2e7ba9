"""What the lists of visible triangles and corners say, against each line of sight walked by itself."""

from __future__ import annotations

import numpy as np
import pytest

from gym_batchnav.nav import NavMesh, navmesh_for
from gym_batchnav.nav._sight import may_bend, spot_sees_corner
from gym_batchnav.nav._visibility import HIDDEN, PART, WHOLE, make_flood, see_from_spot
from gym_batchnav.scenes.houses import load_house


def grid(seed: int) -> NavMesh:
    """Squares of a grid, a third of them missing: many corners, and many points in line."""
    rng = np.random.default_rng(seed)
    free = rng.random((9, 9)) < 0.67
    number = np.arange(100).reshape(10, 10)
    x, z = np.divmod(np.arange(100), 10)
    squares = [(number[r, c], number[r, c + 1], number[r + 1, c + 1], number[r + 1, c])
               for r, c in zip(*np.nonzero(free), strict=True)]  # fmt: skip
    return NavMesh.from_polygons(np.stack([x, 0 * x, z], axis=1), squares)


@pytest.fixture(scope="module", params=["house", 0, 1, 2])
def mesh(request) -> NavMesh:
    return navmesh_for(load_house("val", 0)) if request.param == "house" else grid(request.param)


def spots_of(mesh, count, seed):
    points = mesh.sample(count, np.random.default_rng(seed))
    return points, mesh._spots(points)[1]


def test_views_agree_with_lines_of_sight(mesh):
    sight = mesh.tables[1]
    froms, from_spots = spots_of(mesh, 60, 0)
    tos, to_spots = spots_of(mesh, 400, 1)
    flood, amounts = make_flood(len(sight.tri_xz)), []
    for point, spot in zip(froms, from_spots, strict=True):
        see_from_spot(sight, flood, spot)
        view = flood.seen[to_spots[:, 0]]
        clear = mesh.line_of_sight(np.tile(point, (len(tos), 1)), tos)
        assert not clear[view == HIDDEN].any()
        assert clear[view == WHOLE].all()
        amounts.append([np.mean(view == kind) for kind in (HIDDEN, PART, WHOLE)] + [clear.mean()])
    hidden, part, whole, clear = np.mean(amounts, axis=0)
    # It must decide most cases, or it saves nothing; and where it says perhaps, both must happen.
    assert hidden + whole > 0.6
    assert whole < clear < whole + part


def test_lists_of_corners_miss_none(mesh):
    sight = mesh.tables[1]
    clear = listed = bends = 0
    for spot in spots_of(mesh, 100, 2)[1]:
        entries = slice(sight.bend_start[spot[0]], sight.bend_start[spot[0] + 1])
        corners = sight.bend[entries].tolist()
        assert corners == sorted(set(corners))
        for corner in range(mesh.num_corners):
            if may_bend(sight, corner, spot[1], spot[2]) and spot_sees_corner(sight, spot, corner):
                assert corner in corners
                bends += 1
        for corner in sight.bend[entries][sight.bend_clear[entries]]:
            assert spot_sees_corner(sight, spot, corner)
            clear += 1
        listed += len(corners)
    assert 0 < clear < listed < 100 * mesh.num_corners
    assert bends > listed / 4


def test_a_point_off_the_ground_sees_nothing(mesh):
    sight = mesh.tables[1]
    flood = make_flood(len(sight.tri_xz))
    see_from_spot(sight, flood, np.array([-1, 0, 0]))
    assert (flood.seen == HIDDEN).all()
