"""Stable-Baselines3's algorithms, wrappers, callbacks and evaluation, each as it comes."""

from __future__ import annotations

import csv

import numpy as np
import pytest
import torch

from tests.unit.envs.doubles import FurnishedRooms

pytest.importorskip("stable_baselines3")
pytest.importorskip("sb3_contrib")
from sb3_contrib import RecurrentPPO
from stable_baselines3 import A2C, DQN, PPO, SAC
from stable_baselines3.common.callbacks import EvalCallback
from stable_baselines3.common.evaluation import evaluate_policy
from stable_baselines3.common.logger import configure
from stable_baselines3.common.monitor import get_monitor_files
from stable_baselines3.common.torch_layers import FlattenExtractor, NatureCNN
from stable_baselines3.common.vec_env import (
    VecCheckNan,
    VecExtractDictObs,
    VecFrameStack,
    VecMonitor,
    VecNormalize,
    VecTransposeImage,
    VecVideoRecorder,
    is_vecenv_wrapped,
)

from gym_batchnav.errors import ConfigError
from gym_batchnav.integrations.sb3 import EpisodeMetrics, EvalMetrics

from .conftest import ROWS, SMALL, STEPS

ON_POLICY = {"n_steps": 2 * STEPS, "seed": 1, "device": "cpu"}
PPO_SETTINGS = {**ON_POLICY, "batch_size": 10, "n_epochs": 1}
DQN_SETTINGS = {"buffer_size": 60, "learning_starts": 6, "batch_size": 8, "seed": 1, "device": "cpu"}
SEEN = {"cnn_output_dim": 8}


def ppo(envs, policy="MultiInputPolicy", **more):
    return PPO(policy, envs, **{**PPO_SETTINGS, **more})


def weights(model):
    return [values.clone() for values in model.policy.parameters()]


def changed(before, model) -> bool:
    return any(
        not torch.equal(one, other) for one, other in zip(before, model.policy.parameters(), strict=True)
    )


@pytest.mark.parametrize(
    ("size", "sensors", "env_id", "images"),
    [
        ((64, 64), ("depth",), "BatchPointNav-v0", {"depth": 1}),
        ((36, 36), ("depth", "rgb"), "BatchPointNav-v0", {"depth": 1, "rgb": 3}),
        ((48, 96), ("normals",), "BatchExplore-v0", {"normals": 3}),
        ((96, 40), ("rgb",), "BatchImageNav-v0", {"rgb": 3, "imagegoal": 3}),
        ((36, 37), ("depth",), "BatchImageNav-v0", {"depth": 1, "imagegoal": 1}),
    ],
)
def test_policies_build_a_cnn_for_each_image(make, size, sensors, env_id, images):
    model = ppo(make(1, resolution=size, sensors=sensors, env_id=env_id))
    extractors = model.policy.features_extractor.extractors
    built = {key: part for key, part in extractors.items() if isinstance(part, NatureCNN)}
    assert {key: cnn.cnn[0].in_channels for key, cnn in built.items()} == images
    # Nothing is transposed twice.
    assert not is_vecenv_wrapped(model.get_env(), VecTransposeImage)
    assert all(type(extractors[key]) is torch.nn.Flatten for key in set(extractors) - set(images))


def test_their_cnn_reads_bytes_as_the_unit_range(make):
    """Depth that is 1 everywhere must reach the network as 1."""
    model, seen = ppo(make(1)), []
    cnn = model.policy.features_extractor.extractors["depth"]
    cnn.register_forward_hook(lambda module, inputs, output: seen.append(inputs[0]))
    obs = model.get_env().reset()
    model.predict({**obs, "depth": np.full_like(obs["depth"], 255)})
    model.predict({**obs, "depth": np.full_like(obs["depth"], 51)})
    assert [image.shape for image in seen] == [(1, 1, 36, 36)] * 2
    assert [set(image.unique().tolist()) for image in seen] == [{1.0}, {np.float32(0.2)}]


def test_depth_without_loss_reaches_their_cnn(make):
    exact = {
        "normalize_images": False,
        "features_extractor_kwargs": {"normalized_image": True, **SEEN},
    }
    model = ppo(make(depth="float32"), policy_kwargs=exact)
    assert isinstance(model.policy.features_extractor.extractors["depth"], NatureCNN)
    before = weights(model)
    model.learn(1)
    assert changed(before, model)


