"""Every task and preset: the batch equals SyncVectorEnv, and goes on from a saved state."""

from __future__ import annotations

from dataclasses import replace

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode, SyncVectorEnv

from gym_batchnav import ConfigError, EnvConfig, EpisodeSet, PointNavEnv
from tests.conformance.test_sync_equality import LIMIT, MODES, ROWS, assert_same, compare, pair

IDS = ("BatchFlee-v0", "BatchExplore-v0", "BatchImageNav-v0")
SMALL = {"resolution": (4, 6), "straight_ratio": 1.0, "scene_workers": 0}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("env_id", IDS)
def test_equal_in_every_mode(fake_renderer, rooms, env_id, mode):
    compare(*pair(mode, rooms, env_id=env_id, sensors=("depth", "rgb")), mode, steps=80)


@pytest.mark.parametrize("env_id", IDS)
@pytest.mark.parametrize("options", [{"copy": False}, {"episodes": EpisodeSet(7, seed=2)}])
def test_equal_with_options(fake_renderer, rooms, env_id, options):
    mode = AutoresetMode.SAME_STEP
    compare(*pair(mode, rooms, env_id=env_id, **options), mode, steps=60)


@pytest.mark.parametrize("mode", MODES)
def test_bps_preset_equal_in_every_mode(fake_renderer, rooms, mode):
    config = replace(EnvConfig.preset("bps", scenes=rooms, **SMALL), max_episode_steps=LIMIT)
    own = {"num_envs": ROWS, "max_episode_steps": LIMIT, "autoreset_mode": mode}
    batch = gym.make_vec("BatchPointNav-v0", config=config, **own)
    # The single environment ends its episodes itself here, before TimeLimit's 500 actions.
    singles = [lambda: gym.make("BatchPointNav-v0", config=config)] * ROWS
    compare(batch, SyncVectorEnv(singles, autoreset_mode=mode), mode)


def test_presets_by_name(fake_renderer, rooms):
    envs = gym.make_vec("BatchPointNav-v0", num_envs=2, preset="bps", scenes=rooms, **SMALL)
    assert envs.config == EnvConfig.preset("bps", scenes=rooms, **SMALL)
    assert envs.config.max_episode_steps == 499
    limited = gym.make_vec("BatchFlee-v0", num_envs=2, preset="bps", scenes=rooms, max_episode_steps=7)
    assert limited.config.max_episode_steps == 7
    real = gym.make_vec("BatchPointNav-v0", num_envs=2, preset="realistic", hfov_deg=60, scenes=rooms)
    assert (real.config.hfov_deg, real.config.sliding, real.config.max_episode_steps) == (60.0, False, 500)
    single = gym.make("BatchPointNav-v0", preset="bps", scenes=rooms, **SMALL)
    assert single.unwrapped.config.max_episode_steps == 499
    single.reset(seed=0)
    results = [single.step(2)[2:4] for _ in range(499)]
    assert set(results[:-1]) == {(False, False)}
    assert results[-1] == (True, False)
    assert PointNavEnv(preset="realistic", scenes=rooms).config.max_episode_steps is None
    with pytest.raises(ConfigError, match="preset='fast'"):
        gym.make_vec("BatchPointNav-v0", preset="fast")


@pytest.mark.parametrize("env_id", IDS)
@pytest.mark.parametrize("mode", ["SameStep", "NextStep"])
def test_run_goes_on_bitwise(fake_renderer, rooms, env_id, mode):
    options = {"num_envs": 4, "scenes": rooms, "max_episode_steps": 12, "autoreset_mode": mode, **SMALL}
    actions = np.random.default_rng(1).choice(4, (40, 4), p=[0.02, 0.6, 0.19, 0.19])
    envs, again = (gym.make_vec(env_id, **options) for _ in range(2))
    envs.reset(seed=5)
    for row in actions[:10]:
        shown = envs.step(row)[0]
    assert_same(again.set_state(envs.get_state()), shown, "restored")
    for step, row in enumerate(actions[10:]):
        for one, two in zip(envs.step(row), again.step(row), strict=True):
            assert_same(one, two, f"step {step}")


