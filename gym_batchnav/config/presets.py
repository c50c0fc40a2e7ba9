"""Named settings of the task: what other simulators do where they differ from one another."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from . import checks
from .motion import ActuationNoise, DepthNoise, RgbNoise

PRESETS: Final[dict[str, dict[str, Any]]] = {
    # Habitat's PointNav challenge of 2019: the defaults.
    "habitat": {},
    # Batch Processing Simulator (Shacklett et al. 2021), as released.
    "bps": {
        "max_episode_steps": 499,
        "time_out": "termination",
        "success_at": "end",
        "final_reward": "spl",
    },
    # Habitat's challenges of 2020 and 2021, made for the robot LoCoBot.
    "realistic": {
        "sliding": False,
        "agent_radius": 0.18,
        "agent_height": 0.88,
        "camera_height": 0.88,
        "hfov_deg": 70.0,
        "turn_angle_deg": 30.0,
        "success_distance": 0.36,
        "min_depth": 0.1,
        "max_depth": 10.0,
        "actuation_noise": ActuationNoise(controller="Proportional", multiplier=0.5),
        "depth_noise": DepthNoise(),
        "rgb_noise": RgbNoise(),
    },
}
"""Fields of ``EnvConfig`` by the preset's name, as far as they are not the defaults."""

SINGLE_CAMERA: Final = {"hfov_deg": 90.0, "camera_height": 1.25, "camera_pitch_deg": 0.0}
"""Fields that describe the single camera, which ``cameras`` replace, and their defaults."""


def over_preset(kwargs: Mapping[str, Any], defaults: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments over the values of the preset that they may name; ``preset`` is taken out.

    Args:
        kwargs: fields of the configuration, and perhaps ``preset``.
        defaults: of all fields; a preset sets every field that any other one sets.

    Raises:
        ConfigError: there is no such preset.
    """
    given = {name: value for name, value in kwargs.items() if name != "preset"}
    if kwargs.get("preset") is None:
        return given
    name = checks.choices(*PRESETS)("preset", kwargs["preset"])
    varied = {key for values in PRESETS.values() for key in values}
    values = {key: defaults[key] for key in varied} | PRESETS[name]
    if given.get("cameras") is not None:
        # They have their own heights and fields of view.
        values = {key: value for key, value in values.items() if key not in SINGLE_CAMERA}
    return values | given
