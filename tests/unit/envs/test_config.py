import copy
import pickle
import subprocess
import sys

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

import batchnav_renderer
import gym_batchnav
from batchnav_renderer.errors import RenderConfigError
from gym_batchnav import BatchPointNavEnv, ConfigError, EnvConfig, EpisodeSet, PointNavEnv
from gym_batchnav.envs import devices


def test_import_loads_neither_torch_nor_gl_nor_numba():
    code = (
        "import gymnasium, sys; before = set(sys.modules); import gym_batchnav; "
        "print(sorted(set(sys.modules) - before)); "
        "gymnasium.spec('BatchPointNav-v0'); gym_batchnav.EnvConfig(); "
        "print([m for m in ('torch', 'OpenGL', 'numba', 'batchnav_renderer') if m in sys.modules])"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    # Beyond Gymnasium, importing costs the time of one file.
    assert result.stdout.splitlines() == ["['gym_batchnav']", "[]"]


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
        ("sensors", ("depth", "lidar"), "'depth', 'rgb', 'semantic', 'normals'"),
        ("sensors", ("depth", "depth"), "at most once"),
        ("scene_up", "w", "'x', 'y', 'z' or None"),
        ("scene_scale", 0, r"\(0, 1e\+09\)"),
        ("resolution", (64,), "height, width"),
        ("resolution", "64", "height, width"),
        ("resolution", 5000, "one number for both"),
        ("resolution", True, "one number for both"),
        ("resolution", (0, 64), "1 to 4096"),
        ("resolution", (64.0, 64), "integers"),
        ("hfov_deg", 180, r"\(1, 179\)"),
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
        ("straight_ratio", 0.9, r"\[1, inf\]"),
        ("hfov_deg", 1.0, r"\(1, 179\)"),
        ("hfov_deg", 179, r"\(1, 179\)"),
        ("render_backend", "vulkan", "'auto', 'gl', 'gl-raycast', 'embree'"),
        ("device", "tpu", "'cuda:<number>'"),
        ("device", "cuda:", "'cuda:<number>'"),
        ("device", "cpu:1", "'cpu'"),
        ("device", "cuda:0\n", "'cpu'"),
        ("max_depth", 0.01, r"\(0.01, 1e\+06\)"),
        ("max_depth", 1e6, r"\(0.01, 1e\+06\)"),
        ("max_depth", 10**309, "finite number"),
        ("min_depth", np.array([1, 2]), "finite number"),
        ("max_geodesic", np.array([5.0]), "finite number"),
        ("success_distance", 1j, "finite number"),
        ("max_episode_steps", 10**20, "at most 9223372036854775807"),
        ("max_episode_steps", -2, "at least 1"),
        ("max_episode_steps", np.array([1, 2]), "an integer"),
        ("swap_episodes", np.True_, "an integer"),
        ("resolution", (np.array([1, 2]), 4), "1 to 4096"),
        ("obs_keys", np.array(["habitat", "x"]), "'default', 'habitat'"),
        ("sensors", (np.array(["depth", "rgb"]),), "'depth', 'rgb'"),
    ],
)
def test_bad_values_name_argument_value_and_what_is_allowed(field, value, allowed):
    with pytest.raises(ConfigError, match=rf"(?s){field}=.*{allowed}") as caught:
        EnvConfig(**{field: value})
    assert repr(value) in str(caught.value)


def test_fields_that_contradict_each_other():
    with pytest.raises(ConfigError, match=r"min_depth=5.0 must be below max_depth=2.0"):
        EnvConfig(min_depth=5, max_depth=2)
    # 10 - 1e-8 rounds to 10 in float32, whose numbers near 10 lie 1e-6 apart.
    with pytest.raises(ConfigError, match=r"min_depth=9.99999999 and max_depth=10.0 are the same"):
        EnvConfig(min_depth=10 - 1e-8)
    with pytest.raises(ConfigError, match="min_geodesic"):
        EnvConfig(min_geodesic=5, max_geodesic=2)
    with pytest.raises(ConfigError, match="sequential"):
        EnvConfig(episode_order="sequential")


def test_unknown_argument_suggests_the_near_one():
    with pytest.raises(ConfigError, match=r"unknown argument 'resolutoin'=.*did you mean 'resolution'"):
        BatchPointNavEnv(2, resolutoin=(3, 3))
    for count in (0, 2**20 + 1):
        with pytest.raises(ConfigError, match=f"num_envs={count} .*from 1 to 1,048,576"):
            BatchPointNavEnv(count)
    with pytest.raises(ConfigError, match=r"render_mode='ansi'"):
        BatchPointNavEnv(1, render_mode="ansi")


def test_values_are_brought_to_plain_types():
    config = EnvConfig(
        resolution=[np.int64(3), 4], sensors=["rgb"], autoreset_mode=AutoresetMode.NEXT_STEP,
        max_episode_steps=np.int32(7), hfov_deg=np.float32(60), sliding=np.True_, scenes=["houses:val"],
    )  # fmt: skip
    assert config.resolution == (3, 4)
    assert EnvConfig(resolution=np.int64(128)).resolution == (128, 128)
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


