"""Baking real scenes: the same ground as Recast finds at the same settings."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from gym_batchnav.nav import NavMesh, bake_navmesh
from gym_batchnav.scenes import load_scene


def scene_triangles(path: Path) -> tuple[np.ndarray, np.ndarray]:
    if path.suffix != ".obj":
        scene = load_scene(path)
        return scene.positions, scene.triangles
    words = [line.split() for line in path.read_text().splitlines()]
    positions = [[float(x) for x in w[1:4]] for w in words if w[:1] == ["v"]]
    triangles = [[int(x.split("/")[0]) - 1 for x in w[1:]] for w in words if w[:1] == ["f"]]
    return np.array(positions, np.float32), np.array(triangles)


@pytest.fixture(scope="module")
def baked() -> Callable[[Path], NavMesh]:
    meshes: dict[Path, NavMesh] = {}

    def bake(path: Path) -> NavMesh:
        if path not in meshes:
            meshes[path] = bake_navmesh(*scene_triangles(path), source=path.name)
        return meshes[path]

    return bake


def island_areas(mesh: NavMesh) -> np.ndarray:
    """Area of each island over 1 m2, m2, from the largest on."""
    ground = mesh._ground
    tri = ground.detail_tri.astype(np.float64)
    area = np.linalg.norm(np.cross(tri[:, 1] - tri[:, 0], tri[:, 2] - tri[:, 0]), axis=1) / 2
    island = ground.poly_island[np.repeat(np.arange(mesh.num_polygons), np.diff(ground.detail_start))]
    areas = np.sort(np.bincount(island, area))[::-1]
    return areas[areas > 1]


# Walkable area in m2 and the areas of islands over 1 m2, of the same triangles baked by Recast 1.6.
@pytest.mark.parametrize(
    ("name", "area", "islands"),
    [
        ("quest_living_room.glb", 14.81, [13.58, 1.23]),
        ("gazebo_cafe.glb", 187.02, [176.54, 6.42, 1.87, 1.12, 1.06]),
        pytest.param(
            "recast_dungeon.obj",
            2029.8,
            [1786.2, 131.1, 81.46, 15.67, 5.17, 4.79, 2.19, 1.81, 1.37],
            marks=pytest.mark.slow,
        ),
    ],
)
def test_area_and_islands(
    shared_data: Path, baked: Callable[[Path], NavMesh], name: str, area: float, islands: list[float]
) -> None:
    mesh = baked(shared_data / "scenes" / name)
    assert mesh.area_m2 == pytest.approx(area, rel=5e-3)
    np.testing.assert_allclose(island_areas(mesh), islands, rtol=0.02)


@pytest.mark.parametrize("name", [pytest.param("aws_small_house", marks=pytest.mark.slow), "ifc_duplex"])
def test_the_same_polygons_as_in_the_given_file(
    shared_data: Path, baked: Callable[[Path], NavMesh], name: str
) -> None:
    mesh = baked(shared_data / "scenes" / f"{name}.glb")
    given = NavMesh.load(shared_data / "navmesh" / f"{name}.navmesh")
    rings = []
    for ground in (mesh._ground, given._ground):
        corners = [ground.verts[row[:n]] for row, n in zip(ground.poly_verts, ground.poly_count, strict=True)]
        rings.append(sorted(sorted(map(tuple, np.round(points, 3).tolist())) for points in corners))
    assert rings[0] == rings[1]
    np.testing.assert_array_equal(mesh.bounds, given.bounds)
    assert mesh.area_m2 == pytest.approx(given.area_m2, rel=1e-3)
    assert mesh.num_islands == given.num_islands
    np.testing.assert_allclose(island_areas(mesh), island_areas(given), rtol=0.01)


@pytest.mark.parametrize("name", [pytest.param("aws_small_house", marks=pytest.mark.slow), "ifc_duplex"])
def test_the_same_ways_as_in_the_given_file(
    shared_data: Path, baked: Callable[[Path], NavMesh], name: str
) -> None:
    mesh = baked(shared_data / "scenes" / f"{name}.glb")
    given = NavMesh.load(shared_data / "navmesh" / f"{name}.navmesh")
    starts, goals = given.sample(800, np.random.default_rng(0)).reshape(2, 400, 3)
    ours, theirs = mesh.geodesic_distance(starts, goals), given.geodesic_distance(starts, goals)
    finite = np.isfinite(theirs)
    assert finite.sum() > 50
    np.testing.assert_array_equal(np.isfinite(ours), finite)
    close = np.abs(ours[finite] - theirs[finite]) <= 0.02 * theirs[finite]
    assert close.mean() >= 0.99