def test_images_alone_are_for_the_cnn_policy(make):
    model = ppo(VecExtractDictObs(make(), "depth"), "CnnPolicy", policy_kwargs={"features_extractor_kwargs": {
        "features_dim": 8}})  # fmt: skip
    assert isinstance(model.policy.features_extractor, NatureCNN)
    before = weights(model)
    model.learn(1)
    assert changed(before, model)


def test_small_images_go_to_policies_without_a_cnn(make):
    model = ppo(make(resolution=(1, 16), flatten_images=True))
    # 16 pixels and the goal.
    assert model.policy.features_extractor.features_dim == 18
    alone = ppo(VecExtractDictObs(make(resolution=(4, 4), flatten_images=True), "depth"), "MlpPolicy")
    assert isinstance(alone.policy.features_extractor, FlattenExtractor)
    model.learn(1)


@pytest.mark.parametrize(
    ("algorithm", "policy", "settings", "actions"),
    [
        (PPO, "MultiInputPolicy", PPO_SETTINGS, "discrete"),
        (A2C, "MultiInputPolicy", ON_POLICY, "discrete_look"),
        (DQN, "MultiInputPolicy", {**DQN_SETTINGS, "train_freq": 2}, "discrete"),
        (SAC, "MultiInputPolicy", DQN_SETTINGS, "velocity"),
        (RecurrentPPO, "MultiInputLstmPolicy", PPO_SETTINGS, "discrete"),
    ],
)  # fmt: skip
def test_algorithms_learn_unchanged(make, algorithm, policy, settings, actions):
    net = {"features_extractor_kwargs": SEEN}
    if "Lstm" in policy:
        net["lstm_hidden_size"] = 8
    model = algorithm(policy, make(actions=actions), policy_kwargs=net, **settings)
    before = weights(model)
    model.learn(2 * STEPS * ROWS)
    assert changed(before, model)
    # Each row ends every fifth step at the latest.
    assert len(model.ep_info_buffer) >= 2 * ROWS
    assert len(model.ep_success_buffer) == len(model.ep_info_buffer)
    assert max(episode["l"] for episode in model.ep_info_buffer) <= STEPS


def test_equal_seeds_learn_the_same(make):
    def learnt(seed):
        model = ppo(make(), seed=seed, policy_kwargs={"features_extractor_kwargs": SEEN})
        model.learn(1)
        return weights(model)

    one, same, other = learnt(3), learnt(3), learnt(4)
    assert all(torch.equal(a, b) for a, b in zip(one, same, strict=True))
    assert not all(torch.equal(a, b) for a, b in zip(one, other, strict=True))


def test_truncated_episodes_are_valued_beyond_their_end(make):
    """At the limit of steps, PPO adds the value of the last observation to the last reward; after a stop it
    does not: gamma times 100 is what it adds with a critic that says 100 everywhere."""
    envs = make(1, slack_reward=0.0, progress_reward=0.0, success_reward=0.0)
    model = ppo(envs, n_steps=STEPS, batch_size=STEPS, gamma=0.5)
    for part in (model.policy.value_net, model.policy.action_net):
        torch.nn.init.zeros_(part.weight)
    torch.nn.init.constant_(model.policy.value_net.bias, 100.0)
    for action, last in ((1, 50.0), (0, 0.0)):
        model.policy.action_net.bias.data = torch.full((4,), -1e9).index_fill(0, torch.tensor([action]), 0.0)
        _, callback = model._setup_learn(STEPS)
        model.collect_rollouts(model.env, callback, model.rollout_buffer, STEPS)
        assert model.rollout_buffer.rewards[:, 0].tolist() == [0.0] * (STEPS - 1) + [last]


def test_normalizing_one_key_and_stacking_keep_the_image(make, fake_renderer):
    envs = VecCheckNan(
        VecFrameStack(VecNormalize(make(render_backend="auto"), norm_obs_keys=["pointgoal"]), 4)
    )
    assert envs.observation_space["depth"].shape == (4, 36, 36)
    assert envs.observation_space["pointgoal"].shape == (8,)
    model = ppo(envs, policy_kwargs={"features_extractor_kwargs": SEEN})
    assert isinstance(model.policy.features_extractor.extractors["depth"], NatureCNN)
    obs = model.get_env().reset()
    assert not obs["depth"][:, :3].any()
    assert obs["depth"][:, 3].any()
    for _ in range(STEPS):
        obs, _, ended, infos = model.get_env().step([1] * ROWS)
    # The end's stack holds four frames of the old episode; the new one begins with an empty stack.
    assert ended.all()
    assert infos[0]["terminal_observation"]["depth"].any(axis=(1, 2)).all()
    assert obs["depth"].any(axis=(2, 3)).tolist() == [[False, False, False, True]] * ROWS
    model.learn(1)


