"""Named runs: sizes, learner and environment of ``batchnav train --preset``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Preset:
    """Defaults of ``batchnav train``."""

    about: str
    """What it is for, in one line."""
    frames: int
    """Frames of the training."""
    time_limit_min: float | None = None
    """Minutes of the training."""
    num_envs: int
    """Environments side by side, of one process."""
    sensors: tuple[str, ...] = ("depth",)
    """Images that the agent sees."""
    resolution: int = 64
    """Their height and width in pixels."""
    env_preset: str = "habitat"
    """The task's rules, for training and evaluation, see ``EnvConfig.preset``."""
    eval_episodes: int = 1000
    """Episodes of the evaluation."""
    validation_episodes: int = 200
    """Episodes of each validation, where the learner asks for validations."""
    learner: Mapping[str, Any]
    """Settings of the learner by dotted name."""
    env: Mapping[str, Any] = field(default_factory=dict)
    """Settings of the environment that is trained in; evaluations keep the task's own rewards."""
    frames_per_second: float
    """Speed that was measured or published ..."""
    measured_on: str
    """... on this."""


# The slack penalty teaches a beginner to give up at the first wall, since stopping is free: train without.
_REWARDS = {"slack_reward": 0.0, "success_reward": 5.0}
_SCENES = {"num_resident_scenes": 32, "swap_episodes": 32}
_NAVIGATION = {
    "metric_keys": ("success", "spl", "soft_spl", "distance_to_goal"),
    "best_metric": "success",
}
_NAVIGATOR = {
    **_NAVIGATION,
    "policy.hidden": 192,
    "policy.stem_planes": 16,
    "policy.planes": (16, 32),
    "policy.vector_embedding": 64,
    "policy.depth_transform": "sqrt",
    # Stopping ends all exploration, so an untrained policy does it rarely.
    "policy.initial_action_probabilities": (0.002, 0.6, 0.199, 0.199),
    "ppo.gamma": 0.98,
    "ppo.learning_rate": 7e-4,
    "ppo.entropy_coefficient": 0.02,
    "ppo.entropy_final_factor": 0.2,
}
_WITH_HISTORY = {"best_metric": "spl", "keep_every_frames": 500_000, "validate_every_frames": 500_000}
# Twenty-five checkpoints that are kept, and a hundred validations, of a run of 2.5 billion frames.
_LONG_HISTORY = {
    "best_metric": "spl",
    "checkpoint_every_s": 600.0,
    "keep_every_frames": 100_000_000,
    "validate_every_frames": 25_000_000,
}
_PUBLISHED_POLICY = {
    "policy.recurrence": "lstm",
    "policy.layers": 2,
    "policy.hidden": 512,
    "policy.skip": False,
    "policy.vector_embedding": 32,
    "policy.action_embedding": 32,
    "policy.goal_format": "cos-sin",
    "policy.depth_transform": "none",
}
_PUBLISHED_PPO = {
    "ppo.gamma": 0.99,
    "ppo.gae_lambda": 0.95,
    "ppo.clip": 0.2,
    "ppo.value_coefficient": 0.5,
    "ppo.entropy_coefficient": 0.01,
    "ppo.entropy_final_factor": 1.0,
    "ppo.normalize_advantages": False,
    "ppo.normalize_values": False,
    "ppo.adam_eps": 1e-5,
}
# Table of hyperparameters and released configuration of Shacklett et al. 2021.
_BPS = {
    **_NAVIGATION,
    **_LONG_HISTORY,
    **_PUBLISHED_POLICY,
    **_PUBLISHED_PPO,
    "policy.encoder": "se-resnet9",
    "ppo.rollout_length": 32,
    "ppo.minibatches": 2,
    "ppo.epochs": 1,
    "ppo.optimizer": "lamb",
    "ppo.learning_rate": 5e-4,
    "ppo.scale_learning_rate": True,
    "ppo.schedule": "cosine",
    "ppo.warmup": 0.01,
    "ppo.final_factor": 0.01,
    "ppo.final_of": "base",
    "ppo.weight_decay": 1e-2,
    "ppo.max_grad_norm": 1.0,
    # A GPU computes a whole minibatch at once.
    "ppo.microbatch_frames": 8192,
}
# What the stored run of cpu held while it had both cores for itself.
_CPU_SPEED, _CPU = 2_100.0, "2 cores of an AMD EPYC, see docs/results"
PRESETS = {
    "quick": Preset(
        about="shows that learning works, on a laptop",
        frames=20_000_000,
        time_limit_min=9.0,
        num_envs=128,
        eval_episodes=200,
        learner={**_NAVIGATOR, "ppo.rollout_length": 16, "ppo.epochs": 3},
        env={**_REWARDS, **_SCENES},
        frames_per_second=_CPU_SPEED,
        measured_on=_CPU,
    ),
    "cpu": Preset(
        about="a good agent in hours, on a laptop",
        frames=10_000_000,
        num_envs=128,
        # The network of quick with a wider memory, and a checkpoint that validations choose.
        learner={
            **_NAVIGATOR,
            **_WITH_HISTORY,
            "policy.hidden": 256,
            "ppo.gamma": 0.99,
            "ppo.rollout_length": 32,
            "ppo.epochs": 2,
            "ppo.minibatches": 4,
        },
        env={**_REWARDS, **_SCENES},
        frames_per_second=_CPU_SPEED,
        measured_on=_CPU,
    ),
    "bps-depth": Preset(
        about="the agent with depth of Shacklett et al. 2021, for a GPU",
        frames=2_500_000_000,
        num_envs=512,
        env_preset="bps",
        learner=_BPS,
        env={"num_resident_scenes": 16},
        frames_per_second=19_900,
        measured_on="one RTX 3090, as published by Shacklett et al. 2021",
    ),
    "bps-rgb": Preset(
        about="the agent with colour of Shacklett et al. 2021, for a GPU",
        frames=2_500_000_000,
        num_envs=128,
        sensors=("rgb",),
        env_preset="bps",
        learner={**_BPS, "policy.normalize_rgb": True},
        env={"num_resident_scenes": 4},
        frames_per_second=13_300,
        measured_on="one RTX 3090, as published by Shacklett et al. 2021",
    ),
    # The 64 workers with 4 environments each of Wijmans et al. 2019 are one batch of 256 here; under
    # torchrun, --num-envs is that of each process.
    "ddppo": Preset(
        about="the agent with depth of Wijmans et al. 2019, for GPUs",
        frames=2_500_000_000,
        num_envs=256,
        resolution=256,
        learner={
            **_NAVIGATION,
            **_LONG_HISTORY,
            **_PUBLISHED_POLICY,
            **_PUBLISHED_PPO,
            "policy.encoder": "resnet50",
            "ppo.rollout_length": 128,
            "ppo.minibatches": 2,
            "ppo.epochs": 2,
            "ppo.learning_rate": 2.5e-4,
            "ppo.schedule": "constant",
            "ppo.warmup": 0.0,
            "ppo.max_grad_norm": 0.2,
            "ppo.microbatch_frames": 512,
        },
        env={},
        # 2.5 billion frames in under three days.
        frames_per_second=9_700,
        measured_on="64 V100 GPUs, as published by Wijmans et al. 2019",
    ),
}
