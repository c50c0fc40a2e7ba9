"""References to scenes: what worker processes are sent."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path

from .cache.keys import Recipe
from .frames import Up
from .habitat import SceneDataSet, load_data_set_scene
from .houses.splits import load_house
from .layout import is_z_up
from .loading import load_scene
from .reads import note_content
from .scene import Scene


@dataclass(frozen=True, slots=True)
class SceneRef:
    """A scene that is not loaded yet; small and picklable."""

    scene_id: str
    """Stable name of the scene."""
    source: str
    """Name of a house split, path of a scene file, or path of a ``.scene_dataset_config.json``."""
    house: int | None = None
    """Number of a house in its split; None for files."""
    navmesh: str | None = None
    """Navigation mesh file; None where there is none; scenes of a data set name their own too."""
    up: Up | None = None
    """Axis of the file that points up; None for what it declares or is usual for its data set, else +Y."""
    scale: float = 1.0
    """Metres for each unit of the file."""
    member: str | None = None
    """Name of a scene in the data set that ``source`` configures; None for all else."""
    scenes_dir: str | None = None
    """Folder besides the data set's own surroundings in which its files may lie."""
    agent_radius: float = 0.1
    """Metres by which the walkable ground of a house keeps off walls; scene files do not depend on it."""

    @property
    def recipe(self) -> Recipe:
        """What ``load`` depends on besides the content of files.

        Raises:
            SceneError: the configuration of the data set is broken.
        """
        if self.house is not None:
            return Recipe(("house", self.source, self.house, self.agent_radius))
        path = Path(self.source)
        navmesh = None if self.navmesh is None else os.path.relpath(self.navmesh, path.parent)
        if self.member is not None:
            listing = SceneDataSet(path, self.scenes_dir).listing_digest
            return Recipe(("member", self.member, navmesh, self.scenes_dir, listing), path)
        # The usual frame depends on the names of folders, which copies of a file do not share.
        return Recipe(("file", navmesh, self.up or is_z_up(path), self.scale), path)

    def load(self) -> Scene:
        """Make or read the scene; raises ``SceneError`` or ``NavMeshError`` where that fails."""
        if self.house is not None:
            return load_house(self.source, self.house, self.agent_radius)
        if self.member is not None:
            scene = load_data_set_scene(self.source, self.member, self.scenes_dir)
            if self.navmesh is None:
                return scene
            note_content(Path(self.navmesh))
            return replace(scene, navmesh_path=Path(self.navmesh))
        return load_scene(self.source, self.navmesh, up=self.up, scale=self.scale)
