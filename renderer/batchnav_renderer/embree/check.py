"""Asserts at start-up that Embree reads and writes packets as this package lays them out."""

from __future__ import annotations

import numpy as np

from ..errors import EmbreeError
from . import packets
from .library import Embree
from .tree import Tree

_FIELDS = ("depth", "u", "v", "normal x", "normal y", "normal z", "primitive", "geometry")
_EXPECTED = (2.0, 0.25, 0.5, 0.0, 0.0, 16.0, 1, 0)


def check_layout(embree: Embree, lanes: int) -> None:
    """Cast one ray at a triangle, in the last lane of the second of two packets.

    Raises ``EmbreeError`` if it comes back wrong.

    The second triangle has corners (-1, -2), (3, -2), (-1, 2) at z = -2, and the ray runs down -Z from
    (0, 0, 0): the point -1 + 4 u, -2 + 4 v is the origin at u = 1/4, v = 1/2, and the normal is
    (4, 0, 0) x (0, 4, 0) = (0, 0, 16).
    """
    corners = np.array([[7, 7, 7], [8, 7, 7], [7, 8, 7], [-1, -2, -2], [3, -2, -2], [-1, 2, -2]], np.float32)
    tree = Tree(embree, corners, np.arange(6, dtype=np.uint32).reshape(2, 3), watertight=False)
    run = packets.new_packets(embree.intersect(lanes), tree.handle, lanes, 2)
    rays, bits = run.rays[1], run.bits[1]
    rays[packets.DIRECTION + 2] = -1.0
    rays[packets.T_FAR] = 10.0
    bits[packets.GEOMETRY] = packets.MISS
    run.valid[1, -1] = -1
    packets.cast(run, 1)
    rows = [packets.T_FAR, packets.HIT_U, packets.HIT_V, *range(packets.NORMAL, packets.NORMAL + 3)]
    found = rays[rows, -1].tolist() + bits[[packets.PRIMITIVE, packets.GEOMETRY], -1].tolist()
    untouched = (bits[packets.GEOMETRY, :-1] == packets.MISS).all()
    tree.close()
    if not np.allclose(found, _EXPECTED, atol=1e-5) or not untouched:
        raise EmbreeError(
            f"Embree {embree.version} at {embree.path} does not understand packets of {lanes} rays: a known "
            f"ray came back with {_FIELDS} = {found}, expected {_EXPECTED}; install 'embreex>=4.4', or take "
            "backend='gl'"
        )
