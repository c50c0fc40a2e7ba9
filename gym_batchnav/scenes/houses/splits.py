"""The built-in house sets and their seeds."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType

from ..scene import Scene
from .build import make_house

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


def load_house(split: str, number: int) -> Scene:
    """Make house ``number`` of a split."""
    return make_house(SPLITS[split].first_seed + number, scene_id=house_id(split, number))
