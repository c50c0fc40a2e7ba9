from __future__ import annotations

import pytest

from gym_batchnav.rl import PPOConfig, TrainConfig
from gym_batchnav.rl.learning.schedule import (
    entropy_coefficient,
    learning_rate,
    progress,
    rate_scale,
)


@pytest.mark.parametrize(
    ("kind", "share", "expected"),
    [
        ("constant", 0.0, 0.5),  # warm-up begins at half of the peak
        ("constant", 0.1, 0.75),  # half way through it
        ("constant", 0.9, 1.0),
        ("linear", 0.2, 1.0),
        ("linear", 0.6, 0.55),  # half way down from 1 to 0.1: 0.1 + 0.9 * 0.5
        ("linear", 1.0, 0.1),
        ("cosine", 0.6, 0.55),  # cos(pi / 2) = 0: 0.1 + 0.9 * 0.5
        ("cosine", 0.4, 0.1 + 0.9 * 0.5 * (1 + 2**-0.5)),  # cos(pi / 4)
        ("cosine", 1.0, 0.1),
    ],
)
def test_learning_rate(kind, share, expected):
    config = PPOConfig(learning_rate=1.0, schedule=kind, warmup=0.2, final_factor=0.1)
    assert learning_rate(config, share) == pytest.approx(expected)


# Shacklett et al. 2021: depth with 512 environments on one GPU, RGB with 128, 32 steps in 2 minibatches.
@pytest.mark.parametrize(
    ("num_envs", "world_size", "peak"),
    [
        (512, 1, 2.83e-3),  # 512 * 32 / 2 = 8192 frames: 5e-4 * sqrt(32) = 2.828e-3
        (128, 1, 1.41e-3),  # 2048 frames: 5e-4 * sqrt(8) = 1.414e-3
        (128, 4, 2.83e-3),  # the ranks' frames add up
        (12, 1, 5e-4),  # 192 frames are below 256: never below the base
    ],
)
def test_rate_of_large_batches(num_envs, world_size, peak):
    config = PPOConfig(
        rollout_length=32,
        minibatches=2,
        learning_rate=5e-4,
        scale_learning_rate=True,
        warmup=0.01,
        final_factor=0.01,
        final_of="base",
    )
    scale = rate_scale(config, num_envs, world_size)
    assert learning_rate(config, 0.01, scale) == pytest.approx(peak, abs=5e-6)
    assert learning_rate(config, 0.0, scale) == pytest.approx(peak / 2, abs=5e-6)
    assert learning_rate(config, 1.0, scale) == pytest.approx(5e-6)  # 0.01 of the base, not of the peak
    # Half way between 1% and 100% the cosine is half way between peak and end.
    assert learning_rate(config, 0.505, scale) == pytest.approx((peak + 5e-6) / 2, abs=5e-6)


def test_rate_is_not_scaled_unless_asked_for():
    config = PPOConfig(rollout_length=32, minibatches=2, learning_rate=5e-4, final_factor=0.02)
    assert rate_scale(config, 512, 8) == 1.0
    assert learning_rate(config, 1.0, 3.0) == pytest.approx(3 * 5e-4 * 0.02)  # of the peak


def test_entropy_falls_linearly():
    config = PPOConfig(entropy_coefficient=0.02, entropy_final_factor=0.5)
    assert [entropy_coefficient(config, s) for s in (0.0, 0.5, 1.0)] == pytest.approx([0.02, 0.015, 0.01])


def test_progress_follows_whichever_limit_is_nearer():
    config = TrainConfig(total_frames=1000, time_limit_s=10.0)
    assert progress(config, 500, 2.0) == 0.5
    assert progress(config, 100, 8.0) == 0.8
    assert progress(config, 2000, 0.0) == 1.0
    assert progress(TrainConfig(total_frames=1000), 250, 1e9) == 0.25
