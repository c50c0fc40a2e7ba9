"""The walkable ground as flat arrays, in the form that Detour's queries need.

Everything here is float32, as in Detour, so that snapping and motion give the same answers. Polygons are
convex seen from above (xz plane); each carries detail triangles that give the height.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gym_batchnav.errors import NavMeshError
from gym_batchnav.nav.agent import AgentSettings

MIN_POLYGON_AREA = 1e-5
"""Polygons whose detail triangles sum to less (m2) are not walkable (habitat-sim, removeZeroAreaPolys)."""

_MIN_CELL = 0.25
"""Metres."""


class Ground(NamedTuple):
    """Arrays of the queries: P polygons of at most M vertices, V vertices, D detail triangles, T tiles."""

    verts: NDArray[np.float32]
    """(V, 3) metres."""
    poly_verts: NDArray[np.int32]
    """(P, M) vertex indices, padded with -1."""
    poly_count: NDArray[np.int32]
    """(P,) number of vertices."""
    poly_next: NDArray[np.int32]
    """(P, M) polygon across edge (k, k + 1); -1 is a wall. Only walkable polygons are ever named."""
    poly_box: NDArray[np.float32]
    """(P, 4) min x, min z, max x, max z."""
    poly_quant: NDArray[np.int32]
    """(P, 6) bounds in steps of the tile's quantisation, min then max, as in Detour's BV tree."""
    poly_tile: NDArray[np.int32]
    """(P,) tile of each polygon."""
    poly_rank: NDArray[np.int32]
    """(P,) place in the order in which Detour visits the polygons: it decides ties."""
    poly_island: NDArray[np.int32]
    """(P,) island, -1 where not walkable."""
    detail_start: NDArray[np.int32]
    """(P + 1,) first detail triangle of each polygon."""
    detail_tri: NDArray[np.float32]
    """(D, 3, 3) corners."""
    detail_edge: NDArray[np.uint8]
    """(D,) bits 0..2: edge k is on the polygon's boundary; bits 3..5: edge k counts in a full search."""
    tile_low: NDArray[np.float32]
    """(T, 3) lower bounds."""
    tile_high: NDArray[np.float32]
    """(T, 3) upper bounds."""
    tile_quant: NDArray[np.float32]
    """(T,) quantisation steps per metre."""
    tile_climb: NDArray[np.float32]
    """(T,) height that an agent climbs, metres."""
    tile_xz: NDArray[np.int32]
    """(T, 2) place of the tile in the grid of tiles."""
    tile_grid: NDArray[np.float32]
    """(4,) origin x, origin z, tile size x, tile size z."""
    cell_origin: NDArray[np.float32]
    """(3,) origin x, origin z and size of the cells of the broad phase."""
    cell_count: NDArray[np.int32]
    """(2,) cells along x and z."""
    cell_start: NDArray[np.int32]
    """(cells + 1,) first entry of each cell (row-major: x fastest)."""
    cell_polys: NDArray[np.int32]
    """Walkable polygons whose box touches the cell."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TileFrame:
    """Per-tile facts that Detour's search for the nearest polygon uses."""

    low: NDArray[np.float32]
    high: NDArray[np.float32]
    quant: NDArray[np.float32]
    climb: NDArray[np.float32]
    xz: NDArray[np.int32]
    grid: NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class PolygonMesh:
    """What a reader hands over; see `Ground` for the meaning of the arrays."""

    source: str
    """Named in error messages."""
    verts: NDArray[np.float32]
    poly_verts: NDArray[np.int32]
    poly_count: NDArray[np.int32]
    poly_next: NDArray[np.int32]
    """(P, M) here without regard to walkability."""
    poly_quant: NDArray[np.int32]
    poly_tile: NDArray[np.int32]
    poly_rank: NDArray[np.int32]
    poly_walk: NDArray[np.bool_]
    """(P,) the polygon may be walked on, as far as its flags say."""
    detail_start: NDArray[np.int32]
    detail_tri: NDArray[np.float32]
    detail_edge: NDArray[np.uint8]
    tiles: TileFrame
    settings: AgentSettings = field(default_factory=AgentSettings)
    """What the mesh was baked for, as far as its source says."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GroundFacts:
    """Numbers about the ground that are computed once."""

    walkable: NDArray[np.bool_]
    """(P,)"""
    area_m2: float
    island_radius: NDArray[np.float32]
    """(islands,)"""
    sample_tri: NDArray[np.int32]
    """(S,) detail triangles of the walkable polygons."""
    sample_cdf: NDArray[np.float64]
    """(S,) cumulative area, ending in 1."""


def build_ground(mesh: PolygonMesh) -> tuple[Ground, GroundFacts]:
    """Derives walkability, islands, areas and the broad phase.

    Raises:
        NavMeshError: No polygon is walkable.
    """
    tri_area = _triangle_areas(mesh.detail_tri)
    owner = np.repeat(np.arange(len(mesh.poly_count)), np.diff(mesh.detail_start))
    # Summed in float32 one by one, as habitat-sim does: it decides which polygons are disabled.
    poly_area = np.zeros(len(mesh.poly_count), np.float32)
    np.add.at(poly_area, owner, tri_area)
    walkable = mesh.poly_walk & (poly_area >= MIN_POLYGON_AREA)
    if not walkable.any():
        raise NavMeshError(
            f"{mesh.source}: none of the {len(walkable)} polygons is walkable (flag 'walk' and at least "
            f"{MIN_POLYGON_AREA} m2 are needed); bake the navigation mesh again"
        )
    island, radius = _islands(mesh, walkable)
    box = _boxes(mesh)
    ground = Ground(
        verts=mesh.verts,
        poly_verts=mesh.poly_verts,
        poly_count=mesh.poly_count,
        poly_next=_walkable_neighbours(mesh.poly_next, walkable),
        poly_box=box,
        poly_quant=mesh.poly_quant,
        poly_tile=mesh.poly_tile,
        poly_rank=mesh.poly_rank,
        poly_island=np.where(walkable, island, -1).astype(np.int32),
        detail_start=mesh.detail_start,
        detail_tri=mesh.detail_tri,
        detail_edge=mesh.detail_edge,
        tile_low=mesh.tiles.low,
        tile_high=mesh.tiles.high,
        tile_quant=mesh.tiles.quant,
        tile_climb=mesh.tiles.climb,
        tile_xz=mesh.tiles.xz,
        tile_grid=mesh.tiles.grid,
        **_cells(box, walkable),
    )
    chosen = np.flatnonzero(walkable[owner] & (tri_area > 0)).astype(np.int32)
    cdf = np.cumsum(tri_area[chosen], dtype=np.float64)
    facts = GroundFacts(
        walkable=walkable,
        area_m2=float(poly_area[walkable].sum(dtype=np.float64)),
        island_radius=radius,
        sample_tri=chosen,
        sample_cdf=cdf / cdf[-1],
    )
    return freeze(ground), facts


def freeze(arrays: Any) -> Any:
    """The named tuple with contiguous, read-only arrays: one type, so one compilation for all meshes."""
    frozen = [np.ascontiguousarray(array) for array in arrays]
    for array in frozen:
        array.setflags(write=False)
    return type(arrays)(*frozen)


def _triangle_areas(tri: NDArray[np.float32]) -> NDArray[np.float32]:
    cross = np.cross(tri[:, 1] - tri[:, 0], tri[:, 2] - tri[:, 1])
    area: NDArray[np.float32] = np.float32(0.5) * np.linalg.norm(cross, axis=1).astype(np.float32)
    return area


def _boxes(mesh: PolygonMesh) -> NDArray[np.float32]:
    points = mesh.verts[mesh.poly_verts][:, :, [0, 2]]
    unused = (mesh.poly_verts < 0)[:, :, None]
    low = np.where(unused, np.float32(np.inf), points).min(axis=1)
    high = np.where(unused, np.float32(-np.inf), points).max(axis=1)
    return np.concatenate([low, high], axis=1).astype(np.float32)


def _walkable_neighbours(poly_next: NDArray[np.int32], walkable: NDArray[np.bool_]) -> NDArray[np.int32]:
    open_edge = (poly_next >= 0) & walkable[poly_next] & walkable[:, None]
    return np.where(open_edge, poly_next, -1).astype(np.int32)


def _islands(mesh: PolygonMesh, walkable: NDArray[np.bool_]) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    """Labels islands as habitat-sim's IslandSystem does.

    A polygon that is not walkable starts an island too, and joins the walkable ones next to it. The radius is
    the greatest distance of a vertex from the mean of all polygons' vertices (a shared vertex counts once per
    polygon).
    """
    label = np.full(len(walkable), -1, np.int32)
    radii: list[float] = []
    for first in range(len(walkable)):
        if label[first] >= 0:
            continue
        members = _flood(mesh.poly_next, walkable, label, first)
        # An island without walkable ground gets a label that nobody can ask for; the next one takes it over.
        label[members] = len(radii)
        if walkable[members].any():
            radii.append(_radius(mesh, members))
    return label, np.array(radii, np.float32)


def _flood(
    poly_next: NDArray[np.int32], walkable: NDArray[np.bool_], label: NDArray[np.int32], first: int
) -> list[int]:
    members, stack, seen = [], [first], {first}
    while stack:
        poly = stack.pop()
        members.append(poly)
        for other in poly_next[poly]:
            if other >= 0 and walkable[other] and label[other] < 0 and int(other) not in seen:
                seen.add(int(other))
                stack.append(int(other))
    return members


def _radius(mesh: PolygonMesh, members: list[int]) -> float:
    index = mesh.poly_verts[members]
    points = mesh.verts[index[index >= 0]].astype(np.float64)
    return float(np.linalg.norm(points - points.mean(axis=0), axis=1).max())


def _cells(box: NDArray[np.float32], walkable: NDArray[np.bool_]) -> dict[str, Any]:
    """Lists for each cell of a uniform grid the walkable polygons whose box touches it."""
    polys = np.flatnonzero(walkable)
    low, high = box[polys, :2].min(axis=0), box[polys, 2:].max(axis=0)
    span = np.maximum(high - low, 1e-3).astype(np.float64)
    size = max(float(np.sqrt(span[0] * span[1] / len(polys))), _MIN_CELL)
    # One spare cell all around keeps points on the rim inside the grid.
    origin = low.astype(np.float64) - 0.5 * size
    count = np.floor((high - origin) / size).astype(np.int64) + 1
    first = np.floor((box[polys, :2] - 1e-3 - origin) / size).astype(np.int64).clip(0, count - 1)
    last = np.floor((box[polys, 2:] + 1e-3 - origin) / size).astype(np.int64).clip(0, count - 1)
    extent = last - first + 1
    repeats = extent[:, 0] * extent[:, 1]
    owner = np.repeat(np.arange(len(polys)), repeats)
    offset = np.arange(repeats.sum()) - np.repeat(np.cumsum(repeats) - repeats, repeats)
    x = first[owner, 0] + offset % extent[owner, 0]
    z = first[owner, 1] + offset // extent[owner, 0]
    cell = z * count[0] + x
    order = np.argsort(cell, kind="stable")
    start = np.searchsorted(cell[order], np.arange(count[0] * count[1] + 1))
    return {
        "cell_origin": np.array([origin[0], origin[1], size], np.float32),
        "cell_count": count.astype(np.int32),
        "cell_start": start.astype(np.int32),
        "cell_polys": polys[owner[order]].astype(np.int32),
    }
