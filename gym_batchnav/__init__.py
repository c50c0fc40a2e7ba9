"""Fast batched visual navigation for reinforcement learning, as Gymnasium environments.

Importing this package registers ``BatchPointNav-v0`` and the other tasks, and loads neither torch, OpenGL nor
numba; every public name is loaded when it is first used.
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
    "BatchState": "gym_batchnav.sim",
    "SensorSpec": "gym_batchnav.sim",
    "Task": "gym_batchnav.sim",
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
    from .sim import BatchState, SensorSpec, Task

__all__ = [
    "ActionError",
    "ActuationNoise",
    "BatchNavError",
    "BatchPointNavEnv",
    "BatchState",
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
    "SensorSpec",
    "Task",
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


for _task in ("PointNav", "Flee", "Explore", "ImageNav", "ObjectNav"):
    gymnasium.register(
        id=f"Batch{_task}-v0",
        entry_point=f"gym_batchnav.envs:{_task}Env",
        vector_entry_point=f"gym_batchnav.envs:Batch{_task}Env",
        max_episode_steps=500,
    )
