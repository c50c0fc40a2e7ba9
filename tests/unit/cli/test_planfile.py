"""Plans as files: they come back equal, flags go over them, and mistakes are named with their line."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from gym_batchnav.cli.args import TrainArgs
from gym_batchnav.cli.training.plan import plan_training
from gym_batchnav.cli.training.planfile import read_plan, write_plan
from gym_batchnav.cli.training.presets import PRESETS
from gym_batchnav.errors import ConfigError

rates = st.floats(1e-8, 1.0, allow_subnormal=False)
SETTINGS = st.fixed_dictionaries(
    {},
    optional={
        "ppo.learning_rate": rates,
        "ppo.adam_eps": rates,
        "ppo.epochs": st.integers(1, 9),
        "ppo.value_clip": st.none() | rates,
        "policy.initial_action_probabilities": st.sampled_from(["[]", "[0.1, 0.2, 0.3, 0.4]"]),
        "policy.recurrence": st.sampled_from(["gru", "lstm", "none"]),
        "metric_keys": st.sampled_from(['["success"]', "[]", '["null", "5e-4", "yes"]']),
        "threads": st.none() | st.integers(1, 64),
        "tensorboard": st.booleans().map(lambda b: str(b).lower()),
        "best_metric": st.sampled_from(["return", '"5e-4"', "null-like: #1"]),
    },
)
ENV = st.fixed_dictionaries(
    {},
    optional={
        "hfov_deg": st.floats(30, 120),
        "num_resident_scenes": st.integers(1, 50),
        "slack_reward": st.floats(-1, 0),
        "actuation_noise": st.sampled_from(
            ["null", '{"robot": "LoCoBot", "controller": "ILQR", "multiplier": 0.5}']
        ),
        "goal_sensor": st.sampled_from(["agent", "none"]),
    },
)
FLAGS = st.fixed_dictionaries(
    {"preset": st.sampled_from([None, *PRESETS])},
    optional={
        "frames": st.integers(1, 10**12),
        "time_limit": st.floats(0.1, 1e6),
        "num_envs": st.integers(4, 4096),
        "seed": st.integers(0, 2**31),
        "scenes": st.sampled_from([("houses:val[:3]",), ("a b/c'd.glb", "e.glb"), ("own.glb",)]),
        "val_scenes": st.sampled_from([("houses:test",), ("own.glb",)]),
        "navmesh": st.just(Path("x y.navmesh")),
        "sensors": st.sampled_from([(), ("rgb",), ("depth", "rgb")]),
        "resolution": st.sampled_from([32, 128]),
        "eval_episodes": st.integers(1, 5000),
        "eval_seed": st.integers(0, 999),
        "validation_episodes": st.integers(1, 500),
        "greedy": st.booleans(),
        "env_preset": st.sampled_from(["habitat", "bps", "realistic"]),
        "task": st.sampled_from(["pointnav", "imagenav", "objectnav"]),
        "device": st.sampled_from(["cpu", "cuda:1"]),
    },
)


@settings(
    max_examples=25,
    deadline=None,
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(flags=FLAGS, learner=SETTINGS, env=ENV)
def test_a_written_plan_is_read_as_the_same(tmp_path, flags, learner, env):
    chosen = {name: f"{name}={value}" for name, value in {**learner, **env}.items()}
    args = TrainArgs(
        **flags, set=tuple(chosen[name] for name in learner), env=tuple(chosen[name] for name in env)
    )
    if len(flags.get("scenes", ())) > 1:
        args = TrainArgs(**{**flags, "navmesh": None}, set=args.set, env=args.env)
    plan = plan_training(args)
    path = tmp_path / "run.yaml"
    write_plan(path, plan.sheet)
    again = plan_training(TrainArgs(config=path))
    assert again == plan
    assert plan_training(TrainArgs(config=path, seed=77)).learner.seed == 77


def test_flags_go_over_the_file_which_goes_over_its_preset(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text(
        "preset: cpu\nnum_envs: 24\n"
        "env: {hfov_deg: 70, preset: realistic}\ntraining_env: {num_resident_scenes: 5}\n"
        "learner:\n  ppo: {learning_rate: 5e-4, epochs: 3}\n  ppo.gamma: 0.9\n  total_frames: 1000\n"
    )
    plan = plan_training(TrainArgs(config=path, frames=2000, set=("ppo.epochs=4",), env=("hfov_deg=60",)))
    assert (plan.preset, plan.num_envs, plan.env.num_resident_scenes) == ("cpu", 24, 5)
    assert (plan.env.hfov_deg, plan.eval_env.hfov_deg, plan.env.turn_angle_deg) == (60.0, 60.0, 30.0)
    assert (plan.env.success_reward, plan.env.swap_episodes) == (5.0, 32)  # of the preset cpu
    assert (plan.learner.total_frames, plan.learner.ppo.epochs, plan.learner.ppo.gamma) == (2000, 4, 0.9)
    assert plan.learner.ppo.learning_rate == 5e-4
    assert plan.learner.ppo.rollout_length == 32
    assert plan.run_dir == Path("runs/mine")
    assert plan_training(TrainArgs(config=path, preset="quick")).learner.ppo.rollout_length == 16
    assert plan_training(TrainArgs(config=path, preset="quick")).num_envs == 24


def test_what_people_write_is_understood(tmp_path):
    """A single scene without brackets, YAML's words for true and false, and powers of ten."""
    path = tmp_path / "mine.yaml"
    path.write_text(
        "num_envs: 1e1\nevaluation: {scenes: houses:test, navmesh: null}\n"
        "learner: {overlap: off, total_frames: 1e6, validate_every_frames: 2.5e5}\n"
    )
    plan = plan_training(TrainArgs(config=path))
    assert (plan.num_envs, plan.learner.total_frames) == (10, 1_000_000)
    assert plan.eval_env.scenes == ("houses:test",)
    assert (plan.learner.overlap, plan.learner.validate_every_frames) == ("off", 250_000)
    assert type(plan.learner.validate_every_frames) is int
    given = TrainArgs(
        set=("policy.planes=(8, 16)", "total_frames=3_000_000", "overlap=True", "ppo.value_clip=none"),
        sensors=("none",),
    )
    learner = plan_training(given).learner
    assert (learner.policy.planes, learner.total_frames, learner.overlap) == ((8, 16), 3_000_000, "on")
    assert plan_training(given).env.sensors == ()
    with pytest.raises(ConfigError, match="--sensors none rgb is not allowed"):
        plan_training(TrainArgs(sensors=("none", "rgb")))


