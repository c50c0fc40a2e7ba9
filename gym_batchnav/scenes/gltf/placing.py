"""Primitives brought to world space."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..pieces import Piece
from .document import Document
from .nodes import MeshNode
from .primitives import Primitive
from .skins import skin_positions


def place_primitive(
    document: Document,
    primitive: Primitive,
    node: MeshNode,
    joints: NDArray[np.float64] | None,
    uv_from_mesh: NDArray[np.float64] | None,
    material: int,
    first_object: int,
) -> Piece:
    """Bring a primitive to world space and its texture coordinates to the texture's.

    Args:
        document: the opened asset.
        primitive: vertices in object space.
        node: the node; each of its instances gives a copy.
        joints: (J, 4, 4) world_from_bound of the node's skin; None where it has none.
        uv_from_mesh: (2, 3) affine map of texture coordinates; None for the identity.
        material: number of the material.
        first_object: object id of the first instance.

    Raises:
        SceneError: a result is not finite, or the instances are too many.
    """
    place = f"nodes[{node.node}]"
    copies, vertices, faces = len(node.world_from_objects), len(primitive.positions), len(primitive.triangles)
    document.budget.spend(copies * (24 * vertices + 28 * faces), place)
    with np.errstate(over="ignore", invalid="ignore"):
        positions, mirrored = _world_positions(document, primitive, node, joints)
        uvs = primitive.uvs
        if uvs is not None and uv_from_mesh is not None:
            uvs = (uvs @ uv_from_mesh[:, :2].T + uv_from_mesh[:, 2]).astype(np.float32)
    if not np.isfinite(positions).all():
        raise document.error(place, "carries vertices beyond the range of float32")
    if uvs is not None and not np.isfinite(uvs).all():
        raise document.error(place, "carries texture coordinates beyond the range of float32")
    triangles = np.where(mirrored[:, None, None], primitive.triangles[:, ::-1], primitive.triangles)
    triangles += vertices * np.arange(copies)[:, None, None]
    return Piece(
        positions=positions,
        triangles=triangles.reshape(-1, 3),
        uvs=None if uvs is None else np.tile(uvs, (copies, 1)),
        colors=None if primitive.colors is None else np.tile(primitive.colors, (copies, 1)),
        material=material,
        object_ids=np.repeat(np.arange(first_object, first_object + copies, dtype=np.int32), faces),
    )


def _world_positions(
    document: Document, primitive: Primitive, node: MeshNode, joints: NDArray[np.float64] | None
) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """(n V, 3) float32 positions, and for each of the n copies whether it is mirrored."""
    if joints is None or primitive.joints is None or primitive.joint_weights is None:
        turned, moved = node.world_from_objects[:, :3, :3], node.world_from_objects[:, None, :3, 3]
        positions = primitive.positions @ turned.transpose(0, 2, 1) + moved
        return positions.astype(np.float32).reshape(-1, 3), np.linalg.det(turned) < 0.0
    # Some exporters leave any number where the weight is 0.
    largest = int(primitive.joints.max(where=primitive.joint_weights > 0.0, initial=0))
    if largest >= len(joints):
        raise document.error(
            f"nodes[{node.node}].skin", f"has {len(joints)} joints, but a vertex names joint {largest}"
        )
    document.budget.spend(primitive.joints.size * 128, f"nodes[{node.node}].skin")
    numbers = np.minimum(primitive.joints, len(joints) - 1)
    positions = skin_positions(primitive.positions, numbers, primitive.joint_weights, joints)
    return positions.astype(np.float32), np.linalg.det(joints[:1, :3, :3]) < 0.0
