"""What the ray caster makes of a scene's arrays before anything is uploaded; pure NumPy but for the tree."""

from __future__ import annotations

import hashlib
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..bvh import Bvh, build_bvh
from ..images import texture_sizes
from ..prepare import ByteStore
from ..types import SceneArrays, Wrap
from .textures import SMALLEST_COMPRESSED, ImageKind, TextureImage, make_image

CORNER_WORDS = 12
SURFACE_WORDS = 9
MATERIAL_RECORD = np.dtype(
    [("factor", "<f4", 4), ("image", "<u4", 4), ("cutoff", "<f4"), ("unused", "<u4", 3)]
)
NO_IMAGE = 0xFFFFFFFF
_WHITE = 0xFFFFFFFF
WRAPS: dict[Wrap, int] = {"repeat": 0, "clamp": 1, "mirror": 2}


class RaycastScene(NamedTuple):
    """One scene, ready to be copied into the shared buffers; all numbers count within the scene."""

    nodes: NDArray[np.uint32]
    """(M, 20), see ``Bvh``."""
    corners: NDArray[np.float32]
    """(F, 12): for each triangle in the order of the tree x, y, z of its corners, each followed by 32 bits:
    number of the material, object id, nothing."""
    surfaces: NDArray[np.float32]
    """(F, 9): texture coordinates of the three corners, then their colours, four bytes each; (0, 9) where
    depth, ids and normals alone are drawn and nothing is cut out."""
    materials: NDArray[np.void]
    """(M,) MATERIAL_RECORD: linear RGBA factor, image and alpha cut-off; of the image its layer, which its
    number stands for, texture unit or NO_IMAGE, wrap modes along u and, shifted by 2, v, and number of
    mipmaps."""
    images: tuple[TextureImage, ...]
    """Images in use."""
    has_holes: bool
    """Whether a triangle's material is cut out."""

    @property
    def num_triangles(self) -> int:
        """Number of triangles F."""
        return len(self.corners)


def prepare(arrays: SceneArrays, rgb: bool, limit: int, store: ByteStore | None = None) -> RaycastScene:
    """The part of adding a scene that needs no device.

    Args:
        arrays: the scene.
        rgb: whether colours are drawn.
        limit: larger images are shrunk to this many texels a side.
        store: keeps the tree; None builds it anew.
    """
    tree = _tree(arrays, store)
    cutoffs = np.array([material.alpha_cutoff for material in arrays.materials])
    has_holes = bool((cutoffs[arrays.material_ids] > 0.0).any())
    kinds = _image_kinds(arrays, texture_sizes(arrays, rgb, limit))
    return RaycastScene(
        nodes=tree.nodes,
        corners=_corners(arrays, tree.order),
        surfaces=_surfaces(arrays, tree.order)
        if rgb or has_holes
        else np.zeros((0, SURFACE_WORDS), np.float32),
        materials=_materials(arrays, kinds),
        images=tuple(make_image(arrays.textures[number], kind) for number, kind in kinds.items()),
        has_holes=has_holes,
    )


def unit_of(kind: ImageKind) -> int:
    """The texture unit of an array of images: one for each size, two where some are compressed."""
    number, split = kind.size.bit_length() - 1, SMALLEST_COMPRESSED.bit_length() - 1
    return number if number < split else 2 * number - split + kind.compressed


def num_units(limit: int) -> int:
    """Texture units for images of up to ``limit`` texels a side."""
    return unit_of(ImageKind(limit, alpha=False)) + 1


def _image_kinds(arrays: SceneArrays, sizes: dict[int, int]) -> dict[int, ImageKind]:
    """Texture number to the kind of its one image; what is not compressed is all stored alike."""
    with_alpha = {material.texture for material in arrays.materials if material.alpha_cutoff > 0.0}
    kinds = {number: ImageKind(size, number in with_alpha) for number, size in sizes.items()}
    return {
        number: kind if kind.compressed else ImageKind(kind.size, alpha=True)
        for number, kind in kinds.items()
    }


def tree_key(arrays: SceneArrays) -> str:
    """What the tree of a scene is stored under: a hash of its positions and triangles."""
    digest = hashlib.sha256()
    for array in (arrays.positions, arrays.triangles):
        digest.update(str(array.shape).encode())
        digest.update(array.tobytes())
    return f"bvh1-{digest.hexdigest()}"


def _tree(arrays: SceneArrays, store: ByteStore | None) -> Bvh:
    if store is None:
        return build_bvh(arrays.positions, arrays.triangles)
    key = tree_key(arrays)
    if (stored := store.get(key)) is not None:
        return Bvh.from_bytes(stored)
    tree = build_bvh(arrays.positions, arrays.triangles)
    store[key] = tree.to_bytes()
    return tree


def _corners(arrays: SceneArrays, order: NDArray[np.uint32]) -> NDArray[np.float32]:
    table = np.zeros((len(order), 3, 4), np.float32)
    table[:, :, :3] = arrays.positions[arrays.triangles[order]]
    words = table.view(np.int32)
    words[:, 0, 3] = arrays.material_ids[order]
    words[:, 1, 3] = 0 if arrays.object_ids is None else arrays.object_ids[order]
    return table.reshape(-1, CORNER_WORDS)


def _surfaces(arrays: SceneArrays, order: NDArray[np.uint32]) -> NDArray[np.float32]:
    table = np.zeros((len(order), SURFACE_WORDS), np.float32)
    corners = arrays.triangles[order]
    if arrays.uvs is not None:
        table[:, :6] = arrays.uvs[corners].reshape(-1, 6)
    colors = table.view("<u4")[:, 6:]
    colors[:] = (
        _WHITE if arrays.colors is None else np.ascontiguousarray(arrays.colors)[corners].view("<u4")[..., 0]
    )
    return table


def _materials(arrays: SceneArrays, kinds: dict[int, ImageKind]) -> NDArray[np.void]:
    places = {texture: place for place, texture in enumerate(kinds)}
    records = np.zeros(len(arrays.materials), MATERIAL_RECORD)
    for record, material in zip(records, arrays.materials, strict=True):
        record["factor"], record["cutoff"] = material.base_color, material.alpha_cutoff
        record["image"] = (0, NO_IMAGE, 0, 0)
        if material.texture in places:
            kind = kinds[material.texture]
            along_u, along_v = (WRAPS[mode] for mode in arrays.textures[material.texture].wrap)
            levels = kind.size.bit_length()
            record["image"] = (places[material.texture], unit_of(kind), along_u | along_v << 2, levels)
    return records
