"""Spaces and checks of all kinds of actions; refused ones leave the environment as it was."""

from __future__ import annotations

import gymnasium as gym
import numpy as np
import pytest
import torch
from gymnasium.vector import AutoresetMode

from gym_batchnav import (
    ActionError,
    ActuationNoise,
    BatchPointNavEnv,
    ConfigError,
    DepthNoise,
    EnvConfig,
    PointNavEnv,
    PoseNoise,
    RgbNoise,
    VelocityControl,
)
from gym_batchnav.sim import PointNav

SMALL = {"resolution": (4, 5), "straight_ratio": 1.0, "scene_workers": 0}
FLAG = VelocityControl(stop="flag")
KINDS = {
    "discrete": {},
    "discrete_look": {"actions": "discrete_look"},
    "velocity": {"actions": "velocity"},
    "flag": {"actions": "velocity", "velocity": FLAG},
}


@pytest.fixture
def make(fake_renderer, rooms):
    def build(num_envs=3, **kwargs):
        return BatchPointNavEnv(num_envs, **{"scenes": rooms, **SMALL, **kwargs})

    return build


def test_spaces_fit_the_kinds(make):
    assert make().single_action_space == gym.spaces.Discrete(4)
    assert make(actions="discrete_look").single_action_space == gym.spaces.Discrete(6)
    assert make(actions="velocity").single_action_space == gym.spaces.Box(-1, 1, (2,), np.float32)
    env = make(**KINDS["flag"])
    assert env.single_action_space == gym.spaces.Box(-1, 1, (3,), np.float32)
    assert env.action_space == gym.spaces.Box(-1, 1, (3, 3), np.float32)


@pytest.mark.parametrize("kind", KINDS)
def test_sampled_actions_and_tensors_of_them_are_taken(make, kind):
    env, other = make(**KINDS[kind]), make(**KINDS[kind])
    env.reset(seed=0)
    other.reset(seed=0)
    env.action_space.seed(0)
    for _ in range(30):
        actions = env.action_space.sample()
        one, two = env.step(actions), other.step(torch.from_numpy(actions))
        assert one[0] in env.observation_space
        assert all(np.array_equal(one[0][name], two[0][name]) for name in one[0])


BAD = [
    ("discrete_look", [0, 1, 6], "action of row 2 is 6; allowed: 0 stop, .* 4 look up, 5 look down"),
    ("discrete", [0, 1, 4], "allowed: 0 stop, 1 forward, 2 turn left, 3 turn right$"),
    ("discrete", [0, 1, np.nan], "dtype float64; expected integers from 0 to 3"),
    ("discrete", [[0], [1], [2, 3]], "no array"),
    ("velocity", [[0.0, 0.0]] * 2, r"shape \(2, 2\); expected \(3, 2\)"),
    ("velocity", [0.0, 0.0, 0.0], r"shape \(3,\); expected \(3, 2\)"),
    ("flag", [[0.0, 0.0]] * 3, r"expected \(3, 3\)"),
    ("velocity", [[0.0, 0.0], [0.0, np.nan], [0.0, 0.0]], r"row 1 is \[0.0, nan\]"),
    ("velocity", [[0.0, 0.0], [0.0, 0.0], [np.inf, 0.0]], r"row 2 is \[inf, 0.0\]; allowed: .* -1 to 1"),
    ("velocity", [[-1.5, 0.0], [0.0, 0.0], [0.0, 0.0]], r"row 0 is \[-1.5, 0.0\]"),
    ("velocity", [[True, False]] * 3, "dtype bool"),
    ("velocity", [["0", "1"]] * 3, "dtype <U1"),
]


@pytest.mark.parametrize("mode", [AutoresetMode.SAME_STEP, AutoresetMode.NEXT_STEP])
@pytest.mark.parametrize(("kind", "actions", "message"), BAD)
def test_refused_actions_leave_everything_as_it_was(make, kind, actions, message, mode):
    """Also where the step would have begun episodes: row 1 is over by then."""
    env = make(autoreset_mode=mode, max_episode_steps=3, sensors=("depth", "gps"), **KINDS[kind])
    env.reset(seed=0)
    env.action_space.seed(1)
    for _ in range(3):
        shown = env.step(env.action_space.sample())[0]
    before = env.get_state()
    with pytest.raises(ActionError, match=message):
        env.step(actions)
    after = env.get_state()
    for name, values in before["simulator"].items():
        assert np.array_equal(values, after["simulator"][name]), name
    assert (before["numbers"], before["slots"]) == (after["numbers"], after["slots"])
    assert np.array_equal(before["finished"], after["finished"])
    again = env.set_state(after)
    assert all(np.array_equal(shown[name], again[name]) for name in shown)


def test_single_environment_takes_them_too(fake_renderer, rooms):
    look = PointNavEnv(scenes=rooms, actions="discrete_look", **SMALL)
    look.reset(seed=0)
    look.step(4)
    assert np.degrees(look.agent_state()["pitch"]) == pytest.approx(15.0)
    drive = PointNavEnv(scenes=rooms, actions="velocity", **SMALL)
    drive.reset(seed=0)
    before = drive.agent_state()["position"]
    _, _, terminated, _, _ = drive.step(np.array([1.0, 0.0], np.float32))
    assert not terminated
    assert 0.0 < np.linalg.norm(drive.agent_state()["position"] - before) < 0.2501
    assert drive.expert_action().shape == (2,)
    with pytest.raises(ActionError, match="nan"):
        drive.step(np.array([np.nan, 0.0], np.float32))
    assert drive.step(np.array([-1.0, 0.0], np.float32))[2]


