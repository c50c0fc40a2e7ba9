"""Settings of the bundled learner: the network, the PPO update, and the run as a whole."""

from __future__ import annotations

from gym_batchnav.rl.config.distributed import CommunicationBackend, DistributedConfig, Requeue
from gym_batchnav.rl.config.encoders import Encoder, EncoderSizes
from gym_batchnav.rl.config.policy import DepthTransform, GoalFormat, PolicyConfig, Recurrence
from gym_batchnav.rl.config.ppo import PPOConfig, ScheduleKind
from gym_batchnav.rl.config.train import Overlap, Precision, PrecisionChoice, StorageDtype, TrainConfig

__all__ = [
    "CommunicationBackend",
    "DepthTransform",
    "DistributedConfig",
    "Encoder",
    "EncoderSizes",
    "GoalFormat",
    "Overlap",
    "PPOConfig",
    "PolicyConfig",
    "Precision",
    "PrecisionChoice",
    "Recurrence",
    "Requeue",
    "ScheduleKind",
    "StorageDtype",
    "TrainConfig",
]
