"""Meshes of several tiles: borders that fit whole, in part, or not at all."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest

from gym_batchnav.errors import NavMeshError
from gym_batchnav.nav import NavMesh

# Detour's words for the edges on a border: towards +x, +z, -x and -z.
PLUS_X, PLUS_Z, MINUS_X, MINUS_Z = 0x8000, 0x8002, 0x8004, 0x8006
Square = tuple[float, float, float, float]
"""Lower x and z, upper x and z."""


def tile(
    place: tuple[int, int], squares: list[Square], borders: dict[int, int], height: float = 0.0
) -> bytes:
    """Squares that are not joined within the tile; `borders` gives the word for each side of the tile."""
    verts, polys, details, tris = [], b"", b"", b""
    low = np.min([(x, z) for x, z, _, _ in squares], axis=0)
    high = np.max([(x, z) for _, _, x, z in squares], axis=0)
    for k, (x0, z0, x1, z1) in enumerate(squares):
        verts += [(x0, height, z0), (x0, height, z1), (x1, height, z1), (x1, height, z0)]
        # The edges of the ring lie at -x, +z, +x and -z.
        rim = (x0 == low[0], z1 == high[1], x1 == high[0], z0 == low[1])
        sides = zip(rim, (MINUS_X, PLUS_Z, PLUS_X, MINUS_Z), strict=True)
        neis = [borders.get(side, 0) if on else 0 for on, side in sides]
        ring = range(4 * k, 4 * k + 4)
        polys += struct.pack("<I6H6HHBB", 0, *ring, 0, 0, *neis, 0, 0, 1, 4, 0)
        details += struct.pack("<IIBBxx", 0, 2 * k, 0, 2)
        tris += bytes([0, 1, 2, 0b000101, 0, 2, 3, 0b010100])
    count = len(squares)
    header = struct.pack(
        "<4siiiiI9i3f6ff", b"VAND", 7, *place, 0, 0, count, 4 * count, 4 * count, count, 0, 2 * count, 0, 0,
        count, 1.5, 0.1, 0.2, low[0], height, low[1], high[0], height + 1, high[1], 20.0,
    )  # fmt: skip
    return header + np.array(verts, "<f4").tobytes() + polys + bytes(48 * count) + details + tris


def write(path: Path, *tiles: bytes, version: int = 1) -> NavMesh:
    data = struct.pack("<4sii3f2fii", b"TESM", version, len(tiles), 0, 0, 0, 2, 2, 16, 16)
    data += b"" if version == 1 else bytes(56)
    data += b"".join(struct.pack("<Ii", 256 + k, len(t)) + t for k, t in enumerate(tiles))
    path.write_bytes(data)
    return NavMesh.load(path)


SIDES = {side: side for side in (PLUS_X, PLUS_Z, MINUS_X, MINUS_Z)}


@pytest.mark.parametrize("version", [1, 2])
def test_a_whole_edge_is_a_way_through(tmp_path: Path, version: int) -> None:
    tiles = tile((0, 0), [(0, 0, 2, 2)], SIDES), tile((1, 0), [(2, 0, 4, 2)], SIDES)
    mesh = write(tmp_path / "two.navmesh", *tiles, version=version)
    assert (mesh.area_m2, mesh.num_polygons, mesh.num_islands, mesh.num_corners) == (8, 2, 1, 0)
    np.testing.assert_array_equal(mesh.bounds, [[0, 0, 0], [4, 1, 2]])
    assert mesh.geodesic_distance([[0.5, 0, 1]], [[3.5, 0, 1.5]])[0] == pytest.approx(
        np.hypot(3, 0.5), abs=1e-5
    )
    np.testing.assert_allclose(mesh.move([[1.9, 0, 1]], [[2.1, 0, 1]]), [[2.1, 0, 1]], atol=1e-6)
    np.testing.assert_allclose(mesh.move([[2.1, 0, 1]], [[1.9, 0, 1]]), [[1.9, 0, 1]], atol=1e-6)


def test_four_tiles_meet_in_a_point(tmp_path: Path) -> None:
    tiles = [tile((x, z), [(2 * x, 2 * z, 2 * x + 2, 2 * z + 2)], SIDES) for z in (1, 0) for x in (0, 1)]
    mesh = write(tmp_path / "four.navmesh", *tiles)
    assert (mesh.area_m2, mesh.num_islands, mesh.num_corners) == (16, 1, 0)
    points = mesh.sample(50, np.random.default_rng(0))
    straight = np.linalg.norm(points - points[::-1], axis=1)
    np.testing.assert_allclose(mesh.geodesic_distance(points, points[::-1]), straight, rtol=1e-5, atol=1e-5)


def test_an_edge_may_lead_to_two_polygons_with_a_wall_between(tmp_path: Path) -> None:
    """The left square's edge is 2 m long; to the right lie squares over z 0 to 0.5 and over z 1 to 2."""
    right = tile((1, 0), [(2, 0, 4, 0.5), (2, 1, 4, 2)], SIDES)
    mesh = write(tmp_path / "three.navmesh", tile((0, 0), [(0, 0, 2, 2)], SIDES), right)
    assert (mesh.area_m2, mesh.num_polygons, mesh.num_islands) == (4 + 1 + 2, 3, 1)
    # Corners where the wall between begins and ends.
    assert mesh.num_corners == 2
    start, above, below = [[1, 0, 0.75]], [[3, 0, 1.1]], [[3, 0, 0.25]]
    # The straight line would pass x 2 at z 0.925, through the wall: around its end at z 1.
    assert mesh.geodesic_distance(start, above)[0] == pytest.approx(
        np.hypot(1, 0.25) + np.hypot(1, 0.1), abs=1e-5
    )
    # From one arm to the other around both corners.
    way = 2 * np.hypot(1, 0) + 0.5
    ends = [[3, 0, 0.5]], [[3, 0, 1.0]]
    assert mesh.geodesic_distance(*ends)[0] == pytest.approx(way, abs=1e-5)
    np.testing.assert_allclose(mesh.move([[1.9, 0, 0.75]], [[2.1, 0, 0.75]]), [[2, 0, 0.75]], atol=1e-6)
    np.testing.assert_allclose(mesh.move([[1.9, 0, 0.25]], [[2.1, 0, 0.25]]), [[2.1, 0, 0.25]], atol=1e-6)
    np.testing.assert_allclose(mesh.move(below, [[1.8, 0, 0.3]]), [[1.8, 0, 0.3]], atol=1e-6)


