"""What actions order the agents to do."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..config import EnvConfig
from .actuation import ActuationErrors
from .random import Words

Floats = NDArray[np.float64]

STOP, FORWARD, LEFT, RIGHT, LOOK_UP, LOOK_DOWN = range(6)
NUM_ACTIONS: Final = {"discrete": 4, "discrete_look": 6}
"""Number of actions of the kinds of ``EnvConfig.actions`` that are numbered."""
_LONGEST_ARC: Final = math.radians(10.0)
"""Angle of a circle that is walked along one chord."""


class Leg(NamedTuple):
    """A straight part of an action's way; the turn comes after it."""

    front: Floats
    """(N,) metres along the direction of the leg."""
    right: Floats | None
    """(N,) metres to the right of it; None for none."""
    bend: Floats | None
    """(N,) angle of the direction to the left of the heading, radians; None for none."""
    turn: Floats
    """(N,) radians to the left."""

    @property
    def walking(self) -> NDArray[np.bool_]:
        """(N,) rows that are to move."""
        sideways = False if self.right is None else self.right != 0.0
        return np.asarray((self.front != 0.0) | sideways)


class Orders(NamedTuple):
    """What all rows are to do."""

    stops: NDArray[np.bool_]
    """(N,) whether stop is called."""
    legs: tuple[Leg, ...]
    """One after the other."""
    tilts: Floats | None = None
    """(N,) angle by which cameras tilt up, radians; None for none."""


class Control(ABC):
    """Reads one kind of actions."""

    turn_angle: float
    """Angle of the expert's turns, radians."""
    forward_step: float
    """Length of the expert's steps, metres."""

    @abstractmethod
    def orders(self, actions: NDArray[Any], keys: Words) -> Orders:
        """What ``actions`` order; ``keys`` (N,) are those of the step's noise, if any."""

    @abstractmethod
    def expert(self, arrived: NDArray[np.bool_], turns: NDArray[np.int64]) -> NDArray[Any]:
        """Actions that stop where ``arrived`` (N,), else turn where ``turns`` (N,) are not 0, else step.

        Positive turns are to the left.
        """


def make_control(config: EnvConfig) -> Control:
    """The control of the configured actions."""
    return Speeds(config) if config.actions == "velocity" else Steps(config)


class Steps(Control):
    """Numbered actions (N,) int64: 0 stop, 1 forward, 2 left, 3 right, and perhaps 4 look up, 5 look down."""

    def __init__(self, config: EnvConfig) -> None:
        self.turn_angle, self.forward_step = config.turn_angle, config.forward_step
        self._tilt_angle = config.tilt_angle if config.actions == "discrete_look" else None
        noise = config.actuation_noise
        self._errors = ActuationErrors(noise, self.forward_step, self.turn_angle) if noise else None

    def orders(self, actions: NDArray[Any], keys: Words) -> Orders:
        """One leg, then a turn."""
        ahead = actions == FORWARD
        sides = (actions == LEFT).astype(np.float64) - (actions == RIGHT)
        front, turn = np.where(ahead, self.forward_step, 0.0), sides * self.turn_angle
        right = None
        if self._errors is not None:
            forward, turning = self._errors.draw(keys)
            turns = sides != 0.0
            front = front + np.where(ahead, forward[0], np.where(turns, turning[0], 0.0))
            right = np.where(ahead, forward[1], np.where(turns, turning[1], 0.0))
            turn = turn + np.where(ahead, forward[2], sides * turning[2])
        tilts = None
        if self._tilt_angle is not None:
            tilts = ((actions == LOOK_UP).astype(np.float64) - (actions == LOOK_DOWN)) * self._tilt_angle
        return Orders(actions == STOP, (Leg(front, right, None, turn),), tilts)

    def expert(self, arrived: NDArray[np.bool_], turns: NDArray[np.int64]) -> NDArray[Any]:
        """Actions (N,) int64."""
        actions = np.where(turns > 0, LEFT, np.where(turns < 0, RIGHT, FORWARD))
        return np.where(arrived, STOP, actions).astype(np.int64)


class Speeds(Control):
    """Actions (N, 2) or (N, 3) in [-1, 1]: linear speed, angular speed, and perhaps a flag for stop."""

    def __init__(self, config: EnvConfig) -> None:
        self._velocity = velocity = config.velocity
        angles = [abs(speed) * velocity.time_step for speed in velocity.angular_range]
        self.turn_angle = min(angle for angle in angles if angle > 0.0)
        self.forward_step = velocity.linear_range[1] * velocity.time_step
        # The same for all rows, whatever they do.
        arcs = math.ceil(max(angles) / _LONGEST_ARC - 1e-9)
        self._num_legs = max(arcs, 1) if velocity.integration == "arc" else 1

    def orders(self, actions: NDArray[Any], keys: Words) -> Orders:
        """Chords of the arc, or one step and a turn."""
        velocity = self._velocity
        linear = _scaled(actions[:, 0], velocity.linear_range)
        angular = _scaled(actions[:, 1], velocity.angular_range)
        if velocity.stop == "flag":
            stops = actions[:, 2] > 0.0
        else:
            slow = math.radians(velocity.min_angular_speed_deg)
            stops = (np.abs(linear) < velocity.min_linear_speed) & (np.abs(angular) < slow)
        duration = np.where(stops, 0.0, velocity.time_step / self._num_legs)
        front, turn, bend = linear * duration, angular * duration, None
        if velocity.integration == "arc":
            # The chord of an arc of length s and angle t: s sin(t/2) / (t/2), at t/2 to its beginning.
            bend = 0.5 * turn
            front = front * np.sinc(bend / np.pi)
        return Orders(stops, (Leg(front, None, bend, turn),) * self._num_legs)

    def expert(self, arrived: NDArray[np.bool_], turns: NDArray[np.int64]) -> NDArray[Any]:
        """Actions (N, 2) or (N, 3) float32."""
        velocity, size = self._velocity, self._velocity.size
        low, high = velocity.angular_range
        speed = self.turn_angle / velocity.time_step
        # A robot that turns to one side only goes the long way round.
        left, right = (speed if high > 0.0 else -speed), (-speed if low < 0.0 else speed)
        angular = np.where(arrived, 0.0, np.where(turns > 0, left, np.where(turns < 0, right, 0.0)))
        linear = np.where(arrived | (turns != 0), 0.0, velocity.linear_range[1])
        actions = np.empty((len(arrived), size), np.float32)
        actions[:, 0] = _unscaled(linear, velocity.linear_range)
        actions[:, 1] = _unscaled(angular, velocity.angular_range)
        actions[:, 2:] = np.where(arrived, 1.0, -1.0)[:, None]
        return actions


def _scaled(values: Floats, ends: tuple[float, float]) -> Floats:
    """[-1, 1] mapped to the range."""
    low, high = ends
    return low + 0.5 * (values + 1.0) * (high - low)


def _unscaled(values: Floats, ends: tuple[float, float]) -> Floats:
    low, high = ends
    return np.clip(2.0 * (values - low) / (high - low) - 1.0, -1.0, 1.0)
