"""Headings and frames. Heading 0 looks along -Z; a positive turn is to the left (seen from above)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating]


def forward_vectors(headings: Floats) -> NDArray[np.float64]:
    """Unit vectors (N, 3) in which agents of headings (N,) look, world frame."""
    vectors = np.zeros((len(headings), 3))
    np.negative(np.sin(headings), out=vectors[:, 0])
    np.negative(np.cos(headings), out=vectors[:, 2])
    return vectors


def wrap_angle(angles: Floats) -> NDArray[np.float64]:
    """Angles (N,) mapped to [-pi, pi), radians."""
    return np.asarray(angles - 2.0 * np.pi * np.floor((angles + np.pi) / (2.0 * np.pi)), dtype=np.float64)


def goals_in_agent_frame(
    positions: Floats, headings: Floats, goals: Floats
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Goals in the floor plane as the agents see them: metres to the front and to the right, (N,) each."""
    offset_x = goals[:, 0].astype(np.float64) - positions[:, 0]
    offset_z = goals[:, 2].astype(np.float64) - positions[:, 2]
    sine, cosine = np.sin(headings), np.cos(headings)
    return -(sine * offset_x + cosine * offset_z), cosine * offset_x - sine * offset_z


def camera_poses(positions: Floats, headings: Floats, height: float) -> NDArray[np.float32]:
    """``world_from_camera`` (N, 4, 4) float32 of cameras ``height`` metres over the agents' feet."""
    sine, cosine = np.sin(headings), np.cos(headings)
    poses = np.zeros((len(headings), 4, 4), dtype=np.float32)
    poses[:, 0, 0] = poses[:, 2, 2] = cosine
    poses[:, 0, 2] = sine
    poses[:, 2, 0] = -sine
    poses[:, 1, 1] = poses[:, 3, 3] = 1.0
    poses[:, :3, 3] = positions
    poses[:, 1, 3] += np.float32(height)
    return poses


def heading_of_quaternion(xyzw: Floats) -> float:
    """Heading in [-pi, pi] of a rotation (x, y, z, w): where it sends -Z, seen from above, radians."""
    x, y, z, w = (float(part) for part in xyzw)
    forward_x = -2.0 * (x * z + w * y)
    forward_z = -(1.0 - 2.0 * (x * x + y * y))
    return float(np.arctan2(-forward_x, -forward_z))