@pytest.mark.parametrize(
    ("shift", "height", "islands"),
    # Heights may differ by twice the climb of 0.2 m; borders by 1 cm.
    [(0, 0.35, 1), (0, 0.5, 2), (0.009, 0, 1), (0.05, 0, 2)],
)
def test_borders_that_are_apart(tmp_path: Path, shift: float, height: float, islands: int) -> None:
    right = tile((1, 0), [(2 + shift, 0, 4, 2)], SIDES, height)
    mesh = write(tmp_path / "apart.navmesh", tile((0, 0), [(0, 0, 2, 2)], SIDES), right)
    assert mesh.num_islands == islands
    assert np.isfinite(mesh.geodesic_distance([[1, 0, 1]], [[3, height, 1]])[0]) == (islands == 1)


def test_borders_without_a_neighbour_are_walls(tmp_path: Path) -> None:
    mesh = write(tmp_path / "one.navmesh", tile((0, 0), [(0, 0, 2, 2)], SIDES))
    np.testing.assert_allclose(mesh.move([[1.9, 0, 1]], [[2.1, 0, 1]]), [[2, 0, 1]], atol=1e-6)


def test_only_borders_are_joined(tmp_path: Path) -> None:
    """An edge that is no border stays a wall, though another tile's polygon lies against it."""
    left = tile((0, 0), [(0, 0, 2, 2)], {})
    mesh = write(tmp_path / "wall.navmesh", left, tile((1, 0), [(2, 0, 4, 2)], SIDES))
    assert mesh.num_islands == 2


def test_a_mesh_of_several_tiles_is_not_written(tmp_path: Path) -> None:
    tiles = tile((0, 0), [(0, 0, 2, 2)], SIDES), tile((1, 0), [(2, 0, 4, 2)], SIDES)
    mesh = write(tmp_path / "two.navmesh", *tiles)
    with pytest.raises(NavMeshError, match="the mesh has 2 tiles; at most 1 can be written"):
        mesh.save(tmp_path / "copy.navmesh")
    assert not (tmp_path / "copy.navmesh").exists()


def test_tiles_without_polygons(tmp_path: Path) -> None:
    full = tile((0, 0), [(0, 0, 2, 2)], SIDES)
    empty = struct.pack("<4siiiiI9i3f6ff", b"VAND", 7, 1, 0, 0, 0, *[0] * 9, 1.5, 0.1, 0.2, *[0] * 6, 20.0)
    assert write(tmp_path / "some.navmesh", full, empty).num_polygons == 1
    with pytest.raises(NavMeshError, match="the tiles hold no polygon"):
        write(tmp_path / "none.navmesh", empty)
