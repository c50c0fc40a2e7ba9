"""Fits references of scenes to the size of the agent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..errors import ConfigError
from .houses.brush import REACH, STEP
from .houses.config import HouseConfig
from .refs import SceneRef


def fit_to_agent(
    refs: Sequence[SceneRef], *, radius: float, height: float, max_climb: float
) -> tuple[SceneRef, ...]:
    """The same scenes, the walkable ground of built-in houses made for this agent (metres).

    Raises:
        ConfigError: there are houses among them, and they cannot be for such an agent.
    """
    if all(ref.house is None for ref in refs):
        return tuple(refs)
    try:
        HouseConfig(agent_radius=radius)
    except ConfigError as error:
        raise ConfigError(
            f"agent_radius={radius} is not allowed with built-in houses: {error}; use scene files for other "
            "agents"
        ) from error
    if height * 1000 > REACH:
        raise ConfigError(
            f"agent_height={height} is not allowed with built-in houses, in which what hangs over "
            f"{REACH / 1000:g} m is walked under; give at most that, or use scene files"
        )
    if max_climb * 1000 < STEP:
        raise ConfigError(
            f"agent_max_climb={max_climb} is not allowed with built-in houses, in which what is lower than "
            f"{STEP / 1000:g} m is stepped over; give at least that, or use scene files"
        )
    return tuple(ref if ref.house is None else replace(ref, agent_radius=radius) for ref in refs)
