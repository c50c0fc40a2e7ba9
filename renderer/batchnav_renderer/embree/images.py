"""Writes what rays have hit into the images."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import cameras as c
from . import packets as p
from ._jit import Array, Real, kernel, part
from .half import half_of
from .shading import shade
from .srgb import encode
from .surface import Surface

_ZERO, _ONE, _TINY = np.float32(0.0), np.float32(1.0), np.finfo(np.float32).tiny
_WIDEST = 1 << max(p.TILE_BITS.values())
_NOTHING = (_ZERO, _ZERO, _ZERO)
Vector = tuple[Real, Real, Real]
Hits = tuple[Array, Array]
"""(24, lanes) float32 of a packet, and the same memory as int32."""
_AMBIENT, _HEADLIGHT = np.float32(0.3), np.float32(0.7)


class Targets(NamedTuple):
    """The images to write; pixels one after another; those that nobody wants have none."""

    depth: NDArray[np.float32]
    """(N H W, 1)."""
    half_depth: NDArray[np.uint16]
    """(N H W, 1), float16 in the eyes of the caller."""
    rgb: NDArray[np.uint8]
    """(N H W, 3)."""
    ids: NDArray[np.int32]
    """(N H W, 1)."""
    normals: NDArray[np.float32]
    """(N H W, 3)."""
    headlight: bool
    """Whether colours are dimmed by the angle at which they are seen."""


@part
def _scale(rays: Array, lane: int) -> Real:
    """What brings a normal to a length from 1 to 2: they are as long as triangles are large."""
    x, y, z = abs(rays[p.NORMAL, lane]), abs(rays[p.NORMAL + 1, lane]), abs(rays[p.NORMAL + 2, lane])
    return _ONE / max(x, y, z, _TINY)


@part
def _light(rays: Array, lane: int) -> Real:
    """How bright a headlight shows a surface: by the cosine between its normal and the ray."""
    scale = _scale(rays, lane)
    along, direction_square, normal_square = _ZERO, _ZERO, _ZERO
    for axis in range(3):
        normal, direction = scale * rays[p.NORMAL + axis, lane], rays[p.DIRECTION + axis, lane]
        along += normal * direction
        direction_square += direction * direction
        normal_square += normal * normal
    cosine = abs(along) / np.sqrt(direction_square * max(normal_square, _TINY))
    return _AMBIENT + _HEADLIGHT * cosine


@part
def _turn_normals(rays: Array, bits: Array, camera: Array) -> None:
    """Make the normals of a packet unit ones of the sides that are seen, along the camera's axes.

    Dot products with the axes are right for a sheared camera, too. Those of misses become 0.
    """
    for lane in range(rays.shape[1]):
        scale = _scale(rays, lane)
        along, right, up, back = _ZERO, _ZERO, _ZERO, _ZERO
        for axis in range(3):
            normal = scale * rays[p.NORMAL + axis, lane]
            along += normal * rays[p.DIRECTION + axis, lane]
            right += normal * camera[axis, c.RIGHT]
            up -= normal * camera[axis, c.DOWN]
            back += normal * camera[axis, c.BACK]
        length = max(np.sqrt(right * right + up * up + back * back), _TINY)
        length = -length if along > _ZERO else length
        hit = bits[p.GEOMETRY, lane] != p.MISS
        rays[p.NORMAL, lane] = right / length if hit else _ZERO
        rays[p.NORMAL + 1, lane] = up / length if hit else _ZERO
        rays[p.NORMAL + 2, lane] = back / length if hit else _ZERO


@part
def _color(surface: Surface, headlight: bool, camera: Array, rays: Array, number: int, lane: int) -> Vector:
    """Linear colour of a hit of triangle ``number``."""
    red, green, blue, _ = shade(surface, camera, rays, number, lane)
    if headlight:
        light = _light(rays, lane)
        red, green, blue = light * red, light * green, light * blue
    return red, green, blue


@part
def _write_depth(
    out: Targets, scene: Surface, far: Real, camera: Array, hits: Hits, lane: int, at: int
) -> None:
    out.depth[at, 0] = min(hits[0][p.T_FAR, lane], far)


@part
def _write_half(
    out: Targets, scene: Surface, far: Real, camera: Array, hits: Hits, lane: int, at: int
) -> None:
    out.half_depth[at, 0] = half_of(min(hits[0][p.T_FAR, lane], far))


@part
def _write_id(out: Targets, scene: Surface, far: Real, camera: Array, hits: Hits, lane: int, at: int) -> None:
    ids, bits = scene.object_ids, hits[1]
    seen = np.int32(p.MISS)
    if bits[p.GEOMETRY, lane] != p.MISS:
        seen = ids[bits[p.PRIMITIVE, lane]] if len(ids) else np.int32(0)
    out.ids[at, 0] = seen


@part
def _write_normal(
    out: Targets, scene: Surface, far: Real, camera: Array, hits: Hits, lane: int, at: int
) -> None:
    for axis in range(3):
        out.normals[at, axis] = hits[0][p.NORMAL + axis, lane]


@part
def _write_color(
    out: Targets, scene: Surface, far: Real, camera: Array, hits: Hits, lane: int, at: int
) -> None:
    rays, bits = hits
    seen = _NOTHING
    if bits[p.GEOMETRY, lane] != p.MISS:
        seen = _color(scene, out.headlight, camera, rays, bits[p.PRIMITIVE, lane], lane)
    for channel in range(3):
        out.rgb[at, channel] = encode(seen[channel])


@part
def _each_pixel(
    write_one: Any, out: Targets, scene: Surface, frame: p.Frame, packets: p.Packets, count: int,
    camera: Array, view: int, row: int, column: int,
) -> None:  # fmt: skip
    """Do ``write_one`` for the pixels of a run of tiles that are inside the image."""
    tile_width, lanes = 1 << frame.tile_bits, packets.rays.shape[2]
    rows = min(lanes >> frame.tile_bits, frame.height - row)
    for tile in range(count):
        hits = packets.rays[tile], packets.bits[tile]
        left = column + tile * tile_width
        columns = min(tile_width, frame.width - left)
        for y in range(rows):
            first = (view * frame.height + row + y) * frame.width + left
            for x in range(_WIDEST):  # a number known when compiled, so that the loop is unrolled
                if x < columns:
                    write_one(out, scene, frame.far, camera, hits, y * tile_width + x, first + x)


@kernel
def write(
    out: Targets, scene: Surface, frame: p.Frame, packets: p.Packets, count: int, camera: Array,
    view: int, row: int, column: int,
) -> None:  # fmt: skip
    """Write what the first ``count`` packets hit, tiles side by side from pixel (row, column) of a view.

    Args:
        out: the images.
        scene: what is seen.
        frame: size of the images and shape of the tiles.
        packets: of rays that were cast.
        count: packets in use.
        camera: (3, 5) float32, see ``cameras.pixel_rays``.
        view: number of the image.
        row: of the top left pixel.
        column: of the top left pixel.
    """
    if len(out.depth):
        _each_pixel(_write_depth, out, scene, frame, packets, count, camera, view, row, column)
    if len(out.half_depth):
        _each_pixel(_write_half, out, scene, frame, packets, count, camera, view, row, column)
    if len(out.ids):
        _each_pixel(_write_id, out, scene, frame, packets, count, camera, view, row, column)
    if len(out.rgb):
        _each_pixel(_write_color, out, scene, frame, packets, count, camera, view, row, column)
    if len(out.normals):
        for tile in range(count):  # last, for colours need the normals as they were
            _turn_normals(packets.rays[tile], packets.bits[tile], camera)
        _each_pixel(_write_normal, out, scene, frame, packets, count, camera, view, row, column)
