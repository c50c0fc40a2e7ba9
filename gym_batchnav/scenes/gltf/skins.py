"""Skins at rest: vertices carried by joints that stand as the file leaves them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .accessors import Accessors
from .document import Document
from .nodes import NodeTree


def joint_matrices(
    document: Document, accessors: Accessors, tree: NodeTree, skin: int, place: str
) -> NDArray[np.float64]:
    """(J, 4, 4) world_from_bound of each joint of a skin (glTF 2.0, section 3.7.3).

    Raises:
        SceneError: a joint is not in the scene, or the inverse bind matrices are too few.
    """
    fields = document.item("skins", skin, place)
    joints = list(fields.integers("joints"))
    missing = next((joint for joint in joints if joint not in tree.world_from_node), None)
    if missing is not None or not joints:
        raise fields.error("joints", f"names nodes[{missing}], which is not in the scene that is drawn")
    worlds = np.stack([tree.world_from_node[joint] for joint in joints])
    if not fields.has("inverseBindMatrices"):
        return worlds
    where = f"{fields.place}.inverseBindMatrices"
    inverse = accessors.floats(fields.integer("inverseBindMatrices"), where, (16,))
    if len(inverse) < len(joints):
        raise document.error(where, f"has {len(inverse)} matrices for {len(joints)} joints")
    by_columns = inverse[: len(joints)].astype(np.float64).reshape(-1, 4, 4)
    return worlds @ by_columns.transpose(0, 2, 1)


def skin_positions(
    positions: NDArray[np.float32],
    joints: NDArray[np.int64],
    weights: NDArray[np.float32],
    matrices: NDArray[np.float64],
) -> NDArray[np.float64]:
    """(V, 3) positions carried by the joints' weighted matrices; weights are made to sum to 1.

    Args:
        positions: (V, 3).
        joints: (V, k) below J.
        weights: (V, k), not negative; where all are 0 the first joint takes all.
        matrices: (J, 4, 4).
    """
    shares = weights.astype(np.float64)
    idle = shares.sum(axis=1) <= 0.0
    shares[idle, 0] = 1.0
    shares /= shares.sum(axis=1, keepdims=True)
    points = positions.astype(np.float64)
    moved = np.zeros_like(points)
    for joint, share in zip(joints.T, shares.T, strict=True):
        taken = matrices[joint]
        moved += share[:, None] * (np.einsum("vij,vj->vi", taken[:, :3, :3], points) + taken[:, :3, 3])
    return moved
