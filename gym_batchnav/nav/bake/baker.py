"""The whole bake, from triangles to a `PolygonMesh`, and the key under which its result may be kept."""

from __future__ import annotations

import hashlib
from dataclasses import astuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gym_batchnav.errors import NavMeshError
from gym_batchnav.nav.agent import AgentSettings
from gym_batchnav.nav.bake.contours import make_contours
from gym_batchnav.nav.bake.detail import DetailBuilder, DetailMesh
from gym_batchnav.nav.bake.filters import filter_voxels
from gym_batchnav.nav.bake.heights import HeightField
from gym_batchnav.nav.bake.holes import join_holes
from gym_batchnav.nav.bake.polygons import PolygonSet, make_polygons
from gym_batchnav.nav.bake.regions import make_regions
from gym_batchnav.nav.bake.surface import open_surface
from gym_batchnav.nav.bake.voxels import Grid, make_grid, voxelise
from gym_batchnav.nav.ground import PolygonMesh, TileFrame
from gym_batchnav.nav.readers import edge_bits, quantised_bounds
from gym_batchnav.nav.tree import tree_order

BAKE_VERSION = 1
"""Grows when the same triangles and settings come to give another mesh."""


def bake_polygons(
    positions: ArrayLike, triangles: ArrayLike, settings: AgentSettings, source: str
) -> PolygonMesh:
    """Bakes the triangles of a scene; see `bake_navmesh`."""
    points, index = _checked(positions, triangles, source)
    corners = points[index]
    grid = make_grid(corners.reshape(-1, 3), settings, source)
    voxels = voxelise(corners, grid, settings)
    _need(
        bool(voxels.walk.any()), source, f"no triangle faces up within {settings.agent_max_slope:g} degrees"
    )
    filter_voxels(voxels, grid, settings)
    surface = open_surface(voxels, grid, settings)
    region = make_regions(surface, settings)
    _need(
        bool(region.any()),
        source,
        "an agent of this height and radius can stand on no patch of region_min_size",
    )
    polygons = make_polygons(join_holes(make_contours(surface, region, settings)), settings)
    _need(bool(polygons.rings), source, "what is left is too narrow for polygons")
    # As far as outlines stray from the cells; storeys are farther apart than half the agent's height.
    reach, near = max(1, int(np.ceil(settings.edge_max_error))), settings.height_voxels // 2
    heights = HeightField(surface, region, grid, reach, near)
    builder = DetailBuilder(polygons, heights, settings)
    details = [builder.build(number) for number in range(len(polygons.rings))]
    return _assemble(polygons, details, grid, settings, source)


def bake_key(positions: ArrayLike, triangles: ArrayLike, settings: AgentSettings | None = None) -> str:
    """A name for the result of a bake: equal for equal triangles, settings and version of the method.

    Returns:
        64 hexadecimal digits (SHA-256).
    """
    digest = hashlib.sha256(repr((BAKE_VERSION, astuple(settings or AgentSettings()))).encode())
    for array, kind in ((positions, "<f4"), (triangles, "<i8")):
        data = np.ascontiguousarray(array, kind)
        digest.update(repr(data.shape).encode())
        digest.update(data.data)
    return digest.hexdigest()


def _need(condition: bool, source: str, problem: str) -> None:
    if not condition:
        raise NavMeshError(
            f"{source}: no walkable ground was found: {problem}; check that +Y is up, lengths are in metres "
            "and floors are wound counter-clockwise seen from above, or change the settings of the agent"
        )


def _checked(
    positions: ArrayLike, triangles: ArrayLike, source: str
) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    points, index = np.asarray(positions, np.float32), np.asarray(triangles)
    if points.ndim != 2 or points.shape[1] != 3:
        raise NavMeshError(f"{source}: positions have the shape {points.shape}; (V, 3) is needed")
    if (
        index.ndim != 2
        or index.shape[1] != 3
        or not np.issubdtype(index.dtype, np.integer)
        or len(index) == 0
    ):
        raise NavMeshError(
            f"{source}: triangles are {index.dtype} of shape {index.shape}; whole numbers (F, 3), F > 0, are "
            "needed"
        )
    if int(index.min()) < 0 or int(index.max()) >= len(points):
        raise NavMeshError(
            f"{source}: triangles name the vertices {index.min()} to {index.max()}, but there are "
            f"{len(points)}"
        )
    bad = np.flatnonzero(~np.isfinite(points).all(axis=1))
    if len(bad):
        raise NavMeshError(f"{source}: vertex {bad[0]} is {points[bad[0]]}; coordinates must be finite")
    return points, index.astype(np.int64)


