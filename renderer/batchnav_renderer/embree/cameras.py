"""Rays of a camera's pixels; pure NumPy."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def pixel_rays(
    world_from_camera: NDArray[np.float64], hfov: NDArray[np.float64], height: int, width: int
) -> NDArray[np.float32]:
    """The rays through pixel centres, in world space and of unit length along the view axis.

    Args:
        world_from_camera: (N, 4, 4) poses.
        hfov: (N,) horizontal fields of view, radians.
        height: rows of the image.
        width: columns of the image.

    Returns:
        (N, 3, 4) float32; its columns are the change of direction from one pixel to the next on its right, to
        the next below, the direction of the pixel at the top left, and the position. Row y, column x looks
        along ``[..., 2] + x * [..., 0] + y * [..., 1]``.
    """
    pixel = (2.0 * np.tan(hfov / 2.0) / width)[:, None]  # side of a square pixel at a distance of 1
    right, up, back = (world_from_camera[:, :3, axis] for axis in range(3))
    first = (1 - width) / 2.0 * pixel * right + (height - 1) / 2.0 * pixel * up - back
    columns = (pixel * right, -pixel * up, first, world_from_camera[:, :3, 3])
    return np.ascontiguousarray(np.stack(columns, axis=-1).astype(np.float32))
