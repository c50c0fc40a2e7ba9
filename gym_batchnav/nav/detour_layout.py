"""Layout of Habitat's ``.navmesh``: a set of Detour tiles behind an ``MSET`` header; all little-endian.

``MSET``, version, number of tiles, ``dtNavMeshParams``; version 2 puts the settings of the bake next; then
per tile its reference (32 or 64 bits), its size and Detour's tile data of version 7.
Sources: habitat-sim PathFinder.cpp, Recast Navigation DetourNavMesh.h and DetourNavMeshBuilder.cpp.
"""

from __future__ import annotations

import numpy as np

SET_MAGIC = b"TESM"
TILE_MAGIC = b"VAND"
SET_VERSIONS = (1, 2)
TILE_VERSION = 7
EXTERNAL_LINK = 0x8000
WALK_FLAG = 0x01
"""habitat-sim's POLYFLAGS_WALK."""
VERTS_PER_POLYGON = 6
MAX_COORDINATE = 1e6
"""Metres; beyond it a file is broken."""

SET_HEADER = np.dtype(
    [("magic", "S4"), ("version", "<i4"), ("tiles", "<i4"), ("origin", "<f4", 3), ("tile_size", "<f4", 2),
     ("max_tiles", "<i4"), ("max_polys", "<i4")]
)  # fmt: skip
TILE_HEADER = np.dtype(
    [("magic", "S4"), ("version", "<i4"), ("x", "<i4"), ("y", "<i4"), ("layer", "<i4"), ("user", "<u4"),
     ("polys", "<i4"), ("verts", "<i4"), ("links", "<i4"), ("detail_meshes", "<i4"), ("detail_verts", "<i4"),
     ("detail_tris", "<i4"), ("bv_nodes", "<i4"), ("off_mesh", "<i4"), ("off_mesh_base", "<i4"),
     ("walk_height", "<f4"), ("walk_radius", "<f4"), ("walk_climb", "<f4"), ("low", "<f4", 3), ("high", "<f4",
     3), ("quant", "<f4")]
)  # fmt: skip
SETTING_NUMBERS = (
    "cell_size",
    "cell_height",
    "agent_height",
    "agent_radius",
    "agent_max_climb",
    "agent_max_slope",
    "region_min_size",
    "region_merge_size",
    "edge_max_len",
    "edge_max_error",
    "verts_per_poly",
    "detail_sample_dist",
    "detail_sample_max_error",
)
SETTING_FLAGS = ("filter_low_hanging_obstacles", "filter_ledge_spans", "filter_walkable_low_height_spans")
SETTINGS = np.dtype(
    [(name, "<f4") for name in SETTING_NUMBERS]
    + [(name, "?") for name in SETTING_FLAGS]
    + [("include_static_objects", "?")]
)
"""habitat-sim's NavMeshSettings, named as `AgentSettings`; the last flag concerns its placed objects."""
POLY = np.dtype(
    [("link", "<u4"), ("verts", "<u2", VERTS_PER_POLYGON), ("neis", "<u2", VERTS_PER_POLYGON), ("flags",
    "<u2"),
     ("count", "u1"), ("area_type", "u1")]
)  # fmt: skip
DETAIL = np.dtype(
    [("vert_base", "<u4"), ("tri_base", "<u4"), ("verts", "u1"), ("tris", "u1"), ("pad", "<u2")]
)
BV_NODE = np.dtype([("low", "<u2", 3), ("high", "<u2", 3), ("index", "<i4")])
OFF_MESH_SIZE = 36
LINK_SIZES = {4: 12, 8: 16}
COUNTS = (
    "polys",
    "verts",
    "links",
    "detail_meshes",
    "detail_verts",
    "detail_tris",
    "bv_nodes",
    "off_mesh",
)
