"""Packets of rays: their memory layout, and the call into Embree from compiled code.

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

from . import cameras as c
from ._jit import Array, kernel, part

TILE_BITS = {16: 2, 8: 1, 4: 1}
RUN = 16
ORIGIN, T_NEAR, DIRECTION, T_FAR, MASK = 0, 3, 4, 8, 9
NORMAL, HIT_U, HIT_V, PRIMITIVE, GEOMETRY = 12, 15, 16, 17, 18
ROWS = 24  # 21 are in use where Embree knows instance arrays, else 20
MISS = -1
BEYOND = np.float32(1.001)
EVERYWHERE = np.float32(1e30)
_COHERENT = 1 << 16
_ALL_FEATURES = -1


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


class Packets(NamedTuple):
    """Memory of one thread for a run of up to T tiles side by side."""

    rays: NDArray[np.float32]
    """(T, 24, lanes): RTCRayHit of that width."""
    bits: NDArray[np.int32]
    """The same memory."""
    valid: NDArray[np.int32]
    """(T, lanes): -1 for active rays, 0 for others."""
    call: NDArray[np.int64]
    """(5,): address of rtcIntersect, then its arguments: valid, RTCScene, rays, RTCIntersectArguments."""
    arguments: NDArray[np.int32]
    """(16,): RTCIntersectArguments."""
    directions: NDArray[np.float32]
    """(3, lanes): directions of the rays of the tile at the top left of the view."""


class Frame(NamedTuple):
    """What all views have in common."""

    height: int
    """Rows of an image."""
    width: int
    """Columns of an image."""
    tile_bits: int
    """Base 2 logarithm of the pixels in a row of a tile."""
    near: np.float32
    """Smallest depth, metres."""
    far: np.float32
    """Greatest depth, metres."""
    end: np.float32
    """Where rays end, metres."""


def new_packets(function: int, scene: int, lanes: int, tiles: int = RUN) -> Packets:
    """Memory for ``tiles`` packets of ``lanes`` rays; ``function`` and ``scene`` are addresses."""
    rays = _aligned(tiles * ROWS * lanes).reshape(tiles, ROWS, lanes)
    valid, arguments = _aligned(tiles * lanes).view(np.int32).reshape(tiles, lanes), _aligned(16)
    bits, words = rays.view(np.int32), arguments.view(np.int32)
    bits[:, MASK] = -1
    words[:2] = _COHERENT, _ALL_FEATURES
    call = [function, valid.ctypes.data, scene, rays.ctypes.data, words.ctypes.data]
    directions = np.zeros((3, lanes), np.float32)
    return Packets(rays, bits, valid, np.array(call, np.int64), words, directions)


def _aligned(count: int) -> NDArray[np.float32]:
    """``count`` zeros at an address divisible by 64."""
    memory = np.zeros(count + 16, np.float32)
    skip = -memory.ctypes.data % 64 // 4
    return memory[skip : skip + count]


@kernel
def cast(packets: Packets, tile: int) -> None:
    """Find the nearest hits of the active rays of one packet."""
    call, lanes = packets.call, packets.valid.shape[1]
    _call(call[0], call[1] + 4 * tile * lanes, call[2], call[3] + 4 * tile * ROWS * lanes, call[4])


@kernel
def place_camera(packets: Packets, camera: Array, frame: Frame) -> None:
    """Start all rays at a camera, and work out the directions of the tile at the top left."""
    for axis in range(3):
        first, right, down = camera[axis, c.FIRST], camera[axis, c.RIGHT], camera[axis, c.DOWN]
        for lane in range(packets.rays.shape[2]):
            x, y = np.float32(lane & ((1 << frame.tile_bits) - 1)), np.float32(lane >> frame.tile_bits)
            packets.directions[axis, lane] = first + x * right + y * down
            for tile in range(len(packets.rays)):
                packets.rays[tile, ORIGIN + axis, lane] = camera[axis, c.PLACE]


@part
def _aim(
    rays: Array, bits: Array, valid: Array, directions: Array, camera: Array, row: int, column: int,
    frame: Frame,
) -> None:  # fmt: skip
    lanes, tile_bits = len(valid), frame.tile_bits
    for axis in range(3):
        step = np.float32(column) * camera[axis, c.RIGHT] + np.float32(row) * camera[axis, c.DOWN]
        for lane in range(lanes):
            rays[DIRECTION + axis, lane] = directions[axis, lane] + step
    for lane in range(lanes):
        rays[T_NEAR, lane] = frame.near
        rays[T_FAR, lane] = frame.end
        bits[GEOMETRY, lane] = MISS
        valid[lane] = -1
    height, width = frame.height - row, frame.width - column
    if height < lanes >> tile_bits or width < 1 << tile_bits:
        for lane in range(lanes):
            if lane >> tile_bits >= height or lane & ((1 << tile_bits) - 1) >= width:
                valid[lane] = 0


@kernel
def aim_run(packets: Packets, count: int, camera: Array, row: int, column: int, frame: Frame) -> None:
    """Ready the first ``count`` packets for tiles side by side, the first with its corner at (row, column).

    ``place_camera`` comes before. Rays outside the image rest.
    """
    for tile in range(count):
        left = column + (tile << frame.tile_bits)
        rays, bits, valid = packets.rays[tile], packets.bits[tile], packets.valid[tile]
        _aim(rays, bits, valid, packets.directions, camera, row, left, frame)
