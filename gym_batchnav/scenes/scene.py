"""What a scene is: triangles to draw and ground to walk on."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from batchnav_renderer.types import SceneArrays


class SceneWarning(UserWarning):
    """Something in a scene was left out or replaced; the rest of the scene is usable."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WalkableGround:
    """Ground on which the centre of the agent may stand: polygons already shrunk by the agent's radius."""

    vertices: NDArray[np.float32]
    """(V, 3) float32, metres."""
    polygons: tuple[tuple[int, ...], ...]
    """Convex, as indices into ``vertices``; neighbours share whole edges; all turn the same way round."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SceneRoom:
    """One room of a built-in house."""

    kind: str
    """Such as ``"kitchen"``; a landing is a ``"hall"``."""
    storey: int
    """0 for the lower one."""
    floor: float
    """Height of the floor, metres."""
    bounds: tuple[float, float, float, float]
    """Rectangle between its walls seen from above: x and z of one corner, then of the other, metres."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """Triangles with their materials, and where the walkable ground comes from."""

    scene_id: str
    """Stable name: ``houses-v2/train/0017`` for a built-in house, the path of the file otherwise."""
    arrays: SceneArrays
    """What the renderer draws; world coordinates, +Y up, metres."""
    walkable: WalkableGround | None = None
    """Walkable ground of a built-in house; None for files."""
    object_classes: tuple[str, ...] | None = None
    """Semantic class of each object id, such as ``"chair"``; None where classes are not known."""
    rooms: tuple[SceneRoom, ...] | None = None
    """Rooms of a built-in house; None for files."""
    navmesh_path: Path | None = None
    """Navigation mesh file of the scene; None where there is none."""

    @property
    def positions(self) -> NDArray[np.float32]:
        """Vertices, (V, 3) float32, metres; the scene's own array, not a copy."""
        return self.arrays.positions

    @property
    def triangles(self) -> NDArray[np.uint32]:
        """Vertex indices of the triangles, (F, 3) uint32; the scene's own array, not a copy."""
        return self.arrays.triangles
