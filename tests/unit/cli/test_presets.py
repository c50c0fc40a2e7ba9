"""What arguments and presets make of a run."""

from __future__ import annotations

from pathlib import Path

import pytest

from gym_batchnav.cli.args import TrainArgs
from gym_batchnav.cli.presets import PRESETS, default_run_dir, learner_config, parse_settings, plan_training
from gym_batchnav.config import EpisodeSet
from gym_batchnav.errors import ConfigError


def test_quick_preset_is_the_default_and_fits_fifteen_minutes():
    plan = plan_training(TrainArgs())
    assert plan.run_dir == Path("runs/quick")
    assert plan.env.scenes == ("houses:train",)
    assert plan.eval_env.scenes == ("houses:val",)
    assert plan.learner.time_limit_s is not None
    assert plan.learner.time_limit_s <= 10 * 60


def test_evaluation_walks_through_a_fixed_set():
    plan = plan_training(TrainArgs(eval_episodes=12, eval_seed=3))
    assert plan.eval_env.episodes == EpisodeSet(12, 3)
    assert plan.eval_env.episode_order == "sequential"
    assert plan.env.episodes is None


def test_own_scenes_are_evaluated_on_other_episodes_of_the_same_scenes():
    plan = plan_training(TrainArgs(scenes=("flat.glb",), navmesh=Path("other.navmesh")))
    assert plan.eval_env.scenes == ("flat.glb",)
    assert plan.eval_env.navmesh == Path("other.navmesh")
    assert isinstance(plan.eval_env.episodes, EpisodeSet)
    assert plan.run_dir == Path("runs/quick-flat")


def test_navmesh_of_the_training_scene_does_not_go_to_other_scenes():
    plan = plan_training(
        TrainArgs(scenes=("flat.glb",), navmesh=Path("a.navmesh"), val_scenes=("other.glb",))
    )
    assert plan.eval_env.scenes == ("other.glb",)
    assert plan.eval_env.navmesh is None


def test_arguments_beat_the_preset_and_settings_beat_both():
    args = TrainArgs(frames=1000, time_limit=0.5, num_envs=3, seed=5, set=("seed=9", "ppo.epochs=4"))
    plan = plan_training(args)
    assert plan.learner.total_frames == 1000
    assert plan.learner.time_limit_s == 30.0  # half a minute
    assert plan.num_envs == 3
    assert plan.learner.seed == 9
    assert plan.learner.ppo.epochs == 4


def test_all_presets_make_valid_runs():
    for name in PRESETS:
        plan_training(TrainArgs(preset=name))


@pytest.mark.parametrize(
    ("scenes", "folder"),
    [
        (("houses:train[:32]",), "quick-houses-train-32"),
        (("a/b/flat.glb", "c.glb"), "quick-flat-and-more"),
    ],
)
def test_run_dir_names_the_scenes(scenes, folder):
    assert default_run_dir("quick", scenes) == Path("runs") / folder


def test_settings_are_parsed_to_their_types():
    found = parse_settings(("ppo.learning_rate=5e-4", "policy.planes=[8, 16]", "device=cpu", "threads=None"))
    assert found == {
        "ppo.learning_rate": 5e-4,
        "policy.planes": [8, 16],
        "device": "cpu",
        "threads": None,
    }
    words = parse_settings(("policy.recurrence=none", "policy.depth_transform=none", "policy.hidden=none"))
    policy = learner_config(words).policy
    assert (policy.recurrence, policy.depth_transform, policy.hidden) == ("none", "none", None)
    config = learner_config({**found, "ppo.gamma": 1})
    assert config.ppo.learning_rate == 5e-4
    assert config.policy.planes == (8, 16)
    assert config.ppo.gamma == 1.0


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"ppo.speed": 1}, "no setting 'ppo.speed'"),
        ({"ppo": 1}, "no setting 'ppo'"),
        ({"ppo.epochs.deep": 1}, "no setting"),
        ({"ppo.epochs": "many"}, "is a str; expected a int"),
        ({"ppo.epochs": True}, "is a bool"),
        ({"ppo.gamma": 2.0}, "gamma"),
    ],
)
def test_wrong_settings_are_named(settings, words):
    with pytest.raises(ConfigError, match=words.replace(".", r"\.").replace("'", ".")):
        learner_config(settings)


def test_images_stay_on_a_gpu_that_was_asked_for(monkeypatch):
    monkeypatch.setattr("torch.cuda.is_available", lambda: True)
    plan = plan_training(TrainArgs(device="cuda:1"))
    assert (plan.env.output, plan.env.device, plan.eval_env.output) == ("torch", "cuda:1", "numpy")
    assert plan_training(TrainArgs()).env.output == "numpy"
    assert plan_training(TrainArgs(device="cpu")).env.output == "numpy"
