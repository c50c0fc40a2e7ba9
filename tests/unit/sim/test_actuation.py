"""Noisy actuation: the published figures, Habitat's truncation, and what the agent does of it."""

import math

import numpy as np
import pytest
from scipy import stats

from gym_batchnav.config import ActuationNoise, EnvConfig
from gym_batchnav.sim import Simulator
from gym_batchnav.sim.actuation import FIGURES, ActuationErrors, Error, cut_normals
from tests.unit.sim.test_simulator import begin

STOP, FORWARD, LEFT, RIGHT = range(4)


def test_figures_are_those_of_pyrobot_in_habitat():
    assert len(FIGURES) == 6
    figures = FIGURES["LoCoBot", "Proportional"]
    assert figures.forward.front == Error(0.017, 0.007)
    assert figures.forward.right == Error(0.042, 0.023)
    assert figures.forward.turn == Error(0.031, 0.026)
    assert figures.turning.front == Error(0.001, 0.001)
    assert figures.turning.right == Error(0.005, 0.004)
    assert figures.turning.turn == Error(0.043, 0.017)


@pytest.mark.parametrize(("error", "low"), [(Error(0.3, 0.04), -math.inf), (Error(0.017, 0.007), -0.2375)])
def test_cut_normals_are_scipys_truncnorm(error, low):
    shares = np.linspace(1e-4, 1 - 1e-4, 2001)
    deviation = math.sqrt(error.variance)
    # -0.2375 m is 95% of a step back: (-0.2375 - 0.017) / 0.0837 = -3.04, so there 3 deviations come first.
    least = max((low - error.mean) / deviation, -3.0)
    expected = stats.truncnorm.ppf(shares, least, 3.0, error.mean, deviation)
    assert np.allclose(cut_normals(shares, error, low), expected, atol=1e-5)


def test_a_number_that_does_not_vary_is_its_mean():
    # Movebase moves 2 mm to the front in every turn, with the variance 0.
    noise = ActuationNoise(controller="Movebase", multiplier=0.5)
    _, turning = ActuationErrors(noise, 0.25, 0.1).draw(np.arange(5, dtype=np.uint64))
    assert turning[0].tolist() == [0.001] * 5


def moved(action, noise, rows=4000, turn_angle_deg=10.0):
    """How far to the front and to the right, and by which angle, agents of heading 0 moved."""
    simulator = Simulator(rows, EnvConfig(actuation_noise=noise, turn_angle_deg=turn_angle_deg))
    simulator.state.noise_key[:] = np.arange(rows)
    simulator.step(np.full(rows, action))
    position = simulator.state.position
    return -position[:, 2], position[:, 0], simulator.state.heading


class Open:
    """A floor without walls for all rows."""

    def move(self, positions, targets, walking, distances, sliding):
        return np.where(walking[:, None], targets, positions), distances.copy()


@pytest.fixture
def everywhere(monkeypatch):
    monkeypatch.setattr("gym_batchnav.sim.simulator.SceneGroups", lambda num_envs: Open())


def check(values, center, variance, low=-np.inf):
    """Mean and deviation of 4000 draws of a normal distribution that is cut off, within 4 standard errors."""
    deviation = math.sqrt(variance)
    least = max((low - center) / deviation, -3.0)
    expected = stats.truncnorm(least, 3.0, center, deviation)
    assert abs(values.mean() - expected.mean()) < 4 * expected.std() / math.sqrt(4000)
    assert values.std() == pytest.approx(expected.std(), rel=0.05)


def test_steps_and_turns_have_the_published_errors(everywhere):
    noise = ActuationNoise(controller="Proportional")
    front, right, turn = moved(FORWARD, noise)
    check(front - 0.25, 0.017, 0.007, -0.95 * 0.25)
    check(right, 0.042, 0.023)
    check(turn, 0.031, 0.026)
    assert front.min() > 0.0125 - 1e-6  # at least a twentieth of the step
    front, right, turn = moved(LEFT, noise)
    check(front, 0.001, 0.001)
    check(right, 0.005, 0.004)
    check(turn - math.radians(10), 0.043, 0.017, -0.95 * math.radians(10))
    assert turn.min() > 0.05 * math.radians(10) - 1e-6
    other = moved(RIGHT, noise)
    # A turn to the right is the mirror image of one to the left; the motion is not.
    assert np.allclose(other[2], -turn, atol=1e-12)
    assert np.array_equal(other[0], front)
    assert np.array_equal(other[1], right)


def test_multiplier_scales_and_stop_has_no_errors(everywhere):
    whole = moved(FORWARD, ActuationNoise())
    half = moved(FORWARD, ActuationNoise(multiplier=0.5))
    none = moved(FORWARD, ActuationNoise(multiplier=0.0))
    exact = moved(FORWARD, None)
    assert np.allclose(half[0] - 0.25, 0.5 * (whole[0] - 0.25), atol=1e-6)
    assert np.allclose(half[2], 0.5 * whole[2])
    assert all(np.array_equal(one, other) for one, other in zip(none, exact, strict=True))
    assert all((part == 0).all() for part in moved(STOP, ActuationNoise()))


def test_noise_is_walked_on_the_ground_and_counts(hall):
    """Noise leads into walls as any step does: the agent stays on the ground, and its way is counted."""
    simulator = Simulator(1, EnvConfig(actuation_noise=ActuationNoise(robot="LoCoBot-Lite", multiplier=3.0)))
    begin(simulator, hall, 0, start=(4.9, 0, 0), heading=-math.pi / 2)
    way = 0.0
    for _ in range(60):
        before = simulator.state.position.copy()
        simulator.step(np.array([FORWARD]))
        way += float(np.linalg.norm(simulator.state.position - before))
        assert np.abs(simulator.state.position[0, [0, 2]]).max() <= 5.0
    assert simulator.state.path_length[0] == pytest.approx(way, abs=1e-4)
    assert simulator.state.collisions[0] > 3
    assert np.isfinite(simulator.state.distance).all()


def test_errors_depend_on_key_and_step_alone(everywhere):
    config = EnvConfig(actuation_noise=ActuationNoise())
    big, small = Simulator(5, config), Simulator(1, config)
    big.state.noise_key[:] = [9, 4, 9, 1, 7]
    small.state.noise_key[:] = [1]
    for action in (FORWARD, LEFT, FORWARD, FORWARD):
        big.step(np.full(5, action))
        small.step(np.array([action]))
    assert np.array_equal(big.state.position[3], small.state.position[0])
    assert big.state.heading[3] == small.state.heading[0]
    assert np.array_equal(big.state.position[0], big.state.position[2])
    assert len(np.unique(big.state.position[:, 0])) == 4
    # A row that rests does not use its noise up.
    resting = np.array([False, True, False, False, False])
    held = big.state.position[1].copy()
    big.step(np.full(5, FORWARD), resting)
    assert np.array_equal(big.state.position[1], held)
    assert big.state.steps.tolist() == [5, 4, 5, 5, 5]
