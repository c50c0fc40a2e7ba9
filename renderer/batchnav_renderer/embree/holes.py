"""Rays that go on through the holes of cut-out materials."""

from __future__ import annotations

import numpy as np

from . import packets as p
from . import surface as s
from ._jit import Array, Real, kernel, part
from .shading import shade

MAX_HOLES = 64
_STEP = np.float32(1.0 + 2.0**-20)


@part
def _is_hole(surface: s.Surface, camera: Array, rays: Array, bits: Array, lane: int) -> bool:
    number = bits[p.PRIMITIVE, lane]
    cutoff = surface.factors[surface.triangles[number].view(np.int32)[s.MATERIAL], s.CUTOFF]
    hole: bool = cutoff > 0 and shade(surface, camera, rays, number, lane)[3] < cutoff
    return hole


@kernel
def open_holes(packets: p.Packets, count: int, surface: s.Surface, camera: Array, end: Real) -> bool:
    """Ready the active rays that hit a hole to be cast again from behind it, and rest the others.

    What a NaN alpha or cut-off is compared with counts as solid.

    Args:
        packets: of rays that were cast.
        count: packets in use.
        surface: the scene's.
        camera: (3, 5) float32.
        end: where rays end, metres.

    Returns:
        Whether a ray is to be cast again.
    """
    found = False
    for tile in range(count):
        rays, bits, valid = packets.rays[tile], packets.bits[tile], packets.valid[tile]
        for lane in range(len(valid)):
            if valid[lane] == 0:
                continue
            valid[lane] = 0
            if bits[p.GEOMETRY, lane] != p.MISS and _is_hole(surface, camera, rays, bits, lane):
                rays[p.T_NEAR, lane] = rays[p.T_FAR, lane] * _STEP
                rays[p.T_FAR, lane] = end
                bits[p.GEOMETRY, lane] = p.MISS
                valid[lane] = -1
                found = True
    return found
