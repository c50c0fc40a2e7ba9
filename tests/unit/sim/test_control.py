"""Look and velocity actions, by hand."""

import math

import numpy as np
import pytest

from gym_batchnav.config import Camera, EnvConfig, VelocityControl
from gym_batchnav.sim import Simulator
from gym_batchnav.sim.control import make_control
from tests.unit.sim.test_simulator import begin

LOOK_UP, LOOK_DOWN = 4, 5


def driven(hall, actions, start=(0, 0, 0), heading=0.0, goal=(0, 0, -2), **fields):
    """A simulator after some velocity actions of one agent."""
    config = EnvConfig(actions="velocity", velocity=VelocityControl(**fields))
    simulator = Simulator(1, config)
    begin(simulator, hall, 0, start=start, heading=heading, goal=goal)
    for action in actions:
        simulator.step(np.array([action], np.float64))
    return simulator


def test_any_step_and_angle(hall):
    simulator = Simulator(1, EnvConfig(forward_step=0.4, turn_angle_deg=90.0))
    begin(simulator, hall, 0)
    for action in (2, 1, 3, 3, 1, 1):
        simulator.step(np.array([action]))
    # 0.4 m to the left (-X), then, turned by half a circle, 0.8 m to the right.
    assert simulator.state.position[0] == pytest.approx([0.4, 0.0, 0.0], abs=1e-6)


def test_looking_up_and_down_stops_straight_up_and_down(hall):
    simulator = Simulator(2, EnvConfig(actions="discrete_look", tilt_angle_deg=40.0, camera_pitch_deg=-20.0))
    for row in range(2):
        begin(simulator, hall, row)
    pitches = []
    for _ in range(4):
        simulator.step(np.array([LOOK_UP, LOOK_DOWN]))
        pitches.append(np.degrees(simulator.state.pitch).round(6).tolist())
    # The camera looks 20 deg down by itself: 110 deg are left upward, 70 deg downward.
    assert pitches == [[40.0, -40.0], [80.0, -70.0], [110.0, -70.0], [110.0, -70.0]]
    simulator.step(np.array([LOOK_DOWN, 1]))
    assert np.degrees(simulator.state.pitch) == pytest.approx([70.0, -70.0])
    # Looking moves nobody, and other actions keep the tilt; the next episode begins level.
    assert simulator.state.position[:, 2] == pytest.approx([0.0, -0.25])
    begin(simulator, hall, 1)
    assert simulator.state.pitch[1] == 0.0


def test_cameras_tilt_together_as_far_as_all_of_them_can():
    cameras = (Camera(name="up", pitch_deg=60), Camera(name="down", pitch_deg=-45))
    simulator = Simulator(1, EnvConfig(cameras=cameras, actions="discrete_look"))
    for _ in range(9):
        simulator.step(np.array([LOOK_UP]))
    assert np.degrees(simulator.state.pitch[0]) == pytest.approx(30.0)
    for _ in range(9):
        simulator.step(np.array([LOOK_DOWN]))
    assert np.degrees(simulator.state.pitch[0]) == pytest.approx(-45.0)


def test_full_speed_is_habitats_step_and_turn(hall):
    # 1 stands for 0.25 m/s and 10 deg/s for 1 s, -1 for 0 m/s and -10 deg/s.
    straight = driven(hall, [(1.0, 0.0)])
    assert straight.state.position[0] == pytest.approx([0.0, 0.0, -0.25])
    assert straight.state.heading[0] == 0.0
    turned = driven(hall, [(-1.0, 1.0), (-1.0, 1.0), (-1.0, -0.5)])
    assert turned.state.position[0].tolist() == [0.0, 0.0, 0.0]
    assert np.degrees(turned.state.heading[0]) == pytest.approx(15.0)
    assert turned.state.path_length[0] == 0.0


