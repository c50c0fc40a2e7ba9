"""Colour and alpha of a hit: trilinear mipmapped texture times factor times vertex colour."""

from __future__ import annotations

import math

import numpy as np

from . import packets as p
from . import surface as s
from ._jit import Array, Real, kernel
from .srgb import DECODE

_CLAMP, _MIRROR = s.WRAPS["clamp"], s.WRAPS["mirror"]
_BYTE = np.float32(1.0 / 255.0)
_HALF, _ONE, _ZERO = np.float32(0.5), np.float32(1.0), np.float32(0.0)
_MATERIAL = s.MATERIAL


@kernel
def _wrapped(texel: int, size: int, wrap: int) -> int:
    """A texel number brought into an image of a power-of-two size."""
    if wrap == _CLAMP:
        return min(max(texel, 0), size - 1)
    if wrap == _MIRROR:
        within = texel & (2 * size - 1)
        return min(within, 2 * size - 1 - within)
    return texel & (size - 1)


@kernel
def _bilinear(texels: Array, first: int, size: int, wraps: Array, u: Real, v: Real) -> tuple[Real, Real, Real, Real]:
    """Linear RGBA between four texels of the mipmap of ``size`` whose first texel is ``first``."""
    x, y = u * np.float32(size) - _HALF, v * np.float32(size) - _HALF
    left, top = math.floor(x), math.floor(y)
    right_share, bottom_share = np.float32(x - left), np.float32(y - top)
    column, row = int(left), int(top)
    red, green, blue, alpha = _ZERO, _ZERO, _ZERO, _ZERO
    for below in range(2):
        line = first + size * _wrapped(row + below, size, wraps[3])
        share_y = bottom_share if below else _ONE - bottom_share
        for beside in range(2):
            texel = texels[line + _wrapped(column + beside, size, wraps[2])]
            share = share_y * (right_share if beside else _ONE - right_share)
            red += share * DECODE[texel[0]]
            green += share * DECODE[texel[1]]
            blue += share * DECODE[texel[2]]
            alpha += share * np.float32(texel[3])
    return red, green, blue, alpha * _BYTE


@kernel
def _trilinear(texels: Array, image: Array, u: Real, v: Real, level: Real) -> tuple[Real, Real, Real, Real]:
    """Linear RGBA between the two mipmaps around ``level`` (0 is the image itself)."""
    first, size = image[0], image[1]
    while level >= _ONE and size > 1:
        first += size * size
        size >>= 1
        level -= _ONE
    red, green, blue, alpha = _bilinear(texels, first, size, image, u, v)
    if level <= _ZERO or size == 1:
        return red, green, blue, alpha
    coarse = _bilinear(texels, first + size * size, size >> 1, image, u, v)
    return (
        red + level * (coarse[0] - red),
        green + level * (coarse[1] - green),
        blue + level * (coarse[2] - blue),
        alpha + level * (coarse[3] - alpha),
    )


@kernel
def _dot(row: Array, at: int, packet: Array, field: int, lane: int) -> Real:
    return (
        row[at] * packet[field, lane]
        + row[at + 1] * packet[field + 1, lane]
        + row[at + 2] * packet[field + 2, lane]
    )


@kernel
def _along(row: Array, at: int, camera: Array, column: int) -> Real:
    return row[at] * camera[0, column] + row[at + 1] * camera[1, column] + row[at + 2] * camera[2, column]


@kernel
def _level(triangle: Array, camera: Array, packet: Array, lane: int, size: int) -> Real:
    """Mipmap level whose texels are as large as the pixel, log2 of its longer side in texels.

    The hit P = t D moves by t (D_x - D (n . D_x) / (n . D)) when the ray's direction D moves by D_x to the next
    pixel, for it stays in the plane with the normal n (Igehy, "Tracing Ray Differentials", 1999, eq. 10 to 12).
    """
    normal = packet[p.NORMAL : p.NORMAL + 3, lane]
    toward = _dot(normal, 0, packet, p.DIRECTION, lane)
    depth = packet[p.T_FAR, lane]
    along_u = _dot(triangle, s.GRADIENT, packet, p.DIRECTION, lane)
    along_v = _dot(triangle, s.GRADIENT + 3, packet, p.DIRECTION, lane)
    longest = _ZERO
    for column in range(2):
        slide = _along(normal, 0, camera, column) / toward
        u = depth * (_along(triangle, s.GRADIENT, camera, column) - slide * along_u)
        v = depth * (_along(triangle, s.GRADIENT + 3, camera, column) - slide * along_v)
        longest = max(longest, u * u + v * v)
    texels = longest * np.float32(size) * np.float32(size)
    if not texels > _ONE:  # NaN where the ray runs along the triangle
        return _ZERO
    return min(_HALF * np.float32(math.log2(texels)), np.float32(32.0))


@kernel
def material_of(surface: s.Surface, packet: Array, lane: int) -> int:
    """Material number of a hit."""
    return surface.triangles[packet.view(np.int32)[p.PRIMITIVE, lane]].view(np.int32)[_MATERIAL]


@kernel
def shade(surface: s.Surface, camera: Array, packet: Array, lane: int) -> tuple[Real, Real, Real, Real]:
    """Linear RGBA of a hit; alpha is what the cut-off is compared with."""
    number = packet.view(np.int32)[p.PRIMITIVE, lane]
    triangle = surface.triangles[number]
    material = triangle.view(np.int32)[_MATERIAL]
    factor, image = surface.factors[material], surface.images[material]
    u, v = packet[p.HIT_U, lane], packet[p.HIT_V, lane]
    red, green, blue, alpha = factor[0], factor[1], factor[2], factor[3]
    if len(surface.colors):
        corners = surface.colors[number]
        shares = (_BYTE * (_ONE - u - v), _BYTE * u, _BYTE * v)
        red *= shares[0] * corners[0, 0] + shares[1] * corners[1, 0] + shares[2] * corners[2, 0]
        green *= shares[0] * corners[0, 1] + shares[1] * corners[1, 1] + shares[2] * corners[2, 1]
        blue *= shares[0] * corners[0, 2] + shares[1] * corners[1, 2] + shares[2] * corners[2, 2]
        alpha *= shares[0] * corners[0, 3] + shares[1] * corners[1, 3] + shares[2] * corners[2, 3]
    if image[0] >= 0:
        texture_u = triangle[s.UV] + u * triangle[s.STEP_U] + v * triangle[s.STEP_V]
        texture_v = triangle[s.UV + 1] + u * triangle[s.STEP_U + 1] + v * triangle[s.STEP_V + 1]
        level = _level(triangle, camera, packet, lane, image[1])
        texel = _trilinear(surface.texels, image, texture_u, texture_v, level)
        red, green, blue, alpha = red * texel[0], green * texel[1], blue * texel[2], alpha * texel[3]
    return red, green, blue, alpha
