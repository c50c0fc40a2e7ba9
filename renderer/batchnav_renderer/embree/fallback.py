"""Draws through embreex's own call, ray by ray, where packets cannot be cast."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import packets as p
from .draw import tiles_of_run
from .holes import MAX_HOLES, open_holes
from .images import Targets, write
from .surface import Surface

_LANES = 16
_RUN = 64


class EmbreexTree:
    """A scene of embreex, which lives as long as it is referred to."""

    def __init__(self, positions: NDArray[np.float32], triangles: NDArray[np.uint32]) -> None:
        """Copy the mesh and build; raises ``ImportError`` without embreex."""
        from embreex.mesh_construction import TriangleMesh
        from embreex.rtcore_scene import EmbreeScene

        self.scene: Any = EmbreeScene(robust=True)
        if len(triangles):
            TriangleMesh(self.scene, np.ascontiguousarray(positions), triangles.astype(np.int32))
        self.cast(np.zeros((0, 3), np.float32), np.zeros((0, 3), np.float32), np.zeros(0, np.float32))

    def cast(
        self, origins: NDArray[np.float32], directions: NDArray[np.float32], ends: NDArray[np.float32]
    ) -> dict[str, NDArray[Any]]:
        """What rays hit: (n,) ``tfar``, ``u``, ``v``, ``primID``, -1 for a miss, and (n, 3) ``Ng``.

        The first call builds the tree.
        """
        found: dict[str, NDArray[Any]] = self.scene.run(origins, directions, dists=ends, output=True)
        return found

    def close(self) -> None:
        """Free the scene."""
        self.scene = None


class EmbreexTracer:
    """Casts the rays of a few tiles at a time."""

    lanes = _LANES

    def __init__(self) -> None:
        """Try embreex; raises ``ImportError`` where it is missing or broken."""
        EmbreexTree(np.zeros((0, 3), np.float32), np.zeros((0, 3), np.uint32))
        self.info: dict[str, Any] = {"packet_rays": 1}

    def build(self, positions: NDArray[np.float32], triangles: NDArray[np.uint32]) -> EmbreexTree:
        """The tree of a mesh."""
        return EmbreexTree(positions, triangles)

    def draw(
        self, tree: EmbreexTree, surface: Surface, frame: p.Frame, targets: Targets,
        cameras: NDArray[np.float32], views: NDArray[np.int64],
    ) -> None:  # fmt: skip
        """Draw some views of one scene, as ``draw.draw`` does."""
        packets = p.new_packets(0, 0, _LANES, _RUN)
        for view in views.tolist():
            p.place_camera(packets, cameras[view], frame)
            for row in range(0, frame.height, _LANES >> frame.tile_bits):
                for column in range(0, frame.width, _RUN << frame.tile_bits):
                    count = tiles_of_run(frame, packets, column)
                    p.aim_run(packets, count, cameras[view], row, column, frame)
                    _cast_run(tree, packets, count)
                    if surface.has_holes:
                        _see_through(tree, surface, packets, count, cameras[view], frame)
                    write(targets, surface, frame, packets, count, cameras[view], view, row, column)

    def tree_bytes(self) -> int:
        """0, for embreex does not tell."""
        return 0


def _see_through(
    tree: EmbreexTree, surface: Surface, packets: p.Packets, count: int, camera: NDArray[np.float32],
    frame: p.Frame,
) -> None:  # fmt: skip
    for _ in range(MAX_HOLES):
        if not open_holes(packets, count, surface, camera, frame.end):
            return
        _cast_run(tree, packets, count)


def _cast_run(tree: EmbreexTree, packets: p.Packets, count: int) -> None:
    """Find the nearest hits of the active rays of the first ``count`` packets."""
    tiles, lanes = np.nonzero(packets.valid[:count])
    rays, bits = packets.rays, packets.bits
    directions = rays[tiles, p.DIRECTION : p.DIRECTION + 3, lanes]
    near = rays[tiles, p.T_NEAR, lanes]
    # embreex's rays begin at their origins.
    origins = rays[tiles, p.ORIGIN : p.ORIGIN + 3, lanes] + near[:, None] * directions
    found = tree.cast(origins, directions, rays[tiles, p.T_FAR, lanes] - near)
    hit = found["primID"] >= 0
    tiles, lanes = tiles[hit], lanes[hit]
    rays[tiles, p.T_FAR, lanes] = near[hit] + found["tfar"][hit]
    rays[tiles, p.HIT_U, lanes], rays[tiles, p.HIT_V, lanes] = found["u"][hit], found["v"][hit]
    rays[tiles, p.NORMAL : p.NORMAL + 3, lanes] = found["Ng"][hit]
    bits[tiles, p.PRIMITIVE, lanes], bits[tiles, p.GEOMETRY, lanes] = found["primID"][hit], 0
