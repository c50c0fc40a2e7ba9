"""What the shaders know of a view."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..camera import clip_from_camera, rigid_inverse

VIEW_RECORD = np.dtype(
    [
        ("clip_x", "<f4", 4),
        ("clip_y", "<f4", 4),
        ("clip_w", "<f4", 4),
        ("layer", "<u4"),
        ("slope_x", "<f4"),
        ("slope_y", "<f4"),
        ("unused", "<u4"),
    ]
)


def view_records(
    world_from_camera: NDArray[np.float64], hfov: NDArray[np.float64], aspect: float, near: float
) -> NDArray[np.void]:
    """Records (n,) of cameras without their layers: rows of clip_from_world, and half the image's slopes."""
    clip = clip_from_camera(hfov, aspect, near) @ rigid_inverse(world_from_camera)
    views = np.zeros(len(hfov), VIEW_RECORD)
    views["clip_x"], views["clip_y"], views["clip_w"] = clip[:, 0], clip[:, 1], clip[:, 3]
    views["slope_x"] = np.tan(hfov / 2.0)
    views["slope_y"] = np.tan(hfov / 2.0) / aspect
    return views
