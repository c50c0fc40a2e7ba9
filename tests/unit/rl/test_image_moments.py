from __future__ import annotations

import dataclasses

import gymnasium as gym
import numpy as np
import pytest
import torch

from gym_batchnav.rl import PolicyConfig, PPOConfig, TrainCallback, TrainConfig, load_checkpoint, train
from gym_batchnav.rl.nets.moments import ImageMoments, moments, sample_frames
from gym_batchnav.rl.nets.policy import ActorCritic
from gym_batchnav.rl.spec import EnvSpec, FieldSpec

SPEC = EnvSpec(
    fields={
        "depth": FieldSpec(shape=(8, 8, 1), dtype="float32", unit_range=True),
        "rgb": FieldSpec(shape=(8, 8, 3), dtype="uint8", unit_range=False),
    },
    num_actions=4,
)
POLICY = PolicyConfig(hidden=8, stem_planes=4, planes=(4,), strides=(1,), normalize_rgb=True)
CONFIG = TrainConfig(
    policy=POLICY,
    ppo=PPOConfig(rollout_length=8, minibatches=2, epochs=2),
    total_frames=4 * 8 * 6,
    tensorboard=False,
    threads=1,
    precision="float32",
    checkpoint_every_s=1e9,
)


def test_moments_by_hand():
    # Channel 0: 0 and 255, channel 1: 51 = 0.2 and 102 = 0.4: sums 1 and 0.6, squares 1 and 0.04 + 0.16.
    images = torch.tensor([[0, 51], [255, 102]], dtype=torch.uint8).reshape(1, 1, 2, 2)
    expected = torch.tensor([[2, 2], [1, 0.6], [1, 0.2]], dtype=torch.float64)
    torch.testing.assert_close(moments(images, 2), expected)
    torch.testing.assert_close(moments(images.float() / 255, 2), expected, rtol=0, atol=1e-7)
    # Four values of two folded pixels are two pixels still.
    torch.testing.assert_close(moments(images.reshape(1, 1, 1, 4), 2), expected)


def test_merged_parts_equal_the_whole_in_any_order():
    generator = np.random.default_rng(0)
    parts = [generator.integers(low, high, (n, 4, 4, 3), dtype=np.uint8)
             for n, low, high in ((3, 0, 40), (17, 90, 256), (1, 5, 6), (8, 0, 256))]  # fmt: skip
    whole = np.concatenate(parts).reshape(-1, 3) / 255
    for order in ([0, 1, 2, 3], [3, 1, 0, 2]):
        scale = ImageMoments(3)
        for k in order:
            scale.merge(moments(torch.from_numpy(parts[k]), 3))
        assert float(scale.count) == len(whole)
        np.testing.assert_allclose(scale.mean, whole.mean(0), rtol=1e-12)
        np.testing.assert_allclose(scale.var, whole.var(0), rtol=1e-12)
    # What two ranks counted is added up, then merged once.
    scale = ImageMoments(3)
    scale.merge(sum(moments(torch.from_numpy(part), 3) for part in parts))
    np.testing.assert_allclose(scale.var, whole.var(0), rtol=1e-12)


def test_a_million_merges_would_lose_nothing():
    scale = ImageMoments(1)
    scale.count.fill_(2.0**40)
    scale.mean.fill_(0.5)
    scale.merge(torch.tensor([[1.0], [1.5], [2.25]], dtype=torch.float64))
    # One pixel of 1.5: the mean moves by 1 / 2^40.
    assert float(scale.mean) - 0.5 == pytest.approx(2.0**-40, rel=1e-3)


def test_scaling_by_hand():
    scale = ImageMoments(2)
    images = torch.tensor([-1.0, 0.0, 1.0, 0.5])  # pixels 0, 0.5, 1, 0.75 of the channels 0 1 0 1
    assert scale(images).tolist() == images.tolist()
    scale.mean.copy_(torch.tensor([0.25, 0.5]))
    scale.var.copy_(torch.tensor([0.0625, 1e-6]))
    # (0 - 0.25) / 0.25, (0.5 - 0.5) / 0.1, (1 - 0.25) / 0.25, (0.75 - 0.5) / 0.1, with a variance of 0.01 at
    # least
    torch.testing.assert_close(scale(images), torch.tensor([-1.0, 0.0, 3.0, 2.5]))