def test_an_empty_file_is_the_quick_preset(tmp_path):
    path = tmp_path / "run.yaml"
    path.write_text("# nothing yet\n")
    assert plan_training(TrainArgs(config=path)) == plan_training(TrainArgs())


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("preset: cpu\nnum_env: 3\n", "line 2: there is no 'num_env'; did you mean 'num_envs'?"),
        ("env:\n  scenes: [a]\n\n  hfov: 70\n", "line 4: there is no 'hfov' in env; did you mean 'hfov_deg'"),
        ("training_env: {preset: bps}\n", "line 1: there is no 'preset' in training_env"),
        ("learner:\n  ppo:\n    epoch: 3\n", "line 3: there is no 'ppo.epoch' in learner; did you"),
        ("learner:\n  ppoo: {epochs: 3}\n", "line 2: there is no 'ppoo' in learner"),
        ("learner: {ppo.epoch: 3}\n", "line 1: there is no 'ppo.epoch' in learner"),
        ("evaluation: {episode: 3}\n", "line 1: there is no 'episode' in evaluation"),
        ("num_envs: 3\nseed: 1\n", "line 2: there is no 'seed'"),
        ("num_envs: 3\nnum_envs: 4\n", "line 2: num_envs stands here a second time"),
        ("env: 3\n", "env is 3; expected names and values"),
        ("learner: [1]\n", "learner is [1]; expected names and values"),
        ("- 1\n", "holds no names and values"),
        ("env: {a: [}\n", "is no YAML"),
        ("preset: slow\n", "there is no preset 'slow'"),
        ("task: dance\n", "there is no task 'dance'"),
        ("num_envs: many\n", "num_envs='many' is not allowed"),
        ("learner: {ppo: {epochs: many}}\n", "epochs is 'many'; it must be an integer"),
        ("env: {hfov_deg: wide}\n", "hfov_deg"),
        ("preset: [cpu]\n", "there is no preset ['cpu']"),
        ("task: {a: 1}\n", "there is no task {'a': 1}"),
        ("num_envs: 1.5\n", "num_envs=1.5 is not allowed; expected an integer"),
        ("num_envs: 3\n", "num_envs=3 is not allowed with 4 minibatches"),
        ("evaluation: {deterministic: 'no'}\n", "evaluation.deterministic='no' is not allowed"),
        ("evaluation: {scenes: 3}\n", "evaluation.scenes=3 is not allowed"),
        ("learner:\n  ppo.gamma: 0.9\n  ppo: {gamma: 0.8}\n", "line 3: learner.ppo.gamma stands here a sec"),
        ("learner: {time_limit_s: '60'}\n", "time_limit_s is '60'; it must be a number"),
        ("env: !!python/object:os.system {}\n", "is no YAML"),
    ],
)  # fmt: skip
def test_mistakes_are_named(tmp_path, text, words):
    path = tmp_path / "run.yaml"
    path.write_text(text)
    with pytest.raises(ConfigError) as caught:
        plan_training(TrainArgs(config=path))
    assert words in str(caught.value)
    if "line" in words:
        assert str(caught.value).startswith(f"{path}, line ")


def test_missing_file(tmp_path):
    with pytest.raises(ConfigError, match="cannot read the plan"):
        read_plan(tmp_path / "none.yaml")