def test_statistics_of_normalization_are_saved_and_loaded(make, tmp_path):
    envs = VecNormalize(make(seed=2), norm_obs_keys=["pointgoal"])
    envs.reset()
    for _ in range(STEPS):
        envs.step([1] * ROWS)
    envs.save(tmp_path / "norm.pkl")
    again = VecNormalize.load(tmp_path / "norm.pkl", make(seed=2))
    assert np.array_equal(again.obs_rms["pointgoal"].mean, envs.obs_rms["pointgoal"].mean)
    again.training = envs.training = False
    envs.seed(2)
    assert np.array_equal(envs.reset()["pointgoal"], again.reset()["pointgoal"])


def test_monitor_files_hold_success_and_spl(make, tmp_path):
    envs = make(monitor_file=str(tmp_path / "run"), info_keywords=("is_success", "spl"))
    envs.reset()
    returns, lengths, told = np.zeros(ROWS), np.zeros(ROWS, int), []
    for step in range(3 * STEPS):
        _, rewards, ended, infos = envs.step([0 if step == 1 else 1] * ROWS)
        returns, lengths = returns + rewards, lengths + 1
        for row in np.flatnonzero(ended):
            episode = infos[row]["episode"]
            assert (episode["r"], episode["l"]) == (pytest.approx(returns[row], abs=1e-6), lengths[row])
            told.append(episode)
        returns[ended], lengths[ended] = 0.0, 0
    envs.close()
    # Two steps until the stop, then two whole episodes of five within the other thirteen.
    assert len(told) == 3 * ROWS
    with (tmp_path / "run.monitor.csv").open() as file:
        assert file.readline().startswith('#{"t_start"')
        lines = list(csv.DictReader(file))
    assert [line["is_success"] for line in lines] == ["False"] * len(told)
    assert [float(line["spl"]) for line in lines] == [0.0] * len(told)
    assert get_monitor_files(str(tmp_path)) == [str(tmp_path / "run.monitor.csv")]
    assert 'BatchPointNav-v0"' in (tmp_path / "run.monitor.csv").read_text().splitlines()[0]


class Expert:
    """Takes the shortest way in place of a policy."""

    def __init__(self, envs) -> None:
        self.envs = envs

    def predict(self, observation, state=None, episode_start=None, deterministic=False):
        return np.array(self.envs.env_method("expert_action")), state


def test_evaluation_tells_success_and_spl(make, recwarn):
    envs = make(max_episode_steps=200, scenes=[FurnishedRooms("rooms")])
    metrics = EpisodeMetrics(window=None)
    returns, lengths = evaluate_policy(
        Expert(envs), envs, 8, callback=metrics.note, return_episode_rewards=True
    )
    assert len(returns) == 8
    # The expert arrives; each return is the metres gained, less 0.01 a step, plus 2.5.
    assert metrics.means["spl"] > 0.9
    assert min(returns) > 2.5
    assert {"spl", "soft_spl", "distance_to_goal"} <= set(metrics.means)
    assert metrics.means["success"] == 1.0
    assert metrics.means["distance_to_goal"] < 0.2
    assert EpisodeMetrics(["spl"]).means == {}
    # No warning that a monitor is missing.
    assert [str(warning.message) for warning in recwarn] == []
    assert sum(lengths) > 8


def test_metrics_are_means_over_the_last_episodes():
    metrics = EpisodeMetrics(window=2)
    told = [
        {"spl": 0.0, "success": 0.0, "is_success": False, "steps": 3, "collision": True, "name": "a"},
        {"spl": 0.25, "collision": True, "cells": 4},
        {"spl": 0.75, "collision": False},
    ]
    for info in told:
        metrics.note({"done": False, "info": {"spl": 9.0}}, {})
        metrics.note({"done": True, "info": info}, {})
    # (0.25 + 0.75) / 2; one of two; only one of them counted cells.
    assert metrics.means == {"spl": 0.5, "collision": 0.5, "cells": 4.0}


