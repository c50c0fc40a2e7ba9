"""`NavMesh`: everything that the simulation asks of the walkable ground, for whole batches."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gym_batchnav.errors import ConfigError
from gym_batchnav.nav import _geodesic, _locate, _motion
from gym_batchnav.nav._arguments import finite, pair
from gym_batchnav.nav._arguments import points as checked_points
from gym_batchnav.nav._sight import place_all
from gym_batchnav.nav._tensors import takes_tensors
from gym_batchnav.nav.corners import CornerTable, build_corner_table
from gym_batchnav.nav.crowd import Crowd
from gym_batchnav.nav.detour_writer import write_detour_set
from gym_batchnav.nav.ground import Ground, PolygonMesh, freeze
from gym_batchnav.nav.queries import PointQueries
from gym_batchnav.nav.readers import mesh_from_polygons, read_navmesh
from gym_batchnav.nav.triangles import SightMesh

_Spots = tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.float32]]


class GoalSet(NamedTuple):
    """Several goals of one mesh, prepared to be asked again and again which is the closest."""

    points: NDArray[np.float32]
    """(G, 3) put on the mesh."""
    spots: NDArray[np.int64]
    """(G, 3) where in the triangles they are."""
    row: NDArray[np.float32]
    """(C,) length of the shortest way from each corner on to a goal."""
    goal_of_corner: NDArray[np.int64]
    """(C,) to which one."""


class NavMesh(PointQueries):
    """A navigation mesh; it never changes, can be pickled, and is safe to share between threads.

    Positions are (B, 3) arrays in metres, Y up; every method takes any B, also 0. Given points are first put
    on the mesh as habitat-sim does: the nearest polygon within 2 m along x and z and 4 m along y. Queries
    release the GIL.
    """

    def __init__(self, mesh: PolygonMesh) -> None:
        super().__init__(mesh)
        self._corners: CornerTable | None = None

    @classmethod
    def load(cls, path: str | Path) -> NavMesh:
        """Reads Habitat's ``.navmesh``.

        Raises:
            NavMeshError: The file is missing or broken (the message names the place), or has no walkable
                polygon.
        """
        return cls(read_navmesh(path))

    @classmethod
    def from_polygons(
        cls, vertices: ArrayLike, polygons: Sequence[Sequence[int]], source: str = "polygons"
    ) -> NavMesh:
        """Makes a mesh of polygons that the agent's middle may enter.

        Args:
            vertices: (V, 3) metres; vertices at one place are taken as one.
            polygons: Vertex indices of each; convex seen from above, all wound alike. Two polygons are joined
                where they share a whole edge.
            source: Named in error messages.

        Raises:
            NavMeshError: A polygon is not convex, wound against the others, or names a vertex that does not
                exist.
        """
        return cls(mesh_from_polygons(vertices, polygons, source))

    def save(self, path: str | Path) -> None:
        """Writes Habitat's ``.navmesh``, version 2; `load` gives the same mesh back.

        Polygons that cannot be walked on are kept, marked as disabled. Which of equally near polygons counts
        may change where the mesh was not baked here.

        Raises:
            NavMeshError: The file cannot be written, or the mesh does not fit the format (it was read from
                several tiles, or has over 32,766 polygons, 65,535 vertices or 6 vertices in a polygon).
        """
        write_detour_set(path, self._ground, self._settings)

    @property
    def num_corners(self) -> int:
        """C: the number of corners around which paths bend."""
        return len(self._table.sight.corner_xz)

    @takes_tensors
    def move(
        self,
        positions: ArrayLike,
        targets: ArrayLike,
        sliding: bool = True,
        *,
        refuse_other_island: bool = False,
    ) -> NDArray[np.float32]:
        """Walks from positions towards targets along the surface, as Detour's moveAlongSurface.

        A target that cannot be reached in a local search is replaced by the nearest point of the walls met on
        the way (sliding), or by the point where the straight line first leaves the ground (no sliding).

        Args:
            positions: (B, 3) metres, finite.
            targets: (B, 3) metres, finite.
            sliding: Whether to slide along walls.
            refuse_other_island: Stay in place where the ground nearest to the target is on another island or
                there is none, as habitat-sim's tryStep does; Detour slides on.

        Returns:
            (B, 3) float32 on the mesh; a position off the mesh stays as it is.

        Raises:
            ConfigError: Shapes differ or a number is not finite.
        """
        start, end = pair("positions", positions, "targets", targets)
        ground = self._ground
        polys, snapped = _locate.nearest_polygons(ground, start)
        if refuse_other_island:
            goals = _locate.nearest_polygons(ground, end)[0]
            apart = (goals < 0) | (ground.poly_island[polys] != ground.poly_island[goals])
            polys = np.where(apart, np.int32(-1), polys)
        result = start.copy()
        reached = np.empty(len(polys), np.int32)
        scratch = _motion.make_scratch()
        _motion.walk_all(ground, polys, snapped, end, bool(sliding), scratch, result, reached)
        landed = _locate.nearest_polygons(ground, result)[0]
        # On a wall of no thickness between two islands the nearest polygon may be beyond it.
        strayed = (reached >= 0) & (
            (landed < 0) | (ground.poly_island[landed] != ground.poly_island[reached])
        )
        if strayed.any():
            result[strayed] = _motion.nudged(ground, reached[strayed], result[strayed])
        return result

    @takes_tensors
    def geodesic_distance(self, starts: ArrayLike, goals: ArrayLike) -> NDArray[np.float64]:
        """Length of the shortest path from each start to its goal.

        The path is the shortest over the mesh seen from above; its length is measured in 3-D along the chords
        between its corners, as habitat-sim measures Detour's paths.

        Args:
            starts: (B, 3) metres, finite.
            goals: (B, 3) metres, finite.

        Returns:
            (B,) float64 metres, inf where there is no path or no ground near.

        Raises:
            ConfigError: Shapes differ or a number is not finite.
        """
        start, end = pair("starts", starts, "goals", goals)
        scratch = np.empty((1, self.num_corners), np.float32)
        return self._distances(self._spots(start), self._spots(end), scratch, False)[0]

    @takes_tensors
    def closest_goal(
        self, starts: ArrayLike, goals: ArrayLike
    ) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Length of the shortest path from each start to the goal that is closest to it, and which that is.

        Args:
            starts: (B, 3) metres, finite.
            goals: (G, 3) metres, finite; the same goals for all starts.

        Returns:
            (B,) float64 metres, inf where no goal can be reached; (B,) index into the goals, -1 there.

        Raises:
            ConfigError: A shape is wrong or a number is not finite.
        """
        return self.closest_of(starts, self.goal_set(goals))

    def goal_set(self, goals: ArrayLike) -> GoalSet:
        """Prepares (G, 3) goals, metres and finite, for `closest_of`."""
        given = finite("goals", checked_points("goals", goals))
        _, spots, points = self._spots(given)
        if not len(given):
            return GoalSet(points, spots, np.empty(0, np.float32), np.empty(0, np.int64))
        rows = self.goal_table(given)
        return GoalSet(points, spots, rows.min(axis=0), rows.argmin(axis=0))

    def closest_of(self, starts: ArrayLike, goals: GoalSet) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """As `closest_goal` and equal to it, with goals prepared by `goal_set`: quick.

        Args:
            starts: (B, 3) metres, finite.
            goals: of this mesh.

        Returns:
            (B,) float64 metres and (B,) indices, as `closest_goal`.

        Raises:
            ConfigError: A shape is wrong or a number is not finite.
        """
        start = self._spots(finite("starts", checked_points("starts", starts)))
        length, index = np.full(len(start[0]), np.inf), np.full(len(start[0]), -1)
        if len(goals.points):
            _geodesic.closest_goals(
                self._table.sight, start[1], goals.spots, start[2], goals.points, goals.row,
                goals.goal_of_corner, np.empty(self.num_corners), length, index,
            )  # fmt: skip
        return length, index

    @takes_tensors
    def line_of_sight(self, starts: ArrayLike, ends: ArrayLike) -> NDArray[np.bool_]:
        """Whether the straight line between two points, seen from above, stays on the ground.

        Args:
            starts: (B, 3) metres, finite.
            ends: (B, 3) metres, finite.

        Returns:
            (B,) bool; False where there is no ground near one of the points.

        Raises:
            ConfigError: Shapes differ or a number is not finite.
        """
        start, end = pair("starts", starts, "ends", ends)
        clear = np.empty(len(start), np.bool_)
        _geodesic.lines_of_sight(self._table.sight, self._spots(start)[1], self._spots(end)[1], clear)
        return clear

    @takes_tensors
    def goal_table(self, goals: ArrayLike) -> NDArray[np.float32]:
        """Prepares goals for `distance_to_goal`.

        Args:
            goals: (B, 3) metres, finite.

        Returns:
            (B, C) float32: length of the shortest way from each corner on to the goal, inf where there is
            none (or where no shortest path to the goal can bend at the corner).
        """
        table = self._table
        _, spots, points = self._spots(finite("goals", checked_points("goals", goals)))
        rows = np.empty((len(spots), self.num_corners), np.float32)
        _geodesic.goal_rows(table.sight, table.between, spots, points, rows)
        return rows

    @takes_tensors
    def distance_to_goal(
        self, positions: ArrayLike, goals: ArrayLike, tables: NDArray[np.float32]
    ) -> NDArray[np.float64]:
        """As `geodesic_distance` and equal to it, with the goals' rows of `goal_table` given: quick.

        Args:
            positions: (B, 3) metres, finite.
            goals: (B, 3) metres, finite.
            tables: (B, C) float32, `goal_table(goals)`.

        Returns:
            (B,) float64 metres, inf where there is no path.

        Raises:
            ConfigError: Shapes differ or a number is not finite.
        """
        start, end = pair("positions", positions, "goals", goals)
        rows = np.array(tables, np.float32, order="C")
        if rows.shape != (len(start), self.num_corners):
            raise ConfigError(
                f"tables has the shape {rows.shape}; ({len(start)}, {self.num_corners}), one row of "
                "goal_table for each position, is needed"
            )
        return self._distances(self._spots(start), self._spots(end), rows, True)[0]

    def crowd(self) -> Crowd:
        """An empty crowd, which walks agents on this mesh step by step: quicker than ``move``."""
        return Crowd(self)

    @takes_tensors
    def shortest_path(self, start: ArrayLike, goal: ArrayLike) -> NDArray[np.float64]:
        """The corners of the shortest path between two points.

        Args:
            start: (3,) metres, finite.
            goal: (3,) metres, finite.

        Returns:
            (P, 3) float64: the start put on the mesh, the corners with their heights, the goal put on the
            mesh; (0, 3) where there is no path.
        """
        a = finite("start", checked_points("start", np.asarray(start, np.float32)[None]))
        b = finite("goal", checked_points("goal", np.asarray(goal, np.float32)[None]))
        row = self.goal_table(b)
        ends = self._spots(a), self._spots(b)
        length, first = self._distances(*ends, row, True)
        if not np.isfinite(length[0]):
            return np.empty((0, 3))
        middle = self._table.chain_to_goal(int(first[0]), row[0], ends[1][1][0])
        return np.concatenate([ends[0][2], middle, ends[1][2]]).astype(np.float64)

    def prepare(self) -> NavMesh:
        """Builds the corner distances now, not on first use, so that a pickle holds them; returns self."""
        _ = self._table
        return self

    def named(self, source: str) -> NavMesh:
        """The same mesh, which shares all arrays, under another name in messages."""
        same = NavMesh.__new__(NavMesh)
        same.__dict__.update(self.__dict__, _source=source)
        return same

    def __repr__(self) -> str:
        return (
            f"NavMesh({self._source!r}, {self.num_polygons} polygons, {self.num_islands} islands, "
            f"{self.area_m2:.1f} m2)"
        )

    def __getstate__(self) -> dict[str, Any]:
        return dict(self.__dict__)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        # Pickled arrays come back writable, which to the compiler is another type.
        self._ground = freeze(self._ground)
        if self._corners is not None:
            self._corners = self._corners.frozen()

    @property
    def tables(self) -> tuple[Ground, SightMesh]:
        """What the kernels of this package read: polygons, and triangles with corners."""
        return self._ground, self._table.sight

    @property
    def _table(self) -> CornerTable:
        if self._corners is None:
            self._corners = build_corner_table(self._ground)
        return self._corners

    def _spots(self, points: NDArray[np.float32]) -> _Spots:
        """Nearest polygons, places in the triangles, and points on the mesh."""
        polys, snapped = _locate.nearest_polygons(self._ground, points)
        spots = np.empty((len(polys), 3), np.int64)
        place_all(self._table.sight, polys, snapped, spots)
        return polys, spots, snapped

    def _distances(
        self, starts: _Spots, goals: _Spots, rows: NDArray[np.float32], have_rows: bool
    ) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
        table = self._table
        bound = np.empty(self.num_corners)
        length, first = np.empty(len(starts[0])), np.empty(len(starts[0]), np.int32)
        _geodesic.distances(
            table.sight,
            table.between,
            starts[1],
            goals[1],
            starts[2],
            goals[2],
            rows,
            have_rows,
            bound,
            length,
            first,
        )
        return length, first
