"""Written .navmesh files: every field, and the same mesh when read again."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest

from gym_batchnav.errors import NavMeshError
from gym_batchnav.nav import AgentSettings, NavMesh, bake_navmesh
from gym_batchnav.nav.detour_file import read_detour_set
from tests.unit.nav.solids import floor, solids, two_storeys

SQUARES = [(0, 0, 0), (0, 0, 1), (1, 0, 1), (1, 0, 0), (2, 0.5, 1), (2, 0.5, 0)]


def same(one: NavMesh, two: NavMesh) -> list[str]:
    """Names of the arrays that differ."""
    arrays = zip(one._ground._fields, one._ground, two._ground, strict=True)
    return [name for name, a, b in arrays if not np.array_equal(a, b)]


def test_a_baked_mesh_is_read_back_bit_by_bit(tmp_path: Path) -> None:
    settings = AgentSettings(agent_radius=0.15, cell_height=0.1, filter_ledge_spans=False)
    mesh = bake_navmesh(*solids(*two_storeys()), settings)
    mesh.save(tmp_path / "house.navmesh")
    again = NavMesh.load(tmp_path / "house.navmesh")
    assert same(mesh, again) == []
    assert again.settings == settings
    # Triangles with vertices of their own are among them.
    assert read_detour_set(tmp_path / "house.navmesh").tiles[0].header["detail_verts"] > 0
    again.save(tmp_path / "again.navmesh")
    assert (tmp_path / "again.navmesh").read_bytes() == (tmp_path / "house.navmesh").read_bytes()


def test_every_field(tmp_path: Path) -> None:
    """Unpacked by hand, by the layout in Detour's and habitat-sim's headers; 2 polygons, 4 triangles."""
    mesh = NavMesh.from_polygons(SQUARES, [(0, 1, 2, 3), (3, 2, 4, 5)])
    path = tmp_path / "hall.navmesh"
    mesh.save(path)
    data = path.read_bytes()
    head = struct.unpack_from("<4sii5fii", data)
    assert head == (b"TESM", 2, 1, 0, 0, 0, 2, 1, 1, 2)
    numbers = struct.unpack_from("<13f4?", data, 40)
    expected = (0.05, 0.2, 1.5, 0.1, 0.2, 45, 20, 20, 12, 1.3, 6, 6, 1, True, True, True, False)
    np.testing.assert_allclose(numbers, expected, rtol=1e-6)
    reference, size = struct.unpack_from("<Ii", data, 96)
    # One bit for two polygons, none for one tile, then the salt of 1.
    assert (reference, size) == (0b10, len(data) - 104)
    tile = data[104:]
    fields = struct.unpack_from("<4siiiiI9i", tile)
    assert fields == (b"VAND", 7, 0, 0, 0, 0, 2, 6, 8, 2, 0, 4, 4, 0, 2)
    rest = struct.unpack_from("<3f6ff", tile, 60)
    np.testing.assert_allclose(rest, (1.5, 0.1, 0.2, 0, 0, 0, 2, 0.5, 1, 20), rtol=1e-6)
    at = 100
    np.testing.assert_array_equal(np.frombuffer(tile, "<f4", 18, at).reshape(6, 3), np.float32(SQUARES))
    at += 72
    polys = [struct.unpack_from("<I6H6HHBB", tile, at + 32 * k) for k in range(2)]
    assert polys[0] == (0, 0, 1, 2, 3, 0, 0, 0, 0, 2, 0, 0, 0, 1, 4, 0)
    assert polys[1] == (0, 3, 2, 4, 5, 0, 0, 1, 0, 0, 0, 0, 0, 1, 4, 0)
    # 8 links of 12 bytes, which Detour fills in.
    at += 64 + 96
    assert [struct.unpack_from("<IIBB", tile, at + 12 * k) for k in range(2)] == [(0, 0, 0, 2), (0, 2, 0, 2)]
    at += 24
    # Fans; bits 0, 2 and 4 of the last byte: the edge lies on the rim of the polygon.
    assert tile[at : at + 16] == bytes([0, 1, 2, 0b00101, 0, 2, 3, 0b10100] * 2)
    at += 16
    nodes = [struct.unpack_from("<6Hi", tile, at + 16 * k) for k in range(4)]
    assert nodes == [
        (0, 0, 0, 40, 10, 20, -3), (0, 0, 0, 20, 0, 20, 0), (20, 0, 0, 40, 10, 20, 1), (0, 0, 0, 0, 0, 0, 0)
    ]  # fmt: skip
    assert at + 64 == len(tile)


def test_given_files_survive(shared_data: Path, tmp_path: Path) -> None:
    for path in sorted((shared_data / "navmesh").glob("*.navmesh")):
        mesh = NavMesh.load(path)
        mesh.save(tmp_path / path.name)
        # Where polygons are equally near the first of the tree counts, and Recast's sort is free in ties.
        assert same(mesh, NavMesh.load(tmp_path / path.name)) in ([], ["poly_rank"])
        old, new = (read_detour_set(p).tiles[0].header for p in (path, tmp_path / path.name))
        assert old == new


def test_what_does_not_fit(tmp_path: Path) -> None:
    angle = np.linspace(0, 2 * np.pi, 8)[:-1]
    ring = np.stack([np.cos(angle), np.zeros(7), np.sin(angle)], axis=1)
    mesh = NavMesh.from_polygons(ring, [tuple(range(7))])
    with pytest.raises(
        NavMeshError, match="the mesh has 7 vertices in one polygon; at most 6 can be written"
    ):
        mesh.save(tmp_path / "round.navmesh")
    square = bake_navmesh(*solids(floor(2, 2)))
    with pytest.raises(NavMeshError, match=r"cannot write the navigation mesh .*nowhere"):
        square.save(tmp_path / "nowhere" / "a.navmesh")
    assert list(tmp_path.iterdir()) == []