@pytest.mark.parametrize("kind", KINDS)
def test_expert_reaches_every_goal(make, kind):
    env = make(6, max_episode_steps=200, sensors=(), **KINDS[kind])
    env.reset(seed=0)
    ended, succeeded = 0, 0.0
    for _ in range(250):
        _, _, terminations, truncations, infos = env.step(env.expert_actions())
        done = terminations | truncations
        ended += int(done.sum())
        if done.any():
            succeeded += float(infos["final_info"]["success"][done].sum())
    assert ended >= 12
    assert succeeded == ended


def test_tilt_is_seen_by_the_camera(make):
    """The images are those of a camera with that pitch."""
    tilted = make(actions="discrete_look", tilt_angle_deg=25.0)
    pitched = make(camera_pitch_deg=25.0)
    tilted.reset(seed=3)
    first = tilted.step(np.full(3, 4))[0]["depth"]
    expected = pitched.reset(seed=3)[0]["depth"]
    assert np.allclose(first, expected, atol=1e-4)
    assert not np.allclose(tilted.step(np.full(3, 5))[0]["depth"], expected, atol=1e-4)


def test_sensors_can_be_chosen_and_the_goal_left_out(make):
    env = make(sensors=("gps", "compass", "rgb"), goal_sensor="none")
    assert set(env.single_observation_space.spaces) == {"rgb", "gps", "compass"}
    assert env.reset(seed=0)[0] in env.observation_space
    with pytest.raises(ConfigError, match="observations empty"):
        make(sensors=(), goal_sensor="none")

    class Double(PointNav):
        def sensors(self):
            return {"gps": super().sensors()["pointgoal"]}

    with pytest.raises(ConfigError, match="two sensors are named 'gps'"):
        make(sensors=("gps",), task=Double)


def test_goal_as_seen_from_the_start_stays_what_it_was(make):
    env, usual = make(goal_sensor="start", obs_keys="habitat"), make(obs_keys="habitat")
    seen, expected = env.reset(seed=0)[0]["pointgoal"], usual.reset(seed=0)[0]["pointgoal_with_gps_compass"]
    assert np.array_equal(seen, expected)
    for action in (1, 2, 1):
        assert np.array_equal(env.step(np.full(3, action))[0]["pointgoal"], expected)


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("actions", "continuous", "'discrete', 'discrete_look', 'velocity'"),
        ("sensors", ("depth", "sonar"), "'gps', 'compass', 'heading', 'collision'"),
        ("goal_sensor", "gps", "'agent', 'start', 'none'"),
        ("tilt_angle_deg", 0.0, r"\(0, 180\]"),
        ("velocity", None, r"VelocityControl\(\.\.\.\)"),
        ("depth_noise", 1.0, r"None or DepthNoise\(\.\.\.\)"),
        ("depth_noise", {"factor": 1.0}, r"None or DepthNoise"),
        ("index_offset", -1, "at least 0"),
        ("total_envs", 0, "at least 1 or None"),
    ],
)
def test_bad_fields_name_what_is_allowed(field, value, message):
    with pytest.raises(ConfigError, match=rf"{field}=.*{message}"):
        EnvConfig(**{field: value})


@pytest.mark.parametrize(
    ("kind", "values", "message"),
    [
        (ActuationNoise, {"robot": "Spot"}, "ActuationNoise.robot='Spot'.*'LoCoBot', 'LoCoBot-Lite'"),
        (ActuationNoise, {"controller": "PID"}, "'ILQR', 'Proportional', 'Movebase'"),
        (ActuationNoise, {"multiplier": -1.0}, "ActuationNoise.multiplier=-1.0"),
        (DepthNoise, {"multiplier": np.nan}, "DepthNoise.multiplier=nan"),
        (RgbNoise, {"intensity": 1.5}, r"RgbNoise.intensity=1.5.*\[0, 1\]"),
        (PoseNoise, {"position": -0.1}, "PoseNoise.position"),
        (VelocityControl, {"linear_range": (0.1, 0.5)}, "VelocityControl.linear_range=.*low <= 0 <= high"),
        (VelocityControl, {"linear_range": (0.0, 0.0)}, "high over 0"),
        (VelocityControl, {"linear_range": (-0.5, 0.0)}, "VelocityControl.linear_range"),
        (VelocityControl, {"angular_range_deg": (-10.0, np.nan)}, "VelocityControl.angular_range_deg"),
        (VelocityControl, {"time_step": 0.0}, r"\(0, 10\]"),
        (VelocityControl, {"stop": "never"}, "'slow', 'flag'"),
    ],
)
def test_bad_values_of_noise_and_velocities(kind, values, message):
    with pytest.raises(ConfigError, match=message):
        kind(**values)


def test_actuation_noise_is_refused_with_velocities():
    with pytest.raises(ConfigError, match="says nothing of velocities"):
        EnvConfig(actions="velocity", actuation_noise=ActuationNoise())


def test_fields_survive_records():
    """What a record holds as plain values makes the same configuration again."""
    config = EnvConfig(
        actions="discrete_look", actuation_noise=ActuationNoise(multiplier=0.5), depth_noise=DepthNoise(),
        rgb_noise=RgbNoise(), pose_noise=PoseNoise(position=0.1), sensors=("gps", "depth"), index_offset=4,
        velocity=VelocityControl(linear_range=(-1, 1)),
    )  # fmt: skip
    assert EnvConfig(**config.to_dict()) == config
