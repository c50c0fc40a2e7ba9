"""Where triangles, materials and walkable ground come from: built-in houses and scene files."""

from __future__ import annotations

from .loading import SUPPORTED_SUFFIXES, load_scene
from .scene import Scene, SceneRoom, SceneWarning, WalkableGround
from .sets import SceneRef, resolve_scenes

__all__ = [
    "SUPPORTED_SUFFIXES",
    "Scene",
    "SceneRef",
    "SceneRoom",
    "SceneWarning",
    "WalkableGround",
    "load_scene",
    "resolve_scenes",
]
