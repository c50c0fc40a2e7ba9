"""Packets of rays: their memory layout, the call into Embree from compiled code, and depth images.

A packet covers a tile: 4 x 4 where the CPU has 16 lanes (AVX-512), else 2 wide and 4 high or 2 x 2.
Embree follows the rays of a packet together only in the CPU's own width; a wider one is half as fast. Its
RTCRayHit16, 8 or 4 is a (24, lanes) float32 array at an address divisible by 64: one row a field, one column
a ray. Directions have unit length along the view axis, so the distance of a hit is its planar depth.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from ._jit import Array, Real, kernel

TILE_WIDTHS = {16: 4, 8: 2, 4: 2}
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


@kernel
def _aligned(rows: int, columns: int) -> Array:
    """(rows, columns) float32 zeros at an address divisible by 64."""
    memory = np.zeros(rows * columns + 16, np.float32)
    skip = (64 - memory.ctypes.data % 64) % 64 // 4
    return memory[skip : skip + rows * columns].reshape(rows, columns)


@kernel
def new_packet(lanes: int) -> tuple[Array, Array, Array]:
    """Memory of a packet, its (lanes,) int32 activity (-1 is active), and its RTCIntersectArguments."""
    packet = _aligned(ROWS, lanes)
    packet.view(np.int32)[MASK] = -1
    valid = _aligned(1, 16).view(np.int32)[0, :lanes]
    arguments = _aligned(1, 16).view(np.int32)[0]
    arguments[0] = _COHERENT
    arguments[1] = _ALL_FEATURES
    return packet, valid, arguments


@kernel
def cast(function: int, scene: int, packet: Array, valid: Array, arguments: Array) -> None:
    """Find the nearest hits of the active rays."""
    _call(function, valid.ctypes.data, scene, packet.ctypes.data, arguments.ctypes.data)


@kernel
def place_camera(packet: Array, camera: Array, tile_width: int) -> Array:
    """Put the rays' origins; returns the (3, lanes) directions of the tile at the top left."""
    lanes = packet.shape[1]
    directions = np.empty((3, lanes), np.float32)
    for axis in range(3):
        packet[ORIGIN + axis] = camera[axis, 3]
        for lane in range(lanes):
            x, y = np.float32(lane % tile_width), np.float32(lane // tile_width)
            directions[axis, lane] = camera[axis, 2] + x * camera[axis, 0] + y * camera[axis, 1]
    return directions


@kernel
def aim(
    packet: Array, directions: Array, camera: Array, row: int, column: int, near: Real, far: Real
) -> None:
    """Point the rays at the tile whose top left pixel is (row, column); hits lie between near and far."""
    lanes = packet.shape[1]
    x, y = np.float32(column), np.float32(row)
    for axis in range(3):
        step = x * camera[axis, 0] + y * camera[axis, 1]
        for lane in range(lanes):
            packet[DIRECTION + axis, lane] = directions[axis, lane] + step
    geometry = packet.view(np.int32)[GEOMETRY]
    for lane in range(lanes):
        packet[T_NEAR, lane] = near
        packet[T_FAR, lane] = far
        geometry[lane] = MISS


@kernel
def mark_inside(valid: Array, height: int, width: int, tile_width: int) -> None:
    """Activate the rays inside an image that reaches (height, width) beyond the tile's corner."""
    for lane in range(len(valid)):
        inside = lane // tile_width < height and lane % tile_width < width
        valid[lane] = -1 if inside else 0


@kernel
def draw_depth(
    function: int, scene: int, lanes: int, tile_width: int, cameras: Array, views: Array,
    near: Real, far: Real, depth: Array,
) -> None:  # fmt: skip
    """Depth images of an opaque scene.

    Args:
        function: address of rtcIntersect16, 8 or 4.
        scene: RTCScene.
        lanes: rays of a packet.
        tile_width: pixels of a row of a tile.
        cameras: (N, 3, 4) float32, see ``cameras.pixel_rays``.
        views: (n,) int64, the views to draw.
        near: smallest depth, metres.
        far: greatest depth, metres.
        depth: (N, H, W) float32, written.
    """
    packet, valid, arguments = new_packet(lanes)
    height, width = depth.shape[1:]
    beyond = far * BEYOND
    for view in views:
        camera = cameras[view]
        directions = place_camera(packet, camera, tile_width)
        for row in range(0, height, lanes // tile_width):
            for column in range(0, width, tile_width):
                aim(packet, directions, camera, row, column, near, beyond)
                mark_inside(valid, height - row, width - column, tile_width)
                cast(function, scene, packet, valid, arguments)
                for lane in range(lanes):
                    if valid[lane]:
                        depth[view, row + lane // tile_width, column + lane % tile_width] = min(
                            packet[T_FAR, lane], far
                        )
