"""Sensors of the agent's state, by hand and against Habitat's formulas written with quaternions."""

import math

import numpy as np
import pytest

from gym_batchnav.config import EnvConfig, PoseNoise
from gym_batchnav.sim import BatchState, Simulator, StateSensors
from tests.unit.sim.test_simulator import begin

ALL = ("gps", "compass", "heading", "collision")
FORWARD, LEFT, RIGHT = 1, 2, 3


def sensed(simulator, config):
    return {name: value[0].tolist() for name, value in StateSensors(config).observe(simulator.state).items()}


def test_walk_around_a_corner_by_hand(hall):
    config = EnvConfig(sensors=ALL, turn_angle_deg=90.0, forward_step=1.0)
    simulator = Simulator(1, config)
    # It begins at (1, 0, 2) looking along -X, which is a quarter turn to the left of -Z.
    begin(simulator, hall, 0, start=(1, 0, 2), heading=math.pi / 2)
    start = sensed(simulator, config)
    assert start == {"gps": [0, 0], "compass": [0], "heading": pytest.approx([math.pi / 2]), "collision": [0]}
    for action in (FORWARD, FORWARD, RIGHT, FORWARD):
        simulator.step(np.array([action]))
    # Two steps ahead, then one to the right of the first direction, looking along -Z.
    now = sensed(simulator, config)
    assert now["gps"] == pytest.approx([2.0, 1.0], abs=1e-6)
    assert now["compass"] == pytest.approx([-math.pi / 2])
    assert now["heading"] == pytest.approx([0.0], abs=1e-6)
    assert now["collision"] == [0.0]
    for _ in range(6):
        simulator.step(np.array([FORWARD]))
        assert sensed(simulator, config)["collision"] == [0.0]
    # From z = 1 six steps led to the wall at z = -5.
    simulator.step(np.array([FORWARD]))
    assert sensed(simulator, config)["collision"] == [1.0]
    simulator.step(np.array([LEFT]))
    assert sensed(simulator, config)["collision"] == [0.0]


def rotated(quaternion, vector):
    """A vector turned by a quaternion (w, x, y, z)."""
    w, axis = quaternion[0], np.array(quaternion[1:])
    return vector + 2.0 * np.cross(axis, np.cross(axis, vector) + w * vector)


def about_y(angle):
    return np.array([math.cos(angle / 2), 0.0, math.sin(angle / 2), 0.0])


def test_signs_are_those_of_habitats_sensors():
    """-Z turned by the inverse rotation gives atan2(x, -z); GPS is (-z, x) in the start's frame."""
    rng = np.random.default_rng(0)
    state = BatchState.empty(50)
    state.start[:], state.position[:] = rng.normal(size=(2, 50, 3))
    state.heading[:], state.start_heading[:] = rng.uniform(-math.pi, math.pi, (2, 50))
    values = StateSensors(EnvConfig(sensors=ALL)).observe(state)
    for row in range(50):
        world = rotated(about_y(-state.heading[row]), np.array([0.0, 0.0, -1.0]))
        assert values["heading"][row, 0] == pytest.approx(math.atan2(world[0], -world[2]), abs=1e-5)
        seen = rotated(about_y(state.start_heading[row] - state.heading[row]), np.array([0.0, 0.0, -1.0]))
        assert values["compass"][row, 0] == pytest.approx(math.atan2(seen[0], -seen[2]), abs=1e-5)
        offset = state.position[row].astype(float) - state.start[row]
        local = rotated(about_y(-state.start_heading[row]), offset)
        assert values["gps"][row] == pytest.approx([-local[2], local[0]], abs=1e-5)


def test_values_stay_within_their_bounds_at_half_a_turn():
    state = BatchState.empty(3)
    state.heading[:] = [-math.pi, math.pi - 1e-12, 3.0]
    state.start_heading[:] = [0.0, -1e-12, -3.0]
    sensors = StateSensors(EnvConfig(sensors=ALL, pose_noise=PoseNoise(heading_deg=90.0)))
    for sensor in (sensors, StateSensors(EnvConfig(sensors=ALL))):
        for name, values in sensor.observe(state).items():
            spec = sensor.specs()[name]
            assert (values >= np.float32(spec.low)).all()
            assert (values <= np.float32(spec.high)).all()


def test_only_named_sensors_are_read():
    state = BatchState.empty(2)
    assert list(StateSensors(EnvConfig(sensors=("depth", "compass"))).observe(state)) == ["compass"]
    assert StateSensors(EnvConfig()).observe(state) == StateSensors(EnvConfig()).specs() == {}


def test_pose_noise_has_its_deviations_and_follows_key_and_step():
    config = EnvConfig(sensors=ALL, pose_noise=PoseNoise(position=0.1, heading_deg=5.0))
    state = BatchState.empty(4000)
    state.noise_key[:] = np.arange(4000)
    first = StateSensors(config).observe(state)
    # A deviation from 4000 draws is known to 1 / sqrt(2 x 4000) = 1.1%; four of these.
    assert first["gps"].std(axis=0) == pytest.approx([0.1, 0.1], rel=0.045)
    assert np.degrees(first["compass"].std()) == pytest.approx(5.0, rel=0.045)
    assert np.degrees(first["heading"].std()) == pytest.approx(5.0, rel=0.045)
    assert (first["collision"] == 0).all()
    again = StateSensors(config).observe(state)
    assert all(np.array_equal(first[name], again[name]) for name in ALL)
    state.steps += 1
    later = StateSensors(config).observe(state)
    assert abs(np.corrcoef(first["gps"][:, 0], later["gps"][:, 0])[0, 1]) < 0.08