@pytest.mark.parametrize("algorithm", ["ppo", "dqn"])
def test_logs_show_metrics_of_training_and_evaluation(make, tmp_path, algorithm):
    envs, other = make(), make(2, success_distance=9.0, max_episode_steps=3, max_geodesic=2.0)
    net = {"features_extractor_kwargs": SEEN}
    if algorithm == "ppo":
        model = ppo(envs, policy_kwargs=net)
    else:
        model = DQN("MultiInputPolicy", envs, **DQN_SETTINGS, policy_kwargs=net)
    model.set_logger(configure(str(tmp_path), ["csv"]))
    evaluation = EvalMetrics(other, n_eval_episodes=4, eval_freq=2 * STEPS, verbose=0, keys=["spl"])
    model.learn(
        2 * STEPS * ROWS, callback=[EpisodeMetrics(["spl", "distance_to_goal"]), evaluation], log_interval=1
    )
    with (tmp_path / "progress.csv").open() as file:
        lines = list(csv.DictReader(file))

    def column(name):
        return [float(line[name]) for line in lines if line.get(name)]

    assert all(0 <= value <= 1 for value in column("rollout/spl"))
    assert len(column("rollout/spl")) > 0
    assert column("rollout/distance_to_goal")[-1] > 0.5
    assert len(column("rollout/success_rate")) > 0
    assert len(column("eval/spl")) == len(column("eval/success_rate")) == 1
    assert column("eval/mean_ep_length")[0] <= 3
    assert [name for name in lines[0] if name.startswith("eval/") and "spl" in name] == ["eval/spl"]


def test_their_eval_callback_stores_the_best_and_successes(make, tmp_path):
    envs, other = make(), make()
    folder = str(tmp_path)
    callback = EvalCallback(
        other, n_eval_episodes=ROWS, eval_freq=STEPS, verbose=0, log_path=folder, best_model_save_path=folder
    )
    model = ppo(envs, policy_kwargs={"features_extractor_kwargs": SEEN})
    model.learn(1, callback=callback)
    stored = np.load(tmp_path / "evaluations.npz")
    assert stored["results"].shape == stored["successes"].shape == (2, ROWS)
    best = PPO.load(tmp_path / "best_model", env=other, device="cpu")
    # Loaded into an evaluation of another size, too.
    obs = make(1).reset()
    assert best.predict(obs, deterministic=True)[0].shape == (1,)


@pytest.mark.slow
def test_videos_are_recorded(make, tmp_path):
    imageio = pytest.importorskip("imageio")
    pytest.importorskip("moviepy")
    plain = make(render_mode="rgb_array", resolution=(40, 64), render_backend="embree")
    envs = VecVideoRecorder(plain, str(tmp_path), lambda step: step == 0, video_length=8)
    assert envs.frames_per_sec == 10
    envs.reset()
    for _ in range(10):
        envs.step([1] * ROWS)
    envs.close()
    (path,) = tmp_path.glob("*.mp4")
    frames = imageio.mimread(path, memtest=False)
    # Two by two pictures of 40 x 64.
    assert (len(frames), frames[0].shape) == (9, (80, 128, 3))


def test_monitors_may_be_nested(make, recwarn):
    VecMonitor(make(), info_keywords=("spl",)).reset()
    assert [str(warning.message) for warning in recwarn] == []
    assert SMALL["max_episode_steps"] == STEPS


def test_each_log_of_training_has_the_metrics_although_evaluations_write_logs_between(make, tmp_path):
    model = ppo(make(), n_steps=2, batch_size=6, policy_kwargs={"features_extractor_kwargs": SEEN})
    model.set_logger(configure(str(tmp_path), ["csv"]))
    evaluation = EvalMetrics(make(2), n_eval_episodes=2, eval_freq=3, verbose=0)
    model.learn(12 * 2 * ROWS, callback=[EpisodeMetrics(["soft_spl"]), evaluation], log_interval=1)
    with (tmp_path / "progress.csv").open() as file:
        lines = list(csv.DictReader(file))
    trained = [line for line in lines if line["rollout/ep_rew_mean"]]
    # Episodes of five steps at most end in each rollout of two, but perhaps in the first ones.
    assert len(trained) >= 10
    assert all(line["rollout/soft_spl"] for line in trained)
    assert not any(line["rollout/soft_spl"] for line in lines if line["eval/soft_spl"])


def test_names_that_are_no_metrics_are_refused(make):
    for asked in (EpisodeMetrics, lambda keys: EvalMetrics(make(2), keys=keys)):
        with pytest.raises(ConfigError, match=r"keys='spl' is not allowed; .*\['spl'\]"):
            asked("spl")
    metrics = EpisodeMetrics(["spl", "bored"])
    with pytest.raises(ConfigError, match="do not tell 'bored'; they tell spl, steps"):
        metrics.note({"done": True, "info": {"spl": 0.5, "steps": 3, "name": "a"}}, {})
