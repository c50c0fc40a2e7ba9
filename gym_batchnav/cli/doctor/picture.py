"""The self-test: a picture known by arithmetic.

``python -m gym_batchnav.cli.doctor.picture BACKEND DEVICE IMAGES`` prints its findings as JSON; an empty
DEVICE is the default one.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

from batchnav_renderer import BatchRenderer, RenderConfig, RendererError, SceneArrays

SIDE = 16
FAR = 10.0
FLOOR, WALL = 1, 2


def known_scene() -> SceneArrays:
    """A floor one metre below the camera at the origin, and a wall two metres ahead on its right half."""
    corners = [
        [[-60, -1, 0], [60, -1, 0], [60, -1, -60], [-60, -1, -60]],
        [[0, -1, -2], [60, -1, -2], [60, 60, -2], [0, 60, -2]],
    ]
    return SceneArrays(
        positions=np.array(corners, np.float32).reshape(-1, 3),
        triangles=np.array([[0, 1, 2], [0, 2, 3], [4, 5, 6], [4, 6, 7]], np.uint32),
        material_ids=np.zeros(4, np.int32),
        object_ids=np.array([FLOOR, FLOOR, WALL, WALL], np.int32),
    )


def known_picture() -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    """Depth and ids (16, 16) of the scene with a field of view of 90 degrees.

    Pixel centres lie at slopes -15/16, -13/16 ... 15/16 to the right and upwards. A ray of slope s < 0 meets
    the floor, one metre below, at depth 1 / -s; to the right the wall at depth 2 hides what is farther. What
    is beyond 10 m reads 10, and has an id all the same; where nothing is hit, 10 and -1.
    """
    slopes = (2 * np.arange(SIDE) + 1) / SIDE - 1
    right, up = np.meshgrid(slopes, -slopes)
    floor = np.where(up < 0, 1 / np.where(up < 0, -up, 1.0), np.inf)
    wall = np.where(right > 0, 2.0, np.inf)
    nearest = np.minimum(floor, wall)
    ids = np.where(nearest == np.inf, -1, np.where(wall < floor, WALL, FLOOR))
    return np.minimum(nearest, FAR), ids.astype(np.int32)


def draw_known(backend: str, device: str | None, images: str = "numpy") -> dict[str, Any]:
    """Draw the scene in this process and compare.

    Returns:
        "ok"; "info" of the renderer; "wrong_pixels" and "worst_error_m"; or "error" alone with "ok" False.
    """
    config = RenderConfig(
        num_views=1,
        height=SIDE,
        width=SIDE,
        far=FAR,
        device=device,
        backend=backend,  # type: ignore[arg-type]
        images=images,  # type: ignore[arg-type]
    )
    try:
        with BatchRenderer(config) as renderer:
            renderer.set_views([renderer.add_scene(known_scene())], np.eye(4)[None])
            drawn = renderer.render()["depth"]
            depth = np.asarray(drawn if images == "numpy" else drawn.cpu())[0, :, :, 0]
            info = renderer.info
    except (RendererError, ImportError) as error:
        return {"ok": False, "error": str(error)}
    expected, _ = known_picture()
    errors = np.abs(depth - expected)
    wrong = int((errors > 0.001 + 0.001 * expected).sum())
    return {
        "ok": wrong == 0,
        "info": {
            name: value if isinstance(value, bool | int) else str(value) for name, value in info.items()
        },
        "wrong_pixels": wrong,
        "worst_error_m": float(errors.max()),
    }


if __name__ == "__main__":
    print(json.dumps(draw_known(sys.argv[1], sys.argv[2] or None, sys.argv[3])))
