"""Makes `PolygonMesh` out of Detour's tiles, or out of plain convex polygons."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gym_batchnav.errors import ConfigError, NavMeshError
from gym_batchnav.nav.agent import AgentSettings
from gym_batchnav.nav.detour_file import DetourTile, read_detour_set
from gym_batchnav.nav.detour_layout import EXTERNAL_LINK, MAX_COORDINATE, WALK_FLAG
from gym_batchnav.nav.ground import PolygonMesh, TileFrame
from gym_batchnav.nav.portals import Rings, join_portals, portal_edges

DEFAULT_CLIMB = 0.2
"""Metres; habitat-sim's agent_max_climb."""
DEFAULT_QUANT = 20.0
"""Steps per metre of the search box (1 / Habitat's cell size)."""

_BOUNDARY = 1
_CONVEXITY = 1e-6


def read_navmesh(path: str | Path) -> PolygonMesh:
    """Reads a Habitat ``.navmesh`` file of one or several tiles.

    Raises:
        NavMeshError: See `read_detour_set`.
    """
    tile_set = read_detour_set(path)
    # Detour looks into the tiles row by row.
    tiles = sorted(tile_set.tiles, key=lambda tile: (int(tile.header["y"]), int(tile.header["x"])))
    headers = np.array([tile.header for tile in tiles])
    sizes = [len(tile.polys) for tile in tiles]
    owner = np.repeat(np.arange(len(tiles), dtype=np.int32), sizes)
    polys = np.concatenate([tile.polys for tile in tiles])
    if len(polys) == 0:
        raise NavMeshError(f"{path}: the tiles hold no polygon; bake the navigation mesh again")
    count = polys["count"].astype(np.int32)
    verts = np.concatenate([tile.verts for tile in tiles]).astype(np.float32)
    first_poly = np.cumsum([0, *sizes])[:-1]
    first_vert = np.cumsum([0, *(len(tile.verts) for tile in tiles)])[:-1]
    rings = _rings(polys, count, first_poly[owner], first_vert[owner])
    edges = portal_edges(polys["neis"], count, EXTERNAL_LINK)
    join_portals(verts, rings, edges, owner, headers["walk_climb"].astype(np.float32)[owner])
    details = [_tile_details(tile, tile.polys["count"].astype(np.int32)) for tile in tiles]
    leaves = [_tree_leaves(tile, str(path)) for tile in tiles]
    first_node = np.cumsum([0, *(max(len(tile.bv_nodes), len(tile.polys)) for tile in tiles)])[:-1]
    return PolygonMesh(
        source=str(path),
        verts=verts,
        poly_verts=_padded(rings.vertices),
        poly_count=np.array([len(ring) for ring in rings.vertices], np.int32),
        poly_next=_padded(rings.across),
        poly_quant=np.concatenate([quant for quant, _ in leaves]),
        poly_tile=owner,
        poly_rank=np.concatenate(
            [rank + at for (_, rank), at in zip(leaves, first_node, strict=True)]
        ).astype(np.int32),
        poly_walk=(polys["flags"] & WALK_FLAG) != 0,
        detail_start=np.cumsum([0, *(n for start, _, _ in details for n in np.diff(start))]).astype(np.int32),
        detail_tri=np.concatenate([tris for _, tris, _ in details]),
        detail_edge=np.concatenate([bits for _, _, bits in details]),
        tiles=TileFrame(
            low=headers["low"].astype(np.float32),
            high=headers["high"].astype(np.float32),
            quant=headers["quant"].astype(np.float32),
            climb=headers["walk_climb"].astype(np.float32),
            xz=np.stack([headers["x"], headers["y"]], axis=1).astype(np.int32),
            grid=np.concatenate([tile_set.header["origin"][[0, 2]], tile_set.header["tile_size"]]).astype(
                np.float32
            ),
        ),
        settings=tile_set.settings or _guessed_settings(headers[0]),
    )


def _rings(
    polys: NDArray[Any],
    count: NDArray[np.int32],
    first_poly: NDArray[np.int64],
    first_vert: NDArray[np.int64],
) -> Rings:
    """Polygons of all tiles in one numbering; edges on borders lead nowhere yet."""
    verts = polys["verts"].astype(np.int64) + first_vert[:, None]
    neis = polys["neis"].astype(np.int64)
    inner = (neis > 0) & ((neis & EXTERNAL_LINK) == 0)
    across = np.where(inner, neis - 1 + first_poly[:, None], -1)
    return Rings(
        [row[:n] for row, n in zip(verts.tolist(), count.tolist(), strict=True)],
        [row[:n] for row, n in zip(across.tolist(), count.tolist(), strict=True)],
    )


def _padded(rows: list[list[int]]) -> NDArray[np.int32]:
    width = max(len(row) for row in rows)
    return np.array([row + [-1] * (width - len(row)) for row in rows], np.int32)


