"""What a scene's surfaces look like, in tables that compiled code reads; made in NumPy."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..images import fit, texture_sizes
from ..types import SceneArrays, Wrap
from .srgb import pyramid

UV, STEPS, GRADIENT = 0, 2, 6
CUTOFF = 4
WRAPS: dict[Wrap, int] = {"repeat": 0, "clamp": 1, "mirror": 2}


class Surface(NamedTuple):
    """Tables of one scene."""

    triangles: NDArray[np.float32]
    """(F, 12): uv of the first corner, its change to the second and to the third, and its gradient along
    world x, y, z (of u, then of v)."""
    materials: NDArray[np.int32]
    """(F,): numbers of the materials."""
    colors: NDArray[np.uint32]
    """(F, 3) linear colours of the corners, red in the lowest byte; empty where all are white."""
    factors: NDArray[np.float32]
    """(M, 5): linear RGBA factor and alpha cut-off of a material."""
    images: NDArray[np.int64]
    """(M, 4): first texel, or -1 without a texture, size, wrap modes along u and v."""
    texels: NDArray[np.uint32]
    """(T,): sRGB colours and alpha of all images with their mipmaps, red in the lowest byte."""

    @property
    def has_holes(self) -> bool:
        """Whether a material is cut out."""
        return bool((self.factors[:, CUTOFF] > 0.0).any())


def build_surface(arrays: SceneArrays, rgb: bool, max_texture_size: int) -> Surface | None:
    """The tables; None where none are needed: without ``rgb``, when no triangle has a cut-out material."""
    cutoffs = np.array([material.alpha_cutoff for material in arrays.materials])
    if not rgb and not (cutoffs[arrays.material_ids] > 0.0).any():
        return None
    images, texels = _pack_images(arrays, rgb, max_texture_size)
    factors = [(*material.base_color, material.alpha_cutoff) for material in arrays.materials]
    colors = np.zeros((0, 4), np.uint8) if arrays.colors is None else arrays.colors[arrays.triangles]
    if (colors == 255).all():
        colors = colors[:0]
    return Surface(
        triangles=_triangle_table(arrays),
        materials=np.ascontiguousarray(arrays.material_ids),
        colors=_packed(colors).reshape(-1, 3),
        factors=np.array(factors, np.float32).reshape(-1, 5),
        images=images,
        texels=_packed(texels),
    )


def _pack_images(
    arrays: SceneArrays, rgb: bool, max_texture_size: int
) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
    sizes = texture_sizes(arrays, rgb, max_texture_size)
    pyramids = [pyramid(fit(arrays.textures[number], size)) for number, size in sizes.items()]
    ends = np.cumsum([0, *map(len, pyramids)]).tolist()
    place = dict(zip(sizes, ends, strict=False))
    table = np.full((len(arrays.materials), 4), -1, np.int64)
    for row, material in zip(table, arrays.materials, strict=True):
        if (number := material.texture) in sizes:
            u, v = arrays.textures[number].wrap
            row[:] = place[number], sizes[number], WRAPS[u], WRAPS[v]
    return table, np.concatenate([np.zeros((0, 4), np.uint8), *pyramids])


def _packed(colors: NDArray[np.uint8]) -> NDArray[np.uint32]:
    """Four bytes in one word, the same on every machine."""
    return np.ascontiguousarray(colors).view("<u4").astype(np.uint32).reshape(-1)


def _triangle_table(arrays: SceneArrays) -> NDArray[np.float32]:
    table = np.zeros((len(arrays.triangles), 12), np.float32)
    if arrays.uvs is None:
        return table
    uv = arrays.uvs[arrays.triangles].astype(np.float64)
    steps = uv[:, 1:] - uv[:, :1]  # (F, 2 corners, uv)
    with np.errstate(over="ignore"):  # what leaves float32 becomes infinite, which shading bounds
        table[:, UV:STEPS], table[:, STEPS:GRADIENT] = uv[:, 0], steps.reshape(-1, 4)
    corners = arrays.positions[arrays.triangles].astype(np.float64)
    first, second = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    normal = np.cross(first, second)
    area = np.maximum((normal**2).sum(1, keepdims=True), 1e-30)
    # The barycentric coordinates grow along these: 1 along their own side of the triangle, 0 along the other.
    slopes = np.stack([np.cross(second, normal), np.cross(normal, first)], 1) / area[..., None]
    with np.errstate(over="ignore"):
        table[:, GRADIENT:] = np.einsum("fcu,fcx->fux", steps, slopes).reshape(-1, 6)
    return table
