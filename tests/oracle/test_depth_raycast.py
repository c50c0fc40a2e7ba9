"""Rasterised depth against exact ray casts by Embree."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from batchnav_renderer import BatchRenderer, RenderConfig, SceneArrays
from batchnav_renderer.camera import world_from_camera

embree_scene = pytest.importorskip("embreex.rtcore_scene", reason="embreex is not installed")
embree_mesh = pytest.importorskip("embreex.mesh_construction", reason="embreex is not installed")

NEAR, FAR = 0.01, 10.0
SHARE = 0.999  # of the pixels within 1 cm + 0.5 %; the rest are edges (required: 0.995)


def raycast(positions, triangles, poses, size, hfov):
    """Planar depth by rays through the pixel centres, from the near plane; a ray (x, y, -1) t has depth t."""
    scene = embree_scene.EmbreeScene()
    embree_mesh.TriangleMesh(scene, np.ascontiguousarray(positions), triangles.astype(np.int32))
    ticks = ((np.arange(size) + 0.5) / size * 2 - 1) * np.tan(hfov / 2)
    rays = np.stack([*np.meshgrid(ticks, -ticks), np.full((size, size), -1.0)], -1).reshape(-1, 3)
    directions = np.einsum("nij,pj->npi", poses[:, :3, :3], rays).reshape(-1, 3).astype(np.float32)
    origins = np.repeat(poses[:, :3, 3], len(rays), axis=0).astype(np.float32) + np.float32(NEAR) * directions
    hits = scene.run(origins, directions, output=1)["tfar"] + np.float32(NEAR)
    return np.minimum(hits, FAR).reshape(len(poses), size, size)


def is_edge(depth):
    """Pixels beside a jump of depth: by the exact cast their 3 x 3 neighbours differ."""
    padded = np.pad(depth, ((0, 0), (1, 1), (1, 1)), mode="edge")
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), axis=(1, 2))
    low, high = windows.min(axis=(3, 4)), windows.max(axis=(3, 4))
    return high - low > 0.01 + 0.005 * low


def compare(positions, triangles, poses, size, hfov_deg=90.0):
    """Share of the pixels that agree, and share of the disagreeing that lie on an edge."""
    arrays = SceneArrays(
        positions=np.ascontiguousarray(positions, np.float32),
        triangles=triangles.astype(np.uint32),
        material_ids=np.zeros(len(triangles), np.int32),
    )
    config = RenderConfig(
        num_views=len(poses), height=size, width=size, hfov_deg=hfov_deg, far=FAR, device="cpu"
    )
    with BatchRenderer(config) as renderer:
        renderer.set_views(np.full(len(poses), renderer.add_scene(arrays)), poses)
        drawn = renderer.render()["depth"][..., 0]
    exact = raycast(arrays.positions, arrays.triangles, poses, size, np.radians(hfov_deg))
    wrong = np.abs(drawn - exact) > 0.01 + 0.005 * exact
    on_edge = (wrong & is_edge(exact)).sum() / max(int(wrong.sum()), 1)
    return 1 - wrong.mean(), on_edge if wrong.any() else 1.0


def inside(positions, count, rng, height=(0.3, 1.6)):
    low, high = positions.min(axis=0), positions.max(axis=0)
    low, high = low + 0.05 * (high - low), high - 0.05 * (high - low)
    where = rng.uniform(low, high, (count, 3))
    where[:, 1] = rng.uniform(*height, count)
    return world_from_camera(where, rng.uniform(-np.pi, np.pi, count), rng.uniform(-0.5, 0.5, count))


def room(rng):
    """A 6 x 3 x 8 m room, 60 tilted boxes and 20 spheres of 512 triangles."""
    unit = np.stack(np.meshgrid([-0.5, 0.5], [-0.5, 0.5], [-0.5, 0.5], indexing="ij"), -1).reshape(-1, 3)
    sides = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
    cube = np.array([[a, *pair] for a, b, c, d in sides for pair in ((b, c), (c, d))])
    parts = [(unit * [6, 3, 8] + [0, 1.5, 0], cube)]
    for _ in range(60):
        turn, _ = np.linalg.qr(rng.normal(size=(3, 3)))
        parts.append((unit * rng.uniform(0.05, 0.8, 3) @ turn + rng.uniform([-3, 0, -4], [3, 2.5, 4]), cube))
    around, up = np.meshgrid(np.linspace(0, 2 * np.pi, 17), np.linspace(0, np.pi, 17))
    ball = np.stack([np.sin(up) * np.cos(around), np.cos(up), np.sin(up) * np.sin(around)], -1).reshape(-1, 3)
    corner = (17 * np.arange(16)[:, None] + np.arange(16)).ravel()[:, None]
    patches = np.concatenate([corner + np.array(pair) for pair in ([0, 1, 18], [0, 18, 17])])
    for _ in range(20):
        parts.append((ball * rng.uniform(0.1, 0.5) + rng.uniform([-3, 0, -4], [3, 2.5, 4]), patches))
    starts = np.cumsum([0] + [len(points) for points, _ in parts])
    triangles = [faces + start for (_, faces), start in zip(parts, starts, strict=False)]
    return np.concatenate([points for points, _ in parts]).astype(np.float32), np.concatenate(triangles)


@pytest.mark.parametrize("hfov_deg", [90.0, 60.0])
def test_made_room(rng, hfov_deg):
    positions, triangles = room(rng)
    share, on_edge = compare(positions, triangles, inside(positions, 100, rng), 48, hfov_deg)
    assert share >= SHARE
    assert on_edge >= 0.9


@pytest.mark.slow
def test_made_room_in_500_views(rng):
    positions, triangles = room(rng)
    share, on_edge = compare(positions, triangles, inside(positions, 500, rng), 64)
    assert share >= SHARE
    assert on_edge >= 0.9


@pytest.mark.slow
def test_built_in_house(rng):
    houses = pytest.importorskip("gym_batchnav.scenes.houses")
    arrays = houses.make_house(7).arrays
    share, on_edge = compare(arrays.positions, arrays.triangles, inside(arrays.positions, 500, rng), 64)
    assert share >= SHARE
    assert on_edge >= 0.9


@pytest.mark.slow
def test_scanned_house(rng, shared_data: Path):
    from gym_batchnav.scenes import load_scene

    arrays = load_scene(shared_data / "scenes" / "aws_small_house.glb").arrays
    share, on_edge = compare(arrays.positions, arrays.triangles, inside(arrays.positions, 500, rng), 64)
    assert share >= SHARE
    assert on_edge >= 0.9
