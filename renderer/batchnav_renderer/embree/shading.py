"""Colour and alpha of a hit: trilinear mipmapped texture times factor times vertex colour.

Written for speed: whole arrays are passed and indexed, for a slice of one would cost a reference count.
"""

from __future__ import annotations

import numpy as np

from ..srgb import DECODE
from . import cameras as c
from . import packets as p
from . import surface as s
from ._jit import Array, Real, part

_CLAMP, _MIRROR = s.WRAPS["clamp"], s.WRAPS["mirror"]
_BYTE = np.float32(1.0 / 255.0)
_QUARTER, _HALF = np.float32(0.25), np.float32(0.5)
_ZERO, _ONE, _TWO, _FOUR = np.float32(0.0), np.float32(1.0), np.float32(2.0), np.float32(4.0)
_MOST = np.float32(2.0**30)
_FARTHEST = np.float32(2.0**20)
Color = tuple[Real, Real, Real, Real]


@part
def _wrapped(texel: int, size: int, wrap: int) -> int:
    """A texel number brought into an image of a power-of-two size."""
    if wrap == _CLAMP:
        return min(max(texel, 0), size - 1)
    if wrap == _MIRROR:
        within = texel & (2 * size - 1)
        return min(within, 2 * size - 1 - within)
    return texel & (size - 1)


@part
def _floor(value: Real) -> int:
    """The integer below, without the detour by float64 that math.floor takes."""
    whole = int(value)
    return whole - 1 if value < np.float32(whole) else whole


@part
def _bounded(coordinate: Real) -> Real:
    """A texture coordinate whose texel number is an exact integer; 0 for NaN.

    float32 tells no texels apart so far out; a whole number of repeats keeps every wrap mode's meaning.
    """
    if coordinate > _FARTHEST:
        return _FARTHEST
    if coordinate < -_FARTHEST:
        return -_FARTHEST
    return coordinate if coordinate == coordinate else _ZERO


@part
def _bilinear(texels: Array, first: int, size: int, wrap_u: int, wrap_v: int, u: Real, v: Real) -> Color:
    """Linear RGBA between four texels of the mipmap of ``size`` whose first texel is ``first``."""
    x, y = u * np.float32(size) - _HALF, v * np.float32(size) - _HALF
    column, row = _floor(x), _floor(y)
    right, bottom = x - np.float32(column), y - np.float32(row)
    left = _wrapped(column, size, wrap_u)
    beside = _wrapped(column + 1, size, wrap_u)
    red, green, blue, alpha = _ZERO, _ZERO, _ZERO, _ZERO
    for below in range(2):
        line = first + size * _wrapped(row + below, size, wrap_v)
        height = bottom if below else _ONE - bottom
        for number, share in ((line + left, height * (_ONE - right)), (line + beside, height * right)):
            texel = texels[number]
            red += share * DECODE[texel & 255]
            green += share * DECODE[(texel >> 8) & 255]
            blue += share * DECODE[(texel >> 16) & 255]
            alpha += share * np.float32(texel >> 24)
    return red, green, blue, alpha * _BYTE


@part
def _trilinear(
    texels: Array, first: int, size: int, wrap_u: int, wrap_v: int, u: Real, v: Real, area: Real
) -> Color:
    """Linear RGBA between the two mipmaps whose texels are nearest to the pixel in size.

    ``area`` is the square of the pixel's longer side in texels of the largest mipmap; the blend is its base 4
    logarithm, straight between the powers of two, as graphics drivers have it.
    """
    while area >= _FOUR and size > 1:
        first += size * size
        size >>= 1
        area *= _QUARTER
    fine: Color = _bilinear(texels, first, size, wrap_u, wrap_v, u, v)
    if area <= _ONE or size == 1:
        return fine
    blend = _HALF * (area - _ONE) if area < _TWO else _QUARTER * area
    coarse = _bilinear(texels, first + size * size, size >> 1, wrap_u, wrap_v, u, v)
    return (
        fine[0] + blend * (coarse[0] - fine[0]),
        fine[1] + blend * (coarse[1] - fine[1]),
        fine[2] + blend * (coarse[2] - fine[2]),
        fine[3] + blend * (coarse[3] - fine[3]),
    )


