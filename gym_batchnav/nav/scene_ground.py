"""The navigation mesh of a scene."""

from __future__ import annotations

import logging
import time
from pathlib import Path
from typing import Any, Protocol

from numpy.typing import ArrayLike

from gym_batchnav.errors import NavMeshError
from gym_batchnav.nav.agent import AgentSettings
from gym_batchnav.nav.bake import bake_polygons
from gym_batchnav.nav.fit import warn_of_misfit
from gym_batchnav.nav.navmesh import NavMesh

_LOG = logging.getLogger(__name__)


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

    @property
    def positions(self) -> Any:
        """(V, 3) metres; asked for where there is no other ground, and to see whether a file fits."""

    @property
    def triangles(self) -> Any:
        """(F, 3) vertex indices; asked for where there is no other ground."""


def navmesh_for(scene: SceneLike, settings: AgentSettings | None = None, *, strict: bool = False) -> NavMesh:
    """The navigation mesh of a scene: its ``.navmesh`` file, else its walkable polygons, else a baked one.

    A file is taken where it was baked for an agent at least as large as the one that is asked for
    (`AgentSettings.suits`); else the ground is baked anew, as habitat-sim does where its settings differ.
    Files of version 1 tell radius, height and step; their slope is taken to be Habitat's.

    A file's ground that reaches out of the scene gives a `SceneWarning`.

    Args:
        scene: A `gym_batchnav.scenes.Scene` or the like.
        settings: The agent, and the grid of a bake (see `bake_navmesh`); None takes a file as it is, and
            bakes for Habitat's agent. Walkable polygons are for the agent that they were made for.
        strict: Whether a file for a smaller agent is an error.

    Raises:
        NavMeshError: The mesh is broken, or is for a smaller agent and ``strict``; or the scene's triangles
            hold no walkable ground.
    """
    if scene.navmesh_path is not None:
        mesh = NavMesh.load(scene.navmesh_path)
        if settings is None or mesh.settings.suits(settings):
            warn_of_misfit(mesh, scene.positions, scene.scene_id, scene.navmesh_path)
            return mesh
        _refuse(scene.navmesh_path, mesh.settings, settings, strict)
        return bake_navmesh(scene.positions, scene.triangles, settings, source=scene.scene_id)
    if scene.walkable is not None:
        ground: _Walkable = scene.walkable
        return NavMesh.from_polygons(ground.vertices, ground.polygons, source=scene.scene_id)
    return bake_navmesh(scene.positions, scene.triangles, settings, source=scene.scene_id)


def _refuse(path: Path, found: AgentSettings, wanted: AgentSettings, strict: bool) -> None:
    problem = f"{path}: was baked for an agent of {found.body()}; too small for one of {wanted.body()}"
    if strict:
        raise NavMeshError(f"{problem}; leave the file out to have one baked, or ask for a smaller agent")
    _LOG.info("%s; the ground is baked anew", problem)


def bake_navmesh(
    positions: ArrayLike,
    triangles: ArrayLike,
    settings: AgentSettings | None = None,
    source: str = "triangles",
) -> NavMesh:
    """Bakes the ground on which an agent can stand and walk, as habitat-sim does with Recast.

    Args:
        positions: (V, 3) metres, +Y up.
        triangles: (F, 3) vertex indices, counter-clockwise seen from the side that is walked on.
        settings: The agent and the grid; None is Habitat's default agent.
        source: Named in error messages.

    Returns:
        The mesh. One line is logged, with the time that it took.

    Raises:
        NavMeshError: Arrays are of another shape, a number is not finite, the grid would be too large, or
            there is no walkable ground.
    """
    start = time.perf_counter()
    mesh = NavMesh(bake_polygons(positions, triangles, settings or AgentSettings(), source))
    _LOG.info(
        "baked the navigation mesh of %s in %.1f s: %.1f m2, %d polygons, %d islands",
        source,
        time.perf_counter() - start,
        mesh.area_m2,
        mesh.num_polygons,
        mesh.num_islands,
    )
    return mesh
