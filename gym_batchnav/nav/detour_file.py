"""Reads Habitat's ``.navmesh``; the format is described in `detour_layout`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gym_batchnav.errors import ConfigError, NavMeshError
from gym_batchnav.nav import detour_layout as layout
from gym_batchnav.nav.agent import AgentSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class DetourTile:
    """One tile as it lies in the file (structured arrays)."""

    header: Any
    verts: NDArray[np.float32]
    polys: NDArray[Any]
    details: NDArray[Any]
    detail_verts: NDArray[np.float32]
    detail_tris: NDArray[np.uint8]
    bv_nodes: NDArray[Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class DetourSet:
    """A whole file."""

    source: str
    header: Any
    settings: AgentSettings | None
    """What the mesh was baked for; None in version 1, and where they are of another layout."""
    tiles: tuple[DetourTile, ...]


class _Cursor:
    """Takes arrays off the file's bytes and says where it was when they end too early."""

    def __init__(self, source: str, data: bytes) -> None:
        self.source = source
        self.data = data
        self.at = 0

    def fail(self, problem: str, at: int | None = None) -> NavMeshError:
        where = self.at if at is None else at
        return NavMeshError(f"{self.source}, byte {where}: {problem}; bake or download the file again")

    def skip(self, size: int, what: str) -> None:
        if self.at + size > len(self.data):
            left = len(self.data) - self.at
            raise self.fail(f"{what} needs {size} bytes, but the file has only {left} left")
        self.at += size

    def take(self, dtype: Any, count: int, what: str) -> NDArray[Any]:
        dtype = np.dtype(dtype)
        start = self.at
        self.skip(dtype.itemsize * count, what)
        return np.frombuffer(self.data, dtype, count, start).copy()


def read_detour_set(path: str | Path) -> DetourSet:
    """Reads a ``.navmesh`` file; every byte of it must be accounted for.

    Raises:
        NavMeshError: The file is missing, cut short, of another kind or version, or inconsistent; the message
            names the file and the byte.
    """
    source = str(path)
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise NavMeshError(f"cannot read the navigation mesh {source}: {error}") from error
    cursor = _Cursor(source, data)
    header = cursor.take(layout.SET_HEADER, 1, "the header of the tile set")[0]
    if header["magic"] != layout.SET_MAGIC:
        raise cursor.fail(f"not a Detour tile set: it starts with {data[:4]!r}, not {layout.SET_MAGIC!r}", 0)
    if header["version"] not in layout.SET_VERSIONS:
        raise cursor.fail(
            f"tile set version {header['version']}; versions {layout.SET_VERSIONS} can be read", 4
        )
    if not 1 <= header["tiles"] <= 1 << 22:
        raise cursor.fail(f"{header['tiles']} tiles; at least one is needed", 8)
    size = header["tile_size"]
    if not (np.isfinite(header["origin"]).all() and np.isfinite(size).all() and (size > 0).all()):
        raise cursor.fail(f"the tiles start at {header['origin']} and are {size} m large", 12)
    ref_size = _reference_size(cursor, int(header["version"]))
    settings = _read_settings(data[layout.SET_HEADER.itemsize : cursor.at])
    tiles = tuple(_read_tile(cursor, index, ref_size) for index in range(header["tiles"]))
    places = [tuple(int(tile.header[name]) for name in ("x", "y", "layer")) for tile in tiles]
    if len(set(places)) != len(places):
        twice = next(place for place in places if places.count(place) > 1)
        raise cursor.fail(f"two tiles lie at x {twice[0]}, y {twice[1]}, layer {twice[2]}")
    if cursor.at != len(data):
        raise cursor.fail(f"{len(data) - cursor.at} bytes are left over after {len(tiles)} tiles")
    return DetourSet(source=source, header=header, settings=settings, tiles=tiles)


def _reference_size(cursor: _Cursor, version: int) -> int:
    """Finds the width of the tile references, and steps over the settings that version 2 has.

    Neither is written down in the file: both follow from where the first tile starts and from its size.
    """
    first = cursor.data.find(layout.TILE_MAGIC, cursor.at, cursor.at + 1024)
    if first < 0:
        raise cursor.fail("no Detour tile ('DNAV' data) follows the header of the tile set")
    head = cursor.data[first : first + layout.TILE_HEADER.itemsize]
    for ref_size in (4, 8):
        settings = first - cursor.at - 2 * ref_size
        if settings < 0 or (version == 1 and settings > 0) or len(head) < layout.TILE_HEADER.itemsize:
            continue
        size_at = first - ref_size
        size = int.from_bytes(cursor.data[size_at : size_at + 4], "little", signed=True)
        if version == 1 or size == _tile_size(np.frombuffer(head, layout.TILE_HEADER)[0], ref_size):
            cursor.skip(settings, "the settings of the bake")
            return ref_size
    raise cursor.fail(f"the first tile's data starts at byte {first}, where no tile header ends")


def _read_settings(data: bytes) -> AgentSettings | None:
    if len(data) != layout.SETTINGS.itemsize:
        return None
    record = np.frombuffer(data, layout.SETTINGS)[0]
    # Seven digits are what float32 holds: 0.05 again, not 0.0500000007.
    numbers = {name: float(f"{record[name]:.7g}") for name in layout.SETTING_NUMBERS}
    flags = {name: bool(record[name]) for name in layout.SETTING_FLAGS}
    try:
        return AgentSettings(**numbers, **flags)  # type: ignore[arg-type]
    except ConfigError:
        return None


