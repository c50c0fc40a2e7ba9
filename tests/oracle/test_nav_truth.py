"""Snapping, motion and distances against Detour and habitat-sim."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gym_batchnav.nav import NavMesh

MESHES = ("van-gogh-room", "aws_small_house", "ifc_duplex")
FORWARD = 1
STEP = 0.25
MILLIMETRE = 1e-3


def load(shared_data: Path, name: str) -> tuple[NavMesh, Any]:
    mesh = NavMesh.load(shared_data / "navmesh" / f"{name}.navmesh")
    return mesh, json.loads((shared_data / "truth" / f"{name}.json").read_text())


def forward_steps(yaw_deg: np.ndarray) -> np.ndarray:
    """0 looks down -Z; turning left, about +Y, leads to -X."""
    yaw = np.radians(yaw_deg)
    return STEP * np.stack([-np.sin(yaw), np.zeros_like(yaw), -np.cos(yaw)], axis=1)


@pytest.mark.parametrize("name", MESHES)
def test_area_is_detours(shared_data: Path, name: str) -> None:
    mesh, truth = load(shared_data, name)
    assert mesh.area_m2 == pytest.approx(truth["area_m2"], rel=1e-6)


@pytest.mark.parametrize("name", MESHES)
def test_each_step_of_detours_walks(shared_data: Path, name: str) -> None:
    mesh, truth = load(shared_data, name)
    before, targets, after = [], [], []
    for walk in truth["trajectories"]:
        positions, actions = np.array(walk["positions"]), np.array(walk["actions"])
        forward = np.flatnonzero(actions == FORWARD)
        before.append(positions[forward])
        targets.append(positions[forward] + forward_steps(np.array(walk["yaw_deg"])[forward]))
        after.append(positions[forward + 1])
    moved = mesh.move(np.concatenate(before), np.concatenate(targets))
    assert len(moved) > 100
    np.testing.assert_allclose(moved, np.concatenate(after), rtol=0, atol=MILLIMETRE)


@pytest.mark.parametrize("name", MESHES)
def test_detours_walks_from_their_first_pose_on(shared_data: Path, name: str) -> None:
    mesh, truth = load(shared_data, name)
    walks = truth["trajectories"]
    expected = np.array([walk["positions"] for walk in walks])
    actions = np.array([walk["actions"] for walk in walks])
    position = expected[:, 0].astype(np.float32)
    for step in range(actions.shape[1]):
        go = actions[:, step] == FORWARD
        yaw = np.array([walk["yaw_deg"][step] for walk in walks])
        moved = mesh.move(position, position + forward_steps(yaw))
        position = np.where(go[:, None], moved, position)
        np.testing.assert_allclose(position, expected[:, step + 1], rtol=0, atol=MILLIMETRE)


def test_habitats_trajectory(shared_data: Path) -> None:
    mesh = NavMesh.load(shared_data / "navmesh" / "van-gogh-room.navmesh")
    truth = json.loads((shared_data / "truth" / "van-gogh-room_habitat_trajectory.json").read_text())
    positions = np.array(truth["positions"])
    x, y, z, w = np.array(truth["rotations"]).T
    # The agent looks down -Z: minus the third column of the rotation matrix of the quaternion.
    look = -np.stack([2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)], axis=1)
    compared = 0
    for step, action in enumerate(truth["actions"][:-1]):
        if action == "move_forward":
            moved = mesh.move(positions[step : step + 1], positions[step : step + 1] + STEP * look[step])
            np.testing.assert_allclose(moved[0], positions[step + 1], rtol=0, atol=MILLIMETRE)
            compared += 1
    assert compared > 20


@pytest.mark.parametrize("name", MESHES)
def test_distances_are_never_longer_than_detours(shared_data: Path, name: str) -> None:
    mesh, truth = load(shared_data, name)
    starts = np.array([pair["start"] for pair in truth["pairs"]])
    goals = np.array([pair["end"] for pair in truth["pairs"]])
    detour = np.array([np.inf if p["geodesic"] is None else p["geodesic"] for p in truth["pairs"]])
    ours = mesh.geodesic_distance(starts, goals)
    np.testing.assert_array_equal(np.isinf(ours), np.isinf(detour))
    reached = np.isfinite(detour)
    assert (ours[reached] <= detour[reached] * 1.00001 + 1e-5).all()
    # Detour's path is the best one in most corridors, so most distances are the same.
    assert np.median(ours[reached] / detour[reached]) == pytest.approx(1, abs=1e-4)
    np.testing.assert_array_equal(mesh.distance_to_goal(starts, goals, mesh.goal_table(goals)), ours)


def test_habitats_geodesic_distances(shared_data: Path) -> None:
    mesh = NavMesh.load(shared_data / "navmesh" / "van-gogh-room.navmesh")
    truth = json.loads((shared_data / "truth" / "van-gogh-room_habitat_geodesics.json").read_text())
    pairs = truth["single_end"]
    ours = mesh.geodesic_distance([p["start"] for p in pairs], [p["end"] for p in pairs])
    expected = [np.inf if p["expected"] is None else p["expected"] for p in pairs]
    np.testing.assert_allclose(ours, expected, rtol=0, atol=1e-5)


def test_habitats_top_down_map(shared_data: Path) -> None:
    mesh = NavMesh.load(shared_data / "navmesh" / "van-gogh-room.navmesh")
    expected = np.load(shared_data / "truth" / "van-gogh-room_topdown_binary.npy")
    mask, origin = mesh.top_down(0.1, height=float(mesh.bounds[0, 1]))
    np.testing.assert_array_equal(mask, expected)
    np.testing.assert_array_equal(origin, mesh.bounds[0, [0, 2]])
    # All storeys: the table top is walkable too.
    every_storey = mesh.top_down(0.1)[0]
    assert every_storey[expected].all()
    assert every_storey.sum() > expected.sum()


@pytest.mark.parametrize("name", [*MESHES, "apartment_1"])
def test_paths_stay_on_the_ground_and_have_their_length(
    shared_data: Path, name: str, rng: np.random.Generator
) -> None:
    shapely = pytest.importorskip("shapely")
    mesh = NavMesh.load(shared_data / "navmesh" / f"{name}.navmesh")
    ground = mesh._ground
    rings = [
        ground.verts[v[:n]][:, [0, 2]] for v, n in zip(ground.poly_verts, ground.poly_count, strict=True)
    ]
    area = shapely.union_all([shapely.Polygon(ring) for ring in rings]).buffer(1e-4)
    starts, goals = mesh.sample(60, rng), mesh.sample(60, rng)
    for start, goal, length in zip(starts, goals, mesh.geodesic_distance(starts, goals), strict=True):
        path = mesh.shortest_path(start, goal)
        if not np.isfinite(length):
            assert path.shape == (0, 3)
            continue
        assert area.covers(shapely.LineString(path[:, [0, 2]]))
        assert np.linalg.norm(np.diff(path, axis=0), axis=1).sum() == pytest.approx(length, abs=1e-4)
