"""Triangles that carry the height inside each polygon.

Edges get vertices where the surface strays from them (both polygons at an edge get the same ones), then the
inside does, worst first.
Source: behaviour of Recast Navigation, rcBuildPolyMeshDetail, which however lifts the added vertices by one
voxel; here they lie on the surface.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gym_batchnav.nav.agent import AgentSettings
from gym_batchnav.nav.bake.heights import HeightField
from gym_batchnav.nav.bake.polygons import PolygonSet
from gym_batchnav.nav.bake.triangulation import insert, triangulate_hull

MAX_VERTICES = 127
"""Most vertices of one polygon's triangles (Detour stores their numbers in bytes)."""
_EDGE_SAMPLES = 31
_SLACK = 1e-4
"""Metres added to the error that is allowed, so that rounding decides nothing."""

_JITTER = 0.01
_IRRATIONAL = np.sqrt([2.0, 3.0])

_Triangle = tuple[int, int, int]


class DetailMesh(NamedTuple):
    """Detail triangles of one polygon."""

    points: NDArray[np.float64]
    """(n, 3) metres above the grid's corner; the polygon's own vertices come first."""
    triangles: list[_Triangle]
    """Numbers of points, clockwise seen from above."""
    hull: list[int]
    """Points on the rim, in order."""


class DetailBuilder:
    """Builds the triangles of the polygons of a set."""

    def __init__(self, polygons: PolygonSet, heights: HeightField, settings: AgentSettings) -> None:
        self._polygons = polygons
        self._heights = heights
        self._scale = np.array([settings.cell_size, settings.cell_height, settings.cell_size])
        sparse = settings.detail_sample_dist < 0.9
        self._step = 0.0 if sparse else settings.cell_size * settings.detail_sample_dist
        self._error = settings.cell_height * settings.detail_sample_max_error + _SLACK

    def build(self, number: int) -> DetailMesh:
        """The triangles of one polygon."""
        ring, region = self._polygons.rings[number], self._polygons.region[number]
        own = self._polygons.vertices[list(ring)] * self._scale
        points, hull = list(own), []
        for k in range(len(ring)):
            hull.append(k)
            for point in self._edge(own[k], own[(k + 1) % len(ring)], region) if self._step else ():
                hull.append(len(points))
                points.append(point)
        triangles = triangulate_hull(np.array(points)[:, ::2], hull, len(ring))
        extent = np.ptp(own, axis=0)[::2].min()
        if self._step and extent >= 2 * self._step:
            self._fill(points, triangles, own, region)
        return _renumbered(DetailMesh(np.array(points), triangles, hull), len(ring))

    def _sampled(self, places: NDArray[np.float64], region: int) -> NDArray[np.float64]:
        """Places (n, 3) metres with the surface's heights; theirs are the guess."""
        result = places.copy()
        result[:, 1] = self._heights.at(region, places / self._scale) * self._scale[1]
        return result

    def _edge(self, a: NDArray[np.float64], b: NDArray[np.float64], region: int) -> list[NDArray[np.float64]]:
        """Points to put between two vertices, from a to b."""
        forward = (a[0], a[2]) < (b[0], b[2])
        start, end = (a, b) if forward else (b, a)
        count = min(1 + int(np.hypot(*(end - start)[::2]) / self._step), _EDGE_SAMPLES)
        if count < 2:
            return []
        line = start + np.linspace(0, 1, count + 1)[:, None] * (end - start)
        # The ends too: corners lie as high as the highest span around them, and are no measure on a slope.
        line = self._sampled(line, region)
        kept = [0, count]
        k = 0
        while k + 1 < len(kept):
            first, last = kept[k], kept[k + 1]
            gap = _segment_gap(line[first + 1 : last], line[first], line[last])
            if len(gap) and gap.max() > self._error:
                kept.insert(k + 1, first + 1 + int(gap.argmax()))
            else:
                k += 1
        inner = kept[1:-1] if forward else kept[-2:0:-1]
        return [line[k] for k in inner]

    def _fill(
        self,
        points: list[NDArray[np.float64]],
        triangles: list[_Triangle],
        own: NDArray[np.float64],
        region: int,
    ) -> None:
        """Adds points inside where the triangles stray farthest from the surface."""
        samples = self._inside(own)
        if len(samples) == 0:
            return
        samples[:, 1] = _height_on(np.array(points), triangles, samples)
        samples = self._sampled(samples, region)
        while len(points) < MAX_VERTICES:
            gap = np.abs(_height_on(np.array(points), triangles, samples) - samples[:, 1])
            worst = int(gap.argmax())
            if gap[worst] <= self._error:
                return
            points.append(samples[worst])
            insert(np.array(points)[:, ::2], triangles, len(points) - 1)
            samples = np.delete(samples, worst, axis=0)
            if len(samples) == 0:
                return

    def _inside(self, own: NDArray[np.float64]) -> NDArray[np.float64]:
        """Places (n, 3) on a grid, without heights, that lie well inside the polygon."""
        low, high = np.floor(own.min(axis=0) / self._step), np.ceil(own.max(axis=0) / self._step)
        x, z = np.meshgrid(np.arange(low[0], high[0]), np.arange(low[2], high[2]))
        places = np.stack([x.ravel(), np.zeros(x.size), z.ravel()], axis=1)
        places *= self._step
        # Off the grid by a little, so that no place falls on a line between others.
        places[:, ::2] += self._step * _JITTER * (np.arange(len(places))[:, None] * _IRRATIONAL % 1)
        after = np.roll(own, -1, axis=0)
        along = (after - own)[:, ::2] / np.linalg.norm((after - own)[:, ::2], axis=1)[:, None]
        offset = places[:, None, ::2] - own[:, ::2]
        depth = along[:, 1] * offset[..., 0] - along[:, 0] * offset[..., 1]
        # One sign for all edges, whichever way the polygon is wound.
        within = (depth >= self._step / 2).all(axis=1) | (depth <= -self._step / 2).all(axis=1)
        inside: NDArray[np.float64] = places[within]
        return inside