def _guessed_settings(header: Any) -> AgentSettings:
    """Version 1 tells height, radius and climb; the rest is taken to be the default, as habitat-sim does."""
    told = {
        "agent_height": header["walk_height"],
        "agent_radius": header["walk_radius"],
        "agent_max_climb": header["walk_climb"],
    }
    try:
        return AgentSettings(**{name: float(f"{value:.7g}") for name, value in told.items()})  # type: ignore[arg-type]
    except ConfigError:
        return AgentSettings()


def _tile_details(
    tile: DetourTile, count: NDArray[np.int32]
) -> tuple[NDArray[np.int32], NDArray[np.float32], NDArray[np.uint8]]:
    """Detail triangles in polygon order, with their corners' coordinates and the marks of their edges."""
    details = tile.details
    number = details["tris"].astype(np.int64)
    start = np.concatenate([[0], np.cumsum(number)])
    poly = np.repeat(np.arange(len(details)), number)
    index = details["tri_base"].astype(np.int64)[poly] + np.arange(start[-1]) - start[poly]
    local = tile.detail_tris[index, :3].astype(np.int64)
    own = local < count[poly][:, None]
    outer = tile.polys["verts"].astype(np.int64)[poly[:, None], np.where(own, local, 0)]
    inner = details["vert_base"].astype(np.int64)[poly][:, None] + local - count[poly][:, None]
    points = tile.verts[outer]
    if len(tile.detail_verts):
        points = np.where(own[:, :, None], points, tile.detail_verts[np.where(own, 0, inner)])
    flags = tile.detail_tris[index, 3]
    boundary = np.stack([(flags >> (2 * k)) & 3 for k in range(3)], axis=1) & _BOUNDARY != 0
    return start.astype(np.int32), points.astype(np.float32), edge_bits(boundary, local)


def edge_bits(boundary: NDArray[np.bool_], local: NDArray[np.int64]) -> NDArray[np.uint8]:
    """Bits of `Ground.detail_edge`; an inner edge, which two triangles share, is looked at from one."""
    either = boundary | (local >= np.roll(local, -1, axis=1))
    weights = np.array([1, 2, 4], np.uint8)
    return (boundary @ weights + ((either @ weights) << 3)).astype(np.uint8)


def _tree_leaves(tile: DetourTile, source: str) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Quantised bounds of the polygons, and their order in the tree.

    Detour's builder leaves one blank node at the end, a false leaf of polygon 0; the first leaf of each
    counts.
    """
    number = len(tile.polys)
    if len(tile.bv_nodes) == 0:
        mesh = [tile.verts[p["verts"][: p["count"]]] for p in tile.polys]
        return quantised_bounds(
            mesh, tile.header["low"], float(tile.header["quant"]) or DEFAULT_QUANT
        ), np.arange(number, dtype=np.int32)
    leaves = tile.bv_nodes[(tile.bv_nodes["index"] >= 0) & (tile.bv_nodes["index"] < number)]
    poly, first = np.unique(leaves["index"], return_index=True)
    if len(poly) != number:
        raise NavMeshError(
            f"{source}: the BV tree of the tile has leaves for {len(poly)} of {number} polygons"
        )
    quant = np.concatenate([leaves["low"][first], leaves["high"][first]], axis=1)
    return quant.astype(np.int32), first.astype(np.int32)


def quantised_bounds(polygons: Sequence[NDArray[np.float32]], low: NDArray[np.float32], quant: float) -> Any:
    """(P, 6) bounds of the polygons' points in steps of 1 / quant above `low`, rounded outwards."""
    lowest = np.array([(points.min(axis=0) - low) * quant for points in polygons]).reshape(-1, 3)
    highest = np.array([(points.max(axis=0) - low) * quant for points in polygons]).reshape(-1, 3)
    return np.concatenate([np.floor(lowest), np.ceil(highest)], axis=1).clip(0, 65535).astype(np.int32)


