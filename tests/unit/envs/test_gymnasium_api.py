import copy
import pickle
import warnings

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AsyncVectorEnv, AutoresetMode, SyncVectorEnv
from gymnasium.wrappers import vector as wrappers

from gym_batchnav import BatchPointNavEnv, ConfigError, PointNavEnv

ID = "BatchPointNav-v0"
SMALL = {"resolution": (4, 5), "straight_ratio": 1.0, "scene_workers": 0}


@pytest.fixture
def make_vec(fake_renderer, rooms):
    made = []

    def make(num_envs=3, **kwargs):
        made.append(gym.make_vec(ID, num_envs=num_envs, **{"scenes": rooms, **SMALL, **kwargs}))
        return made[-1]

    yield make
    for env in made:
        env.close()


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"sensors": ("depth", "rgb", "semantic", "normals"), "obs_keys": "habitat"},
        {"goal_format": "cartesian", "sensors": ()},
        {"goal_format": "polar_cos_sin", "normalize_depth": False, "render_mode": "rgb_array"},
    ],
)
def test_check_env_warns_of_nothing(fake_renderer, rooms, options):
    env = gym.make(ID, scenes=rooms, **options, **SMALL)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        check_env(env.unwrapped)
    assert [str(item.message) for item in caught] == []


def test_spaces(make_vec):
    env = make_vec(sensors=("depth", "rgb"))
    single = env.single_observation_space
    assert single["depth"] == gym.spaces.Box(0, 1, (4, 5, 1), np.float32)
    assert single["rgb"] == gym.spaces.Box(0, 255, (4, 5, 3), np.uint8)
    low, high = np.array([0, -np.pi], np.float32), np.array([np.finfo(np.float32).max, np.pi], np.float32)
    assert single["pointgoal"] == gym.spaces.Box(low, high, dtype=np.float32)
    assert env.single_action_space == gym.spaces.Discrete(4)
    assert env.single_action_space.dtype == np.int64
    assert env.action_space.shape == (3,)
    observation, _ = env.reset(seed=0)
    assert observation in env.observation_space
    assert list(make_vec(obs_keys="habitat").single_observation_space) == [
        "depth",
        "pointgoal_with_gps_compass",
    ]


def test_step_types(make_vec):
    env = make_vec()
    env.reset(seed=0)
    observation, rewards, terminations, truncations, infos = env.step(env.action_space.sample())
    assert observation in env.observation_space
    assert rewards.dtype == np.float64
    assert terminations.dtype == truncations.dtype == np.bool_
    for key in ("distance_to_goal", "success", "spl", "soft_spl", "path_length"):
        assert infos[key].dtype == np.float32
        assert infos[f"_{key}"].all()
    assert infos["collision"].dtype == np.bool_
    assert {"scene_id", "episode_id"} <= infos.keys()
    assert "episode" not in infos


@pytest.mark.parametrize("mode", [None, "vector_entry_point"])
def test_make_vec_batched(make_vec, mode):
    env = make_vec(vectorization_mode=mode, max_episode_steps=30)
    assert isinstance(env.unwrapped, BatchPointNavEnv)
    assert env.unwrapped.config.max_episode_steps == 30
    assert make_vec().unwrapped.config.max_episode_steps == 500
    assert env.metadata["autoreset_mode"] == AutoresetMode.SAME_STEP
    assert env.spec.id == ID


def test_make_vec_sync(make_vec):
    env = make_vec(vectorization_mode="sync", max_episode_steps=2)
    assert isinstance(env, SyncVectorEnv)
    env.reset(seed=0)
    env.step(np.full(3, 2))
    assert env.step(np.full(3, 2))[3].all()


def test_spec_round_trip(make_vec):
    env = make_vec(num_envs=4, max_episode_steps=9, goal_format="cartesian", autoreset_mode="NEXT_STEP")
    for spec in (env.spec, pickle.loads(pickle.dumps(env.spec)), copy.deepcopy(env.spec)):
        again = gym.make_vec(spec)
        assert again.num_envs == 4
        assert again.unwrapped.config == env.unwrapped.config
        again.close()
    plain = gym.make_vec(ID, num_envs=2, scenes="houses:val[:2]", sensors="rgb")
    assert gym.envs.registration.EnvSpec.from_json(plain.spec.to_json()).kwargs == plain.spec.kwargs
    single = gym.make(ID, scenes="houses:val/3", goal_format="cartesian", max_episode_steps=77)
    again = gym.make(single.spec)
    assert again.unwrapped.config == single.unwrapped.config
    assert again.spec.max_episode_steps == 77


