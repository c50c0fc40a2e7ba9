"""The tree of a scene in Embree's memory."""

from __future__ import annotations

import ctypes
import weakref
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .library import Embree

_TRIANGLES, _INDEX, _VERTEX, _UINT3, _FLOAT3 = 0, 0, 1, 0x5003, 0x9003
# Trees of this kind have no better quality to ask for: RTC_BUILD_QUALITY_HIGH gives the same tree.
_ROBUST = 1 << 2


class Tree:
    """The BVH of a triangle mesh; freed with the last reference, or by ``close``."""

    def __init__(
        self, embree: Embree, positions: NDArray[np.float32], triangles: NDArray[np.uint32], watertight: bool
    ) -> None:
        """Copy the mesh and build.

        Args:
            embree: the library.
            positions: (V, 3) float32, metres.
            triangles: (F, 3) uint32 indices.
            watertight: whether a ray along the edge of two triangles is sure to hit one of them.

        Raises:
            CapacityError: memory is short.
            EmbreeError: Embree refused.
        """
        self.handle = int(embree.rtcNewScene(embree.device) or 0)
        embree.check("making a scene")
        self.close = weakref.finalize(self, _release, embree, self.handle)
        self.close.atexit = False
        if watertight:
            embree.rtcSetSceneFlags(self.handle, _ROBUST)
        if len(triangles):
            _attach(embree, self.handle, positions, triangles)
        embree.rtcCommitScene(self.handle)
        embree.check(f"building the tree of {len(triangles):,} triangles")


def _release(embree: Embree, handle: int) -> None:
    """Free a scene; the library is an argument since what counts its memory must outlive the scene."""
    embree.rtcReleaseScene(handle)


def _attach(
    embree: Embree, scene: int, positions: NDArray[np.float32], triangles: NDArray[np.uint32]
) -> None:
    geometry = embree.rtcNewGeometry(embree.device, _TRIANGLES)
    try:
        _fill(embree, geometry, _VERTEX, _FLOAT3, positions)
        _fill(embree, geometry, _INDEX, _UINT3, triangles)
        embree.rtcCommitGeometry(geometry)
        embree.rtcAttachGeometry(scene, geometry)
    finally:
        embree.rtcReleaseGeometry(geometry)  # the scene holds it from here on


def _fill(embree: Embree, geometry: int, kind: int, layout: int, rows: NDArray[Any]) -> None:
    rows = np.ascontiguousarray(rows)
    memory = embree.rtcSetNewGeometryBuffer(geometry, kind, 0, layout, 12, len(rows))
    embree.check(f"taking memory for {len(rows):,} vertices or triangles")
    ctypes.memmove(memory, rows.ctypes.data, rows.nbytes)
