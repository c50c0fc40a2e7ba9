"""Writes Habitat's ``.navmesh``, version 2, one tile, with 32-bit references."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gym_batchnav.errors import NavMeshError
from gym_batchnav.nav import detour_layout as layout
from gym_batchnav.nav.agent import AgentSettings
from gym_batchnav.nav.ground import Ground
from gym_batchnav.nav.tree import build_tree

_VERSION = 2
_MAX_POLYGONS = 0x7FFE
_MAX_VERTICES = 0xFFFF
_MAX_LOCAL = 0xFF
_DISABLED_FLAG = 0x04
"""habitat-sim's POLYFLAGS_DISABLED."""
_REFERENCE = np.dtype([("reference", "<u4"), ("size", "<i4")])


def write_detour_set(path: str | Path, ground: Ground, settings: AgentSettings) -> None:
    """Writes the file whole or not at all.

    Raises:
        NavMeshError: The file cannot be written, or the mesh does not fit the format.
    """
    data = detour_bytes(str(path), ground, settings)
    target = Path(path)
    try:
        handle, draft = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
            os.chmod(draft, 0o644)
            os.replace(draft, target)
        except BaseException:
            os.unlink(draft)
            raise
    except OSError as error:
        raise NavMeshError(f"cannot write the navigation mesh {path}: {error}") from error


def detour_bytes(source: str, ground: Ground, settings: AgentSettings) -> bytes:
    """The content of the file; see `write_detour_set`."""
    _check_size(source, ground)
    tile = _tile(source, ground, settings)
    header = np.zeros(1, layout.SET_HEADER)
    header["magic"], header["version"], header["tiles"] = layout.SET_MAGIC, _VERSION, 1
    header["origin"], header["tile_size"] = ground.tile_low[0], ground.tile_grid[2:]
    header["max_tiles"], header["max_polys"] = 1, len(ground.poly_count)
    reference = np.zeros(1, _REFERENCE)
    # A reference holds a salt of 1, the tile (no bits for one tile) and the polygon, from high to low.
    reference["reference"] = 1 << (len(ground.poly_count) - 1).bit_length()
    reference["size"] = len(tile)
    return header.tobytes() + _settings(settings) + reference.tobytes() + tile


def _check_size(source: str, ground: Ground) -> None:
    limits = (
        (len(ground.tile_low), 1, "tiles"),
        (len(ground.poly_count), _MAX_POLYGONS, "polygons"),
        (len(ground.verts), _MAX_VERTICES, "vertices"),
        (int(ground.poly_count.max()), layout.VERTS_PER_POLYGON, "vertices in one polygon"),
        (int(np.diff(ground.detail_start).max()), _MAX_LOCAL, "detail triangles in one polygon"),
    )
    for number, most, what in limits:
        if number > most:
            raise NavMeshError(f"{source}: the mesh has {number} {what}; at most {most} can be written")


def _settings(settings: AgentSettings) -> bytes:
    record = np.zeros(1, layout.SETTINGS)
    for name in layout.SETTING_NUMBERS + layout.SETTING_FLAGS:
        record[name] = getattr(settings, name)
    return record.tobytes()


class _Details(NamedTuple):
    meshes: NDArray[Any]
    verts: NDArray[np.float32]
    tris: NDArray[np.uint8]


def _tile(source: str, ground: Ground, settings: AgentSettings) -> bytes:
    polys = _polygons(ground)
    details = _details(source, ground)
    nodes = _nodes(ground)
    links = int(ground.poly_count.sum())
    header = np.zeros(1, layout.TILE_HEADER)
    for name, value in {
        "magic": layout.TILE_MAGIC,
        "version": layout.TILE_VERSION,
        "polys": len(polys),
        "verts": len(ground.verts),
        "links": links,
        "detail_meshes": len(details.meshes),
        "detail_verts": len(details.verts),
        "detail_tris": len(details.tris),
        "bv_nodes": len(nodes),
        "off_mesh_base": len(polys),
        "walk_height": settings.agent_height,
        "walk_radius": settings.agent_radius,
        "walk_climb": ground.tile_climb[0],
        "low": ground.tile_low[0],
        "high": ground.tile_high[0],
        "quant": ground.tile_quant[0],
    }.items():
        header[name] = value
    # Detour links polygons when it takes the tile up; what is stored in the links does not matter.
    parts = (header, ground.verts.astype("<f4"), polys, bytes(links * layout.LINK_SIZES[4]), *details, nodes)
    return b"".join(part if isinstance(part, bytes) else part.tobytes() for part in parts)


def _polygons(ground: Ground) -> NDArray[Any]:
    width = ground.poly_verts.shape[1]
    polys = np.zeros(len(ground.poly_count), layout.POLY)
    polys["verts"][:, :width] = np.maximum(ground.poly_verts, 0)
    polys["neis"][:, :width] = ground.poly_next + 1
    polys["flags"] = np.where(ground.poly_island >= 0, layout.WALK_FLAG, _DISABLED_FLAG)
    polys["count"] = ground.poly_count
    return polys


def _details(source: str, ground: Ground) -> _Details:
    """Detail triangles by numbers: first the polygon's own vertices, then the added ones."""
    meshes = np.zeros(len(ground.poly_count), layout.DETAIL)
    added: list[NDArray[np.float32]] = []
    tris = np.zeros((len(ground.detail_tri), 4), np.uint8)
    for poly, (start, end) in enumerate(zip(ground.detail_start[:-1], ground.detail_start[1:], strict=True)):
        own = ground.verts[ground.poly_verts[poly, : ground.poly_count[poly]]]
        places = {tuple(point): k for k, point in reversed(list(enumerate(own.tolist())))}
        corners = ground.detail_tri[start:end].reshape(-1, 3).tolist()
        local = [places.setdefault(tuple(point), len(places)) for point in corners]
        if len(places) > _MAX_LOCAL:
            raise NavMeshError(
                f"{source}: polygon {poly} has {len(places)} detail vertices; at most {_MAX_LOCAL}"
            )
        meshes[poly] = (len(added), start, len(places) - len(own), end - start, 0)
        added += [np.array(point, np.float32) for point in list(places)[len(own) :]]
        tris[start:end, :3] = np.reshape(local, (-1, 3))
    for edge in range(3):
        tris[:, 3] |= ((ground.detail_edge >> edge) & 1) << (2 * edge)
    return _Details(meshes, np.array(added, "<f4").reshape(-1, 3), tris)


def _nodes(ground: Ground) -> NDArray[Any]:
    boxes, index = build_tree(ground.poly_quant)
    # Detour's builder leaves one blank node at the end.
    nodes = np.zeros(len(index) + 1, layout.BV_NODE)
    nodes["low"][:-1], nodes["high"][:-1], nodes["index"][:-1] = boxes[:, :3], boxes[:, 3:], index
    return nodes
