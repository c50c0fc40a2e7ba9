"""Rays of a camera's pixels; pure NumPy."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

RIGHT, DOWN, FIRST, PLACE, BACK = range(5)


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
        (N, 3, 5) float32; its columns are the change of direction from one pixel to the next on its right
        (RIGHT) and to the next below (DOWN), the direction of the pixel at the top left (FIRST), the position
        (PLACE), and the direction back from the view, as long as a pixel's side (BACK). Row y, column x looks
        along ``FIRST + x * RIGHT + y * DOWN``.
    """
    pixel = (2.0 * np.tan(hfov / 2.0) / width)[:, None]  # side of a square pixel at a distance of 1
    right, up, back = (world_from_camera[:, :3, axis] for axis in range(3))
    first = (1 - width) / 2.0 * pixel * right + (height - 1) / 2.0 * pixel * up - back
    columns = (pixel * right, -pixel * up, first, world_from_camera[:, :3, 3], pixel * back)
    return np.ascontiguousarray(np.stack(columns, axis=-1).astype(np.float32))
