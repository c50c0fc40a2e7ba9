"""Images of scenes whose surfaces matter: colours, and depth behind cut-out materials."""

from __future__ import annotations

import numpy as np

from . import packets as p
from . import surface as s
from ._jit import Array, Real, kernel, part
from .shading import shade
from .srgb import encode

_MAX_HOLES = 64
_EVERYWHERE = np.float32(1e30)
_STEP = np.float32(1.0 + 2.0**-20)
_CUTOFF = s.CUTOFF
_BLACK = np.float32(0.0)


@part
def _open_holes(
    triangles: Array, materials: Array, colors: Array, factors: Array, images: Array, texels: Array,
    camera: Array, rays: Array, bits: Array, valid: Array, far: Real,
) -> bool:  # fmt: skip
    """Ready the active rays that hit a hole to be cast again from behind it, and rest the others.

    What a NaN alpha or cut-off is compared with counts as solid.
    """
    found = False
    for lane in range(len(valid)):
        active = valid[lane] != 0 and bits[p.GEOMETRY, lane] != p.MISS
        valid[lane] = 0
        if not active:
            continue
        number = bits[p.PRIMITIVE, lane]
        cutoff = factors[materials[number], _CUTOFF]
        if cutoff <= 0:
            continue
        alpha = shade(triangles, materials, colors, factors, images, texels, camera, rays, number, lane)[3]
        if alpha < cutoff:
            rays[p.T_NEAR, lane] = rays[p.T_FAR, lane] * _STEP
            rays[p.T_FAR, lane] = far
            bits[p.GEOMETRY, lane] = p.MISS
            valid[lane] = -1
            found = True
    return found


@kernel
def draw_surfaces(
    rays: Array, bits: Array, valid: Array, directions: Array, call: Array, tile_bits: int,
    cameras: Array, views: Array, near: Real, far: Real, depth: Array, rgb: Array, has_holes: bool,
    triangles: Array, materials: Array, colors: Array, factors: Array, images: Array, texels: Array,
) -> None:  # fmt: skip
    """Depth and colour images.

    Args:
        rays: of a ``Packet``, and so are the next four.
        bits: the same memory.
        valid: activity.
        directions: scratch.
        call: addresses.
        tile_bits: base 2 logarithm of the pixels in a row of a tile.
        cameras: (N, 3, 4) float32, see ``cameras.pixel_rays``.
        views: (n,) int64, the views to draw.
        near: smallest depth, metres.
        far: greatest depth, metres; colours are seen beyond it.
        depth: (N, H, W, 1) float32, written; (0, H, W, 1) for none.
        rgb: (N, H, W, 3) uint8, written; (0, H, W, 3) for none.
        has_holes: whether a material is cut out.
        triangles: table of ``Surface``, and so are those below.
        materials: materials' numbers.
        colors: corner colours.
        factors: materials' factors.
        images: materials' images.
        texels: their texels.
    """
    lanes, height, width = rays.shape[1], depth.shape[1], depth.shape[2]
    end = _EVERYWHERE if len(rgb) else far * p.BEYOND
    for place in range(len(views)):
        view = views[place]
        camera = cameras[view]
        p.place_camera(rays, directions, camera, tile_bits)
        for row in range(0, height, lanes >> tile_bits):
            for column in range(0, width, 1 << tile_bits):
                p.aim(rays, bits, directions, camera, row, column, near, end)
                p.mark_inside(valid, height - row, width - column, tile_bits)
                p.cast(call)
                if has_holes:
                    for _ in range(_MAX_HOLES):
                        if not _open_holes(
                            triangles, materials, colors, factors, images, texels, camera, rays, bits,
                            valid, end,
                        ):  # fmt: skip
                            break
                        p.cast(call)
                for lane in range(lanes):
                    y, x = row + (lane >> tile_bits), column + (lane & ((1 << tile_bits) - 1))
                    if y >= height or x >= width:
                        continue
                    if len(depth):
                        depth[view, y, x, 0] = min(rays[p.T_FAR, lane], far)
                    if len(rgb):
                        red, green, blue = _BLACK, _BLACK, _BLACK
                        if bits[p.GEOMETRY, lane] != p.MISS:
                            red, green, blue, _ = shade(
                                triangles, materials, colors, factors, images, texels, camera, rays,
                                bits[p.PRIMITIVE, lane], lane,
                            )  # fmt: skip
                        rgb[view, y, x, 0] = encode(red)
                        rgb[view, y, x, 1] = encode(green)
                        rgb[view, y, x, 2] = encode(blue)
