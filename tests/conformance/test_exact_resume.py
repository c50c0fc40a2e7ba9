"""A training run on the real environment that is interrupted equals the one that is not."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from gym_batchnav.config import EnvConfig
from gym_batchnav.envs import BatchPointNavEnv
from gym_batchnav.rl import TrainConfig, load_checkpoint, train
from gym_batchnav.rl.config import PolicyConfig, PPOConfig

FRAMES = 4 * 8  # of one update: four environments, eight steps


def make_envs() -> BatchPointNavEnv:
    config = EnvConfig(
        scenes="houses:train[:3]", num_resident_scenes=2, swap_episodes=2, max_episode_steps=6,
        resolution=(16, 16), device="cpu", scene_workers=0,
    )  # fmt: skip
    return BatchPointNavEnv(4, config)


def config(updates: int) -> TrainConfig:
    return TrainConfig(
        policy=PolicyConfig(hidden=16, stem_planes=4, planes=(4,), strides=(1,)),
        ppo=PPOConfig(
            rollout_length=8, minibatches=2, epochs=1, schedule="constant", entropy_final_factor=1.0
        ),
        total_frames=updates * FRAMES,
        threads=1,
        precision="float32",
        tensorboard=False,
    )


@pytest.mark.slow
def test_resumed_training_is_bitwise_the_same(tmp_path: Path) -> None:
    whole = train(config(4), make_envs, tmp_path / "whole")
    train(config(2), make_envs, tmp_path / "parts")
    parts = train(config(4), make_envs, tmp_path / "parts", resume=True)
    first, second = (load_checkpoint(result.checkpoint) for result in (whole, parts))
    assert first["progress"]["frames"] == second["progress"]["frames"] == 4 * FRAMES
    for name, value in first["policy"].items():
        assert torch.equal(value, second["policy"][name]), name
    assert first["env_state"]["numbers"] == second["env_state"]["numbers"]
    for name, value in first["env_state"]["simulator"].items():
        assert (value == second["env_state"]["simulator"][name]).all(), name
    # Episodes of six steps: every row has begun at least five by the end, so scenes were swapped on the way.
    assert min(first["env_state"]["numbers"]) >= 4
