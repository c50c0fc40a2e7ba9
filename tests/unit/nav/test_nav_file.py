"""The reader of Habitat's .navmesh, on files written here and on broken ones."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest

from gym_batchnav.errors import NavMeshError
from gym_batchnav.nav import NavMesh
from gym_batchnav.nav.detour_file import read_detour_set

WALK = 1
NO_FLAG = 4


def tile(
    flags: tuple[int, int] = (WALK, WALK), ref_size: int = 4, off_mesh: int = 0, tree: bool = True
) -> bytes:
    """Two squares side by side, [0, 1] x [0, 1] and [1, 2] x [0, 1], at height 0.5.

    The second one's detail mesh has a fifth vertex in the middle at height 0.8 and four triangles.
    """
    verts = [(0, 0.5, 0), (1, 0.5, 0), (1, 0.5, 1), (0, 0.5, 1), (2, 0.5, 0), (2, 0.5, 1)]
    # Neighbours count from 1; the edge from vertex 1 to 2 is shared. Detour winds clockwise seen from above.
    rings = [((0, 3, 2, 1), (0, 0, 2, 0)), ((1, 2, 5, 4), (1, 0, 0, 0))]
    polys = b"".join(
        struct.pack("<I6H6HHBB", 0xFFFFFFFF, *ring, 0, 0, *neis, 0, 0, flag, 4, 0)
        for (ring, neis), flag in zip(rings, flags, strict=True)
    )
    details = struct.pack("<IIBBxx", 0, 0, 0, 2) + struct.pack("<IIBBxx", 0, 2, 1, 4)
    # Edge flags, 2 bits each: bit 0 of an edge says that it is on the boundary.
    tris = [(0, 1, 2, 0b000101), (0, 2, 3, 0b010100)] + [(k, (k + 1) % 4, 4, 0b000001) for k in range(4)]
    nodes = [((0, 0, 0), (40, 20, 20), -3), ((0, 0, 0), (20, 20, 20), 0), ((20, 0, 0), (40, 20, 20), 1),
             ((0, 0, 0), (0, 0, 0), 0)]  # fmt: skip
    nodes = nodes if tree else []
    links = bytes(6 * (12 if ref_size == 4 else 16))
    header = struct.pack(
        "<4siiiiI9i3f6ff", b"VAND", 7, 0, 0, 0, 0, 2, 6, 6, 2, 1, len(tris), len(nodes),
        off_mesh, 2, 1.5, 0.1, 0.2, 0, 0.5, 0, 2, 1, 1, 20.0,
    )  # fmt: skip
    return b"".join([
        header, np.array(verts, "<f4").tobytes(), polys, links, details,
        np.array([1.5, 0.8, 0.5], "<f4").tobytes(), np.array(tris, "u1").tobytes(),
        b"".join(struct.pack("<3H3Hi", *low, *high, i) for low, high, i in nodes), bytes(36 * off_mesh),
    ])  # fmt: skip


def tile_set(
    data: bytes, version: int = 1, ref_size: int = 4, settings: bytes = b"", tiles: int = 1
) -> bytes:
    header = struct.pack("<4sii3f2fii", b"TESM", version, tiles, 0, 0.5, 0, 2, 1, 1, 2)
    ref = struct.pack("<Ii", 1, len(data)) if ref_size == 4 else struct.pack("<Qi4x", 1, len(data))
    return header + settings + tiles * (ref + data)


@pytest.fixture
def save(tmp_path: Path) -> object:
    def write(data: bytes) -> Path:
        path = tmp_path / "room.navmesh"
        path.write_bytes(data)
        return path

    return write


@pytest.mark.parametrize(
    "data",
    [
        tile_set(tile()),
        tile_set(tile(tree=False)),
        tile_set(tile(ref_size=8), ref_size=8),
        tile_set(tile(), version=2, settings=bytes(56)),
        tile_set(tile(ref_size=8), version=2, ref_size=8, settings=bytes(56)),
    ],
    ids=["version 1", "no tree", "64-bit references", "version 2", "version 2, 64-bit references"],
)
def test_all_kinds_of_files(save: object, data: bytes) -> None:
    mesh = NavMesh.load(save(data))
    # The raised square: four triangles of base 1 and height sqrt(0.5^2 + 0.3^2) = 0.583095.
    assert mesh.area_m2 == pytest.approx(1 + 4 * 0.5 * 0.583095, abs=1e-5)
    assert (mesh.num_polygons, mesh.num_islands) == (2, 1)
    np.testing.assert_allclose(mesh.bounds, [[0, 0.5, 0], [2, 1, 1]])
    # Half way from the side to the raised middle: 0.5 + 0.3 / 2.
    points = [[0.5, 0, 0.5], [1.25, 0, 0.5], [1.5, 0, 0.5], [2.5, 0.5, 0.5]]
    snapped = [[0.5, 0.5, 0.5], [1.25, 0.65, 0.5], [1.5, 0.8, 0.5], [2, 0.5, 0.5]]
    np.testing.assert_allclose(mesh.snap(points), snapped, atol=1e-6)
    np.testing.assert_allclose(
        mesh.move([[0.9, 0.5, 0.5]], [[1.25, 0.5, 0.5]])[0], (1.25, 0.65, 0.5), atol=1e-6
    )
    # A chord between two points in 3-D: sqrt(0.75^2 + 0.15^2).
    distance = mesh.geodesic_distance(points[:1], points[1:2])[0]
    assert distance == pytest.approx((0.75**2 + 0.15**2) ** 0.5, abs=1e-6)


def test_polygons_without_the_walk_flag_are_walls(save: object) -> None:
    mesh = NavMesh.load(save(tile_set(tile(flags=(WALK, NO_FLAG)))))
    assert mesh.num_polygons == 1
    np.testing.assert_allclose(mesh.move([[0.9, 0.5, 0.5]], [[1.2, 0.5, 0.6]])[0], (1, 0.5, 0.6), atol=1e-6)


def test_real_files_are_read_to_the_last_byte(shared_data: Path) -> None:
    paths = sorted((shared_data / "navmesh").glob("*.navmesh"))
    assert len(paths) == 4
    for path in paths:
        # The reader raises for bytes that are left over.
        tiles = read_detour_set(path).tiles
        assert [len(t.polys) for t in tiles] == [int(t.header["polys"]) for t in tiles]
        assert NavMesh.load(path).num_polygons > 0


def test_every_cut_is_refused(save: object) -> None:
    whole = tile_set(tile())
    for length in range(0, len(whole), 7):
        with pytest.raises(NavMeshError, match=r"room\.navmesh"):
            read_detour_set(save(whole[:length]))


def test_random_damage_never_escapes_as_another_error(save: object, rng: np.random.Generator) -> None:
    whole = np.frombuffer(tile_set(tile()), np.uint8)
    refused = []
    for _ in range(300):
        broken = whole.copy()
        at = rng.integers(len(broken), size=3)
        broken[at] = rng.integers(256, size=3)
        path = save(broken.tobytes())
        try:
            mesh = NavMesh.load(path)
            mesh.move([[0.5, 0.5, 0.5]], [[1.5, 0.5, 0.5]])
            mesh.geodesic_distance([[0.5, 0.5, 0.5]], [[1.5, 0.5, 0.5]])
        except NavMeshError as error:
            refused.append(str(error))
    assert 10 < len(refused) < 300
    assert all("room.navmesh" in message for message in refused)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"glTF" + tile_set(tile())[4:], r"byte 0: not a Detour tile set: it starts with b'glTF'"),
        (tile_set(tile(), version=3), "byte 4: tile set version 3"),
        (tile_set(tile(), tiles=0), "byte 8: 0 tiles"),
        (tile_set(tile()) + b"x", "1 bytes are left over after 1 tiles"),
        (tile_set(tile(off_mesh=1)), "1 off-mesh connections"),
        (tile_set(tile().replace(b"VAND\x07", b"VAND\x06", 1)), "byte 48: tile 0 has version 6; only 7"),
        (tile_set(tile()).replace(b"VAND", b"XAND", 1), "no Detour tile"),
        (tile_set(tile(), tiles=2), "two tiles lie at x 0, y 0, layer 0"),
        (tile_set(tile(flags=(NO_FLAG, NO_FLAG))), "none of the 2 polygons is walkable"),
        (tile_set(tile())[:-1], "the BV tree of tile 0 needs 64 bytes, but the file has only 63 left"),
    ],
)
def test_broken_files(save: object, data: bytes, message: str) -> None:
    with pytest.raises(NavMeshError, match=message) as caught:
        NavMesh.load(save(data))
    assert "room.navmesh" in str(caught.value)


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(NavMeshError, match=r"cannot read the navigation mesh .*none\.navmesh"):
        NavMesh.load(tmp_path / "none.navmesh")
