"""Batched simulation of navigation: state, motion, episodes, tasks and metrics; NumPy only."""

from __future__ import annotations

from .episodes import Episode, sample_episodes
from .simulator import Simulator
from .sources import DatasetSource, EpisodeSetSource, EpisodeSource, SampledSource, SceneSlots
from .state import BatchState
from .task import PointNav, SensorSpec, Task

__all__ = [
    "BatchState",
    "DatasetSource",
    "Episode",
    "EpisodeSetSource",
    "EpisodeSource",
    "PointNav",
    "SampledSource",
    "SceneSlots",
    "SensorSpec",
    "Simulator",
    "Task",
    "sample_episodes",
]
