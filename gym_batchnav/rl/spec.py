"""What the learner must know of an environment's spaces, as plain data that fits in a checkpoint."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import gymnasium as gym
import numpy as np

from gym_batchnav.errors import ConfigError

BOX_KEY = "observation"
"""Key under which a plain Box observation is kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldSpec:
    """One observation of one environment."""

    shape: tuple[int, ...]
    """Shape without the batch axis."""
    dtype: str
    """NumPy dtype name."""
    unit_range: bool
    """Whether the space says that all values are in [0, 1]."""

    @property
    def is_image(self) -> bool:
        """Whether it has the three axes (H, W, C)."""
        return len(self.shape) == 3

    @property
    def size(self) -> int:
        """Number of values."""
        return int(np.prod(self.shape, dtype=np.int64))


@dataclass(frozen=True, slots=True, kw_only=True)
class EnvSpec:
    """Observations and actions of one environment of a vector."""

    fields: dict[str, FieldSpec]
    """Observations by key, in the order of the space."""
    num_actions: int
    """Actions are 0 ... num_actions - 1."""

    def to_dict(self) -> dict[str, Any]:
        """Plain nested dicts."""
        fields = {
            key: {"shape": list(f.shape), "dtype": f.dtype, "unit_range": f.unit_range}
            for key, f in self.fields.items()
        }
        return {"fields": fields, "num_actions": self.num_actions}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> EnvSpec:
        """The inverse of ``to_dict``."""
        fields = {
            key: FieldSpec(shape=tuple(f["shape"]), dtype=f["dtype"], unit_range=f["unit_range"])
            for key, f in data["fields"].items()
        }
        return cls(fields=fields, num_actions=data["num_actions"])


def env_spec(observation_space: gym.Space[Any], action_space: gym.Space[Any]) -> EnvSpec:
    """The spec of an environment with the given single (unbatched) spaces.

    Raises:
        ConfigError: the observations are not Box or a flat Dict of Box, or the actions not Discrete from 0.
    """
    if not isinstance(action_space, gym.spaces.Discrete) or action_space.start != 0:
        raise ConfigError(f"the action space is {action_space}; the learner needs Discrete(n) starting at 0")
    spaces = {BOX_KEY: observation_space}
    if isinstance(observation_space, gym.spaces.Dict):
        spaces = dict(observation_space.spaces)
    return EnvSpec(
        fields={key: _field(key, space) for key, space in spaces.items()}, num_actions=int(action_space.n)
    )


def _field(key: str, space: gym.Space[Any]) -> FieldSpec:
    if not isinstance(space, gym.spaces.Box):
        raise ConfigError(f"observation {key!r} is {space}; the learner needs Box, or a flat Dict of Box")
    unit = bool(np.all(space.low >= 0) and np.all(space.high <= 1))
    return FieldSpec(shape=tuple(space.shape), dtype=np.dtype(space.dtype).name, unit_range=unit)
