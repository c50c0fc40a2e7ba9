"""The loop over views and runs of tiles."""

from __future__ import annotations

from . import packets as p
from ._jit import Array, kernel
from .holes import MAX_HOLES, open_holes
from .images import Targets, write
from .surface import Surface


@kernel
def tiles_of_run(frame: p.Frame, packets: p.Packets, column: int) -> int:
    """Tiles from ``column`` to the image's right edge, at most as many as there are packets."""
    most = (frame.width - column + (1 << frame.tile_bits) - 1) >> frame.tile_bits
    return min(len(packets.rays), most)


@kernel
def cast_run(packets: p.Packets, count: int) -> None:
    """Find the nearest hits of the active rays of the first ``count`` packets."""
    for tile in range(count):
        p.cast(packets, tile)


@kernel
def draw(
    targets: Targets, surface: Surface, frame: p.Frame, packets: p.Packets, cameras: Array, views: Array
) -> None:
    """Draw some views of one scene.

    Args:
        targets: the images, written.
        surface: the scene's.
        frame: size of the images and shape of the tiles.
        packets: memory, and how to reach the scene's tree.
        cameras: (N, 3, 5) float32, see ``cameras.pixel_rays``.
        views: (n,) int64, the views to draw.
    """
    for number in range(len(views)):
        view = views[number]
        camera = cameras[view]
        p.place_camera(packets, camera, frame)
        for row in range(0, frame.height, packets.rays.shape[2] >> frame.tile_bits):
            for column in range(0, frame.width, len(packets.rays) << frame.tile_bits):
                count = tiles_of_run(frame, packets, column)
                p.aim_run(packets, count, camera, row, column, frame)
                cast_run(packets, count)
                if surface.has_holes:
                    for _ in range(MAX_HOLES):
                        if not open_holes(packets, count, surface, camera, frame.end):
                            break
                        cast_run(packets, count)
                write(targets, surface, frame, packets, count, camera, view, row, column)
