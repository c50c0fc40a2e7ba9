"""The node hierarchy, flattened to world space."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..scene import SceneWarning
from .accessors import Accessors
from .document import Document
from .fields import Fields
from .rotations import rotation_matrices

_IDENTITY = tuple(np.eye(4).ravel().tolist())
_BYTES_PER_INSTANCE = 1024


@dataclass(frozen=True, slots=True)
class MeshNode:
    """A node that shows a mesh, once or as several instances."""

    node: int
    mesh: int
    world_from_objects: NDArray[np.float64]
    """(n, 4, 4) float64, one for each instance."""
    skin: int | None
    """Skin that moves the vertices instead of the node's own matrix; None for none."""


@dataclass(frozen=True, slots=True)
class NodeTree:
    """The nodes of the scene that is drawn."""

    meshes: list[MeshNode]
    """Nodes with a mesh, depth first."""
    world_from_node: dict[int, NDArray[np.float64]]
    """(4, 4) float64 of each node of the scene."""


def read_nodes(document: Document, accessors: Accessors) -> NodeTree:
    """Find the nodes of the default scene and their world matrices.

    Args:
        document: the opened asset. Without a default scene its first scene is taken, and without scenes all
            nodes that are nobody's children.
        accessors: its accessors.

    Raises:
        SceneError: a node is out of range, has two parents, or is its own ancestor.
    """
    tree = NodeTree([], {})
    stack = [(index, np.eye(4), True, place) for index, place in reversed(_roots(document))]
    while stack:
        index, world_from_parent, visible, place = stack.pop()
        fields = document.item("nodes", index, place)
        if index in tree.world_from_node:
            raise document.error(place, f"reaches nodes[{index}] a second time; nodes must form trees")
        world = _world(world_from_parent, fields)
        tree.world_from_node[index] = world
        visible = visible and _is_visible(fields)
        if visible and fields.has("mesh"):
            tree.meshes.append(_mesh_node(document, accessors, fields, index, world))
        children = list(fields.integers("children"))
        stack.extend((child, world, visible, f"{fields.place}.children") for child in reversed(children))
    return tree


def _mesh_node(
    document: Document, accessors: Accessors, fields: Fields, index: int, world: NDArray[np.float64]
) -> MeshNode:
    skin = fields.integer("skin") if fields.has("skin") else None
    matrices = world[None] if skin is not None else world @ _instances(document, fields, accessors)
    return MeshNode(index, fields.integer("mesh"), matrices, skin)


def _roots(document: Document) -> list[tuple[int, str]]:
    scenes = document.all("scenes")
    if scenes:
        if len(scenes) > 1 and not document.root.has("scene"):
            warnings.warn(
                f"{document.path}: holds {len(scenes)} scenes and names none as the default; "
                "scenes[0] is drawn",
                SceneWarning,
                stacklevel=2,
            )
        scene = document.item("scenes", document.root.integer("scene", 0), "scene")
        return [(index, f"{scene.place}.nodes") for index in scene.integers("nodes")]
    nodes = document.all("nodes")
    children = {child for fields in nodes for child in fields.integers("children")}
    return [(index, "nodes") for index in range(len(nodes)) if index not in children]


def _is_visible(fields: Fields) -> bool:
    extension = fields.child_or_empty("extensions").child("KHR_node_visibility")
    return extension is None or not extension.has("visible") or extension.flag("visible")


def _world(world_from_parent: NDArray[np.float64], fields: Fields) -> NDArray[np.float64]:
    """(4, 4) world_from_node."""
    if not any(fields.has(key) for key in ("matrix", "translation", "rotation", "scale")):
        return world_from_parent
    with np.errstate(over="ignore", invalid="ignore"):
        world: NDArray[np.float64] = world_from_parent @ _local(fields)
    if not np.isfinite(world).all():
        raise fields.error("", "has a world matrix that is not finite")
    return world


def _local(fields: Fields) -> NDArray[np.float64]:
    """(4, 4) parent_from_node; the file stores matrices column by column."""
    if fields.has("matrix"):
        return np.array(fields.numbers("matrix", _IDENTITY)).reshape(4, 4).T
    matrix = np.eye(4)
    if fields.has("rotation"):
        quaternion = np.array([fields.numbers("rotation", (0.0, 0.0, 0.0, 1.0))])
        matrix[:3, :3] = rotation_matrices(quaternion, fields, "rotation")[0]
    matrix[:3, :3] *= np.array(fields.numbers("scale", (1.0, 1.0, 1.0)))
    matrix[:3, 3] = fields.numbers("translation", (0.0, 0.0, 0.0))
    return matrix


def _instances(document: Document, fields: Fields, accessors: Accessors) -> NDArray[np.float64]:
    """(n, 4, 4) node_from_instance of EXT_mesh_gpu_instancing; one identity for a node without it."""
    extension = fields.child_or_empty("extensions").child("EXT_mesh_gpu_instancing")
    if extension is None:
        return np.eye(4)[None]
    attributes = extension.child_or_empty("attributes")
    arrays = dict(_instance_arrays(attributes, accessors))
    counts = {name: len(array) for name, array in arrays.items()}
    if len(set(counts.values())) != 1:
        raise attributes.error("", f"counts instances as {counts}; expected one number for all, and some")
    count = min(counts.values())
    document.budget.spend(_BYTES_PER_INSTANCE * count, attributes.place)
    matrices = np.tile(np.eye(4), (count, 1, 1))
    if "ROTATION" in arrays:
        matrices[:, :3, :3] = rotation_matrices(arrays["ROTATION"].astype(float), attributes, "ROTATION")
    if "SCALE" in arrays:
        matrices[:, :3, :3] *= arrays["SCALE"][:, None]
    if "TRANSLATION" in arrays:
        matrices[:, :3, 3] = arrays["TRANSLATION"]
    return matrices


def _instance_arrays(attributes: Fields, accessors: Accessors) -> Iterator[tuple[str, NDArray[np.float32]]]:
    for name, width in (("TRANSLATION", 3), ("ROTATION", 4), ("SCALE", 3)):
        if attributes.has(name):
            number, place = attributes.integer(name), f"{attributes.place}.{name}"
            yield name, accessors.floats(number, place, (width,))
