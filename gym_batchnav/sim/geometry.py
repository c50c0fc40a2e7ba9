"""Headings and frames. Heading 0 looks along -Z; a positive turn is to the left (seen from above)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..config import Camera

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
    # 0 - x, for the angle of a goal at the very place would be half a turn with -0.
    return 0.0 - (sine * offset_x + cosine * offset_z), cosine * offset_x - sine * offset_z


def camera_poses(
    positions: Floats,
    headings: Floats,
    height: float,
    *,
    pitch: float | NDArray[np.float64] = 0.0,
    yaw: float = 0.0,
    forward: float = 0.0,
    right: float = 0.0,
) -> NDArray[np.float32]:
    """``world_from_camera`` (N, 4, 4) float32 of cameras that agents carry.

    Args:
        positions: (N, 3) the agents' feet, metres.
        headings: (N,) radians.
        height: over the feet, metres.
        pitch: angle by which the camera looks up, radians; one for all, or (N,).
        yaw: angle by which it looks to the left of the heading, radians.
        forward: metres before the agent's axis, along the heading.
        right: metres to the right of the axis.
    """
    sine, cosine = np.sin(headings), np.cos(headings)
    aside, ahead = right * cosine - forward * sine, -right * sine - forward * cosine
    offsets = np.stack([aside, np.zeros_like(aside), ahead], axis=1)
    if yaw != 0.0:
        sine, cosine = np.sin(headings + yaw), np.cos(headings + yaw)
    up, level = np.sin(pitch), np.cos(pitch)
    poses = np.zeros((len(headings), 4, 4), dtype=np.float32)
    poses[:, 0, 0], poses[:, 2, 0] = cosine, -sine
    poses[:, 0, 1], poses[:, 1, 1], poses[:, 2, 1] = up * sine, level, up * cosine
    poses[:, 0, 2], poses[:, 1, 2], poses[:, 2, 2] = level * sine, -up, level * cosine
    poses += np.float32(0.0)  # no negative zeros
    poses[:, 3, 3] = 1.0
    poses[:, :3, 3] = positions + offsets.astype(np.float32)
    poses[:, 1, 3] += np.float32(height)
    return poses


def rig_poses(
    positions: Floats, headings: Floats, cameras: Sequence[Camera], tilts: NDArray[np.float64] | None = None
) -> NDArray[np.float32]:
    """Poses (C N, 4, 4) float32 of the cameras of all agents: of the first camera, then the second, ...

    All cameras of an agent are tilted up by its ``tilts`` (N,), radians, beside their own pitch.
    """
    return np.concatenate(
        [
            camera_poses(
                positions, headings, camera.height,
                pitch=camera.pitch if tilts is None else camera.pitch + tilts,
                yaw=camera.yaw, forward=camera.forward, right=camera.right,
            )
            for camera in cameras
        ]
    )  # fmt: skip


def tilt_limits(cameras: Sequence[Camera]) -> tuple[float, float]:
    """Least and greatest angle by which cameras tilt up, so that none goes beyond straight up or down."""
    pitches = [camera.pitch for camera in cameras]
    return -np.pi / 2 - min(pitches), np.pi / 2 - max(pitches)


def headings_of_quaternions(xyzw: Floats) -> NDArray[np.float64]:
    """Headings (N,) in [-pi, pi] of rotations (N, 4) (x, y, z, w) of any length but 0.

    A heading is where the rotation sends -Z, seen from above, radians.
    """
    x, y, z, w = (np.asarray(xyzw, np.float64) / np.linalg.norm(xyzw, axis=1, keepdims=True)).T
    forward_x = -2.0 * (x * z + w * y)
    forward_z = -(1.0 - 2.0 * (x * x + y * y))
    return np.asarray(np.arctan2(-forward_x, -forward_z), dtype=np.float64)
