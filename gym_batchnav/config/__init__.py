"""Configuration of the environments: frozen, checked when made, stored in checkpoints and records."""

from __future__ import annotations

from .checks import AUTORESET_MODES, IMAGE_SENSORS, SENSORS, STATE_SENSORS
from .env import DEFAULT_RESIDENT_SCENES, DEFAULT_SCENES, DEFAULT_SCENES_DIR, EnvConfig
from .motion import ActuationNoise, DepthNoise, PoseNoise, RgbNoise, VelocityControl
from .parts import HM3D_CATEGORIES, MP3D_CATEGORIES, Camera, EpisodeSet
from .presets import PRESETS

__all__ = [
    "AUTORESET_MODES",
    "DEFAULT_RESIDENT_SCENES",
    "DEFAULT_SCENES",
    "DEFAULT_SCENES_DIR",
    "HM3D_CATEGORIES",
    "IMAGE_SENSORS",
    "MP3D_CATEGORIES",
    "PRESETS",
    "SENSORS",
    "STATE_SENSORS",
    "ActuationNoise",
    "Camera",
    "DepthNoise",
    "EnvConfig",
    "EpisodeSet",
    "PoseNoise",
    "RgbNoise",
    "VelocityControl",
]
