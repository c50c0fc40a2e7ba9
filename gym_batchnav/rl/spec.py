"""What the learner must know of an environment's spaces, as plain data that fits in a checkpoint."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import gymnasium as gym
import numpy as np

from gym_batchnav.errors import ConfigError

_MOST_CHANNELS, _LEAST_PIXELS = 4, 16
BOX_KEY = "observation"
"""Key under which an observation without a name is kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldSpec:
    """One observation of one environment."""

    shape: tuple[int, ...]
    """Shape without the batch axis."""
    dtype: str
    """NumPy dtype name."""
    unit_range: bool
    """Whether the space says that all values are in [0, 1]."""
    categories: tuple[int, ...] = ()
    """Of an observation of classes: how many each of its values may take, 0 ... n - 1; else empty."""

    def __str__(self) -> str:
        """Type and shape in short."""
        kind = "classes" if self.categories else self.dtype
        return f"{kind} {self.categories or self.shape}{' in [0, 1]' if self.unit_range else ''}"

    @property
    def is_image(self) -> bool:
        """Whether it has the three axes (H, W, C)."""
        return len(self.shape) == 3 and not self.categories

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
        fields: dict[str, Any] = {
            key: {"shape": list(f.shape), "dtype": f.dtype, "unit_range": f.unit_range}
            for key, f in self.fields.items()
        }
        # Left out where there are none, as in checkpoints of earlier versions.
        for key, field in self.fields.items():
            if field.categories:
                fields[key]["categories"] = list(field.categories)
        return {"fields": fields, "num_actions": self.num_actions}

    def differences(self, now: EnvSpec) -> list[str]:
        """In words, what another spec has otherwise than this one."""
        found = []
        for key in dict.fromkeys((*self.fields, *now.fields)):
            before, after = (str(spec.fields.get(key, "absent")) for spec in (self, now))
            if before != after:
                found.append(f"the observation {key!r} was {before}, and is {after}")
        if list(self.fields) != list(now.fields) and not found:
            found.append(f"the observations were in the order {', '.join(self.fields)}")
        if self.num_actions != now.num_actions:
            found.append(f"there were {self.num_actions} actions, and are {now.num_actions}")
        return found

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> EnvSpec:
        """The inverse of ``to_dict``."""
        fields = {
            key: FieldSpec(
                shape=tuple(f["shape"]),
                dtype=f["dtype"],
                unit_range=f["unit_range"],
                categories=tuple(f.get("categories", ())),
            )
            for key, f in data["fields"].items()
        }
        return cls(fields=fields, num_actions=data["num_actions"])


def env_spec(observation_space: gym.Space[Any], action_space: gym.Space[Any]) -> EnvSpec:
    """The spec of an environment with the given single (unbatched) spaces.

    Raises:
        ConfigError: the observations are not made of Box, Discrete, MultiDiscrete and MultiBinary, an image
            has its channels first, or the actions are not Discrete from 0.
    """
    if not isinstance(action_space, gym.spaces.Discrete) or action_space.start != 0:
        raise ConfigError(f"the action space is {action_space}; the learner needs Discrete(n) starting at 0")
    fields: dict[str, FieldSpec] = {}
    for key, space in _leaves(observation_space):
        if key in fields:
            raise ConfigError(f"two observations are both called {key!r}; rename one of them")
        fields[key] = _field(key, space)
    return EnvSpec(fields=fields, num_actions=int(action_space.n))


def named(value: Any, prefix: str = "") -> dict[str, Any]:
    """Observations, or their spaces, by key: nested ones as "outer/inner", members of tuples by number.

    A single observation without a name is called ``BOX_KEY``.
    """
    return dict(_leaves(value, prefix))


def _leaves(value: Any, prefix: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(value, gym.spaces.Tuple):
        value = value.spaces
    if isinstance(value, Mapping | gym.spaces.Dict):
        items = dict(value.items())
    elif isinstance(value, tuple):
        items = {str(number): item for number, item in enumerate(value)}
    else:
        yield prefix or BOX_KEY, value
        return
    for key, item in items.items():
        yield from _leaves(item, f"{prefix}/{key}" if prefix else str(key))


def _field(key: str, space: gym.Space[Any]) -> FieldSpec:
    if "." in key:
        raise ConfigError(
            f"observation {key!r} has a dot in its name, which names of weights cannot; rename it"
        )
    categories = _categories(key, space)
    if not isinstance(space, gym.spaces.Box | gym.spaces.MultiBinary) and not categories:
        raise ConfigError(
            f"observation {key!r} is {space}; the learner needs Box, Discrete, MultiDiscrete or MultiBinary, "
            "or Dict and Tuple of these"
        )
    shape = tuple(space.shape or ())
    if len(shape) == 3 and 0 in shape:
        raise ConfigError(f"observation {key!r} of shape {shape} is an image without pixels; leave it out")
    if len(shape) == 3 and shape[0] <= _MOST_CHANNELS and min(shape[1:]) >= _LEAST_PIXELS:
        raise ConfigError(
            f"observation {key!r} of shape {shape} has its channels first; the learner needs images "
            "(H, W, C), e.g. by a wrapper that transposes them"
        )
    low, high = getattr(space, "low", 0), getattr(space, "high", 1)
    unit = not categories and bool(np.all(low >= 0) and np.all(high <= 1))
    return FieldSpec(shape=shape, dtype=np.dtype(space.dtype).name, unit_range=unit, categories=categories)


def _categories(key: str, space: gym.Space[Any]) -> tuple[int, ...]:
    if isinstance(space, gym.spaces.Discrete):
        counts, starts = np.array([space.n]), np.array([space.start])
    elif isinstance(space, gym.spaces.MultiDiscrete):
        counts, starts = space.nvec.flatten(), np.asarray(space.start).flatten()
    else:
        return ()
    if starts.any():
        raise ConfigError(f"observation {key!r} is {space}; the learner needs classes that start at 0")
    return tuple(int(count) for count in counts)
