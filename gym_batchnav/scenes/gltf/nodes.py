"""The node hierarchy, flattened to world space."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .accessors import Accessors
from .document import Document
from .fields import Fields

_IDENTITY = tuple(np.eye(4).ravel().tolist())


@dataclass(frozen=True, slots=True)
class MeshNode:
    """A node that shows a mesh, or one instance of it."""

    node: int
    mesh: int
    world_from_object: NDArray[np.float64]
    """(4, 4) float64."""


def mesh_nodes(document: Document, accessors: Accessors) -> list[MeshNode]:
    """List the nodes with a mesh of the default scene, depth first, with their world matrices.

    A node with EXT_mesh_gpu_instancing is listed once for each instance.

    Args:
        document: the opened asset. Without a default scene its first scene is taken, and without scenes all
            nodes that are nobody's children.
        accessors: its accessors.

    Raises:
        SceneError: a node is out of range, has two parents, or is its own ancestor.
    """
    found: list[MeshNode] = []
    seen: set[int] = set()
    stack = [(index, np.eye(4), place) for index, place in reversed(_roots(document))]
    while stack:
        index, world_from_parent, place = stack.pop()
        fields = document.item("nodes", index, place)
        if index in seen:
            raise document.error(place, f"reaches nodes[{index}] a second time; nodes must form trees")
        seen.add(index)
        with np.errstate(over="ignore", invalid="ignore"):
            world = world_from_parent @ _local(fields)
        if not np.isfinite(world).all():
            raise fields.error("", "has a world matrix that is not finite")
        if fields.has("mesh"):
            mesh = fields.integer("mesh")
            found.extend(MeshNode(index, mesh, world @ local) for local in _instances(fields, accessors))
        children = list(fields.integers("children"))
        stack.extend((child, world, f"{fields.place}.children") for child in reversed(children))
    return found


def _roots(document: Document) -> list[tuple[int, str]]:
    if document.all("scenes"):
        scene = document.item("scenes", document.root.integer("scene", 0), "scene")
        return [(index, f"{scene.place}.nodes") for index in scene.integers("nodes")]
    nodes = document.all("nodes")
    children = {child for fields in nodes for child in fields.integers("children")}
    return [(index, "nodes") for index in range(len(nodes)) if index not in children]


def _local(fields: Fields) -> NDArray[np.float64]:
    """(4, 4) parent_from_node; the file stores matrices column by column."""
    if fields.has("matrix"):
        return np.array(fields.numbers("matrix", _IDENTITY)).reshape(4, 4).T
    matrix = np.eye(4)
    rotation = _rotation(fields)
    matrix[:3, :3] = rotation * np.array(fields.numbers("scale", (1.0, 1.0, 1.0)))
    matrix[:3, 3] = fields.numbers("translation", (0.0, 0.0, 0.0))
    return matrix


def _instances(fields: Fields, accessors: Accessors) -> NDArray[np.float64]:
    """(n, 4, 4) node_from_instance of EXT_mesh_gpu_instancing; one identity for a node without it."""
    extension = fields.child_or_empty("extensions").child("EXT_mesh_gpu_instancing")
    if extension is None:
        return np.eye(4)[None]
    attributes = extension.child_or_empty("attributes")
    arrays = {
        name: accessors.floats(attributes.integer(name), f"{attributes.place}.{name}", (width,))
        for name, width in (("TRANSLATION", 3), ("ROTATION", 4), ("SCALE", 3))
        if attributes.has(name)
    }
    counts = {name: len(array) for name, array in arrays.items()}
    if len(set(counts.values())) != 1:
        raise attributes.error("", f"counts instances as {counts}; expected one number for all, and some")
    matrices = np.tile(np.eye(4), (min(counts.values()), 1, 1))
    if "ROTATION" in arrays:
        matrices[:, :3, :3] = [_turn(row.astype(float), attributes, "ROTATION") for row in arrays["ROTATION"]]
    if "SCALE" in arrays:
        matrices[:, :3, :3] *= arrays["SCALE"][:, None]
    if "TRANSLATION" in arrays:
        matrices[:, :3, 3] = arrays["TRANSLATION"]
    return matrices


def _rotation(fields: Fields) -> NDArray[np.float64]:
    return _turn(np.array(fields.numbers("rotation", (0.0, 0.0, 0.0, 1.0))), fields, "rotation")


def _turn(quaternion: NDArray[np.float64], fields: Fields, key: str) -> NDArray[np.float64]:
    """(3, 3) matrix of the quaternion (x, y, z, w) of any length."""
    largest = float(np.abs(quaternion).max())
    if largest < 1e-6:
        raise fields.error(key, f"is {quaternion.tolist()}, which is no rotation")
    quaternion = quaternion / largest
    x, y, z, w = quaternion / np.sqrt(quaternion @ quaternion)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )
