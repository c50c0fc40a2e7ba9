"""Stable-Baselines3: batched environments as its ``VecEnv``, and what its logs should show of them.

``make_sb3_vec_env`` makes environments of this library; ``SB3VecEnv`` adapts one that is there, of this
library or any other Gymnasium ``VectorEnv``; ``SB3Wrapper`` does the same for a single environment.
"""

from __future__ import annotations

try:
    import stable_baselines3  # noqa: F401
except ImportError as error:
    raise ImportError(
        "gym_batchnav.integrations.sb3 needs Stable-Baselines3; install it with: "
        "pip install 'gym-batchnav[sb3]'"
    ) from error

from .callbacks import EpisodeMetrics, EvalMetrics
from .making import make_sb3_vec_env
from .observations import CNN_SIZE
from .single import SB3Wrapper
from .vec_env import SB3VecEnv

__all__ = ["CNN_SIZE", "EpisodeMetrics", "EvalMetrics", "SB3VecEnv", "SB3Wrapper", "make_sb3_vec_env"]
