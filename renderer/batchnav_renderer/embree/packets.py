"""Packets of rays: their memory layout, the call into Embree from compiled code, and depth images.

A packet covers a tile: 4 x 4 where the CPU has 16 lanes (AVX-512), else 2 wide and 4 high or 2 x 2.
Embree follows the rays of a packet together only in the CPU's own width; a wider one is half as fast. Its
RTCRayHit16, 8 or 4 is a (24, lanes) float32 array at an address divisible by 64: one row a field, one column
a ray. Directions have unit length along the view axis, so the distance of a hit is its planar depth.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numpy.typing import NDArray

from ._jit import Array, Real, kernel, part

TILE_BITS = {16: 2, 8: 1, 4: 1}
ORIGIN, T_NEAR, DIRECTION, T_FAR, MASK = 0, 3, 4, 8, 9
NORMAL, HIT_U, HIT_V, PRIMITIVE, GEOMETRY = 12, 15, 16, 17, 18
ROWS = 24  # 21 are in use where Embree knows instance arrays, else 20
MISS = -1
_COHERENT = 1 << 16
_ALL_FEATURES = -1
BEYOND = np.float32(1.001)


def _typed_call(typing: Any, function: Any, valid: Any, scene: Any, packet: Any, arguments: Any) -> Any:
    """Calls ``void f(void*, void*, void*, void*)``; all five arguments are addresses."""
    # An address as an argument, not a ctypes function: that would be baked in and could not be cached.

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        pointer = cgutils.voidptr_t
        kind = ir.FunctionType(ir.VoidType(), [pointer] * 4)
        target = builder.inttoptr(values[0], kind.as_pointer())
        builder.call(target, [builder.inttoptr(value, pointer) for value in values[1:]])
        return context.get_dummy_value()

    return types.void(*[types.intp] * 5), generate


_call: Any = intrinsic(_typed_call)


class Packet(NamedTuple):
    """Memory for packets, one thread's; compiled code takes its parts as arguments."""

    rays: NDArray[np.float32]
    """(24, lanes): RTCRayHit of that width."""
    bits: NDArray[np.int32]
    """The same memory."""
    valid: NDArray[np.int32]
    """(lanes,): -1 for active rays, 0 for others."""
    directions: NDArray[np.float32]
    """(3, lanes): directions of the rays of the tile at the top left of the view."""
    call: NDArray[np.int64]
    """(5,): address of rtcIntersect, then its arguments: valid, RTCScene, rays, RTCIntersectArguments."""
    arguments: NDArray[np.int32]
    """(16,): RTCIntersectArguments."""


def new_packet(function: int, scene: int, lanes: int) -> Packet:
    """Memory for packets of ``lanes`` rays; ``function`` and ``scene`` are addresses."""
    rays, valid, arguments = _aligned(ROWS, lanes), _aligned(1, lanes)[0].view(np.int32), _aligned(1, 16)[0]
    bits = rays.view(np.int32)
    bits[MASK] = -1
    words = arguments.view(np.int32)
    words[:2] = _COHERENT, _ALL_FEATURES
    call = [function, valid.ctypes.data, scene, rays.ctypes.data, words.ctypes.data]
    return Packet(rays, bits, valid, np.zeros((3, lanes), np.float32), np.array(call, np.int64), words)


def _aligned(rows: int, columns: int) -> NDArray[np.float32]:
    """(rows, columns) zeros at an address divisible by 64."""
    memory = np.zeros(rows * columns + 16, np.float32)
    skip = -memory.ctypes.data % 64 // 4
    return memory[skip : skip + rows * columns].reshape(rows, columns)


@kernel
def cast(call: Array) -> None:
    """Find the nearest hits of the active rays."""
    _call(call[0], call[1], call[2], call[3], call[4])


@part
def place_camera(rays: Array, directions: Array, camera: Array, tile_bits: int) -> None:
    """Put the rays' origins, and the directions of the tile at the top left."""
    for axis in range(3):
        for lane in range(rays.shape[1]):
            x, y = np.float32(lane & ((1 << tile_bits) - 1)), np.float32(lane >> tile_bits)
            rays[ORIGIN + axis, lane] = camera[axis, 3]
            directions[axis, lane] = camera[axis, 2] + x * camera[axis, 0] + y * camera[axis, 1]


@part
def aim(
    rays: Array, bits: Array, directions: Array, camera: Array, row: int, column: int, near: Real, far: Real
) -> None:
    """Point the rays at the tile whose top left pixel is (row, column); hits lie between near and far."""
    lanes = rays.shape[1]
    x, y = np.float32(column), np.float32(row)
    for axis in range(3):
        step = x * camera[axis, 0] + y * camera[axis, 1]
        for lane in range(lanes):
            rays[DIRECTION + axis, lane] = directions[axis, lane] + step
    for lane in range(lanes):
        rays[T_NEAR, lane] = near
        rays[T_FAR, lane] = far
        bits[GEOMETRY, lane] = MISS


@part
def mark_inside(valid: Array, height: int, width: int, tile_bits: int) -> None:
    """Activate the rays inside an image that reaches (height, width) beyond the tile's corner."""
    for lane in range(len(valid)):
        inside = (lane >> tile_bits) < height and (lane & ((1 << tile_bits) - 1)) < width
        valid[lane] = -1 if inside else 0


@kernel
def draw_depth(
    rays: Array, bits: Array, valid: Array, directions: Array, call: Array, tile_bits: int,
    cameras: Array, views: Array, near: Real, far: Real, depth: Array,
) -> None:  # fmt: skip
    """Depth images of an opaque scene.

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
        far: greatest depth, metres.
        depth: (N, H, W, 1) float32, written.
    """
    lanes, height, width = rays.shape[1], depth.shape[1], depth.shape[2]
    beyond = far * BEYOND
    for number in range(len(views)):
        view = views[number]
        camera = cameras[view]
        place_camera(rays, directions, camera, tile_bits)
        for row in range(0, height, lanes >> tile_bits):
            for column in range(0, width, 1 << tile_bits):
                aim(rays, bits, directions, camera, row, column, near, beyond)
                mark_inside(valid, height - row, width - column, tile_bits)
                cast(call)
                for lane in range(lanes):
                    if valid[lane]:
                        y, x = row + (lane >> tile_bits), column + (lane & ((1 << tile_bits) - 1))
                        depth[view, y, x, 0] = min(rays[T_FAR, lane], far)
