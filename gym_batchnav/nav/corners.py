"""The graph of corners that see each other, and the table of all distances between them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from gym_batchnav.nav._geodesic import bends_seen, corner_graph
from gym_batchnav.nav._visibility import make_flood, with_bends
from gym_batchnav.nav.ground import Ground, freeze
from gym_batchnav.nav.triangles import SightMesh, build_sight_mesh

_ROWS_AT_A_TIME = 512


@dataclass(frozen=True, slots=True)
class CornerTable:
    """What geodesic distances need of a mesh; C corners."""

    sight: SightMesh
    between: NDArray[np.float32]
    """(C, C) metres along paths that bend at corners only, inf where there is none."""
    near_start: NDArray[np.int32]
    """(C + 1,) first neighbour of each corner in the graph."""
    near: NDArray[np.int32]
    """Neighbours."""

    def frozen(self) -> CornerTable:
        """The same with read-only arrays."""
        arrays = (self.between, self.near_start, self.near)
        for array in arrays:
            array.setflags(write=False)
        return CornerTable(freeze(self.sight), *arrays)

    def chain_to_goal(
        self, corner: int, row: NDArray[np.float32], goal: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """(P, 3) corners on from `corner` (-1: none) to the placed goal, given its row of distances."""
        seen = np.empty(len(row), np.bool_)
        bends_seen(self.sight, goal, seen)
        chain: list[int] = []
        while corner >= 0:
            chain.append(corner)
            if seen[corner] or len(chain) > len(row):
                break
            near = self.near[self.near_start[corner] : self.near_start[corner + 1]]
            steps = np.linalg.norm(self.sight.corner_xyz[near] - self.sight.corner_xyz[corner], axis=1)
            corner = int(near[np.argmin(steps + row[near])])
        return self.sight.corner_xyz[chain].reshape(-1, 3)


def build_corner_table(ground: Ground) -> CornerTable:
    """Finds the corners and which of them see each other, and runs Dijkstra from each."""
    bare = build_sight_mesh(ground)
    flood = make_flood(len(bare.tri_xz))
    sight = with_bends(bare, flood)
    count = len(sight.corner_xz)
    # Memory that is not written to is not taken up.
    pairs = np.empty((count * (count - 1) // 2, 2), np.int32)
    length = np.empty(len(pairs))
    found = corner_graph(sight, flood, np.empty(count, np.bool_), pairs, length)
    a, b, length = pairs[:found, 0], pairs[:found, 1], length[:found]
    ends = (np.concatenate([a, b]), np.concatenate([b, a]))
    graph = csr_array((np.concatenate([length, length]), ends), shape=(count, count))
    between = np.empty((count, count), np.float32)
    for start in range(0, count, _ROWS_AT_A_TIME):
        rows = np.arange(start, min(start + _ROWS_AT_A_TIME, count))
        between[rows] = dijkstra(graph, directed=True, indices=rows)
    table = CornerTable(sight, between, graph.indptr.astype(np.int32), graph.indices.astype(np.int32))
    return table.frozen()
