"""The Gymnasium face of the simulator: vector environments that are batched throughout, and single ones."""

from __future__ import annotations

from .conformance import check_vector_env
from .single import PointNavEnv
from .tasks import (
    BatchExploreEnv,
    BatchFleeEnv,
    BatchImageNavEnv,
    BatchObjectNavEnv,
    ExploreEnv,
    FleeEnv,
    ImageNavEnv,
    ObjectNavEnv,
)
from .vector import BatchPointNavEnv

__all__ = [
    "BatchExploreEnv",
    "BatchFleeEnv",
    "BatchImageNavEnv",
    "BatchObjectNavEnv",
    "BatchPointNavEnv",
    "ExploreEnv",
    "FleeEnv",
    "ImageNavEnv",
    "ObjectNavEnv",
    "PointNavEnv",
    "check_vector_env",
]
