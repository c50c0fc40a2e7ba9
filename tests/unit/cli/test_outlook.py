"""What a run says of itself before and after its first updates."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from gym_batchnav.cli.args import TrainArgs
from gym_batchnav.cli.evaluation.contestants import initial_policy
from gym_batchnav.cli.training.outlook import Forecast, outlook
from gym_batchnav.cli.training.plan import plan_training
from gym_batchnav.cli.training.presets import PRESETS
from gym_batchnav.rl import RunInfo, TrainConfig


def test_all_that_matters_is_said():
    text = "\n".join(outlook(plan_training(TrainArgs(preset="cpu")), 1234567))
    for words in (
        "preset cpu: a good agent",
        "10,000,000 frames of pointnav in 128 environments of houses:train; depth 64 x 64",
        "narrow encoder, GRU of 1 x 256, 1,234,567 parameters, on ",
        "128 x 32 frames, 4 minibatches, 2 epochs, adam at 0.0007, cosine schedule",
        "every 500,000 frames on 200 episodes of houses:val",
        "1,000 episodes of houses:val",
        # 10,000,000 / 2,100 = 4,762 s = 1:19:22
        "about 1:19:22 of training at 2,100 frames/s (a stored figure: 2 cores",
    ):
        assert words in text
    quick = "\n".join(outlook(plan_training(TrainArgs()), 1))
    assert "9:00 of training by its limit of time" in quick
    assert "validate" not in quick
    blind = "\n".join(outlook(plan_training(TrainArgs(sensors=(), set=("policy.recurrence=none",))), 1))
    assert "; no images" in blind
    assert "no memory" in blind


@pytest.mark.parametrize(
    ("name", "hours"), [("bps-depth", "34:53:"), ("bps-rgb", "52:12:"), ("ddppo", "71:35:")]
)
def test_published_runs_take_what_was_published(name, hours):
    # 2.5e9 / 19,900 = 125,628 s, a day and a half; / 13,300 = 187,970 s; 257,732 s for 9,700.
    text = "\n".join(outlook(plan_training(TrainArgs(preset=name)), 1))
    assert f"about {hours}" in text
    assert "as published by" in text


@pytest.mark.parametrize(("name", "parameters"), [("bps-depth", 11e6), ("bps-rgb", 11e6)])
def test_published_networks_are_built(name, parameters):
    plan = plan_training(TrainArgs(preset=name))
    count = sum(p.numel() for p in initial_policy(plan.learner, plan.env).parameters())
    assert count == pytest.approx(parameters, rel=0.1)


def forecast(records, **limits):
    text = io.StringIO()
    listener = Forecast(Console(file=text, width=200))
    listener.on_start(
        RunInfo(
            config=TrainConfig(**limits), run_dir=None, num_envs=1, frames=0, elapsed_s=0.0, parameters=1,
            precision="float32", stop=lambda reason: None,
        )
    )  # fmt: skip
    for frames, elapsed in records:
        listener.on_update({"frames": frames, "elapsed_s": elapsed})
    return text.getvalue()


def test_the_first_updates_are_measured_once():
    # The first update loads scenes and is left out: from 2,000 frames at 31 s to 8,000 at 37 s are 1,000/s.
    records = [(1000, 30.0), (2000, 31.0), (5000, 34.0), (8000, 37.0), (11000, 40.0), (20000, 49.0)]
    said = forecast(records, total_frames=68_000)
    assert said == "measured here: 1,000 frames/s, so training ends in about 1:00\n"
    limited = forecast(records, total_frames=68_000, time_limit_s=57.0)
    assert limited == (
        "measured here: 1,000 frames/s, so training ends in about 0:20, then by its limit of time at about "
        "28,000 frames\n"
    )
    assert forecast(records[:3], total_frames=68_000) == ""


def test_every_preset_says_where_its_figure_comes_from():
    for preset in PRESETS.values():
        assert preset.frames_per_second > 0
        assert "docs/results" in preset.measured_on or "published" in preset.measured_on