def _tile_size(header: Any, ref_size: int) -> int:
    sizes = (32, 12, layout.LINK_SIZES[ref_size], 12, 12, 4, 16, layout.OFF_MESH_SIZE)
    return 100 + sum(int(header[name]) * size for name, size in zip(layout.COUNTS, sizes, strict=True))


def _read_tile(cursor: _Cursor, index: int, ref_size: int) -> DetourTile:
    what = f"tile {index}"
    cursor.skip(ref_size, f"the reference of {what}")
    size = int(cursor.take("<i4", 1, f"the size of {what}")[0])
    cursor.skip(ref_size - 4, f"the header of {what}")
    start = cursor.at
    header = cursor.take(layout.TILE_HEADER, 1, f"the header of {what}")[0]
    _check_header(cursor, header, start, what)
    expected = _tile_size(header, ref_size)
    if size != expected:
        raise cursor.fail(f"{what} says it has {size} bytes, but its counts make {expected}", start)
    tile = DetourTile(
        header=header,
        verts=cursor.take("<f4", 3 * header["verts"], f"the vertices of {what}").reshape(-1, 3),
        polys=cursor.take(layout.POLY, header["polys"], f"the polygons of {what}"),
        details=_after_links(cursor, header, ref_size, what),
        detail_verts=cursor.take("<f4", 3 * header["detail_verts"], f"detail vertices of {what}").reshape(
            -1, 3
        ),
        detail_tris=cursor.take("u1", 4 * header["detail_tris"], f"detail triangles of {what}").reshape(
            -1, 4
        ),
        bv_nodes=cursor.take(layout.BV_NODE, header["bv_nodes"], f"the BV tree of {what}"),
    )
    _check_tile(cursor, tile, start, what)
    return tile


def _after_links(cursor: _Cursor, header: Any, ref_size: int, what: str) -> NDArray[Any]:
    # The links of a stored tile are scratch space: Detour makes them from the neighbours when it adds the
    # tile.
    cursor.skip(int(header["links"]) * layout.LINK_SIZES[ref_size], f"the links of {what}")
    return cursor.take(layout.DETAIL, header["detail_meshes"], f"the detail meshes of {what}")


def _check_header(cursor: _Cursor, header: Any, start: int, what: str) -> None:
    if header["magic"] != layout.TILE_MAGIC:
        raise cursor.fail(f"{what} starts with {bytes(header['magic'])!r}, not {layout.TILE_MAGIC!r}", start)
    if header["version"] != layout.TILE_VERSION:
        raise cursor.fail(
            f"{what} has version {header['version']}; only {layout.TILE_VERSION} can be read", start
        )
    for name in layout.COUNTS:
        if not 0 <= header[name] <= 1 << 24:
            raise cursor.fail(f"{what} counts {header[name]} {name}", start)
    if header["off_mesh"]:
        raise cursor.fail(
            f"{what} has {header['off_mesh']} off-mesh connections, which are not supported", start
        )
    numbers = np.array([*header["low"], *header["high"], header["walk_climb"], header["quant"]])
    if not (np.abs(numbers) <= layout.MAX_COORDINATE).all() or (header["high"] < header["low"]).any():
        raise cursor.fail(f"{what} has bounds {header['low']} to {header['high']}", start)


def _check_tile(cursor: _Cursor, tile: DetourTile, start: int, what: str) -> None:
    polys, details, count = tile.polys, tile.details, tile.polys["count"].astype(np.int64)
    used = np.arange(layout.VERTS_PER_POLYGON) < count[:, None]
    neis = np.where(used, polys["neis"], 0).astype(np.int64)
    inner = np.where(neis & layout.EXTERNAL_LINK, 0, neis)
    for verts in (tile.verts, tile.detail_verts):
        if not (np.abs(verts) <= layout.MAX_COORDINATE).all():
            raise cursor.fail(
                f"{what} has a vertex beyond {layout.MAX_COORDINATE:g} m, or not a number", start
            )
    _check_each(
        cursor, start, what, (count < 3) | (count > layout.VERTS_PER_POLYGON), "has a bad number of vertices"
    )
    _check_each(
        cursor,
        start,
        what,
        (used & (polys["verts"] >= len(tile.verts))).any(1),
        "names a vertex beyond the end",
    )
    _check_each(cursor, start, what, (inner > len(polys)).any(1), "names a neighbour beyond the end")
    if len(details) != len(polys):
        raise cursor.fail(f"{what} has {len(details)} detail meshes for {len(polys)} polygons", start)
    ends = details["tri_base"].astype(np.int64) + details["tris"]
    _check_each(
        cursor,
        start,
        what,
        (ends > len(tile.detail_tris)) | (details["tris"] == 0),
        "has no detail triangles or names some beyond the end",
    )
    own = np.concatenate(
        [np.arange(0), *(np.arange(e - n, e) for e, n in zip(ends, details["tris"], strict=True))]
    )
    poly = np.repeat(np.arange(len(polys)), details["tris"])
    extra = tile.detail_tris[own, :3].astype(np.int64) - count[poly][:, None]
    beyond = (extra >= 0) & (details["vert_base"][poly][:, None] + extra >= len(tile.detail_verts))
    bad = np.zeros(len(polys), np.bool_)
    bad[poly[beyond.any(1)]] = True
    _check_each(cursor, start, what, bad, "has a detail triangle that names a vertex beyond the end")


def _check_each(cursor: _Cursor, start: int, what: str, bad: Any, problem: str) -> None:
    if bad.any():
        raise cursor.fail(f"polygon {int(np.flatnonzero(bad)[0])} of {what} {problem}", start)
