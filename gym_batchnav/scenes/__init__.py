"""Where triangles, materials and walkable ground come from: built-in houses and scene files."""

from __future__ import annotations

from .habitat.lookup import SceneFinder
from .loading import SUPPORTED_SUFFIXES, load_scene
from .refs import SceneRef
from .saving import save_scene
from .scene import Scene, SceneRoom, SceneWarning, WalkableGround
from .sets import resolve_scenes

__all__ = [
    "SUPPORTED_SUFFIXES",
    "Scene",
    "SceneFinder",
    "SceneRef",
    "SceneRoom",
    "SceneWarning",
    "WalkableGround",
    "load_scene",
    "resolve_scenes",
    "save_scene",
]
