"""Bounding volume hierarchies of triangles, with eight children a node and boxes of one byte a side.

A pure function of arrays: it runs in any process, and its result can be kept as bytes. The node layout
follows Ylitie, Karras and Laine, "Efficient incoherent ray traversal on GPUs through compressed wide BVHs"
(2017): 80 bytes a node, so about 10 bytes for each box that a ray is tested against.
"""

from __future__ import annotations

import struct
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import bvh_build as build
from .errors import RenderConfigError

NODE_WORDS = 20
"""32-bit words of a node."""
MAX_LEVELS = build.LEVELS
"""Most nodes on a path from the root to a leaf."""
MAX_LEAF = build.LEAF
"""Most triangles of a leaf."""
_HEADER = struct.Struct("<8sII")
_MAGIC = b"bnbvh\x01\0\0"


class Bvh(NamedTuple):
    """A tree of one scene; positions count within it, so that its bytes mean the same wherever they lie."""

    nodes: NDArray[np.uint32]
    """(M, 20): node 0 is the root, M is at least 1. Words 0 to 2 are a corner x, y, z as float32; the bytes
    of word 3 the exponents of the steps along x, y, z, biased by 127, and the mask of slots that hold inner
    nodes; word 4 the first inner child (they follow each other in slot order); word 5 the first triangle;
    words 6 and 7 one byte a slot: number of triangles (0 for inner nodes and empty slots) and, shifted by 3,
    where they begin; words 8 to 13 the low sides of the boxes along x, y, z in steps from the corner, one
    byte a slot; words 14 to 19 the high sides."""
    order: NDArray[np.uint32]
    """(F,): number of each triangle, in the order that the leaves name them."""

    def to_bytes(self) -> bytes:
        """The tree as bytes, the same on every machine."""
        header = _HEADER.pack(_MAGIC, len(self.nodes), len(self.order))
        return header + self.nodes.astype("<u4").tobytes() + self.order.astype("<u4").tobytes()

    @classmethod
    def from_bytes(cls, data: bytes) -> Bvh:
        """The tree that ``to_bytes`` stored; raises ``RenderConfigError`` for other bytes."""
        magic, num_nodes, num_triangles = _HEADER.unpack(data[: _HEADER.size].ljust(_HEADER.size, b"\0"))
        size = _HEADER.size + 4 * (num_nodes * NODE_WORDS + num_triangles)
        if magic != _MAGIC or not num_nodes or len(data) != size:
            raise RenderConfigError(
                f"{len(data):,} bytes that start with {data[:8]!r} are no stored BVH of this version; build "
                "it anew"
            )
        words = np.frombuffer(data, "<u4", offset=_HEADER.size)
        words = words.astype(np.uint32)
        nodes = words[: num_nodes * NODE_WORDS].reshape(num_nodes, NODE_WORDS)
        return cls(nodes, words[num_nodes * NODE_WORDS :])


def build_bvh(positions: NDArray[np.float32], triangles: NDArray[np.uint32]) -> Bvh:
    """Build the tree of a mesh.

    Args:
        positions: (V, 3) float32, finite.
        triangles: (F, 3) uint32 indices into the vertices.

    Returns:
        A tree whose leaves hold each triangle once, at most ``MAX_LEAF`` each, no deeper than ``MAX_LEVELS``.
    """
    count = len(triangles)
    if count == 0:
        return Bvh(np.zeros((1, NODE_WORDS), np.uint32), np.zeros(0, np.uint32))
    corners = positions[triangles]
    boxes = np.concatenate([corners.min(axis=1), corners.max(axis=1)], axis=1)
    centers = boxes[:, :3] * np.float32(0.5) + boxes[:, 3:] * np.float32(0.5)
    order = np.arange(count, dtype=np.int32)
    nodes, links = np.empty((2 * count, 6), np.float32), np.empty((2 * count, 3), np.int32)
    scratch, counts = np.empty((build.BIN_ROWS + 19, 6), np.float32), np.empty(build.BIN_ROWS, np.int32)
    stack = np.empty((128, 3), np.int32)
    used = build.split(boxes, centers, order, nodes, links, stack, scratch, counts)
    heights = np.empty(used, np.int32)
    build.measure_heights(links[:used], heights)
    words = np.zeros((max(1, int((links[:used, 0] >= 0).sum())), NODE_WORDS), np.uint32)
    final = np.empty(count, np.uint32)
    children, slots = np.empty(build.WIDTH, np.int32), np.empty(build.WIDTH, np.int32)
    wide = build.widen(
        nodes, links, heights, order, stack, children, slots,
        words, words.view(np.float32), words.view(np.uint8), final,
    )  # fmt: skip
    return Bvh(words[:wide].copy(), final)
