"""Camera maths by hand."""

from __future__ import annotations

import numpy as np
import pytest

from batchnav_renderer.camera import clip_from_camera, rigid_inverse, world_from_camera


def project(matrix, point):
    clip = matrix @ np.array([*point, 1.0])
    return clip[:3] / clip[3]


def test_reversed_depth_is_near_over_distance():
    matrix = clip_from_camera(np.pi / 2, 1.0, 0.01)
    assert project(matrix, (0, 0, -0.01))[2] == pytest.approx(1.0)
    assert project(matrix, (3, -2, -4.0))[2] == pytest.approx(0.01 / 4)
    assert project(matrix, (0, 0, -1e9))[2] == pytest.approx(0.0, abs=1e-10)


def test_up_in_the_world_is_a_small_row():
    # hfov 90: at 2 m the half width is 2, so x = 1 lands at 0.5; aspect 2 halves the vertical field: y = 0.5
    # is half way up, and rows count from the top, so its clip y is negative.
    np.testing.assert_allclose(project(clip_from_camera(np.pi / 2, 2.0, 0.1), (1, 0.5, -2))[:2], [0.5, -0.5])


def test_field_of_view():
    # tan(30) = 0.57735: the edge of a 60 degree view at 1 m.
    assert project(clip_from_camera(np.pi / 3, 1.0, 0.1), (0.5773503, 0, -1))[0] == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("heading", "pitch", "forward"),
    [
        (0, 0, (0, 0, -1)),
        (90, 0, (-1, 0, 0)),
        (-90, 0, (1, 0, 0)),
        (180, 0, (0, 0, 1)),
        (0, 30, (0, 0.5, -np.sqrt(3) / 2)),
        (90, 30, (-np.sqrt(3) / 2, 0.5, 0)),
    ],
)
def test_heading_turns_left_and_pitch_up(heading, pitch, forward):
    pose = world_from_camera((1, 2, 3), np.radians(heading), np.radians(pitch))
    np.testing.assert_allclose(pose[:3, :3] @ [0, 0, -1], forward, atol=1e-12)
    np.testing.assert_allclose(pose[:3, 3], [1, 2, 3])
    # Without roll the right-hand axis stays level.
    assert pose[1, 0] == 0


def test_poses_are_rigid_and_batched(rng):
    poses = world_from_camera(rng.normal(size=(5, 4, 3)), rng.normal(size=(5, 4)), rng.normal(size=4))
    assert poses.shape == (5, 4, 4, 4)
    rotation = poses[..., :3, :3]
    expected = np.broadcast_to(np.eye(3), rotation.shape)
    np.testing.assert_allclose(rotation @ rotation.swapaxes(-1, -2), expected, atol=1e-12)
    np.testing.assert_allclose(np.linalg.det(rotation), 1.0)
    np.testing.assert_allclose(
        rigid_inverse(poses) @ poses, np.broadcast_to(np.eye(4), poses.shape), atol=1e-12
    )
