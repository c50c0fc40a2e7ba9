"""Configuration of the environments: frozen, checked when made, stored in checkpoints and records."""

from __future__ import annotations

from .checks import AUTORESET_MODES, SENSORS
from .env import DEFAULT_RESIDENT_SCENES, DEFAULT_SCENES, DEFAULT_SCENES_DIR, EnvConfig
from .parts import Camera, EpisodeSet

__all__ = [
    "AUTORESET_MODES",
    "DEFAULT_RESIDENT_SCENES",
    "DEFAULT_SCENES",
    "DEFAULT_SCENES_DIR",
    "SENSORS",
    "Camera",
    "EnvConfig",
    "EpisodeSet",
]
