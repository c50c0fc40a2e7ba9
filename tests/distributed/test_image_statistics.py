"""Ranks scale images by the statistics of all of them."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from gym_batchnav.rl.collecting.rollout import Rollout
from gym_batchnav.rl.config import PolicyConfig, PPOConfig
from gym_batchnav.rl.distributed import join_world
from gym_batchnav.rl.learning.ppo import PPO
from gym_batchnav.rl.nets.policy import ActorCritic
from gym_batchnav.rl.spec import EnvSpec, FieldSpec

STEPS = 3
SPEC = EnvSpec(fields={"rgb": FieldSpec(shape=(8, 8, 3), dtype="uint8", unit_range=False)}, num_actions=2)
POLICY = PolicyConfig(hidden=8, stem_planes=4, planes=(4,), strides=(1,), normalize_rgb=True)


def images_of(rank):
    """Rank 0 has 2 rows of dark images, rank 1 has 5 of bright ones."""
    low, high, rows = ((0, 64, 2), (128, 256, 5))[rank]
    shape = (STEPS + 1, rows, 8, 8, 3)
    return torch.from_numpy(np.random.default_rng(rank).integers(low, high, shape, dtype=np.uint8))


def learn_as_rank(launch):
    with join_world("cpu", launch=launch) as world:
        torch.manual_seed(0)
        policy = ActorCritic(POLICY, SPEC)
        images = images_of(world.rank)
        rows = images.shape[1]
        rollout = Rollout(policy.prepared, STEPS, rows, policy.initial_state(rows), "float32")
        rollout.obs["rgb"] = torch.stack([policy.prepare({"rgb": frame})["rgb"] for frame in images])
        rollout.rewards.normal_()
        rollout.valid.fill_(True)
        ppo = PPO(policy, PPOConfig(minibatches=1, epochs=1), torch.Generator(), world=world)
        ppo.update(rollout, torch.zeros(rows), 1e-3, 0.01)
        scale = policy.image_moments["rgb"]
        return scale.count.item(), scale.mean.numpy(), scale.var.numpy()


@pytest.mark.slow
def test_every_pixel_of_every_rank_counts_once(ranks):
    pixels = np.concatenate([images_of(rank).reshape(-1, 3).numpy() for rank in range(2)]) / 255
    for count, mean, var in ranks(2, learn_as_rank):
        assert count == len(pixels) == (STEPS + 1) * 7 * 64
        assert mean == pytest.approx(pixels.mean(0), rel=1e-12)
        assert var == pytest.approx(pixels.var(0), rel=1e-12)
