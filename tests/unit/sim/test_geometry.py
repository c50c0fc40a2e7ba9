import numpy as np
import pytest

from gym_batchnav.sim.geometry import (
    camera_poses,
    forward_vectors,
    goals_in_agent_frame,
    headings_of_quaternions,
    wrap_angle,
)

QUARTER = np.pi / 2


def test_forward_looks_along_minus_z_and_turns_left():
    # A left quarter turn from -Z is -X.
    vectors = forward_vectors(np.array([0.0, QUARTER, -QUARTER, np.pi]))
    assert np.allclose(vectors, [[0, 0, -1], [-1, 0, 0], [1, 0, 0], [0, 0, 1]], atol=1e-15)


def test_goal_in_agent_frame_by_hand():
    positions = np.array([[0, 0, 0], [1, 0, 1], [0, 0, 0]], dtype=np.float32)
    goals = np.array([[2, 9, -3], [1, 0, 4], [-2, 0, 0]], dtype=np.float32)
    # Row 0 looks along -Z: 3 m ahead, 2 m to the right. Row 1 looks along +Z: 3 m ahead.
    # Row 2 looks along -X: 2 m ahead.
    front, right = goals_in_agent_frame(positions, np.array([0.0, np.pi, QUARTER]), goals)
    assert np.allclose(front, [3, 3, 2])
    assert np.allclose(right, [2, 0, 0], atol=1e-12)


def test_camera_pose_maps_minus_z_to_the_heading():
    headings = np.array([0.3, -2.0])
    positions = np.array([[1, 2, 3], [4, 5, 6]], dtype=np.float32)
    poses = camera_poses(positions, headings, 1.25)
    assert poses.dtype == np.float32
    assert poses.shape == (2, 4, 4)
    assert np.allclose(-poses[:, :3, 2], forward_vectors(headings), atol=1e-6)
    assert np.allclose(poses[:, :3, 3], [[1, 3.25, 3], [4, 6.25, 6]])
    assert np.allclose(poses[:, 3], [0, 0, 0, 1])
    assert np.allclose(poses[:, :3, :3] @ poses[:, :3, :3].swapaxes(1, 2), np.eye(3), atol=1e-6)
    assert np.allclose(np.linalg.det(poses[:, :3, :3]), 1.0)


def test_headings_of_quaternions_about_up():
    # A turn by h about +Y is (0, sin(h/2), 0, cos(h/2)); q, -q and 1.01 q are the same turn.
    headings = np.array([-3.0, -1.2, 0.0, 0.7, 2.9])
    zero = np.zeros(5)
    quaternions = np.stack([zero, np.sin(headings / 2), zero, np.cos(headings / 2)], axis=1)
    for same in (quaternions, -quaternions, 1.01 * quaternions):
        assert headings_of_quaternions(same) == pytest.approx(headings)


def test_wrap_angle():
    assert np.allclose(
        wrap_angle(np.array([np.pi, -np.pi, 7.0, -7.0])), [-np.pi, -np.pi, 7 - 2 * np.pi, 2 * np.pi - 7]
    )