def test_the_sample_is_bounded_fixed_and_spread():
    steps, num_envs = 64, 128
    frames = torch.arange(steps * num_envs).reshape(steps, num_envs, 1, 1, 1)
    sample = sample_frames(frames)
    assert sample.shape == (256, 1, 1, 1)
    assert torch.equal(sample, sample_frames(frames))
    time, env = sample.flatten() // num_envs, sample.flatten() % num_envs
    assert torch.bincount(time, minlength=steps).tolist() == [4] * steps
    assert torch.bincount(env, minlength=num_envs).min() >= 1
    assert sample_frames(frames[:2]).flatten().tolist() == list(range(256))


def test_only_uint8_images_are_scaled():
    policy = ActorCritic(dataclasses.replace(POLICY, depth_transform="sqrt"), SPEC)
    assert list(policy.image_moments) == ["rgb"]
    assert not ActorCritic(dataclasses.replace(POLICY, normalize_rgb=False), SPEC).image_moments
    rgb = torch.zeros(2, 3, 8, 8, 3, dtype=torch.uint8)
    rgb[..., 1], rgb[..., 2] = 51, 255
    raw = {"depth": torch.rand(6, 8, 8, 1), "rgb": rgb.flatten(0, 1)}
    prepared = policy.prepare(raw)
    counted = policy.count_images({key: value.unflatten(0, (2, 3)) for key, value in prepared.items()})
    assert list(counted) == ["rgb"]
    policy.merge_images(counted)
    assert policy.image_moments["rgb"].mean.tolist() == pytest.approx([0.0, 0.2, 1.0])
    seen = []
    policy.encoder.register_forward_pre_hook(lambda _, inputs: seen.append(inputs[0]))
    policy.features(prepared, torch.zeros(6, dtype=torch.int64), torch.ones(6) > 0)
    # Depth 16 channels of a folded block, then rgb 48, each of which is its mean.
    assert seen[0].shape == (6, 2, 2, 64)
    depth = seen[0][..., :16]
    torch.testing.assert_close(depth.mean(), raw["depth"].sqrt().mean() * 2 - 1, rtol=0, atol=1e-6)
    torch.testing.assert_close(seen[0][..., 16:], torch.zeros(6, 2, 2, 48), rtol=0, atol=1e-6)


@pytest.fixture
def colour_envs(stateful_envs):
    class ColourEnvs(stateful_envs):
        def __init__(self, num_envs):
            super().__init__(num_envs)
            spaces = self.single_observation_space.spaces
            spaces["rgb"] = gym.spaces.Box(0, 255, (16, 16, 3), np.uint8)
            self.single_observation_space = gym.spaces.Dict(spaces)
            self.observation_space = gym.vector.utils.batch_space(self.single_observation_space, num_envs)

        def _observe(self):
            rgb = self.rng.integers(0, 128, (self.num_envs, 16, 16, 3), dtype=np.uint8)
            return {**super()._observe(), "rgb": rgb}

    return ColourEnvs


def test_statistics_change_between_rollouts_alone(tmp_path, colour_envs, monkeypatch):
    means, seen = [], set()
    plain = ImageMoments.forward

    def spy(self, images):
        seen.add(tuple(self.mean.tolist()))
        return plain(self, images)

    class Listener(TrainCallback):
        def on_update(self, record):
            means.append(set(seen))
            seen.clear()

    monkeypatch.setattr(ImageMoments, "forward", spy)
    result = train(CONFIG, lambda: colour_envs(6), tmp_path, callbacks=[Listener()])
    assert [len(values) for values in means] == [1, 1, 1, 1]
    assert means[0] == {(0.5, 0.5, 0.5)}
    assert len(set.union(*means)) == 4
    weights = load_checkpoint(result.checkpoint)["policy"]
    # 0 ... 127 of 255: mean 63.5 / 255, variance (128^2 - 1) / 12 / 255^2.
    assert weights["image_moments.rgb.mean"].tolist() == pytest.approx([0.24902] * 3, abs=0.002)
    assert weights["image_moments.rgb.var"].tolist() == pytest.approx([0.020995] * 3, rel=0.02)


def test_resumed_run_equals_the_whole_one(tmp_path, colour_envs):
    class StopAfterTwo(TrainCallback):
        def on_start(self, run):
            self.run = run

        def on_update(self, record):
            if record["update"] == 2:
                self.run.stop("enough")

    make = lambda: colour_envs(6)  # noqa: E731
    whole = train(CONFIG, make, tmp_path / "whole")
    train(CONFIG, make, tmp_path / "parts", callbacks=[StopAfterTwo()])
    rest = train(CONFIG, make, tmp_path / "parts", resume=True)
    first, second = (load_checkpoint(run.checkpoint)["policy"] for run in (whole, rest))
    assert all(torch.equal(first[key], second[key]) for key in first)