def _assemble(
    polygons: PolygonSet, details: list[DetailMesh], grid: Grid, settings: AgentSettings, source: str
) -> PolygonMesh:
    scale = np.array([settings.cell_size, settings.cell_height, settings.cell_size], np.float32)
    verts = grid.low + polygons.vertices.astype(np.float32) * scale
    count = np.array([len(ring) for ring in polygons.rings], np.int32)
    poly_verts = np.full((len(count), int(count.max())), -1, np.int32)
    for number, ring in enumerate(polygons.rings):
        poly_verts[number, : len(ring)] = ring
    local = np.concatenate([detail.triangles for detail in details]).astype(np.int64)
    corners = [_corners(verts, polygons.rings[k], detail, grid.low) for k, detail in enumerate(details)]
    boundary = np.concatenate([_boundary(detail) for detail in details])
    high = grid.high.copy()
    # Recast leaves room for the agent over the highest floor.
    high[1] += np.float32(settings.height_voxels) * scale[1]
    quant = 1 / settings.cell_size
    bounds = quantised_bounds([points.reshape(-1, 3) for points in corners], grid.low, quant)
    return PolygonMesh(
        source=source,
        verts=verts,
        poly_verts=poly_verts,
        poly_count=count,
        poly_next=_neighbours(polygons, poly_verts.shape[1]),
        poly_quant=bounds,
        poly_tile=np.zeros(len(count), np.int32),
        poly_rank=tree_order(bounds),
        poly_walk=np.ones(len(count), np.bool_),
        detail_start=np.cumsum([0, *(len(detail.triangles) for detail in details)]).astype(np.int32),
        detail_tri=np.concatenate(corners).astype(np.float32),
        detail_edge=edge_bits(boundary, local),
        tiles=TileFrame(
            low=grid.low[None],
            high=high[None],
            quant=np.array([quant], np.float32),
            climb=np.array([settings.agent_max_climb], np.float32),
            xz=np.zeros((1, 2), np.int32),
            grid=np.array([*grid.low[[0, 2]], *np.maximum((grid.high - grid.low)[[0, 2]], 1e-3)], np.float32),
        ),
        settings=settings,
    )


def _corners(
    verts: NDArray[np.float32], ring: tuple[int, ...], detail: DetailMesh, low: NDArray[np.float32]
) -> NDArray[np.float32]:
    """(D, 3, 3) corners of one polygon's triangles; the polygon's own vertices are taken bit by bit."""
    added = low + detail.points[len(ring) :].astype(np.float32)
    corners: NDArray[np.float32] = np.concatenate([verts[list(ring)], added])[np.array(detail.triangles)]
    return corners


def _boundary(detail: DetailMesh) -> NDArray[np.bool_]:
    """(D, 3) whether the edges of the triangles lie on the rim of the polygon."""
    rim = set(zip(detail.hull, detail.hull[1:] + detail.hull[:1], strict=True))
    edges = [((a, b), (b, c), (c, a)) for a, b, c in detail.triangles]
    return np.array([[edge in rim for edge in three] for three in edges], np.bool_)


def _neighbours(polygons: PolygonSet, width: int) -> NDArray[np.int32]:
    """(P, M) polygon across each edge, -1 for walls; of several polygons along an edge the first has it."""
    owner: dict[tuple[int, int], int] = {}
    for number, ring in enumerate(polygons.rings):
        for edge in zip(ring, ring[1:] + ring[:1], strict=True):
            owner.setdefault(edge, number)
    result = np.full((len(polygons.rings), width), -1, np.int32)
    for number, ring in enumerate(polygons.rings):
        for k, (a, b) in enumerate(zip(ring, ring[1:] + ring[:1], strict=True)):
            if owner[a, b] == number:
                result[number, k] = owner.get((b, a), -1)
    return result
