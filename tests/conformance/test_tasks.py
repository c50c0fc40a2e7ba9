"""Every task and preset: the batch equals SyncVectorEnv, and goes on from a saved state."""

from __future__ import annotations

from dataclasses import replace

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode, SyncVectorEnv

from gym_batchnav import ConfigError, EnvConfig, EpisodeSet, PointNavEnv, check_vector_env
from gym_batchnav.errors import SceneError
from tests.conformance.test_sync_equality import LIMIT, MODES, ROWS, assert_same, compare, pair
from tests.unit.envs.doubles import FurnishedRooms, two_rooms

IDS = ("BatchFlee-v0", "BatchExplore-v0", "BatchImageNav-v0", "BatchObjectNav-v0")
CATEGORIES = ("sofa", "chair", "bed")
SMALL = {"resolution": (4, 6), "straight_ratio": 1.0, "scene_workers": 0}


@pytest.fixture
def rooms():
    """Three scenes that differ, with two chairs and a bed each."""
    return [FurnishedRooms(f"rooms/{number}", float(number)) for number in range(3)]


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


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("env_id", IDS)
def test_keeps_the_laws_of_vector_environments(fake_renderer, rooms, env_id, mode):
    own = {"num_envs": 3, "max_episode_steps": 9, "autoreset_mode": mode}
    check_vector_env(gym.make_vec(env_id, scenes=rooms, **own, **SMALL), steps=30)


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
    for env_id in IDS:
        goal = env_id in ("BatchImageNav-v0", "BatchObjectNav-v0")
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


def test_realistic_preset_equal(fake_renderer, rooms):
    """Noise of sensors and motion, no sliding, and another agent."""
    mode = AutoresetMode.SAME_STEP
    compare(
        *pair(mode, rooms, preset="realistic", sensors=("depth", "rgb"), min_geodesic=0.5), mode, steps=60
    )


def make_objectnav(rooms, num_envs=4, **kwargs):
    options = {"scenes": rooms, "object_categories": CATEGORIES, **SMALL, **kwargs}
    return gym.make_vec("BatchObjectNav-v0", num_envs=num_envs, **options)


def test_objectgoal_names_a_class_that_is_there(fake_renderer, rooms):
    envs = make_objectnav(rooms, 30)
    observation, infos = envs.reset(seed=0)
    assert envs.single_observation_space["objectgoal"] == gym.spaces.Box(0, 2, (1,), np.int64)
    assert observation in envs.observation_space
    # There is no sofa.
    assert set(observation["objectgoal"][:, 0].tolist()) == {1, 2}
    assert infos["distance_to_goal"].min() >= 1.0
    # Chairs stand at x = 1 and 8, the bed at 6.25 to 8.75 (and z at 0.2, 3 and 3.75), as far as an arm.
    goal, shift = envs.agent_state()["goal"], infos["scene_id"]
    x, z = goal[:, 0] - shift, goal[:, 2]
    bed = observation["objectgoal"][:, 0] == 2
    assert ((x > 5.6) & (x < 9.0) & (z > 2.3))[bed].all()
    assert ((np.abs(x - 1) < 0.9) | (np.abs(x - 8) < 0.9))[~bed].all()


def test_expert_finds_the_objects(fake_renderer, rooms):
    envs = make_objectnav(rooms, 6, sensors=(), autoreset_mode="NextStep")
    envs.reset(seed=1)
    over, success = np.zeros(6, bool), np.zeros(6)
    for _ in range(150):
        _, _, ends, _, infos = envs.step(envs.expert_actions())
        success[ends & ~over] = infos["spl"][ends & ~over]
        over |= ends
    # It stops up to 1 m before the object, and turns by steps of 10 deg.
    assert over.all()
    assert success.min() > 0.9


def test_scenes_without_classes_are_refused(fake_renderer):
    with pytest.raises(SceneError, match="rooms/0: does not say of what class its objects are"):
        make_objectnav(two_rooms(1)).reset(seed=0)


def test_classes_that_are_nowhere_are_refused(fake_renderer, rooms):
    envs = gym.make_vec("BatchObjectNav-v0", num_envs=1, scenes=rooms[:1], object_categories=["toilet"])
    with pytest.raises(SceneError, match=r"rooms/0: nobody can stand at .* toilet; name others"):
        envs.reset(seed=0)


def test_state_of_another_task_is_refused(fake_renderer, rooms):
    other = gym.make_vec("BatchPointNav-v0", num_envs=4, scenes=rooms, **SMALL)
    other.reset(seed=0)
    with pytest.raises(ConfigError, match="goal_class is not in 0 to 2"):
        make_objectnav(rooms).set_state(other.get_state())


@pytest.mark.parametrize("env_id", ["BatchImageNav-v0", "BatchObjectNav-v0"])
def test_streamed_scenes_show_the_same_goals(fake_renderer, rooms, env_id):
    """One of three scenes held at a time: loaded in this process, or prepared by a worker."""
    options = {"num_resident_scenes": 1, "swap_episodes": 4, "max_episode_steps": 2, "scenes": rooms, **SMALL}
    alone = gym.make_vec(env_id, num_envs=4, **options)
    helped = gym.make_vec(env_id, num_envs=4, **{**options, "scene_workers": 1})
    assert_same(alone.reset(seed=0), helped.reset(seed=0), "reset")
    seen = set()
    for step in range(16):
        assert_same(alone.step(np.full(4, 1)), helped.step(np.full(4, 1)), f"step {step}")
        seen |= set(helped.agent_state()["scene_id"])
    assert len(seen) == 3
    helped.close()


@pytest.mark.slow
def test_objectnav_in_houses():
    """The expert walks to objects of furnished houses and stops within the distance of success."""
    envs = gym.make_vec(
        "BatchObjectNav-v0", num_envs=16, scenes="houses:val[:2]", sensors=(), autoreset_mode="NextStep"
    )
    envs.reset(seed=0)
    over, success = np.zeros(16, bool), np.zeros(16)
    for _ in range(400):
        _, _, ends, _, infos = envs.step(envs.expert_actions())
        success[ends & ~over] = infos["success"][ends & ~over]
        over |= ends
    assert over.all()
    assert success.mean() == 1.0
    assert len(set(envs.reset(seed=5)[0]["objectgoal"][:, 0].tolist())) >= 3
