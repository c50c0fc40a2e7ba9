"""The backend that draws nothing: constant images, and everything else as with any other."""

import gymnasium as gym
import numpy as np
import pytest
import torch

from gym_batchnav import BatchPointNavEnv, Camera

OPTIONS = {"straight_ratio": 1.0, "scene_workers": 0, "max_episode_steps": 7, "resolution": (4, 5)}


@pytest.mark.parametrize("mode", ["SameStep", "NextStep"])
def test_all_but_the_images_is_as_for_a_blind_agent(fake_renderer, rooms, mode):
    made = fake_renderer.made
    shown = BatchPointNavEnv(
        3, scenes=rooms, render_backend="constant", sensors=("depth", "rgb"), autoreset_mode=mode, **OPTIONS
    )
    blind = BatchPointNavEnv(3, scenes=rooms, sensors=(), autoreset_mode=mode, **OPTIONS)
    ours, theirs = shown.reset(seed=3)[0], blind.reset(seed=3)[0]
    rng, ends = np.random.default_rng(0), 0
    for _ in range(25):
        assert np.array_equal(ours["pointgoal"], theirs["pointgoal"])
        assert ours in shown.observation_space
        assert not ours["depth"].any()
        assert not ours["rgb"].any()
        actions = rng.choice(4, 3, p=[0.05, 0.45, 0.25, 0.25])
        ours, rewards, *_, infos = shown.step(actions)
        theirs, other_rewards, *_, other_infos = blind.step(actions)
        assert np.array_equal(rewards, other_rewards)
        assert np.array_equal(infos["distance_to_goal"], other_infos["distance_to_goal"])
        if "final_obs" in infos:
            ends += int(infos["_final_obs"].sum())
            row = int(np.argmax(infos["_final_obs"]))
            assert infos["final_obs"][row]["depth"].shape == (4, 5, 1)
    assert fake_renderer.made == made
    assert ends > 3 or mode == "NextStep"
    assert shown.metadata["backend"] == "constant"
    assert "nothing is drawn" in shown.render_info["reason"]
    shown.close()
    blind.close()


def test_no_image_is_made_twice(fake_renderer, rooms):
    env = BatchPointNavEnv(2, scenes=rooms, render_backend="constant", **OPTIONS)
    first, _ = env.reset(seed=0)
    assert env.step(np.array([1, 2]))[0]["depth"] is first["depth"]


def test_images_lie_at_the_lower_bound_in_every_form(fake_renderer, rooms):
    env = BatchPointNavEnv(
        2, scenes=rooms, render_backend="constant", sensors=("depth", "rgb", "semantic", "normals"),
        cameras=(Camera(name="front"), Camera(name="back", yaw_deg=180)), normalize_depth=False,
        min_depth=0.5, output="torch", render_mode="rgb_array", **OPTIONS,
    )  # fmt: skip
    observation, _ = env.reset(seed=0)
    assert torch.equal(observation["front_depth"], torch.full((2, 4, 5, 1), 0.5))
    assert observation["back_semantic"].dtype == torch.int32
    assert observation["back_normals"].shape == (2, 4, 5, 3)
    # Two cameras side by side.
    assert [frame.shape for frame in env.render()] == [(4, 10, 3)] * 2


def test_single_environment_takes_it(fake_renderer, rooms):
    env = gym.make("BatchPointNav-v0", scenes=rooms, render_backend="constant", resolution=(4, 5))
    assert env.reset(seed=0)[0] in env.observation_space