def test_single_env_has_no_limit_of_its_own():
    for name, value in (("max_episode_steps", 5), ("autoreset_mode", "NextStep")):
        with pytest.raises(ConfigError, match=name):
            PointNavEnv(**{name: value})
    assert PointNavEnv(scenes="houses:val").config.max_episode_steps is None


@pytest.mark.parametrize("mode", list(AutoresetMode))
def test_record_episode_statistics(make_vec, mode):
    env = wrappers.RecordEpisodeStatistics(make_vec(autoreset_mode=mode, max_episode_steps=6))
    env.reset(seed=3)
    for _ in range(6):
        infos = env.step(np.full(3, 2))[4]
    # Six turns to the left: six times the slack of -0.01.
    assert infos["episode"]["r"] == pytest.approx([-0.06] * 3)
    assert infos["episode"]["l"].tolist() == [6, 6, 6]
    if mode != AutoresetMode.DISABLED:
        return
    env.reset()
    env.step(np.array([2, 0, 2]))
    env.reset(options={"reset_mask": np.array([False, True, False])})
    # Row 1 has begun anew, the others go on: five steps more are six for them.
    for _ in range(5):
        infos = env.step(np.full(3, 2))[4]
    assert infos["episode"]["l"].tolist() == [6, 0, 6]
    assert infos["_episode"].tolist() == [True, False, True]


def test_normalize_observation_in_next_step(make_vec):
    env = make_vec(sensors=(), autoreset_mode="NEXT_STEP", max_episode_steps=5)
    flat = wrappers.FlattenObservation(env)
    normal = wrappers.NormalizeObservation(flat)
    observation, _ = normal.reset(seed=0)
    for _ in range(20):
        observation = normal.step(normal.action_space.sample())[0]
    assert observation.shape == (3, 2)
    assert np.isfinite(observation).all()


def test_render_gives_a_tuple_of_frames(make_vec):
    env = make_vec(render_mode="rgb_array", autoreset_mode="NEXT_STEP").unwrapped
    with pytest.raises(RuntimeError, match="reset"):
        env.render()
    env.reset(seed=0)
    frames = env.render()
    assert isinstance(frames, tuple)
    assert [(frame.shape, frame.dtype) for frame in frames] == [((4, 5, 3), np.uint8)] * 3
    assert env.mosaic().shape == (8, 10, 3)
    assert env.mosaic(columns=3).shape == (4, 15, 3)
    assert np.array_equal(env.mosaic(columns=3)[:, 5:10], frames[1])
    frames[0][:] = 0
    assert env.render()[0].any()


def test_record_video_in_next_step(make_vec, tmp_path):
    pytest.importorskip("moviepy", reason="RecordVideo needs moviepy (gymnasium[other])")
    env = make_vec(
        render_mode="rgb_array", autoreset_mode="NEXT_STEP", resolution=(32, 32), max_episode_steps=5
    )
    video = wrappers.RecordVideo(env, str(tmp_path / "video"), episode_trigger=lambda number: number == 0)
    video.reset(seed=0)
    for _ in range(12):
        video.step(video.action_space.sample())
    video.close()
    assert list((tmp_path / "video").glob("*.mp4"))


def test_numpy_to_torch(make_vec):
    pytest.importorskip("array_api_compat", reason="NumpyToTorch needs array-api-compat (gymnasium[torch])")
    import torch

    env = wrappers.NumpyToTorch(make_vec(autoreset_mode="NEXT_STEP", max_episode_steps=4))
    observation, infos = env.reset(seed=0)
    for _ in range(6):
        observation, rewards, terminations, _, infos = env.step(torch.tensor([1, 2, 3]))
    assert isinstance(observation["depth"], torch.Tensor)
    assert isinstance(rewards, torch.Tensor)
    assert terminations.dtype == torch.bool
    assert isinstance(infos["scene_id"], torch.Tensor)


@pytest.mark.slow
def test_async_vector_env(fake_renderer):
    """No renderer is made before the fork; the children make their own."""
    made = fake_renderer.made
    env = AsyncVectorEnv([lambda: gym.make(ID, scenes="houses:val[:1]", sensors=(), max_episode_steps=4)] * 2)
    assert fake_renderer.made == made
    env.reset(seed=0)
    for _ in range(9):
        observation = env.step(np.array([2, 3]))[0]
    assert observation in env.observation_space
    env.close()
