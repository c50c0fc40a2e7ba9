"""Batched simulation of navigation: state, motion, episodes, tasks and metrics; NumPy only."""

from __future__ import annotations

from .episodes import Episode, sample_episodes
from .sensors import SensorSpec, StateSensors
from .simulator import Simulator
from .sources import DatasetSource, EpisodeSetSource, EpisodeSource, SampledSource, SceneSlots
from .state import BatchState
from .task import PointNav, Task
from .tasks import Explore, Flee, ImageNav, ObjectNav

__all__ = [
    "BatchState",
    "DatasetSource",
    "Episode",
    "EpisodeSetSource",
    "EpisodeSource",
    "Explore",
    "Flee",
    "ImageNav",
    "ObjectNav",
    "PointNav",
    "SampledSource",
    "SceneSlots",
    "SensorSpec",
    "Simulator",
    "StateSensors",
    "Task",
    "sample_episodes",
]
