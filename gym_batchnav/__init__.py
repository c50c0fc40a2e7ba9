"""Fast batched visual navigation for reinforcement learning, as Gymnasium environments.

Importing this package registers ``BatchPointNav-v0`` and loads neither torch, OpenGL nor numba; every public
name is loaded when it is first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

import gymnasium

__version__ = "0.1.0"

_LAZY_NAMES = {
    "BatchPointNavEnv": "gym_batchnav.envs",
    "PointNavEnv": "gym_batchnav.envs",
    "ActuationNoise": "gym_batchnav.config",
    "check_vector_env": "gym_batchnav.envs",
    "Camera": "gym_batchnav.config",
    "DepthNoise": "gym_batchnav.config",
    "EnvConfig": "gym_batchnav.config",
    "EpisodeSet": "gym_batchnav.config",
    "PoseNoise": "gym_batchnav.config",
    "RgbNoise": "gym_batchnav.config",
    "VelocityControl": "gym_batchnav.config",
    "NavMesh": "gym_batchnav.nav",
    "Scene": "gym_batchnav.scenes",
    "load_scene": "gym_batchnav.scenes",
    "resolve_scenes": "gym_batchnav.scenes",
    "ActionError": "gym_batchnav.errors",
    "BatchNavError": "gym_batchnav.errors",
    "ClosedEnvError": "gym_batchnav.errors",
    "ConfigError": "gym_batchnav.errors",
    "ConformanceError": "gym_batchnav.errors",
    "EpisodeError": "gym_batchnav.errors",
    "NavMeshError": "gym_batchnav.errors",
    "SceneError": "gym_batchnav.errors",
}

if TYPE_CHECKING:
    from .config import (
        ActuationNoise,
        Camera,
        DepthNoise,
        EnvConfig,
        EpisodeSet,
        PoseNoise,
        RgbNoise,
        VelocityControl,
    )
    from .envs import BatchPointNavEnv, PointNavEnv, check_vector_env
    from .errors import (
        ActionError,
        BatchNavError,
        ClosedEnvError,
        ConfigError,
        ConformanceError,
        EpisodeError,
        NavMeshError,
        SceneError,
    )
    from .nav import NavMesh
    from .scenes import Scene, load_scene, resolve_scenes

__all__ = [
    "ActionError",
    "ActuationNoise",
    "BatchNavError",
    "BatchPointNavEnv",
    "Camera",
    "ClosedEnvError",
    "ConfigError",
    "ConformanceError",
    "DepthNoise",
    "EnvConfig",
    "EpisodeError",
    "EpisodeSet",
    "NavMesh",
    "NavMeshError",
    "PointNavEnv",
    "PoseNoise",
    "RgbNoise",
    "Scene",
    "SceneError",
    "VelocityControl",
    "__version__",
    "check_vector_env",
    "load_scene",
    "resolve_scenes",
]


def __getattr__(name: str) -> Any:
    """Load a public name when it is first used (PEP 562)."""
    if name not in _LAZY_NAMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_LAZY_NAMES[name]), name)


def __dir__() -> list[str]:
    """Names of the module, the lazy ones included."""
    return sorted({*globals(), *_LAZY_NAMES})


gymnasium.register(
    id="BatchPointNav-v0",
    entry_point="gym_batchnav.envs:PointNavEnv",
    vector_entry_point="gym_batchnav.envs:BatchPointNavEnv",
    max_episode_steps=500,
)
