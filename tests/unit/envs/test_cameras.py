"""Several cameras of an agent, and the sensors that they carry."""

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv

from gym_batchnav import BatchPointNavEnv, Camera, ConfigError, EnvConfig
from gym_batchnav.sim import PointNav
from gym_batchnav.sim.geometry import camera_poses
from gym_batchnav.sim.task import SensorSpec
from tests.conformance.test_sync_equality import assert_same, compare, pair

FRONT = Camera(name="front")
DOWN = Camera(name="down_left", height=0.6, pitch_deg=-30, yaw_deg=90, hfov_deg=60, forward=0.2, right=-0.1)
SMALL = {"resolution": (4, 5), "straight_ratio": 1.0, "scene_workers": 0}


def test_poses_by_hand():
    """An agent at (1, 0, 2) that looks along -X (a quarter turn to the left)."""
    place = {"positions": np.array([[1.0, 0.0, 2.0]], np.float32), "headings": np.array([np.pi / 2])}
    pose = camera_poses(**place, height=1.5, pitch=np.pi / 6, forward=0.25, right=0.5)[0]
    # Ahead is -X, so forward adds (-0.25, 0, 0); to its right is -Z, so right adds (0, 0, -0.5).
    assert pose[:3, 3] == pytest.approx([0.75, 1.5, 1.5])
    # 30 deg up: the view axis -Z of the camera becomes (-cos 30, sin 30, 0), its right -Z of the world.
    assert -pose[:3, 2] == pytest.approx([-np.sqrt(0.75), 0.5, 0.0], abs=1e-7)
    assert pose[:3, 0] == pytest.approx([0.0, 0.0, -1.0], abs=1e-7)
    assert pose[:3, 1] == pytest.approx([0.5, np.sqrt(0.75), 0.0], abs=1e-7)
    # Yaw 90 deg further to the left looks along +Z; the offset stays in the agent's frame.
    turned = camera_poses(**place, height=1.5, yaw=np.pi / 2, forward=0.25)[0]
    assert -turned[:3, 2] == pytest.approx([0.0, 0.0, 1.0], abs=1e-7)
    assert turned[:3, 3] == pytest.approx([0.75, 1.5, 2.0])
    assert np.linalg.det(turned[:3, :3]) == pytest.approx(1.0, abs=1e-6)


def test_images_of_all_cameras_are_those_of_each_alone(fake_renderer, rooms):
    """One render call; each camera's images equal those of an environment that has it as its only one."""
    kwargs = {"scenes": rooms, "sensors": ("depth", "semantic"), **SMALL}
    both = BatchPointNavEnv(3, cameras=(FRONT, DOWN), **kwargs)
    singles = {camera.name: BatchPointNavEnv(3, cameras=(camera,), **kwargs) for camera in (FRONT, DOWN)}
    plain = BatchPointNavEnv(3, **kwargs)
    seen = both.reset(seed=1)[0]
    assert set(seen) == {
        "front_depth", "front_semantic", "down_left_depth", "down_left_semantic", "pointgoal",
    }  # fmt: skip
    others = {name: env.reset(seed=1)[0] for name, env in singles.items()}
    alone = plain.reset(seed=1)[0]
    for action in (1, 2, 1, 3):
        actions = np.full(3, action)
        for sensor in ("depth", "semantic"):
            for name, observation in others.items():
                assert np.array_equal(seen[f"{name}_{sensor}"], observation[f"{name}_{sensor}"])
            assert np.array_equal(seen[f"front_{sensor}"], alone[sensor])
            assert not np.array_equal(seen[f"front_{sensor}"], seen[f"down_left_{sensor}"])
            assert seen[f"front_{sensor}"].flags.c_contiguous
        seen = both.step(actions)[0]
        others = {name: env.step(actions)[0] for name, env in singles.items()}
        alone = plain.step(actions)[0]
    # All six views of a step in one call: one for the reset and four for the steps.
    assert both._world.images._renderer.views_drawn == [6] * 5
    for env in (both, plain, *singles.values()):
        env.close()


@pytest.mark.parametrize("copy", [True, False])
def test_equal_to_sync_vector_env(fake_renderer, rooms, copy):
    mode = AutoresetMode.SAME_STEP
    options = {"cameras": (FRONT, DOWN), "sensors": ("normals", "depth", "rgb", "semantic")}
    compare(*pair(mode, rooms, copy=copy, **options), mode, steps=60)