@pytest.mark.parametrize("env_id", IDS)
def test_check_env(fake_renderer, rooms, env_id):
    check_env(gym.make(env_id, scenes=rooms, render_mode="rgb_array", **SMALL).unwrapped)


def test_spaces_of_the_tasks(fake_renderer, rooms):
    for env_id in ("BatchFlee-v0", "BatchExplore-v0"):
        assert list(gym.make(env_id, scenes=rooms, **SMALL).observation_space) == ["depth"]
    depth = gym.make("BatchImageNav-v0", scenes=rooms, **SMALL).observation_space
    assert depth["imagegoal"] == depth["depth"] == gym.spaces.Box(0, 1, (4, 6, 1), np.float32)
    both = gym.make("BatchImageNav-v0", scenes=rooms, sensors=("depth", "rgb"), **SMALL).observation_space
    assert both["imagegoal"] == both["rgb"] == gym.spaces.Box(0, 255, (4, 6, 3), np.uint8)
    with pytest.raises(ConfigError, match="'rgb' or 'depth'"):
        gym.make_vec("BatchImageNav-v0", scenes=rooms, sensors=("semantic",))


def test_expert_needs_a_goal(fake_renderer, rooms):
    for env_id, goal in (("BatchFlee-v0", False), ("BatchExplore-v0", False), ("BatchImageNav-v0", True)):
        envs = gym.make_vec(env_id, num_envs=2, scenes=rooms, **SMALL)
        envs.reset(seed=0)
        if goal:
            assert envs.expert_actions().shape == (2,)
        else:
            with pytest.raises(ConfigError, match="no goal"):
                envs.expert_actions()


@pytest.mark.parametrize("sensors", [("depth",), ("depth", "rgb")])
def test_goal_image_is_what_the_agent_sees_there(sensors):
    """On a real renderer: every agent is put on its goal, looking where its goal's heading looks."""
    batch = gym.make_vec(
        "BatchImageNav-v0", num_envs=5, scenes="houses:val[:2]", sensors=sensors, resolution=(16, 16),
        device="cpu", scene_workers=0, max_episode_steps=6, render_backend="embree",
    )  # fmt: skip
    key, before = sensors[-1], batch.reset(seed=4)[0]["imagegoal"]
    for step in range(8):
        observation = batch.step(np.full(5, 2))[0]
        # The sixth action truncates all episodes: new goals.
        assert np.array_equal(observation["imagegoal"], before) == (step != 5)
        before = observation["imagegoal"]
    state = batch._world.simulator.state
    assert np.unique(state.goal_heading).size == 5
    state.position[:], state.heading[:] = state.anchor, state.goal_heading
    there = batch._world.observe()
    assert np.array_equal(there[key], observation["imagegoal"])
    assert not np.array_equal(observation[key], observation["imagegoal"])
    batch.close()


def test_goal_images_of_several_cameras_are_of_the_first(fake_renderer, rooms):
    cameras = ({"name": "front"}, {"name": "left", "yaw_deg": 90})
    envs = gym.make_vec("BatchImageNav-v0", num_envs=3, scenes=rooms, cameras=cameras, **SMALL)
    observation = envs.reset(seed=0)[0]
    assert sorted(observation) == ["front_depth", "imagegoal", "left_depth"]
    state = envs._world.simulator.state
    state.position[:], state.heading[:] = state.anchor, state.goal_heading
    assert np.array_equal(envs._world.observe()["front_depth"], observation["imagegoal"])


def test_goal_images_as_tensors(fake_renderer, rooms):
    import torch

    envs = gym.make_vec("BatchImageNav-v0", num_envs=3, scenes=rooms, output="torch", **SMALL)
    observation = envs.reset(seed=0)[0]
    assert observation["imagegoal"].dtype == torch.float32
    assert observation["imagegoal"].shape == (3, 4, 6, 1)