def _renumbered(mesh: DetailMesh, own: int) -> DetailMesh:
    """The same with added points numbered as the triangles name them, which is what a file keeps."""
    named = [k for triangle in mesh.triangles for k in triangle if k >= own]
    order = [*range(own), *dict.fromkeys(named)]
    place = {old: new for new, old in enumerate(order)}
    triangles = [(place[a], place[b], place[c]) for a, b, c in mesh.triangles]
    return DetailMesh(mesh.points[order], triangles, [place[k] for k in mesh.hull])


def _segment_gap(
    points: NDArray[np.float64], a: NDArray[np.float64], b: NDArray[np.float64]
) -> NDArray[np.float64]:
    """(n,) distance of each point from the segment ab, in 3-D."""
    along = b - a
    share = np.clip((points - a) @ along / (along @ along), 0, 1)
    gap: NDArray[np.float64] = np.linalg.norm(a + share[:, None] * along - points, axis=1)
    return gap


def _height_on(
    points: NDArray[np.float64], triangles: list[_Triangle], places: NDArray[np.float64]
) -> NDArray[np.float64]:
    """(n,) height of the triangles at places inside the polygon."""
    corners = points[np.array(triangles)]
    a, u, v = corners[:, 0], corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    area = u[:, 0] * v[:, 2] - u[:, 2] * v[:, 0]
    offset = places[:, None, ::2] - a[:, ::2]
    s = (offset[..., 0] * v[:, 2] - offset[..., 1] * v[:, 0]) / area
    t = (u[:, 0] * offset[..., 1] - u[:, 2] * offset[..., 0]) / area
    # The triangle that covers the place best: rounding must not leave a place without one.
    best = np.minimum(np.minimum(s, t), 1 - s - t).argmax(axis=1)
    row = np.arange(len(places))
    height: NDArray[np.float64] = a[best, 1] + s[row, best] * u[best, 1] + t[row, best] * v[best, 1]
    return height