def test_arc_ends_on_its_circle(hall):
    """0.5 m/s and 45 deg/s to the left for 2 s: a quarter of a circle of radius 0.5 / (pi / 4) = 0.6366 m."""
    fields = {"linear_range": (-0.5, 0.5), "angular_range_deg": (-45.0, 45.0), "time_step": 2.0}
    radius = 0.5 / (math.pi / 4)
    simulator = driven(hall, [(1.0, 1.0)], **fields)
    assert simulator.state.position[0] == pytest.approx([-radius, 0.0, -radius], abs=1e-6)
    assert simulator.state.heading[0] == pytest.approx(math.pi / 2)
    # Walked in nine chords of 10 deg each: 2 r sin 5 deg.
    assert simulator.state.path_length[0] == pytest.approx(9 * 2 * radius * math.sin(math.radians(5)))
    # Backward, while it turns to the left: a circle around a point at its right hand.
    back = driven(hall, [(-1.0, 1.0)], **fields)
    assert back.state.position[0] == pytest.approx([radius, 0.0, radius], abs=1e-6)
    # Habitat walks the metre straight ahead and turns then.
    euler = driven(hall, [(1.0, 1.0)], integration="euler", **fields)
    assert euler.state.position[0] == pytest.approx([0.0, 0.0, -1.0], abs=1e-6)
    assert euler.state.heading[0] == pytest.approx(math.pi / 2)


def test_slow_actions_stop(hall):
    # Both under 0.025 m/s and 1 deg/s: 0.024 m/s is -1 + 2 x 0.096; 0.9 deg/s is 0.09.
    stopped = driven(hall, [(-0.808, 0.09)], goal=(0, 0, -0.1))
    assert stopped.state.stopped[0]
    assert stopped.state.success[0]
    assert stopped.state.position[0].tolist() == [0.0, 0.0, 0.0]
    assert stopped.state.heading[0] == 0.0
    for action in ((-0.79, 0.09), (-0.808, 0.11)):
        assert not driven(hall, [action]).state.stopped[0]


def test_flag_stops_and_nothing_else_does(hall):
    assert not driven(hall, [(-1.0, 0.0, 0.0)], stop="flag").state.stopped[0]
    stopped = driven(hall, [(1.0, 1.0, 0.5)], stop="flag").state
    assert stopped.stopped[0]
    assert stopped.position[0].tolist() == [0.0, 0.0, 0.0]


def test_walls_end_the_way_and_are_felt_once_an_action(hall):
    """From 0.1 m before the wall at z = -5, 0.25 m ahead: 0.1 m are walked."""
    simulator = driven(hall, [(1.0, 0.0)], start=(0, 0, -4.9), goal=(0, 0, 0))
    assert simulator.state.position[0] == pytest.approx([0.0, 0.0, -5.0])
    assert simulator.state.collided[0]
    assert simulator.state.collisions[0] == 1
    assert simulator.state.path_length[0] == pytest.approx(0.1, abs=1e-5)
    # 30 deg in three chords into the wall are one collision too; the progress is that of the whole action.
    fields = {"angular_range_deg": (-30.0, 30.0), "linear_range": (0.0, 1.0)}
    arc = driven(hall, [(1.0, 1.0)], start=(0, 0, -4.9), goal=(0, 0, 0), **fields)
    assert arc.state.collisions[0] == 1
    assert arc.state.previous_distance[0] == pytest.approx(4.9)


@pytest.mark.parametrize("fields", [{}, {"stop": "flag", "linear_range": (-0.1, 0.25)}])
def test_expert_commands_stop_turn_and_step(fields):
    config = EnvConfig(actions="velocity", velocity=VelocityControl(**fields))
    control = make_control(config)
    assert (control.forward_step, control.turn_angle) == (0.25, math.radians(10.0))
    arrived, turns = np.array([True, False, False, False]), np.array([3, 2, -1, 0])
    actions = control.expert(arrived, turns)
    assert actions.dtype == np.float32
    assert actions.shape == (4, config.velocity.size)
    assert np.abs(actions).max() <= 1.0
    orders = control.orders(actions.astype(np.float64), np.zeros(4, np.uint64))
    assert orders.stops.tolist() == [True, False, False, False]
    assert orders.legs[0].front == pytest.approx([0.0, 0.0, 0.0, 0.25], abs=1e-7)
    assert np.degrees(orders.legs[0].turn) == pytest.approx([0.0, 10.0, -10.0, 0.0], abs=1e-5)
