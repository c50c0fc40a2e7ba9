"""The Gymnasium face of the simulator: a vector environment that is batched throughout, and a single one."""

from __future__ import annotations

from .conformance import check_vector_env
from .single import PointNavEnv
from .vector import BatchPointNavEnv

__all__ = ["BatchPointNavEnv", "PointNavEnv", "check_vector_env"]
