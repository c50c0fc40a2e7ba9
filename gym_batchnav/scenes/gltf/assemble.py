"""Puts nodes, primitives, materials and textures together to the renderer's arrays."""

from __future__ import annotations

import warnings
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from batchnav_renderer.types import SceneArrays

from ..pieces import Piece, join_pieces
from ..scene import SceneWarning
from .accessors import Accessors
from .document import Document
from .emission import finish_materials
from .fields import Fields
from .materials import SurfaceMaterial, read_material
from .nodes import MeshNode, NodeTree, read_nodes
from .placing import place_primitive
from .primitives import MODE_NAMES, Primitive, is_drawn, read_primitive
from .skins import joint_matrices
from .textures import Textures

# What the bookkeeping of one primitive of one node costs, so that their number is bounded too.
_BYTES_PER_PIECE = 8192


def load_gltf(path: Path) -> SceneArrays:
    """Read a glTF 2.0 file and flatten it to world space.

    Skins stand as their joints do in the file, and morph targets are added by their default weights.

    Args:
        path: a ``.glb`` or ``.gltf`` file.

    Returns:
        Triangles of the default scene; object ids count the nodes with a mesh, and instances, from 1.

    Raises:
        SceneError: the file is broken, needs an unsupported extension or a codec that is not installed, or
            holds no triangles; the message names the file and the place in it.
    """
    document = Document(path)
    builder = _Builder(document)
    for node in builder.tree.meshes:
        builder.add_node(node)
    return builder.finish()


@dataclass(slots=True)
class _Builder:
    document: Document
    pieces: list[Piece] = field(default_factory=list)
    materials: list[SurfaceMaterial] = field(default_factory=list)
    accessors: Accessors = field(init=False)
    textures: Textures = field(init=False)
    tree: NodeTree = field(init=False)
    _num_objects: int = 0
    _meshes: dict[int, list[Fields]] = field(default_factory=dict)
    _material_numbers: dict[int | None, int] = field(default_factory=dict)
    _primitives: dict[tuple[int, int, int], Primitive | None] = field(default_factory=dict)
    _mesh_weights: dict[int, int] = field(default_factory=dict)
    _weights: list[tuple[float, ...]] = field(default_factory=list)
    _weight_numbers: dict[tuple[float, ...], int] = field(default_factory=dict)
    _joints: dict[int, NDArray[np.float64]] = field(default_factory=dict)
    _left_out: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self.accessors = Accessors(self.document)
        self.textures = Textures(self.document)
        self.tree = read_nodes(self.document, self.accessors)

    def add_node(self, node: MeshNode) -> None:
        """Add all primitives of the node's mesh."""
        place = f"nodes[{node.node}]"
        mesh = self.document.item("meshes", node.mesh, f"{place}.mesh")
        weights = self._morph_weights(self.document.all("nodes")[node.node], node.mesh, mesh)
        joints = None if node.skin is None else self._skin(node.skin, f"{place}.skin")
        for number, fields in enumerate(self._mesh_primitives(node.mesh, mesh)):
            self.document.budget.spend(_BYTES_PER_PIECE, place)
            if not is_drawn(fields):
                self._left_out[MODE_NAMES[fields.integer("mode")]] += 1
                continue
            index = fields.integer("material") if fields.has("material") else None
            material = self._material(index, f"{fields.place}.material")
            key = (node.mesh, number, weights)
            if key not in self._primitives:
                uv_set = self.materials[material].uv_set
                shares = self._weights[weights]
                self._primitives[key] = read_primitive(self.document, self.accessors, fields, uv_set, shares)
            primitive = self._primitives[key]
            if primitive is not None and len(node.world_from_objects):
                transform = self.materials[material].uv_from_mesh
                self.pieces.append(
                    place_primitive(
                        self.document, primitive, node, joints, transform, material, self._num_objects + 1
                    )
                )
        self._num_objects += len(node.world_from_objects)

    def finish(self) -> SceneArrays:
        """Join the pieces."""
        if self._left_out:
            counts = ", ".join(f"{count} of {name}" for name, count in sorted(self._left_out.items()))
            warnings.warn(
                f"{self.document.path}: points and lines are not drawn; left out: {counts}",
                SceneWarning,
                stacklevel=3,
            )
        if not self.pieces:
            raise self.document.error("the default scene", "holds no triangles")
        materials, textures = finish_materials(self.materials, self.textures.decode(), self.document)
        return join_pieces(self.pieces, materials, textures)

    def _mesh_primitives(self, index: int, mesh: Fields) -> list[Fields]:
        if index not in self._meshes:
            self._meshes[index] = mesh.items("primitives")
        return self._meshes[index]

    def _morph_weights(self, node: Fields, index: int, mesh: Fields) -> int:
        """Number in ``_weights`` of the morph targets' default weights: the node's, or the mesh's."""
        if node.has("weights"):
            return self._numbered(node.number_list("weights"))
        if index not in self._mesh_weights:  # a long list of a mesh with many nodes is read once
            self._mesh_weights[index] = self._numbered(mesh.number_list("weights"))
        return self._mesh_weights[index]

    def _numbered(self, weights: tuple[float, ...]) -> int:
        if weights not in self._weight_numbers:
            self._weight_numbers[weights] = len(self._weights)
            self._weights.append(weights)
        return self._weight_numbers[weights]

    def _skin(self, index: int, place: str) -> NDArray[np.float64]:
        if index not in self._joints:
            self._joints[index] = joint_matrices(self.document, self.accessors, self.tree, index, place)
        return self._joints[index]

    def _material(self, index: int | None, place: str) -> int:
        if index not in self._material_numbers:
            self.materials.append(read_material(self.document, self.textures, index, place))
            self._material_numbers[index] = len(self.materials) - 1
        return self._material_numbers[index]
