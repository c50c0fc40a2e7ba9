"""Draws with packets of rays, called in Embree's library; falls back to embreex's own call."""

from __future__ import annotations

import logging
import os
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ..errors import EmbreeError
from . import packets as p
from .check import check_layout
from .draw import draw
from .images import Targets
from .library import Embree
from .surface import Surface
from .tree import Tree

_log = logging.getLogger("batchnav_renderer")


class Tracer(Protocol):
    """A way to cast rays."""

    lanes: int
    """Rays of a packet."""
    info: dict[str, Any]
    """What casts."""

    def build(self, positions: NDArray[np.float32], triangles: NDArray[np.uint32]) -> Any:
        """The tree of a mesh, with a method ``close``; raises ``EmbreeError`` or ``CapacityError``."""

    def draw(
        self, tree: Any, surface: Surface, frame: p.Frame, targets: Targets, cameras: NDArray[np.float32],
        views: NDArray[np.int64],
    ) -> None:  # fmt: skip
        """Draw some views of one scene; any thread may call it."""

    def tree_bytes(self) -> int:
        """Bytes of all trees; 0 where that is not known."""


class PacketTracer:
    """Calls Embree's functions for packets from compiled code."""

    def __init__(self, watertight: bool) -> None:
        """Load Embree and check how it lays out packets; raises ``EmbreeError``."""
        self._embree, self._watertight = Embree(), watertight
        self.lanes = self._embree.lanes
        check_layout(self._embree, self.lanes)
        self._function = self._embree.intersect(self.lanes)
        self.info: dict[str, Any] = {
            "embree_version": self._embree.version,
            "embree_library": os.path.basename(self._embree.path),
            "packet_rays": self.lanes,
        }

    def build(self, positions: NDArray[np.float32], triangles: NDArray[np.uint32]) -> Tree:
        """The tree of a mesh."""
        return Tree(self._embree, positions, triangles, self._watertight)

    def draw(
        self, tree: Tree, surface: Surface, frame: p.Frame, targets: Targets, cameras: NDArray[np.float32],
        views: NDArray[np.int64],
    ) -> None:  # fmt: skip
        """Draw some views of one scene."""
        packets = p.new_packets(self._function, tree.handle, self.lanes)
        draw(targets, surface, frame, packets, cameras, views)

    def tree_bytes(self) -> int:
        """Bytes of all trees, as Embree counts them."""
        return int(self._embree.allocated[0])


def make_tracer(watertight: bool) -> Tracer:
    """The fastest tracer that works here (embreex is always watertight); raises ``EmbreeError`` for none."""
    try:
        return PacketTracer(watertight)
    except EmbreeError as error:
        from .fallback import EmbreexTracer

        try:
            tracer = EmbreexTracer()
        except ImportError as missing:
            raise EmbreeError(f"{error}\nNor can embreex be imported: {missing}") from error
        tracer.info["slow"] = str(error)
        _log.warning("drawing ray by ray through embreex, at about a third of the speed, for: %s", error)
        return tracer
