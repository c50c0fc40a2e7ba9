"""Puts nodes, primitives, materials and textures together to the renderer's arrays."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from batchnav_renderer.types import Material, SceneArrays, Texture

from .accessors import Accessors
from .document import Document
from .materials import SurfaceMaterial, read_material
from .nodes import MeshNode, mesh_nodes
from .primitives import Primitive, read_primitive
from .textures import Textures

Scalar = TypeVar("Scalar", bound=np.generic)


def load_gltf(path: Path) -> SceneArrays:
    """Read a glTF 2.0 file and flatten it to world space.

    Args:
        path: a ``.glb`` or ``.gltf`` file.

    Returns:
        Triangles of the default scene; object ids count the nodes with a mesh, and instances, from 1.

    Raises:
        SceneError: the file is broken, needs an unsupported extension, or holds no triangles; the message
            names the file and the place in it.
    """
    document = Document(path)
    builder = _Builder(document)
    for number, node in enumerate(mesh_nodes(document, builder.accessors)):
        builder.add_node(node, object_id=number + 1)
    return builder.finish()


@dataclass(slots=True)
class _Piece:
    """One primitive in world space."""

    positions: NDArray[np.float32]
    triangles: NDArray[np.int64]
    uvs: NDArray[np.float32] | None
    colors: NDArray[np.uint8] | None
    material: int
    object_id: int


@dataclass(slots=True)
class _Builder:
    document: Document
    pieces: list[_Piece] = field(default_factory=list)
    materials: list[SurfaceMaterial] = field(default_factory=list)
    accessors: Accessors = field(init=False)
    textures: Textures = field(init=False)
    _material_numbers: dict[int | None, int] = field(default_factory=dict)
    _primitives: dict[tuple[int, int], Primitive | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.accessors = Accessors(self.document)
        self.textures = Textures(self.document)

    def add_node(self, node: MeshNode, object_id: int) -> None:
        """Add all primitives of the node's mesh."""
        mesh = self.document.item("meshes", node.mesh, f"nodes[{node.node}].mesh")
        for number, fields in enumerate(mesh.items("primitives")):
            key = (node.mesh, number)
            index = fields.integer("material") if fields.has("material") else None
            material = self._material(index, f"{fields.place}.material")
            if key not in self._primitives:
                uv_set = self.materials[material].uv_set
                self._primitives[key] = read_primitive(self.document, self.accessors, fields, uv_set)
            primitive = self._primitives[key]
            if primitive is not None:
                self.pieces.append(self._place(primitive, node, material, object_id))

    def finish(self) -> SceneArrays:
        """Join the pieces."""
        if not self.pieces:
            raise self.document.error("the default scene", "holds no triangles")
        counts = [len(piece.positions) for piece in self.pieces]
        starts = np.concatenate([[0], np.cumsum(counts)[:-1]])
        faces = [len(piece.triangles) for piece in self.pieces]
        textures = self.textures.decode()
        return SceneArrays(
            positions=np.concatenate([piece.positions for piece in self.pieces]),
            triangles=np.concatenate(
                [piece.triangles + start for piece, start in zip(self.pieces, starts, strict=True)]
            ).astype(np.uint32),
            material_ids=np.repeat([piece.material for piece in self.pieces], faces).astype(np.int32),
            object_ids=np.repeat([piece.object_id for piece in self.pieces], faces).astype(np.int32),
            uvs=_join([piece.uvs for piece in self.pieces], counts, np.zeros(2, np.float32)),
            colors=_join([piece.colors for piece in self.pieces], counts, np.full(4, 255, np.uint8)),
            materials=tuple(_without_idle_cutoff(entry.material, textures) for entry in self.materials),
            textures=textures,
        )

    def _material(self, index: int | None, place: str) -> int:
        if index not in self._material_numbers:
            self.materials.append(read_material(self.document, self.textures, index, place))
            self._material_numbers[index] = len(self.materials) - 1
        return self._material_numbers[index]

    def _place(self, primitive: Primitive, node: MeshNode, material: int, object_id: int) -> _Piece:
        """Bring a primitive to world space and its texture coordinates to the texture's."""
        matrix = node.world_from_object
        with np.errstate(over="ignore", invalid="ignore"):
            positions = (primitive.positions @ matrix[:3, :3].T + matrix[:3, 3]).astype(np.float32)
        if not np.isfinite(positions).all():
            raise self.document.error(f"nodes[{node.node}]", "carries vertices beyond the range of float32")
        mirrored = np.linalg.det(matrix[:3, :3]) < 0.0
        triangles = primitive.triangles[:, ::-1] if mirrored else primitive.triangles
        uvs, transform = primitive.uvs, self.materials[material].uv_from_mesh
        if uvs is not None and transform is not None:
            with np.errstate(over="ignore", invalid="ignore"):
                uvs = (uvs @ transform[:, :2].T + transform[:, 2]).astype(np.float32)
            if not np.isfinite(uvs).all():
                raise self.document.error(
                    f"nodes[{node.node}]", "carries texture coordinates beyond the range of float32"
                )
        return _Piece(positions, triangles, uvs, primitive.colors, material, object_id)


def _join(
    arrays: list[NDArray[Scalar] | None], counts: list[int], default: NDArray[Scalar]
) -> NDArray[Scalar] | None:
    """Concatenate per-vertex arrays, ``default`` standing in for absent ones; None where all are absent."""
    if all(array is None for array in arrays):
        return None
    return np.concatenate(
        [
            np.tile(default, (count, 1)) if array is None else array
            for array, count in zip(arrays, counts, strict=True)
        ]
    )


def _without_idle_cutoff(material: Material, textures: tuple[Texture, ...]) -> Material:
    """Drop the cut-out where nothing can fall below it, as many exporters mark opaque things as blended."""
    lowest = material.base_color[3]
    if material.texture >= 0:
        lowest *= int(textures[material.texture].pixels[..., 3].min()) / 255.0
    return replace(material, alpha_cutoff=0.0) if lowest >= material.alpha_cutoff > 0.0 else material