@part
def _pixel_area(triangle: Array, camera: Array, rays: Array, lane: int, size: Real) -> Real:
    """Square of the longer side of a pixel, measured in texels of an image of ``size``.

    The hit P = t D moves by t (D_x - D (n . D_x) / (n . D)) when the ray's direction D moves by D_x to the
    next pixel, for it stays in the plane with the normal n (Igehy, "Tracing Ray Differentials", 1999).
    """
    toward, along_u, along_v = _ZERO, _ZERO, _ZERO
    for axis in range(3):
        direction = rays[p.DIRECTION + axis, lane]
        toward += rays[p.NORMAL + axis, lane] * direction
        along_u += triangle[s.GRADIENT + axis] * direction
        along_v += triangle[s.GRADIENT + 3 + axis] * direction
    scale = rays[p.T_FAR, lane] * size
    longest = _ZERO
    for column in (c.RIGHT, c.DOWN):
        slide, u, v = _ZERO, _ZERO, _ZERO
        for axis in range(3):
            step = camera[axis, column]
            slide += rays[p.NORMAL + axis, lane] * step
            u += triangle[s.GRADIENT + axis] * step
            v += triangle[s.GRADIENT + 3 + axis] * step
        slide /= toward
        u, v = scale * (u - slide * along_u), scale * (v - slide * along_v)
        longest = max(longest, u * u + v * v)
    # Not so where a ray runs along its triangle: infinite or NaN.
    return longest if longest < _MOST else _MOST


@part
def _corner_color(words: Array, u: Real, v: Real) -> Color:
    """Linear RGBA between the colours of the corners."""
    first, second, third = _BYTE * (_ONE - u - v), _BYTE * u, _BYTE * v
    a, b, c = np.uint32(words[s.COLOR]), np.uint32(words[s.COLOR + 1]), np.uint32(words[s.COLOR + 2])
    red = first * np.float32(a & 255) + second * np.float32(b & 255) + third * np.float32(c & 255)
    a, b, c = a >> 8, b >> 8, c >> 8
    green = first * np.float32(a & 255) + second * np.float32(b & 255) + third * np.float32(c & 255)
    a, b, c = a >> 8, b >> 8, c >> 8
    blue = first * np.float32(a & 255) + second * np.float32(b & 255) + third * np.float32(c & 255)
    a, b, c = a >> 8, b >> 8, c >> 8
    return red, green, blue, first * np.float32(a) + second * np.float32(b) + third * np.float32(c)


@part
def shade(surface: s.Surface, camera: Array, rays: Array, number: int, lane: int) -> Color:
    """Linear RGBA of a hit of triangle ``number``; alpha is what the cut-off is compared with.

    Args:
        surface: the scene's.
        camera: (3, 5) float32.
        rays: (24, lanes) float32.
        number: of the triangle.
        lane: of the packet.
    """
    triangle = surface.triangles[number]
    words = triangle.view(np.int32)
    material = words[s.MATERIAL]
    factors, images = surface.factors, surface.images
    red, green, blue, alpha = (
        factors[material, 0],
        factors[material, 1],
        factors[material, 2],
        factors[material, 3],
    )
    u, v = rays[p.HIT_U, lane], rays[p.HIT_V, lane]
    if surface.has_colors:
        color = _corner_color(words, u, v)
        red, green, blue, alpha = red * color[0], green * color[1], blue * color[2], alpha * color[3]
    if images[material, 0] >= 0:
        texture_u = triangle[s.UV] + u * triangle[s.STEPS] + v * triangle[s.STEPS + 2]
        texture_v = triangle[s.UV + 1] + u * triangle[s.STEPS + 1] + v * triangle[s.STEPS + 3]
        size = images[material, 1]
        area = _pixel_area(triangle, camera, rays, lane, np.float32(size))
        texel = _trilinear(
            surface.texels, images[material, 0], size, images[material, 2], images[material, 3],
            _bounded(texture_u), _bounded(texture_v), area,
        )  # fmt: skip
        red, green, blue, alpha = red * texel[0], green * texel[1], blue * texel[2], alpha * texel[3]
    return red, green, blue, alpha
