"""Built-in houses that several tests look at, each made once."""

from __future__ import annotations

from functools import cache
from itertools import count
from typing import NamedTuple

from gym_batchnav.scenes import Scene
from gym_batchnav.scenes.houses import HouseConfig
from gym_batchnav.scenes.houses.brush import Footprint
from gym_batchnav.scenes.houses.build import build_house
from gym_batchnav.scenes.houses.plan import Plan

STRAIGHT, HALF_TURN = "straight", "half_turn"
NAMES = ("4", "1000005", STRAIGHT, HALF_TURN)
"""Houses of one storey by their seeds, and of two by the shape of their stairs."""


class Made(NamedTuple):
    """A house, its plan, and what stands in it."""

    scene: Scene
    plan: Plan
    footprints: list[Footprint]


@cache
def made(name: str, radius: float = 0.1, furnished: bool = True) -> Made:
    """The first house of that name for an agent of that radius."""
    seeds, storeys = ([int(name)], 1) if name.isdigit() else (count(), 2)
    for seed in seeds:
        house = build_house(seed, HouseConfig(agent_radius=radius, storeys=storeys, furnished=furnished))
        if house.plan.stairs is None or house.plan.stairs.shape == name:
            return Made(house.scene(f"seed {seed}"), house.plan, house.footprints)
    raise AssertionError(name)
