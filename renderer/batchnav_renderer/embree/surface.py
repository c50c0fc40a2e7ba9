"""What a scene's surfaces look like, in tables that compiled code reads."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..config import Output
from ..images import fit, texture_sizes
from ..types import SceneArrays, Wrap
from ._jit import Array, kernel
from .srgb import fill_mipmaps, num_texels

UV, STEPS, GRADIENT, MATERIAL, COLOR, WORDS = 0, 2, 6, 12, 13, 16
CUTOFF = 4
WRAPS: dict[Wrap, int] = {"repeat": 0, "clamp": 1, "mirror": 2}
_SMALLEST_AREA = 1e-30


class Surface(NamedTuple):
    """Tables of one scene; those that nothing reads are empty."""

    triangles: NDArray[np.float32]
    """(F, 16), a cache line each: uv of the first corner, its change to the second and to the third, its
    gradient along world x, y, z (of u, then of v); then as int32 the material and the corners' linear
    colours, red in the lowest byte."""
    factors: NDArray[np.float32]
    """(M, 5): linear RGBA factor and alpha cut-off of a material."""
    images: NDArray[np.int64]
    """(M, 4): first texel, or -1 without a texture, size, wrap modes along u and v."""
    texels: NDArray[np.uint32]
    """(T,): sRGB colours and alpha of all images with their mipmaps, red in the lowest byte."""
    object_ids: NDArray[np.int32]
    """(F,): what "ids" shows; empty for 0 everywhere."""
    has_colors: bool
    """Whether a corner is not white."""
    has_holes: bool
    """Whether a material in use is cut out."""

    @property
    def nbytes(self) -> int:
        """Bytes of the tables."""
        return sum(table.nbytes for table in self[:5])


def build_surface(arrays: SceneArrays, outputs: tuple[Output, ...], max_texture_size: int) -> Surface:
    """The tables that images of these outputs need; pure."""
    cutoffs = np.array([material.alpha_cutoff for material in arrays.materials])
    rgb, has_holes = "rgb" in outputs, bool((cutoffs[arrays.material_ids] > 0.0).any())
    has_colors = arrays.colors is not None and bool((arrays.colors != 255).any())
    factors = [(*material.base_color, material.alpha_cutoff) for material in arrays.materials]
    if rgb or has_holes:
        triangles = _triangle_table(arrays)
        images, texels = _pack_images(arrays, rgb, max_texture_size)
    else:
        triangles, images, texels = np.zeros((0, WORDS), np.float32), _no_images(arrays), _no_texels()
    ids = arrays.object_ids if "ids" in outputs else None
    return Surface(
        triangles=triangles,
        factors=np.array(factors, np.float32).reshape(-1, 5),
        images=images,
        texels=texels,
        object_ids=np.zeros(0, np.int32) if ids is None else np.ascontiguousarray(ids),
        has_colors=has_colors,
        has_holes=has_holes,
    )


def _no_images(arrays: SceneArrays) -> NDArray[np.int64]:
    return np.full((len(arrays.materials), 4), -1, np.int64)


def _no_texels() -> NDArray[np.uint32]:
    return np.zeros(0, np.uint32)


def _pack_images(
    arrays: SceneArrays, rgb: bool, max_texture_size: int
) -> tuple[NDArray[np.int64], NDArray[np.uint32]]:
    sizes = texture_sizes(arrays, rgb, max_texture_size)
    ends = np.cumsum([0, *map(num_texels, sizes.values())]).tolist()
    place = dict(zip(sizes, ends, strict=False))
    texels = np.empty(ends[-1], np.uint32)
    for number, size in sizes.items():
        image = np.ascontiguousarray(fit(arrays.textures[number], size))
        texels[place[number] : place[number] + size * size] = image.view("<u4").reshape(-1)
        fill_mipmaps(texels, place[number], size)
    table = _no_images(arrays)
    for row, material in zip(table, arrays.materials, strict=True):
        if (number := material.texture) in sizes:
            u, v = arrays.textures[number].wrap
            row[:] = place[number], sizes[number], WRAPS[u], WRAPS[v]
    return table, texels


def _triangle_table(arrays: SceneArrays) -> NDArray[np.float32]:
    table = np.zeros((len(arrays.triangles), WORDS), np.float32)
    words = table.view(np.int32)
    words[:, MATERIAL] = arrays.material_ids
    if arrays.colors is not None:
        colors = np.ascontiguousarray(arrays.colors).view("<i4").reshape(-1)
        words[:, COLOR:] = colors[arrays.triangles]
    if arrays.uvs is not None:
        _fill_uvs(
            np.ascontiguousarray(arrays.positions),
            np.ascontiguousarray(arrays.triangles),
            np.ascontiguousarray(arrays.uvs),
            table,
        )
    return table


@kernel
def _fill_uvs(positions: Array, triangles: Array, uvs: Array, table: Array) -> None:
    """Texture coordinates and their gradients.

    The barycentric coordinate of a corner grows along the triangle's plane, square to the side that lies
    opposite: for the second corner along ``second x normal``, for the third along ``normal x first``, where
    first and second are the sides from the first corner, and by 1 over their whole length.

    Args:
        positions: (V, 3) float32.
        triangles: (F, 3) uint32.
        uvs: (V, 2) float32.
        table: (F, 16) float32, written.
    """
    for number in range(len(triangles)):
        a, b, c = triangles[number]
        # float64, and what leaves float32 becomes infinite, which shading bounds.
        ax, ay, az = np.float64(positions[a, 0]), np.float64(positions[a, 1]), np.float64(positions[a, 2])
        bx, by, bz = positions[b, 0] - ax, positions[b, 1] - ay, positions[b, 2] - az
        cx, cy, cz = positions[c, 0] - ax, positions[c, 1] - ay, positions[c, 2] - az
        nx, ny, nz = by * cz - bz * cy, bz * cx - bx * cz, bx * cy - by * cx
        area = max(nx * nx + ny * ny + nz * nz, _SMALLEST_AREA)
        second = (cy * nz - cz * ny) / area, (cz * nx - cx * nz) / area, (cx * ny - cy * nx) / area
        third = (ny * bz - nz * by) / area, (nz * bx - nx * bz) / area, (nx * by - ny * bx) / area
        for axis in range(2):
            first = np.float64(uvs[a, axis])
            to_second, to_third = uvs[b, axis] - first, uvs[c, axis] - first
            table[number, UV + axis] = first
            table[number, STEPS + axis], table[number, STEPS + 2 + axis] = to_second, to_third
            for side in range(3):
                table[number, GRADIENT + 3 * axis + side] = to_second * second[side] + to_third * third[side]
