"""The bundled learner: recurrent PPO on any Gymnasium vector environment with Box or Dict observations.

It meets the environment only through ``gymnasium.vector.VectorEnv``.
"""

from __future__ import annotations

from gym_batchnav.rl.agents import Agent, PolicyAgent, RandomAgent, StraightWalker, load_policy
from gym_batchnav.rl.config import DistributedConfig, PolicyConfig, PPOConfig, TrainConfig
from gym_batchnav.rl.distributed import Launch, find_launch
from gym_batchnav.rl.evaluate import EpisodeRecord, Evaluation, EvaluationStep, evaluate
from gym_batchnav.rl.intervals import Interval
from gym_batchnav.rl.nets.policy import ActorCritic
from gym_batchnav.rl.pretrained import export_policy, pretrained_path
from gym_batchnav.rl.running.callbacks import RunInfo, TrainCallback, TrainResult
from gym_batchnav.rl.running.checkpoint import (
    best_checkpoint,
    latest_checkpoint,
    load_checkpoint,
    resolve_checkpoint,
)
from gym_batchnav.rl.running.logs import read_log
from gym_batchnav.rl.running.progress import ProgressBar
from gym_batchnav.rl.running.trainer import train
from gym_batchnav.rl.spec import EnvSpec, env_spec

__all__ = [
    "ActorCritic",
    "Agent",
    "DistributedConfig",
    "EnvSpec",
    "EpisodeRecord",
    "Evaluation",
    "EvaluationStep",
    "Interval",
    "Launch",
    "PPOConfig",
    "PolicyAgent",
    "PolicyConfig",
    "ProgressBar",
    "RandomAgent",
    "RunInfo",
    "StraightWalker",
    "TrainCallback",
    "TrainConfig",
    "TrainResult",
    "best_checkpoint",
    "env_spec",
    "evaluate",
    "export_policy",
    "find_launch",
    "latest_checkpoint",
    "load_checkpoint",
    "load_policy",
    "pretrained_path",
    "read_log",
    "resolve_checkpoint",
    "train",
]
