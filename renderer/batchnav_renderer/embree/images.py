"""Images of scenes whose surfaces matter: colours, and depth behind cut-out materials."""

from __future__ import annotations

import numpy as np

from . import packets as p
from ._jit import Array, Real, kernel
from .shading import material_of, shade
from .srgb import encode
from .surface import Surface

_MAX_HOLES = 64
_EVERYWHERE = np.float32(1e30)
_STEP = np.float32(1.0 + 2.0**-20)
_CUTOFF = 4


@kernel
def _open_holes(surface: Surface, camera: Array, packet: Array, valid: Array, far: Real) -> bool:
    """Ready the active rays that hit a hole to be cast again from behind it, and rest the others."""
    geometry = packet.view(np.int32)[p.GEOMETRY]
    found = False
    for lane in range(len(valid)):
        if valid[lane] == 0:
            continue
        valid[lane] = 0
        if geometry[lane] == p.MISS:
            continue
        cutoff = surface.factors[material_of(surface, packet, lane), _CUTOFF]
        if cutoff > 0 and shade(surface, camera, packet, lane)[3] < cutoff:
            packet[p.T_NEAR, lane] = packet[p.T_FAR, lane] * _STEP
            packet[p.T_FAR, lane] = far
            geometry[lane] = p.MISS
            valid[lane] = -1
            found = True
    return found


@kernel
def draw_surfaces(
    function: int, scene: int, lanes: int, tile_width: int, cameras: Array, views: Array, near: Real,
    far: Real, depth: Array, rgb: Array, surface: Surface,
) -> None:  # fmt: skip
    """Depth and colour images.

    Args:
        function: address of rtcIntersect16, 8 or 4.
        scene: RTCScene.
        lanes: rays of a packet.
        tile_width: pixels of a row of a tile.
        cameras: (N, 3, 4) float32, see ``cameras.pixel_rays``.
        views: (n,) int64, the views to draw.
        near: smallest depth, metres.
        far: greatest depth, metres; colours are seen beyond it.
        depth: (N, H, W) float32, written; (0, H, W) for none.
        rgb: (N, H, W, 3) uint8, written; (0, H, W, 3) for none.
        surface: the tables of the scene.
    """
    packet, valid, arguments = p.new_packet(lanes)
    height, width = depth.shape[1:]
    end = _EVERYWHERE if len(rgb) else far * p.BEYOND
    geometry = packet.view(np.int32)[p.GEOMETRY]
    has_holes = (surface.factors[:, _CUTOFF] > 0).any()
    for view in views:
        camera = cameras[view]
        directions = p.place_camera(packet, camera, tile_width)
        for row in range(0, height, lanes // tile_width):
            for column in range(0, width, tile_width):
                p.aim(packet, directions, camera, row, column, near, end)
                p.mark_inside(valid, height - row, width - column, tile_width)
                p.cast(function, scene, packet, valid, arguments)
                if has_holes:
                    for _ in range(_MAX_HOLES):
                        if not _open_holes(surface, camera, packet, valid, end):
                            break
                        p.cast(function, scene, packet, valid, arguments)
                for lane in range(lanes):
                    y, x = row + lane // tile_width, column + lane % tile_width
                    if y >= height or x >= width:
                        continue
                    if len(depth):
                        depth[view, y, x] = min(packet[p.T_FAR, lane], far)
                    if len(rgb):
                        red, green, blue = np.float32(0), np.float32(0), np.float32(0)
                        if geometry[lane] != p.MISS:
                            red, green, blue, _ = shade(surface, camera, packet, lane)
                        rgb[view, y, x, 0] = encode(red)
                        rgb[view, y, x, 1] = encode(green)
                        rgb[view, y, x, 2] = encode(blue)