def test_tensors_saved_state_and_frames(fake_renderer, rooms):
    options = {"cameras": (FRONT, DOWN), "sensors": ("depth",), "scenes": rooms, **SMALL}
    env = BatchPointNavEnv(2, render_mode="rgb_array", output="torch", **options)
    env.reset(seed=3)
    observation = env.step(np.array([1, 2]))[0]
    assert {name: tuple(value.shape) for name, value in observation.items()} == {
        "front_depth": (2, 4, 5, 1), "down_left_depth": (2, 4, 5, 1), "pointgoal": (2, 2),
    }  # fmt: skip
    frames = env.render()
    assert [frame.shape for frame in frames] == [(4, 10, 3)] * 2
    assert not np.array_equal(frames[0][:, :5], frames[0][:, 5:])
    other = BatchPointNavEnv(2, output="torch", **options)
    again = other.set_state(env.get_state())
    assert_same({k: v.numpy() for k, v in again.items()}, {k: v.numpy() for k, v in observation.items()}, "")


def test_spaces_of_the_sensors(fake_renderer, rooms):
    sensors = ("depth", "rgb", "semantic", "normals")
    env = BatchPointNavEnv(2, scenes=rooms, sensors=sensors, **SMALL)
    spaces = env.single_observation_space.spaces
    shapes = {name: (space.shape, space.dtype.name) for name, space in spaces.items() if name in sensors}
    assert shapes == {
        "depth": ((4, 5, 1), "float32"), "rgb": ((4, 5, 3), "uint8"),
        "semantic": ((4, 5, 1), "int32"), "normals": ((4, 5, 3), "float32"),
    }  # fmt: skip
    observation = env.reset(seed=0)[0]
    # The renderer's double gives normals of up to 1.0000001; the space ends at 1.
    assert observation in env.observation_space
    assert env._world.images._renderer.config.outputs == ("depth", "rgb", "ids", "normals")
    env.close()


def test_single_camera_options_reach_the_renderer(fake_renderer, rooms):
    options = {"camera_height": 0.5, "camera_pitch_deg": -45, "hfov_deg": 70, "shading": "headlight"}
    env = BatchPointNavEnv(1, scenes=rooms, **options, **SMALL)
    assert set(env.reset(seed=0)[0]) == {"depth", "pointgoal"}
    renderer, state = env._world.images._renderer, env._world.simulator.state
    expected = camera_poses(state.position, state.heading, 0.5, pitch=-np.pi / 4)
    assert np.array_equal(renderer.poses, expected)
    assert (renderer.config.hfov_deg, renderer.config.shading) == (70.0, "headlight")


def test_bad_cameras_are_named():
    for value, message in [
        ((), "tuple of Camera"),
        ((FRONT, FRONT), "no name twice"),
        ("front", "tuple of Camera"),
        (({"pitch_deg": 3},), "tuple of Camera"),
        (({"name": "a", "roll": 3},), "tuple of Camera"),
    ]:
        with pytest.raises(ConfigError, match=rf"cameras=.*{message}"):
            EnvConfig(cameras=value)
    for field, value in [
        ("name", "a b"), ("name", ""), ("height", -1), ("pitch_deg", 91), ("yaw_deg", np.nan),
        ("hfov_deg", 180), ("forward", 11), ("right", "x"),
    ]:  # fmt: skip
        with pytest.raises(ConfigError, match=rf"Camera\.{field}="):
            Camera(**{"name": "a", field: value})
    with pytest.raises(ConfigError, match=r"camera_height=0\.9 .* cameras= is given"):
        EnvConfig(cameras=(FRONT,), camera_height=0.9)
    with pytest.raises(ConfigError, match=r"camera_pitch_deg=91"):
        EnvConfig(camera_pitch_deg=91)


def test_config_with_cameras_survives_records():
    config = EnvConfig(cameras=[FRONT, {"name": "up", "pitch_deg": 30}])
    assert EnvConfig(**config.to_dict()) == config
    assert config.cameras == (FRONT, Camera(name="up", pitch_deg=30.0))


def test_name_of_a_task_sensor_that_is_taken(fake_renderer, rooms):
    class Double(PointNav):
        def sensors(self):
            return {"front_depth": SensorSpec((0.0,), (1.0,))}

    with pytest.raises(ConfigError, match="'front_depth'"):
        BatchPointNavEnv(1, scenes=rooms, cameras=(FRONT,), task=Double)


def test_metadata_tells_what_draws_also_through_wrappers(fake_renderer, rooms):
    """The renderer is made at the first reset; whoever took the metadata before that sees it too."""
    made = lambda: gym.make("BatchPointNav-v0", scenes=rooms, **SMALL)  # noqa: E731
    single, batch, sync = made(), BatchPointNavEnv(2, scenes=rooms, **SMALL), SyncVectorEnv([made] * 2)
    for env in (single, batch, sync):
        assert env.metadata["renderer"] == {"backend": "auto"}
        env.reset(seed=0)
        assert env.metadata["renderer"] == {"backend": "fake", "reason": "a test"}
        env.close()
