"""What a robot does beside what it is told."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..config import ActuationNoise
from .random import Words, quantiles, uniforms

Floats = NDArray[np.float64]


class Error(NamedTuple):
    """Mean and variance of one number."""

    mean: float
    variance: float


class Errors(NamedTuple):
    """Errors of one kind of motion."""

    front: Error
    """Metres."""
    right: Error
    """Metres."""
    turn: Error
    """Radians."""


class Figures(NamedTuple):
    """Errors of a robot and its controller."""

    forward: Errors
    """Of a forward action."""
    turning: Errors
    """Of a turn."""


def _figures(*pairs: tuple[float, float]) -> Figures:
    errors = [Error(*pair) for pair in pairs]
    return Figures(Errors(*errors[:3]), Errors(*errors[3:]))


# Murali et al. 2019, "PyRobot: An Open-source Robotics Framework for Research and Benchmarking", as taken by
# habitat-sim (agent/controls/pyrobot_noisy_controls.py): mean and variance of front, right and turn, first of
# a forward action, then of a turn.
FIGURES: Final[dict[tuple[str, str], Figures]] = {
    ("LoCoBot", "ILQR"): _figures(
        (0.014, 0.006), (0.009, 0.005), (0.008, 0.004), (0.003, 0.002), (0.003, 0.003), (0.023, 0.012)
    ),
    ("LoCoBot", "Proportional"): _figures(
        (0.017, 0.007), (0.042, 0.023), (0.031, 0.026), (0.001, 0.001), (0.005, 0.004), (0.043, 0.017)
    ),
    ("LoCoBot", "Movebase"): _figures(
        (0.074, 0.019), (0.036, 0.033), (0.189, 0.038), (0.002, 0.0), (0.003, 0.002), (0.219, 0.019)
    ),
    ("LoCoBot-Lite", "ILQR"): _figures(
        (0.142, 0.008), (0.023, 0.008), (0.031, 0.028), (0.002, 0.001), (0.002, 0.002), (0.122, 0.03)
    ),
    ("LoCoBot-Lite", "Proportional"): _figures(
        (0.135, 0.007), (0.043, 0.009), (0.049, 0.009), (0.002, 0.002), (0.002, 0.001), (0.054, 0.061)
    ),
    ("LoCoBot-Lite", "Movebase"): _figures(
        (0.192, 0.055), (0.117, 0.144), (0.128, 0.143), (0.002, 0.001), (0.001, 0.001), (0.173, 0.025)
    ),
}
_CUT: Final = 3.0
"""Standard deviations at which errors are cut off."""
_LEAST: Final = 0.95
"""Share of the ordered motion that an error can take back at most, before the multiplier."""


class ActuationErrors:
    """Draws the errors of forward actions and turns, as Habitat does."""

    def __init__(self, noise: ActuationNoise, forward_step: float, turn_angle: float) -> None:
        self._multiplier = noise.multiplier
        self._figures = FIGURES[noise.robot, noise.controller]
        self._forward_step, self._turn_angle = forward_step, turn_angle

    def draw(self, keys: Words) -> tuple[tuple[Floats, ...], tuple[Floats, ...]]:
        """Errors to the front, to the right and of the turn, (N,) each, of streams ``keys`` (N,).

        Returns:
            Those of a forward action, and those of a turn to the left; a turn to the right has the opposite
            error of the turn.
        """
        shares = uniforms(keys, 3).T
        open_end = -math.inf
        forward = self._errors(self._figures.forward, shares, (self._forward_step, open_end, open_end))
        turning = self._errors(self._figures.turning, shares, (open_end, open_end, self._turn_angle))
        return forward, turning

    def _errors(self, errors: Errors, shares: Floats, orders: tuple[float, ...]) -> tuple[Floats, ...]:
        lows = [-_LEAST * order if math.isfinite(order) else -math.inf for order in orders]
        return tuple(
            self._multiplier * cut_normals(share, error, low)
            for share, error, low in zip(shares, errors, lows, strict=True)
        )


def cut_normals(shares: Floats, error: Error, low: float = -math.inf) -> Floats:
    """Normal numbers for uniform ``shares`` (N,) in (0, 1), cut off at 3 deviations and at ``low``."""
    if error.variance == 0.0:
        return np.full(len(shares), error.mean)
    deviation = math.sqrt(error.variance)
    least = max((low - error.mean) / deviation, -_CUT)
    first, last = NormalDist().cdf(least), NormalDist().cdf(_CUT)
    return error.mean + deviation * quantiles(first + shares * (last - first))
