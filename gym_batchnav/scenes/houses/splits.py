"""The built-in house sets and their seeds."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType

from ..scene import Scene
from .build import make_house
from .config import HouseConfig

VERSION = "houses-v2"
"""Version of the sets; any change of a house's bytes takes a new one."""


@dataclass(frozen=True, slots=True)
class Split:
    """A range of seeds."""

    first_seed: int
    count: int


SPLITS = MappingProxyType(
    {"train": Split(0, 1000), "val": Split(1_000_000, 100), "test": Split(2_000_000, 100)}
)
"""Seeds of each split: house ``i`` has seed ``first_seed + i``, so no two splits share one."""


def house_id(split: str, number: int) -> str:
    """Scene id of a house, such as ``houses-v2/train/0017``."""
    return f"{VERSION}/{split}/{number:04d}"


def load_house(split: str, number: int, agent_radius: float = 0.1) -> Scene:
    """Make house ``number`` of a split, its walkable ground for an agent of this radius (metres)."""
    seed, name = SPLITS[split].first_seed + number, house_id(split, number)
    return make_house(seed, HouseConfig(agent_radius=agent_radius), scene_id=name)
