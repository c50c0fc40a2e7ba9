"""Baking: triangles in, a navigation mesh out, in the stages of Recast.

Triangles become voxels (`voxels`), voxels that an agent cannot stand on go (`filters`), the rest becomes an
open surface of linked spans (`surface`), which falls into regions (`watershed`, `regions`); their outlines
(`contours`, `holes`) are cut into convex polygons (`polygons`) with heights (`detail`).

Source of the method: Mononen 2009, Navigation Mesh Generation via Voxelization and Watershed Partitioning,
and the behaviour of Recast Navigation 1.6.
"""

from gym_batchnav.nav.bake.baker import BAKE_VERSION, bake_key, bake_polygons

__all__ = ["BAKE_VERSION", "bake_key", "bake_polygons"]