def test_numbers_too_long_to_be_written():
    for field in ("max_depth", "max_episode_steps"):
        with pytest.raises(ConfigError, match=f"{field}=<a huge integer>"):
            EnvConfig(**{field: 10**5000})
    for number in (np.array([1, 2]), 10**400, 2.0, True):
        with pytest.raises(ConfigError, match=r"num_envs="):
            BatchPointNavEnv(number)
        with pytest.raises(ConfigError, match=r"EpisodeSet.count="):
            EpisodeSet(number)


def test_devices():
    given = [None, "cpu", "cpu:0", "cuda", "cuda:0", "cuda:13"]
    assert [EnvConfig(device=one).device for one in given] == [
        None,
        "cpu",
        "cpu",
        "cuda",
        "cuda:0",
        "cuda:13",
    ]
    torch = pytest.importorskip("torch")
    assert EnvConfig(device=torch.device("cuda", 1)).device == "cuda:1"
    with pytest.raises(ConfigError, match="device"):
        EnvConfig(device=torch.device("meta"), sensors=())


def test_missing_cuda_device_is_told_where_the_env_is_made(monkeypatch, fake_renderer, rooms):
    arguments = {"scenes": rooms, "scene_workers": 0, "resolution": (4, 5), "straight_ratio": 1.0}
    monkeypatch.setattr(devices, "cuda_device_count", lambda: 0)
    for more in ({}, {"sensors": (), "output": "torch"}, {"sensors": (), "render_mode": "rgb_array"}):
        with pytest.raises(ConfigError, match="device='cuda' cannot be used: no CUDA device"):
            BatchPointNavEnv(1, device="cuda", **arguments, **more)
    # A blind environment of NumPy arrays needs none.
    BatchPointNavEnv(1, device="cuda", sensors=(), **arguments).reset(seed=0)
    monkeypatch.setattr(devices, "cuda_device_count", lambda: 1)
    with pytest.raises(ConfigError, match="device='cuda:1' cannot be used: there are 1 CUDA"):
        BatchPointNavEnv(1, device="cuda:1", **arguments)
    BatchPointNavEnv(1, device="cuda:0", **arguments).reset(seed=0)


def test_wrong_navmesh_is_named(tmp_path):
    scene = tmp_path / "a.glb"
    scene.write_bytes(b"")
    with pytest.raises(ConfigError, match=r"navmesh='.*nowhere.navmesh': there is no such file"):
        BatchPointNavEnv(1, scenes=scene, navmesh=tmp_path / "nowhere.navmesh")


def test_what_the_renderer_refuses_is_a_config_error(monkeypatch, fake_renderer, rooms):
    def refuse(**fields):
        raise RenderConfigError("height is 64; allowed: none")

    monkeypatch.setattr(batchnav_renderer, "RenderConfig", refuse)
    env = BatchPointNavEnv(1, scenes=rooms, scene_workers=0)
    with pytest.raises(ConfigError, match="height is 64") as caught:
        env.reset(seed=0)
    assert isinstance(caught.value.__cause__, RenderConfigError)


def test_options_must_be_a_mapping(fake_renderer, rooms):
    for env in (
        BatchPointNavEnv(1, scenes=rooms, scene_workers=0),
        PointNavEnv(scenes=rooms, scene_workers=0),
    ):
        with pytest.raises(ConfigError, match=r"options=\[1\]"):
            env.reset(options=[1])


def test_no_limit_of_steps(fake_renderer, rooms):
    assert EnvConfig(max_episode_steps=-1).max_episode_steps is None
    arguments = {"scenes": rooms, "scene_workers": 0, "straight_ratio": 1.0, "resolution": (4, 5)}
    left = np.array([2, 2])
    for mode in ("sync", "vector_entry_point"):
        envs = gymnasium.make_vec(
            "BatchPointNav-v0", 2, vectorization_mode=mode, max_episode_steps=-1, **arguments
        )
        envs.reset(seed=0)
        assert not any(envs.step(left)[3].any() for _ in range(505))
    env = gymnasium.make("BatchPointNav-v0", max_episode_steps=-1, **arguments)
    env.reset(seed=0)
    assert not any(env.step(2)[3] for _ in range(505))
    assert BatchPointNavEnv(1, EnvConfig(scenes=rooms, max_episode_steps=None), max_episode_steps=-1)
    with pytest.raises(ConfigError, match="max_episode_steps=-1 differs from"):
        BatchPointNavEnv(1, EnvConfig(scenes=rooms, max_episode_steps=5), max_episode_steps=-1)


def test_all_true_mask_is_a_whole_reset(fake_renderer, rooms):
    arguments = {"scenes": rooms, "scene_workers": 0, "straight_ratio": 1.0, "resolution": (4, 5)}
    masked, whole = BatchPointNavEnv(3, **arguments), BatchPointNavEnv(3, **arguments)
    shown = masked.reset(seed=3, options={"reset_mask": np.ones(3, bool)})[0]
    assert np.array_equal(shown["depth"], whole.reset(seed=3)[0]["depth"])
