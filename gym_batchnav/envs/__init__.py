"""The Gymnasium face of the simulator: vector environments that are batched throughout, and single ones."""

from __future__ import annotations

from .conformance import check_vector_env
from .single import PointNavEnv
from .tasks import BatchExploreEnv, BatchFleeEnv, BatchImageNavEnv, ExploreEnv, FleeEnv, ImageNavEnv
from .vector import BatchPointNavEnv

__all__ = [
    "BatchExploreEnv",
    "BatchFleeEnv",
    "BatchImageNavEnv",
    "BatchPointNavEnv",
    "ExploreEnv",
    "FleeEnv",
    "ImageNavEnv",
    "PointNavEnv",
    "check_vector_env",
]
