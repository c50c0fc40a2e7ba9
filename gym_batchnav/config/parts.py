"""Values of the environment's configuration that have fields of their own."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Final

from . import checks
from .checks import Check, fail


@dataclass(frozen=True, slots=True)
class EpisodeSet:
    """A fixed set of sampled episodes, spread evenly over the scenes and grouped by scene.

    Episode m depends on ``seed``, m, the number of episodes and the scenes alone.
    """

    count: int
    """Number of episodes."""
    seed: int = 0
    """Seed of the set."""

    def __post_init__(self) -> None:
        """Check the fields; raises ``ConfigError``."""
        object.__setattr__(self, "count", checks.integers(1)("EpisodeSet.count", self.count))
        object.__setattr__(self, "seed", checks.integers(0, high=2**128 - 1)("EpisodeSet.seed", self.seed))


@dataclass(frozen=True, slots=True, kw_only=True)
class Camera:
    """A camera of the agent; its images are named ``<name>_<sensor>`` in the observation."""

    name: str
    """Letters, digits and underscores, a letter first; different for each camera."""
    height: float = 1.25
    """Height over the ground, metres."""
    pitch_deg: float = 0.0
    """Angle by which it looks up (negative: down), degrees, from -90 to 90."""
    yaw_deg: float = 0.0
    """Angle by which it looks to the left of the agent's heading, degrees."""
    hfov_deg: float = 90.0
    """Horizontal field of view, degrees; more than 1 and less than 179."""
    forward: float = 0.0
    """Metres that it is before the agent's axis."""
    right: float = 0.0
    """Metres that it is to the right of the agent's axis."""

    def __post_init__(self) -> None:
        """Check the fields; raises ``ConfigError``."""
        for name, check in _CAMERA.items():
            object.__setattr__(self, name, check(f"Camera.{name}", getattr(self, name)))

    @property
    def pitch(self) -> float:
        """Angle by which it looks up, radians."""
        return math.radians(self.pitch_deg)

    @property
    def yaw(self) -> float:
        """Angle by which it looks to the left, radians."""
        return math.radians(self.yaw_deg)


def _name(name: str, value: Any) -> str:
    if not isinstance(value, str) or not _NAME.fullmatch(value):
        raise fail(name, value, "at most 64 letters, digits and underscores, a letter first")
    return value


_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,63}")
height: Final = checks.numbers(0.0, 100.0)
"""Height of a camera, metres."""
pitch: Final = checks.numbers(-90.0, 90.0)
"""Pitch of a camera, degrees."""
hfov: Final = checks.numbers(1.0, 179.0, open_low=True, open_high=True)
"""Horizontal field of view, degrees."""
_CAMERA: Final[dict[str, Check]] = {
    "name": _name,
    "height": height,
    "pitch_deg": pitch,
    "yaw_deg": checks.numbers(-360.0, 360.0),
    "hfov_deg": hfov,
    "forward": checks.numbers(-10.0, 10.0),
    "right": checks.numbers(-10.0, 10.0),
}


def cameras(name: str, value: Any) -> tuple[Camera, ...] | None:
    """Cameras of different names, given as such or as mappings of their fields; None for none."""
    if value is None:
        return None
    allowed = "None or a tuple of Camera(name=..., ...), no name twice"
    known = {field.name for field in fields(Camera)}
    if not isinstance(value, Sequence) or isinstance(value, str) or not len(value):
        raise fail(name, value, allowed)
    for item in value:
        described = isinstance(item, Mapping) and {"name"} <= set(item) <= known
        if not isinstance(item, Camera) and not described:
            raise fail(name, value, allowed)
    made = tuple(item if isinstance(item, Camera) else Camera(**item) for item in value)
    if len({camera.name for camera in made}) != len(made):
        raise fail(name, value, allowed)
    return made


HM3D_CATEGORIES: Final = ("chair", "bed", "plant", "toilet", "tv_monitor", "sofa")
"""The six goals of Habitat's ObjectNav challenges of 2022 and 2023."""
MP3D_CATEGORIES: Final = (
    *("chair", "table", "picture", "cabinet", "cushion", "sofa", "bed", "chest_of_drawers", "plant", "sink"),
    *("toilet", "stool", "towel", "tv_monitor", "shower", "bathtub", "counter", "fireplace", "gym_equipment"),
    *("seating", "clothes"),
)
"""The 21 goals of its challenges of 2020 and 2021."""


def categories(name: str, value: Any) -> tuple[str, ...]:
    """A tuple of different names of classes."""
    items = tuple(value) if isinstance(value, Sequence) and not isinstance(value, str) else ()
    if (
        not items
        or len(set(map(str, items))) != len(items)
        or not all(isinstance(item, str) and item for item in items)
    ):
        raise fail(name, value, "a non-empty tuple of names of classes, each at most once")
    return items


def episodes(name: str, value: Any) -> EpisodeSet | Path | None:
    """A fixed set, also as a mapping of its fields; the path of a file; None."""
    if isinstance(value, EpisodeSet):
        return value
    if isinstance(value, Mapping) and set(value) == {"count", "seed"}:
        return EpisodeSet(**value)
    if value is not None and not isinstance(value, str | os.PathLike):
        raise fail(name, value, "None, the path of a .json.gz file, or EpisodeSet(count=..., seed=...)")
    return None if value is None else Path(value)