def mesh_from_polygons(vertices: ArrayLike, polygons: Sequence[Sequence[int]], source: str) -> PolygonMesh:
    """Checks plain polygons and gives them fans of detail triangles.

    Raises:
        NavMeshError: A polygon is not convex, names a vertex that does not exist, is wound against the
            others, or shares an edge with two others.
    """
    verts = _checked_vertices(vertices, source)
    if len(polygons) == 0:
        raise NavMeshError(f"{source}: no polygons; at least one is needed")
    same = np.unique(verts, axis=0, return_inverse=True)[1].reshape(-1)
    first_of = np.full(same.max() + 1, len(verts))
    np.minimum.at(first_of, same, np.arange(len(verts)))
    rings = [_checked_ring(verts, first_of[same], ring, k, source) for k, ring in enumerate(polygons)]
    count = np.array([len(ring) for ring in rings], np.int32)
    poly_verts = np.full((len(rings), int(count.max())), -1, np.int32)
    for k, ring in enumerate(rings):
        poly_verts[k, : len(ring)] = ring
    start, tris, edges = _fans(verts, rings)
    used = verts[np.concatenate(rings)]
    low, high = used.min(axis=0), used.max(axis=0)
    quant = min(DEFAULT_QUANT, 65000.0 / max(float((high - low).max()), 1e-6))
    return PolygonMesh(
        source=source,
        verts=verts,
        poly_verts=poly_verts,
        poly_count=count,
        poly_next=_matched_edges(rings, poly_verts.shape[1], source),
        poly_quant=quantised_bounds([verts[ring] for ring in rings], low, quant),
        poly_tile=np.zeros(len(rings), np.int32),
        poly_rank=np.arange(len(rings), dtype=np.int32),
        poly_walk=np.ones(len(rings), np.bool_),
        detail_start=start,
        detail_tri=tris,
        detail_edge=edges,
        tiles=TileFrame(
            low=low[None],
            high=high[None],
            quant=np.array([quant], np.float32),
            climb=np.array([DEFAULT_CLIMB], np.float32),
            xz=np.zeros((1, 2), np.int32),
            grid=np.array([low[0], low[2], *np.maximum((high - low)[[0, 2]], 1e-3)], np.float32),
        ),
    )


def _checked_vertices(vertices: ArrayLike, source: str) -> NDArray[np.float32]:
    verts = np.array(vertices, np.float32)
    if verts.ndim != 2 or verts.shape[1] != 3:
        raise NavMeshError(f"{source}: vertices have the shape {verts.shape}; (V, 3) is needed")
    fine = (np.abs(verts) <= MAX_COORDINATE).all(axis=1)
    if not fine.all():
        bad = int(np.flatnonzero(~fine)[0])
        raise NavMeshError(
            f"{source}: vertex {bad} is {verts[bad]}; coordinates must be numbers within {MAX_COORDINATE:g} m"
        )
    return verts


def _checked_ring(
    verts: NDArray[np.float32], weld: NDArray[np.int64], ring: Sequence[int], number: int, source: str
) -> NDArray[np.int32]:
    index = np.asarray(ring, np.int64)
    if index.ndim != 1 or len(index) < 3:
        raise NavMeshError(f"{source}: polygon {number} is {list(ring)}; at least 3 vertices are needed")
    if index.min() < 0 or index.max() >= len(verts):
        raise NavMeshError(
            f"{source}: polygon {number} names vertex {list(ring)}, but there are {len(verts)}"
        )
    index = weld[index]
    if len(set(index.tolist())) != len(index):
        raise NavMeshError(f"{source}: polygon {number} uses one vertex twice: {list(ring)}")
    points = verts[index][:, [0, 2]].astype(np.float64)
    side = np.roll(points, -1, axis=0) - points
    after = np.roll(side, -1, axis=0)
    turn = side[:, 0] * after[:, 1] - side[:, 1] * after[:, 0]
    slack = _CONVEXITY * np.linalg.norm(side, axis=1) * np.linalg.norm(after, axis=1)
    if (turn > slack).any() and (turn < -slack).any():
        raise NavMeshError(
            f"{source}: polygon {number} is not convex seen from above; cut it into convex ones"
        )
    return index.astype(np.int32)


def _matched_edges(rings: list[NDArray[np.int32]], width: int, source: str) -> NDArray[np.int32]:
    """The polygon across each edge: edges match by their two vertices, walked in opposite directions."""
    result = np.full((len(rings), width), -1, np.int32)
    seen: dict[tuple[int, int], tuple[int, int]] = {}
    for poly, ring in enumerate(rings):
        for edge, (a, b) in enumerate(zip(ring.tolist(), np.roll(ring, -1).tolist(), strict=True)):
            if (a, b) in seen:
                raise NavMeshError(
                    f"{source}: polygons {seen[a, b][0]} and {poly} both walk the edge from vertex {a} to "
                    f"{b}; polygons must not overlap and must all be wound alike"
                )
            seen[a, b] = (poly, edge)
            if (b, a) in seen:
                other, other_edge = seen[b, a]
                result[poly, edge] = other
                result[other, other_edge] = poly
    return result


def _fans(
    verts: NDArray[np.float32], rings: list[NDArray[np.int32]]
) -> tuple[NDArray[np.int32], NDArray[np.float32], NDArray[np.uint8]]:
    start = np.concatenate([[0], np.cumsum([len(ring) - 2 for ring in rings])]).astype(np.int32)
    local = np.concatenate([[(0, k, k + 1) for k in range(1, len(ring) - 1)] for ring in rings]).astype(
        np.int64
    )
    size = np.concatenate([np.full(len(ring) - 2, len(ring)) for ring in rings])
    corners = np.concatenate(
        [verts[ring[[(0, k, k + 1) for k in range(1, len(ring) - 1)]]] for ring in rings]
    )
    boundary = np.stack([local[:, 1] == 1, np.ones(len(local), np.bool_), local[:, 2] == size - 1], axis=1)
    return start, corners.astype(np.float32), edge_bits(boundary, local)
