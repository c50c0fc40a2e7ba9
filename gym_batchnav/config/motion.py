"""Noise of the agent's motion and sensors, and continuous control: values with fields of their own."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Final, Literal

from ..errors import ConfigError
from . import checks
from .checks import Check, fail

Robot = Literal["LoCoBot", "LoCoBot-Lite"]
Controller = Literal["ILQR", "Proportional", "Movebase"]
StopRule = Literal["slow", "flag"]
Integration = Literal["arc", "euler"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ActuationNoise:
    """What a robot does beside what it is told, as measured for PyRobot and used by Habitat.

    A forward action and a turn each get Gaussian errors forward, sideways and in the angle, with the means
    and variances of the robot and its controller (``gym_batchnav.sim.actuation`` has the figures), cut off at
    three standard deviations and where the robot would go against its order.
    """

    robot: Robot = "LoCoBot"
    """``"LoCoBot"`` or ``"LoCoBot-Lite"``."""
    controller: Controller = "ILQR"
    """``"ILQR"``, ``"Proportional"`` or ``"Movebase"``; the Habitat challenge 2020 has ``"Proportional"``."""
    multiplier: float = 1.0
    """Factor of all errors; the Habitat challenge 2020 has 0.5."""

    def __post_init__(self) -> None:
        """Check the fields; raises ``ConfigError``."""
        _check_fields(self, _ACTUATION)


@dataclass(frozen=True, slots=True, kw_only=True)
class DepthNoise:
    """Noise of a PrimeSense depth camera, as in the Redwood model without its lens distortion.

    A pixel looks aside by 0.25 pixels (standard deviation), at every other pixel of every other row; its
    disparity, 35.13 over the depth in metres, is off by 1/36 and rounded to 1/8. What is 10 m away or farther
    gives no answer and reads 0 m before the clip to ``min_depth``.
    """

    multiplier: float = 1.0
    """Factor of both deviations."""

    def __post_init__(self) -> None:
        """Check the fields; raises ``ConfigError``."""
        _check_fields(self, _DEPTH)


@dataclass(frozen=True, slots=True, kw_only=True)
class RgbNoise:
    """Gaussian noise of each pixel's red, green and blue, apart from each other."""

    intensity: float = 0.1
    """Standard deviation, where white is 1; the Habitat challenge 2020 has 0.1."""

    def __post_init__(self) -> None:
        """Check the fields; raises ``ConfigError``."""
        _check_fields(self, _RGB)


@dataclass(frozen=True, slots=True, kw_only=True)
class PoseNoise:
    """Gaussian noise of ``gps``, ``compass`` and ``heading``, drawn anew at every step."""

    position: float = 0.0
    """Standard deviation of each number of ``gps``, metres."""
    heading_deg: float = 0.0
    """Standard deviation of ``compass`` and of ``heading``, degrees."""

    def __post_init__(self) -> None:
        """Check the fields; raises ``ConfigError``."""
        _check_fields(self, _POSE)


@dataclass(frozen=True, slots=True, kw_only=True)
class VelocityControl:
    """How ``actions="velocity"`` moves the agent; the numbers are those of Habitat's ``VelocityAction``.

    An action is (linear, angular), each from -1 to 1, which are mapped to the ends of the ranges.
    """

    linear_range: tuple[float, float] = (0.0, 0.25)
    """Speeds forward (negative: backward) that -1 and 1 stand for, m/s; 0 lies between them."""
    angular_range_deg: tuple[float, float] = (-10.0, 10.0)
    """Angular speeds to the left that -1 and 1 stand for, degrees/s; 0 lies between them."""
    time_step: float = 1.0
    """Duration of an action, seconds."""
    stop: StopRule = "slow"
    """``"slow"``: an action slower than both of the next numbers is a stop; ``"flag"``: actions have a third
    number, and a stop is where it is over 0."""
    min_linear_speed: float = 0.025
    """Speed, m/s."""
    min_angular_speed_deg: float = 1.0
    """Angular speed, degrees/s."""
    integration: Integration = "arc"
    """``"arc"`` walks along the circle that both speeds make, in chords of at most 10 degrees; ``"euler"``
    walks straight ahead, then turns, as Habitat does."""

    def __post_init__(self) -> None:
        """Check the fields; raises ``ConfigError``."""
        _check_fields(self, _VELOCITY)

    @property
    def size(self) -> int:
        """Numbers of an action: 2, or 3 with a flag."""
        return 3 if self.stop == "flag" else 2

    @property
    def angular_range(self) -> tuple[float, float]:
        """``angular_range_deg`` in radians/s."""
        return math.radians(self.angular_range_deg[0]), math.radians(self.angular_range_deg[1])


def _check_fields(made: Any, table: dict[str, Check]) -> None:
    for name, check in table.items():
        object.__setattr__(made, name, check(f"{type(made).__name__}.{name}", getattr(made, name)))


def _range(limit: float, *, forward: bool = False) -> Check:
    """Two ends around 0; with ``forward`` the upper one is over 0."""

    def normalize(name: str, value: Any) -> tuple[float, float]:
        over = "high over 0" if forward else "high over low"
        allowed = f"(low, high) with -{limit:g} <= low <= 0 <= high <= {limit:g}, {over}"
        if not isinstance(value, tuple | list) or len(value) != 2:
            raise fail(name, value, allowed)
        low, high = (checks.as_float(item) for item in value)
        if not (-limit <= low <= 0.0 <= high <= limit and low < high and (high > 0.0 or not forward)):
            raise fail(name, value, allowed)
        return low, high

    return normalize


def described(kind: type[Any], *, optional: bool = True) -> Check:
    """One of these, also as a mapping of its fields; with ``optional`` also None."""
    known = {field.name for field in fields(kind)}

    def normalize(name: str, value: Any) -> Any:
        if isinstance(value, kind) or (value is None and optional):
            return value
        if isinstance(value, Mapping) and set(value) <= known:
            return kind(**value)
        raise fail(name, value, f"{'None or ' if optional else ''}{kind.__name__}(...)")

    return normalize


def check_together(actions: str, noise: ActuationNoise | None) -> None:
    """Raise ``ConfigError`` where noise is given that says nothing of the actions."""
    if actions == "velocity" and noise is not None:
        raise ConfigError(
            "actuation_noise= was measured for steps and turns and says nothing of velocities; leave it out "
            "with actions='velocity'"
        )


_MULTIPLIER: Final = checks.numbers(0.0, 100.0)
_ACTUATION: Final[dict[str, Check]] = {
    "robot": checks.choices("LoCoBot", "LoCoBot-Lite"),
    "controller": checks.choices("ILQR", "Proportional", "Movebase"),
    "multiplier": _MULTIPLIER,
}
_DEPTH: Final[dict[str, Check]] = {"multiplier": _MULTIPLIER}
_RGB: Final[dict[str, Check]] = {"intensity": checks.numbers(0.0, 1.0)}
_POSE: Final[dict[str, Check]] = {
    "position": checks.numbers(0.0, 1000.0),
    "heading_deg": checks.numbers(0.0, 360.0),
}
_VELOCITY: Final[dict[str, Check]] = {
    "linear_range": _range(100.0, forward=True),
    "angular_range_deg": _range(3600.0),
    "time_step": checks.numbers(0.0, 10.0, open_low=True),
    "stop": checks.choices("slow", "flag"),
    "min_linear_speed": checks.numbers(0.0, 100.0),
    "min_angular_speed_deg": checks.numbers(0.0, 3600.0),
    "integration": checks.choices("arc", "euler"),
}
