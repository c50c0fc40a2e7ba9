"""The navigation mesh of a scene."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol

from gym_batchnav.errors import NavMeshError
from gym_batchnav.nav.navmesh import NavMesh


class _Walkable(Protocol):
    @property
    def vertices(self) -> Any: ...
    @property
    def polygons(self) -> Any: ...


class SceneLike(Protocol):
    """What `navmesh_for` reads of a scene."""

    @property
    def scene_id(self) -> str:
        """Named in error messages."""

    @property
    def navmesh_path(self) -> Path | None:
        """A ``.navmesh`` file, used first."""

    @property
    def walkable(self) -> Any:
        """Walkable polygons (`vertices`, `polygons`), or None."""


def navmesh_for(scene: SceneLike) -> NavMesh:
    """The navigation mesh of a scene: its ``.navmesh`` file, else its walkable polygons.

    Raises:
        NavMeshError: The scene has neither, or the mesh is broken.
    """
    if scene.navmesh_path is not None:
        return NavMesh.load(scene.navmesh_path)
    if scene.walkable is not None:
        ground: _Walkable = scene.walkable
        return NavMesh.from_polygons(ground.vertices, ground.polygons, source=scene.scene_id)
    raise NavMeshError(
        f"scene {scene.scene_id!r} has no walkable ground: put a .navmesh of the same name beside its "
        "file, or give the path of one (navmesh=...)"
    )
