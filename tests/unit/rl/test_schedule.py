from __future__ import annotations

import pytest

from gym_batchnav.rl import PPOConfig, TrainConfig
from gym_batchnav.rl.learning.schedule import entropy_coefficient, learning_rate, progress


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


def test_entropy_falls_linearly():
    config = PPOConfig(entropy_coefficient=0.02, entropy_final_factor=0.5)
    assert [entropy_coefficient(config, s) for s in (0.0, 0.5, 1.0)] == pytest.approx([0.02, 0.015, 0.01])


def test_progress_follows_whichever_limit_is_nearer():
    config = TrainConfig(total_frames=1000, time_limit_s=10.0)
    assert progress(config, 500, 2.0) == 0.5
    assert progress(config, 100, 8.0) == 0.8
    assert progress(config, 2000, 0.0) == 1.0
    assert progress(TrainConfig(total_frames=1000), 250, 1e9) == 0.25
