import copy
import pickle
import subprocess
import sys

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

import gym_batchnav
from gym_batchnav import BatchPointNavEnv, ConfigError, EnvConfig, EpisodeSet


def test_import_loads_neither_torch_nor_gl_nor_numba():
    code = (
        "import sys, gym_batchnav, gymnasium; gymnasium.spec('BatchPointNav-v0'); gym_batchnav.EnvConfig(); "
        "print([m for m in ('torch', 'OpenGL', 'numba', 'batchnav_renderer') if m in sys.modules])"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


def test_public_names_load():
    for name in gym_batchnav.__all__:
        assert getattr(gym_batchnav, name) is not None
        assert name in dir(gym_batchnav)
    with pytest.raises(AttributeError, match="nonsense"):
        _ = gym_batchnav.nonsense


@pytest.mark.parametrize(
    ("field", "value", "allowed"),
    [
        ("scenes", [], "non-empty list"),
        ("scenes", 3, "scene name"),
        ("scenes", [4], "scene references"),
        ("navmesh", 1, "a path or None"),
        ("episodes", 5, "EpisodeSet"),
        ("episode_order", "sorted", "'random', 'sequential'"),
        ("sensors", ("depth", "lidar"), "'depth' and 'rgb'"),
        ("sensors", ("depth", "depth"), "at most once"),
        ("resolution", (64,), "height, width"),
        ("resolution", 64, "height, width"),
        ("resolution", (0, 64), "1 to 4096"),
        ("resolution", (64.0, 64), "integers"),
        ("hfov_deg", 180, r"\[1, 179\]"),
        ("hfov_deg", "wide", "finite number"),
        ("max_episode_steps", 0, "at least 1"),
        ("max_episode_steps", 10.5, "an integer"),
        ("max_episode_steps", True, "an integer"),
        ("success_distance", 0, r"\(0, inf\]"),
        ("success_distance", float("nan"), "finite"),
        ("forward_step", -1, r"\(0, 10\]"),
        ("turn_angle_deg", 0, r"\(0, 180\]"),
        ("sliding", 1, "True or False"),
        ("goal_format", "angle", "'polar', 'polar_cos_sin', 'cartesian'"),
        ("obs_keys", "bps", "'default', 'habitat'"),
        ("autoreset_mode", "never", "SAME_STEP, NEXT_STEP or DISABLED"),
        ("output", "jax", "'numpy', 'torch'"),
        ("device", 3, "torch.device"),
        ("num_resident_scenes", 0, "at least 1 or None"),
        ("scene_workers", -1, "at least 0"),
        ("render_backend", "vulkan", "'auto', 'gl'"),
        ("straight_ratio", 0.9, r"\[1, inf\]"),
    ],
)
def test_bad_values_name_argument_value_and_what_is_allowed(field, value, allowed):
    with pytest.raises(ConfigError, match=rf"(?s){field}=.*{allowed}") as caught:
        EnvConfig(**{field: value})
    assert repr(value) in str(caught.value)


def test_fields_that_contradict_each_other():
    with pytest.raises(ConfigError, match=r"min_depth=5.0 must be below max_depth=2.0"):
        EnvConfig(min_depth=5, max_depth=2)
    with pytest.raises(ConfigError, match="min_geodesic"):
        EnvConfig(min_geodesic=5, max_geodesic=2)
    with pytest.raises(ConfigError, match="sequential"):
        EnvConfig(episode_order="sequential")


def test_unknown_argument_suggests_the_near_one():
    with pytest.raises(ConfigError, match=r"unknown argument 'resolutoin'=.*did you mean 'resolution'"):
        BatchPointNavEnv(2, resolutoin=(3, 3))
    with pytest.raises(ConfigError, match=r"num_envs=0 .*at least 1"):
        BatchPointNavEnv(0)
    with pytest.raises(ConfigError, match=r"render_mode='human'"):
        BatchPointNavEnv(1, render_mode="human")


def test_values_are_brought_to_plain_types():
    config = EnvConfig(
        resolution=[np.int64(3), 4], sensors=["rgb"], autoreset_mode=AutoresetMode.NEXT_STEP,
        max_episode_steps=np.int32(7), hfov_deg=np.float32(60), sliding=np.True_, scenes=["houses:val"],
    )  # fmt: skip
    assert config.resolution == (3, 4)
    assert config.sensors == ("rgb",)
    assert config.autoreset_mode == "NextStep"
    assert type(config.max_episode_steps) is int
    assert config.hfov_deg == 60.0
    assert config.sliding is True
    assert config.scenes == ("houses:val",)
    for spelling in ("SAME_STEP", "same_step", "SameStep", AutoresetMode.SAME_STEP):
        assert EnvConfig(autoreset_mode=spelling).autoreset_mode == "SameStep"


def test_pickle_copy_equality_and_dict():
    config = EnvConfig(episodes=EpisodeSet(3, seed=4), scenes=["a.glb", "b.glb"])
    assert pickle.loads(pickle.dumps(config)) == config == copy.deepcopy(config)
    plain = config.to_dict()
    assert plain["episodes"] == {"count": 3, "seed": 4}
    assert EnvConfig(**plain) == config
    with pytest.raises(AttributeError):
        config.sliding = False


def test_config_and_make_vec_limit_must_agree():
    with pytest.raises(
        ConfigError, match=r"max_episode_steps=500 .* differs from config.max_episode_steps=100"
    ):
        BatchPointNavEnv(1, EnvConfig(max_episode_steps=100), max_episode_steps=500)
