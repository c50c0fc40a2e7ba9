"""What can be asked about the walkable ground point by point."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gym_batchnav.errors import ConfigError
from gym_batchnav.nav import _locate, sampling
from gym_batchnav.nav._arguments import points as checked_points
from gym_batchnav.nav._near import points_near
from gym_batchnav.nav._tensors import takes_tensors
from gym_batchnav.nav._walls import nearest_walls
from gym_batchnav.nav.agent import AgentSettings
from gym_batchnav.nav.ground import Ground, GroundFacts, PolygonMesh, build_ground

MAX_HEIGHT_ERROR = 0.5
"""Metres between a navigable point and the ground (habitat-sim, isNavigable)."""
MAX_PLANE_ERROR = 0.01
"""Metres, seen from above, between a navigable point and the ground (habitat-sim, isNavigable)."""
SEARCH_RADIUS = 2.0
"""Metres within which obstacles are looked for (habitat-sim, distanceToClosestObstacle)."""


class PointQueries:
    """The part of ``NavMesh`` that knows the ground and answers for each point by itself."""

    def __init__(self, mesh: PolygonMesh) -> None:
        ground, facts = build_ground(mesh)
        self._source: str = mesh.source
        self._settings: AgentSettings = mesh.settings
        self._ground: Ground = ground
        self._facts: GroundFacts = facts

    @property
    def settings(self) -> AgentSettings:
        """The agent and the settings of the bake; defaults where the source does not say."""
        return self._settings

    @property
    def area_m2(self) -> float:
        """Walkable area in 3-D, m2: the sum of the detail triangles."""
        return self._facts.area_m2

    @property
    def num_polygons(self) -> int:
        """Number of walkable polygons."""
        return int(self._facts.walkable.sum())

    @property
    def num_islands(self) -> int:
        """Number of separate parts."""
        return len(self._facts.island_radius)

    @property
    def bounds(self) -> NDArray[np.float32]:
        """(2, 3) lower and upper corner of the mesh's box, metres; for a file, the box of the baked scene."""
        return np.stack([self._ground.tile_low.min(axis=0), self._ground.tile_high.max(axis=0)])

    def sample(
        self, n: int, generator: np.random.Generator, *, island: int | None = None
    ) -> NDArray[np.float32]:
        """Draws points uniformly over the walkable area.

        Args:
            n: Number of points.
            generator: Source of randomness; three numbers are drawn per point.
            island: Of this island alone; None is all of the ground.

        Returns:
            (n, 3) float32.

        Raises:
            ConfigError: `n` is negative, or there is no such island.
        """
        if n < 0:
            raise ConfigError(f"n is {n}; it must be 0 or more")
        draws = generator.random((n, 3))
        if island is None:
            return self.points_at(draws)
        return sampling.on_island(self._ground, self._facts, island, draws)

    def points_at(self, draws: NDArray[np.float64]) -> NDArray[np.float32]:
        """The points (B, 3) that ``sample`` makes of random numbers (B, 3) in [0, 1)."""
        return sampling.points_at(self._ground, self._facts, draws)

    @takes_tensors
    def sample_near(
        self, centres: ArrayLike, radius: float, generator: np.random.Generator, *, tries: int = 32
    ) -> NDArray[np.float32]:
        """Draws a point near each of (B, 3) centres: uniform over the ground of their island within a radius.

        Args:
            centres: (B, 3) metres.
            radius: Metres, in 3-D.
            generator: Source of randomness; three numbers are drawn for each try of each point.
            tries: Points drawn over the polygons in reach until one is within the radius.

        Returns:
            (B, 3) float32, NaN where there is no ground near the centre or no try hits.

        Raises:
            ConfigError: The radius or the number of tries is not above 0.
        """
        if not (np.isfinite(radius) and radius > 0 and tries > 0):
            raise ConfigError(f"radius is {radius} and tries is {tries}; both must be above 0")
        given = checked_points("centres", centres)
        polys, snapped = _locate.nearest_polygons(self._ground, given)
        islands = np.where(polys >= 0, self._ground.poly_island[polys], -1).astype(np.int32)
        found = np.empty_like(snapped)
        points_near(
            self._ground, snapped, islands, float(radius), generator.random((len(given), tries, 3)), found
        )
        return found

    @takes_tensors
    def snap(self, points: ArrayLike) -> NDArray[np.float32]:
        """The nearest point of the mesh to each of (B, 3) points: (B, 3) float32, NaN where none is near."""
        return self._nearest("points", points)[1]

    @takes_tensors
    def island(self, points: ArrayLike) -> NDArray[np.int32]:
        """(B,) island of each of (B, 3) points, -1 where no ground is near."""
        polys = self._nearest("points", points)[0]
        return np.where(polys >= 0, self._ground.poly_island[polys], -1).astype(np.int32)

    @takes_tensors
    def island_radius(self, points: ArrayLike) -> NDArray[np.float32]:
        """(B,) radius in metres of the island under each of (B, 3) points, 0 where no ground is near.

        As habitat-sim's IslandSystem: the greatest distance of a polygon vertex from the mean of the vertices
        of all polygons of the island.
        """
        island = self.island(points)
        return np.where(island >= 0, self._facts.island_radius[island], 0).astype(np.float32)

    @takes_tensors
    def is_navigable(self, points: ArrayLike) -> NDArray[np.bool_]:
        """(B,) whether each point (B, 3) is on the mesh, within 0.5 m in height and 1 cm seen from above."""
        given = checked_points("points", points)
        snapped = _locate.nearest_polygons(self._ground, given)[1]
        level = np.abs(snapped[:, 1] - given[:, 1])
        plane = np.hypot(snapped[:, 0] - given[:, 0], snapped[:, 2] - given[:, 2])
        # Comparisons with NaN are false: no ground near, not navigable.
        return np.asarray((level <= MAX_HEIGHT_ERROR) & (plane <= MAX_PLANE_ERROR))

    @takes_tensors
    def distance_to_obstacle(
        self, points: ArrayLike, max_radius: float = SEARCH_RADIUS
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Distance from each of (B, 3) points to the nearest wall, seen from above, and its place there.

        As habitat-sim's distance_to_closest_obstacle. A wall is where the ground ends; those of another
        storey do not count.

        Args:
            points: (B, 3) metres.
            max_radius: Metres; farther walls are not looked for.

        Returns:
            (B,) float32 metres: at most ``max_radius``, inf where there is no ground near. (B, 3) float32:
            the nearest point of the wall, NaN where none is within the radius.

        Raises:
            ConfigError: The radius is not a number of at least 0.
        """
        if not (np.isfinite(max_radius) and max_radius >= 0):
            raise ConfigError(f"max_radius is {max_radius}; it must be 0 or more metres")
        polys, snapped = self._nearest("points", points)
        distances, walls = np.empty(len(polys), np.float32), np.empty_like(snapped)
        count = len(self._ground.poly_count)
        queue, seen = np.empty(count, np.int32), np.full(count, -1)
        nearest_walls(self._ground, polys, snapped, float(max_radius), queue, seen, distances, walls)
        return distances, walls

    def top_down(
        self, meters_per_pixel: float, height: float | None = None
    ) -> tuple[NDArray[np.bool_], NDArray[np.float32]]:
        """The walkable ground seen from above.

        Args:
            meters_per_pixel: Size of a pixel, above 0.
            height: Only ground that is navigable from this height (within 0.5 m), as habitat-sim's
                get_topdown_view; None takes all storeys.

        Returns:
            The mask (h, w), rows along +z and columns along +x, and the place (x, z) of pixel (0, 0): pixel
            (r, c) says whether the point (x + c * meters_per_pixel, z + r * meters_per_pixel) is walkable.
        """
        if not (np.isfinite(meters_per_pixel) and meters_per_pixel > 0):
            raise ConfigError(f"meters_per_pixel is {meters_per_pixel}; it must be above 0")
        low, high = self.bounds[:, [0, 2]]
        size = ((high - low) / np.float32(meters_per_pixel)).astype(np.int64)
        # Added up step by step in float32, as habitat-sim does.
        xs, zs = (
            np.cumsum([start, *[np.float32(meters_per_pixel)] * (max(count, 1) - 1)], dtype=np.float32)
            for start, count in zip(low, size, strict=True)
        )
        if height is None:
            mask = np.empty((len(zs), len(xs)), np.bool_)
            _locate.covered(self._ground, xs, zs, MAX_PLANE_ERROR, mask)
            return mask, low
        grid = np.empty((len(zs), len(xs), 3), np.float32)
        grid[..., 0], grid[..., 1], grid[..., 2] = xs, height, zs[:, None]
        return self.is_navigable(grid.reshape(-1, 3)).reshape(len(zs), len(xs)), low

    def _nearest(self, name: str, points: ArrayLike) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        return _locate.nearest_polygons(self._ground, checked_points(name, points))
