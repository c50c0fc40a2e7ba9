"""What arguments and presets make of a run."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import tyro

from gym_batchnav.cli.args import TrainArgs
from gym_batchnav.cli.training.plan import default_run_dir, plan_training
from gym_batchnav.cli.training.presets import PRESETS
from gym_batchnav.cli.training.settings import learner_config, parse_settings
from gym_batchnav.config import EnvConfig, EpisodeSet
from gym_batchnav.errors import ConfigError
from gym_batchnav.rl.learning.schedule import learning_rate, rate_scale


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
    args = TrainArgs(frames=1000, time_limit=0.5, num_envs=4, seed=5, set=("seed=9", "ppo.epochs=4"))
    plan = plan_training(args)
    assert plan.learner.total_frames == 1000
    assert plan.learner.time_limit_s == 30.0  # half a minute
    assert plan.num_envs == 4
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
        ({"ppo.epochs": "many"}, "epochs is 'many'; it must be an integer"),
        ({"ppo.epochs": True}, "epochs is True; it must be an integer"),
        ({"ppo.epochs": None}, "epochs is None; it must be an integer"),
        ({"ppo.epochs": 2.5}, "epochs is 2.5; it must be an integer"),
        ({"threads": "two"}, "threads is 'two'; it must be an integer or None"),
        ({"time_limit_s": "60"}, "time_limit_s is '60'; it must be a number or None"),
        ({"time_limit_s": float("inf")}, "time_limit_s is inf; it must be above 0"),
        ({"metric_keys": "success"}, "metric_keys is 'success'; it must be a list"),
        ({"metric_keys": [1]}, "metric_keys[0] is 1; it must be text"),
        ({"ppo.adam_betas": [0.9]}, "adam_betas is [0.9]; it must be a list of 2"),
        ({"ppo.gamma": 2.0}, "gamma"),
    ],
)
def test_wrong_settings_are_named(settings, words):
    with pytest.raises(ConfigError, match=re.escape(words)):
        learner_config(settings)


def test_images_stay_on_a_gpu_that_was_asked_for(monkeypatch):
    monkeypatch.setattr("torch.cuda.is_available", lambda: True)
    plan = plan_training(TrainArgs(device="cuda:1"))
    assert (plan.env.output, plan.env.device, plan.eval_env.output) == ("torch", "cuda:1", "numpy")
    assert plan_training(TrainArgs()).env.output == "numpy"
    assert plan_training(TrainArgs(device="cpu")).env.output == "numpy"


def plan(preset, *flags, **more):
    return plan_training(TrainArgs(preset=preset, set=flags, **more))


def peak_rate(found):
    """Base rate x max(1, sqrt(frames per minibatch / 256))."""
    return learning_rate(found.learner.ppo, 0.01, rate_scale(found.learner.ppo, found.num_envs))


@pytest.mark.parametrize(
    ("name", "envs", "scenes", "sensors", "rate"),
    [("bps-depth", 512, 16, ("depth",), 2.83e-3), ("bps-rgb", 128, 4, ("rgb",), 1.41e-3)],
)
def test_bps_is_as_published(name, envs, scenes, sensors, rate):
    """Shacklett et al. 2021: table of hyperparameters; frames and size as in the released configuration."""
    found = plan(name)
    ppo, policy = found.learner.ppo, found.learner.policy
    assert (found.num_envs, found.env.num_resident_scenes) == (envs, scenes)
    assert (tuple(found.env.sensors), tuple(found.env.resolution)) == (sensors, (64, 64))
    assert (ppo.rollout_length, ppo.minibatches, ppo.epochs) == (32, 2, 1)
    assert (ppo.gamma, ppo.gae_lambda, ppo.clip) == (0.99, 0.95, 0.2)
    assert (ppo.value_coefficient, ppo.entropy_coefficient, ppo.entropy_final_factor) == (0.5, 0.01, 1.0)
    assert (ppo.optimizer, ppo.weight_decay, ppo.adam_eps, ppo.max_grad_norm) == ("lamb", 1e-2, 1e-5, 1.0)
    assert (ppo.normalize_advantages, ppo.normalize_values, ppo.value_clip) == (False, False, None)
    assert found.learner.total_frames == 2_500_000_000
    # 512 x 32 / 2 = 8,192 frames a minibatch: 5e-4 x sqrt(8,192 / 256) = 5e-4 x 5.657 = 2.83e-3;
    # 128 x 32 / 2 = 2,048: 5e-4 x sqrt(8) = 1.41e-3.
    assert (ppo.learning_rate, ppo.schedule, ppo.warmup) == (5e-4, "cosine", 0.01)
    assert peak_rate(found) == pytest.approx(rate, rel=5e-3)
    # From half of the peak, down to 0.01 x the base rate.
    scale = rate_scale(ppo, found.num_envs)
    assert learning_rate(ppo, 0.0, scale) == pytest.approx(rate / 2, rel=5e-3)
    assert learning_rate(ppo, 1.0, scale) == pytest.approx(0.01 * 5e-4)
    assert (policy.encoder, policy.sizes.base_planes, policy.sizes.space_to_depth) == ("se-resnet9", 64, 4)
    assert (policy.sizes.squeeze_excite, policy.sizes.compression) == (16, 1024)
    assert (policy.recurrence, policy.layers, policy.sizes.hidden, policy.skip) == ("lstm", 2, 512, False)
    assert (policy.goal_format, policy.vector_embedding, policy.action_embedding) == ("cos-sin", 32, 32)
    assert (policy.depth_transform, policy.initial_action_probabilities) == ("none", ())
    assert policy.normalize_rgb == (name == "bps-rgb")
    for env in (found.env, found.eval_env):
        assert (env.max_episode_steps, env.time_out, env.success_at) == (499, "termination", "end")
        assert (env.final_reward, env.success_reward, env.slack_reward) == ("spl", 2.5, -0.01)


def test_ddppo_is_as_published():
    """Wijmans et al. 2019 and its released configuration; 64 workers of 4 environments are one batch here."""
    found = plan("ddppo")
    ppo, policy = found.learner.ppo, found.learner.policy
    assert (found.num_envs, found.learner.total_frames) == (64 * 4, 2_500_000_000)
    assert (tuple(found.env.sensors), found.env.resolution) == (("depth",), (256, 256))
    assert (ppo.rollout_length, ppo.minibatches, ppo.epochs) == (128, 2, 2)
    assert (ppo.optimizer, ppo.learning_rate, ppo.schedule, ppo.warmup) == ("adam", 2.5e-4, "constant", 0.0)
    assert not ppo.scale_learning_rate
    assert (ppo.gamma, ppo.gae_lambda, ppo.clip) == (0.99, 0.95, 0.2)
    assert (ppo.value_coefficient, ppo.entropy_coefficient, ppo.entropy_final_factor) == (0.5, 0.01, 1.0)
    assert (ppo.weight_decay, ppo.adam_eps, ppo.max_grad_norm) == (0.0, 1e-5, 0.2)
    assert not ppo.normalize_advantages
    assert (policy.encoder, policy.sizes.base_planes) == ("resnet50", 32)
    assert (policy.recurrence, policy.layers, policy.sizes.hidden, policy.skip) == ("lstm", 2, 512, False)
    for env in (found.env, found.eval_env):
        assert (env.max_episode_steps, env.success_distance, env.success_reward) == (500, 0.2, 2.5)
        assert (env.slack_reward, env.sliding, env.success_at) == (-0.01, True, "stop")


def test_cpu_and_quick_are_what_the_docs_say():
    cpu, quick = plan("cpu"), plan("quick")
    assert (cpu.learner.total_frames, cpu.learner.time_limit_s, cpu.num_envs) == (10_000_000, None, 128)
    assert (cpu.num_episodes, cpu.val_episodes, cpu.eval_env.scenes) == (1000, 200, ("houses:val",))
    assert (cpu.learner.validate_every_frames, cpu.learner.keep_every_frames) == (500_000, 500_000)
    ppo = cpu.learner.ppo
    assert (ppo.rollout_length, ppo.minibatches, ppo.epochs, ppo.gamma) == (32, 4, 2, 0.99)
    for learner, hidden in ((cpu.learner, 256), (quick.learner, 192)):
        assert (learner.policy.sizes.planes, learner.policy.sizes.hidden) == ((16, 32), hidden)
        assert (learner.ppo.learning_rate, learner.ppo.entropy_coefficient) == (7e-4, 0.02)
    # The first command of the README, whose result is stored: nothing of it may change unnoticed.
    ppo = quick.learner.ppo
    assert (quick.learner.total_frames, quick.learner.time_limit_s) == (20_000_000, 540.0)
    assert (ppo.rollout_length, ppo.minibatches, ppo.epochs, ppo.gamma) == (16, 4, 3, 0.98)
    assert (quick.num_envs, quick.num_episodes, quick.learner.validate_every_frames) == (128, 200, None)
    assert (quick.env.slack_reward, quick.env.success_reward) == (0.0, 5.0)
    assert (quick.eval_env.slack_reward, quick.eval_env.success_reward) == (-0.01, 2.5)


def test_validations_walk_other_episodes_than_the_evaluation():
    found = plan("cpu", validation_episodes=50, eval_seed=11)
    assert found.val_env.episodes == EpisodeSet(50, 12)
    assert found.eval_env.episodes == EpisodeSet(1000, 11)
    same = {"episodes": EpisodeSet(1, 1)}
    assert EnvConfig.from_kwargs(same, found.val_env) == EnvConfig.from_kwargs(same, found.eval_env)


def test_fields_of_the_environment_go_to_training_and_evaluation():
    found = plan("cpu", env=("hfov_deg=70", "success_reward=1", "actuation_noise=null"))
    for env in (found.env, found.eval_env, found.val_env):
        assert (env.hfov_deg, env.success_reward) == (70.0, 1.0)
    assert (found.env.slack_reward, found.eval_env.slack_reward) == (0.0, -0.01)
    assert plan("cpu", env=("num_resident_scenes=8",)).env.num_resident_scenes == 8
    assert plan("quick", env_preset="realistic").eval_env.turn_angle_deg == 30.0
    assert plan("quick", env_preset="realistic", env=("turn_angle_deg=15",)).env.turn_angle_deg == 15.0


@pytest.mark.parametrize("pair", ["hfov=70", "hfov_deg=wide", "hfov_deg"])
def test_wrong_fields_of_the_environment_are_named(pair):
    with pytest.raises(ConfigError, match="hfov"):
        plan("quick", env=(pair,))


def test_none_is_a_word_where_words_are_expected():
    learner = plan("cpu", "policy.recurrence=none", "ppo.value_clip=none").learner
    assert (learner.policy.recurrence, learner.ppo.value_clip) == ("none", None)
    assert plan("cpu", env=("goal_sensor=none", "navmesh=none")).env.goal_sensor == "none"


def test_the_goal_is_found_under_habitats_key():
    assert plan("cpu", env=("obs_keys=habitat",)).learner.policy.goal_key == "pointgoal_with_gps_compass"
    assert plan("cpu").learner.policy.goal_key == "pointgoal"


def test_a_blind_agent_is_asked_for_by_no_sensors():
    assert plan("cpu", sensors=()).env.sensors == ()
    parsed = tyro.cli(TrainArgs, args=["--preset", "cpu", "--sensors", "--frames", "5"])
    assert (plan_training(parsed).env.sensors, parsed.frames) == ((), 5)
    assert plan_training(tyro.cli(TrainArgs, args=[])).env.sensors == ("depth",)


def test_tasks_have_their_environments():
    assert plan("quick").record()["env"].get("task") is None
    found = plan("quick", task="imagenav")
    envs = found.make_rows(2, found.env)
    assert "imagegoal" in envs.single_observation_space.spaces
    envs.close()
    assert found.record()["env"]["task"] == "imagenav"
