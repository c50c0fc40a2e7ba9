"""The tree of boxes in which Detour looks for polygons.

Source: behaviour of Recast Navigation, DetourNavMeshBuilder: the boxes are halved along their longest side in
the order of their lower bounds.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def build_tree(bounds: NDArray[np.int32]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Nodes in the order of a walk down the tree.

    Args:
        bounds: (P, 6) bounds of the polygons, min then max.

    Returns:
        (2P - 1, 6) bounds of the nodes, and (2P - 1,) the polygon of a leaf, or minus the number of nodes to
        step over where the box is missed.
    """
    boxes = np.empty((2 * len(bounds) - 1, 6), np.int32)
    index = np.empty(len(boxes), np.int32)
    waiting = [np.arange(len(bounds))]
    node = 0
    while waiting:
        members = waiting.pop()
        box = bounds[members]
        boxes[node] = np.concatenate([box[:, :3].min(axis=0), box[:, 3:].max(axis=0)])
        if len(members) == 1:
            index[node] = members[0]
        else:
            index[node] = -(2 * len(members) - 1)
            axis = int((boxes[node, 3:] - boxes[node, :3]).argmax())
            order = members[np.argsort(box[:, axis], kind="stable")]
            half = len(order) // 2
            waiting += [order[half:], order[:half]]
        node += 1
    return boxes, index


def tree_order(bounds: NDArray[np.int32]) -> NDArray[np.int32]:
    """(P,) place of each polygon among the leaves."""
    index = build_tree(bounds)[1]
    order = np.empty(len(bounds), np.int32)
    order[index[index >= 0]] = np.arange(len(bounds))
    return order
