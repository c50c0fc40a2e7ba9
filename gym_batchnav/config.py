"""Configuration of the environments: frozen, checked when made, stored in checkpoints and records."""

from __future__ import annotations

import difflib
import math
import operator
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Final, Literal, cast

import numpy as np

from .errors import ConfigError

EpisodeOrder = Literal["random", "sequential"]
GoalFormat = Literal["polar", "polar_cos_sin", "cartesian"]
ObsKeys = Literal["default", "habitat"]
Output = Literal["numpy", "torch"]

AUTORESET_MODES: Final = ("SameStep", "NextStep", "Disabled")
"""Values of ``gymnasium.vector.AutoresetMode``."""
DEFAULT_RESIDENT_SCENES: Final = 16
"""Most scenes that are held at once unless ``num_resident_scenes`` says otherwise."""


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
        object.__setattr__(self, "count", _integer(1)("EpisodeSet.count", self.count))
        object.__setattr__(self, "seed", _integer(0, high=2**128 - 1)("EpisodeSet.seed", self.seed))


@dataclass(frozen=True, slots=True, kw_only=True)
class EnvConfig:
    """Everything that defines the task and how it is shown.

    The defaults are Habitat's PointNav (Habitat 2019 challenge settings).
    """

    scenes: Any = "houses:train"
    """``"houses:train"``, ``"houses:val"``, ``"houses:test"``, a slice (``"houses:train[:32]"``), one house
    (``"houses:train/17"``), a scene file, a folder, or a list of these."""
    navmesh: str | os.PathLike[str] | None = None
    """Navigation mesh of a single scene file where it is not beside it."""
    episodes: str | os.PathLike[str] | EpisodeSet | None = None
    """None samples episodes without end; a path reads a Habitat PointNav ``.json.gz``; an ``EpisodeSet`` is a
    fixed sampled set."""
    episode_order: EpisodeOrder = "random"
    """How a fixed set is walked through: drawn by each row's RNG, or ``"sequential"``: episode e of row i is
    number i + e * num_envs (modulo the size of the set)."""
    sensors: tuple[str, ...] = ("depth",)
    """Images in the observation, out of ``"depth"`` and ``"rgb"``; may be empty (blind agent)."""
    resolution: tuple[int, int] = (64, 64)
    """Height and width of the images in pixels."""
    hfov_deg: float = 90.0
    """Horizontal field of view, degrees; more than 1 and less than 179."""
    camera_height: float = 1.25
    """Height of the camera over the ground, metres."""
    min_depth: float = 0.0
    """Depth that reads 0 after normalisation, metres."""
    max_depth: float = 10.0
    """Depth at which images are clipped, metres; a pixel that hits nothing reads this too. Over 0.01 (the
    near plane) and less than 1e6."""
    normalize_depth: bool = True
    """Whether depth is mapped from [min_depth, max_depth] to [0, 1]."""
    max_episode_steps: int | None = 500
    """Actions until an episode is truncated; None or, as in ``gym.make``, -1 for no limit (the single env
    leaves it to ``TimeLimit``)."""
    success_distance: float = 0.2
    """Stop succeeds at a geodesic distance to the goal below this, metres."""
    forward_step: float = 0.25
    """Length of a forward action, metres."""
    turn_angle_deg: float = 10.0
    """Angle of a turn action, degrees."""
    sliding: bool = True
    """Whether the agent slides along walls."""
    slack_reward: float = -0.01
    """Reward of every step."""
    progress_reward: float = 1.0
    """Reward per metre by which the geodesic distance to the goal shrinks."""
    success_reward: float = 2.5
    """Reward of a successful stop."""
    goal_format: GoalFormat = "polar"
    """``polar``: (distance, angle, positive to the left); ``polar_cos_sin``: (distance, cos, sin of that
    angle); ``cartesian``: (forward, right), metres."""
    obs_keys: ObsKeys = "default"
    """``"habitat"`` names the goal sensor ``pointgoal_with_gps_compass``."""
    min_geodesic: float = 1.0
    """Shortest geodesic distance of a sampled episode, metres."""
    max_geodesic: float = 30.0
    """Longest geodesic distance of a sampled episode, metres."""
    min_island_radius: float = 1.5
    """Least radius of the island that sampled episodes lie on, metres."""
    max_height_difference: float = 0.5
    """Largest difference of height between start and goal of a sampled episode, metres."""
    allow_stairs: bool = False
    """Whether start and goal may lie on different storeys; lifts ``max_height_difference``."""
    straight_ratio: float = 1.1
    """Sampled episodes whose geodesic to Euclidean ratio r is below this are kept with probability
    20 (r - 0.98)^2 only, as in Habitat's generator; 1 keeps all."""
    num_resident_scenes: int | None = None
    """Scenes held at once; None for the smaller of 16 and their number (the single env: one, unless there are
    at most 16 scenes)."""
    swap_episodes: int | None = None
    """Episodes begun in a slot before its scene is swapped, where there are fewer slots than scenes; None for
    four per environment of the slot, at least 16."""
    scene_workers: int | None = None
    """Processes that prepare scenes ahead; 0 loads within the step that needs the scene; None chooses."""
    autoreset_mode: str = "SameStep"
    """What happens at an episode's end, as ``gymnasium.vector.AutoresetMode``."""
    output: Output = "numpy"
    """Whether ``step`` returns NumPy arrays or torch tensors."""
    device: str | None = None
    """``"cpu"``, ``"cuda"``, ``"cuda:<number>"`` or a ``torch.device``: renders and, with ``output="torch"``,
    holds the tensors; None for the renderer's choice and the CPU."""
    copy: bool = True
    """False hands out images that the next ``step`` overwrites."""
    render_backend: str = "auto"
    """Backend of the renderer: ``"auto"``, ``"gl"``, ``"gl-raycast"`` or ``"embree"``."""

    def __post_init__(self) -> None:
        """Check every field and bring it to its plain type; raises ``ConfigError`` naming the field."""
        for name, normalize in _NORMALIZERS.items():
            object.__setattr__(self, name, normalize(name, getattr(self, name)))
        if self.min_depth >= self.max_depth:
            raise ConfigError(f"min_depth={self.min_depth} must be below max_depth={self.max_depth}")
        if np.float32(self.min_depth) >= np.float32(self.max_depth):
            raise ConfigError(
                f"min_depth={self.min_depth} and max_depth={self.max_depth} are the same number in float32; "
                "put them further apart"
            )
        if self.min_geodesic > self.max_geodesic:
            raise ConfigError(f"min_geodesic={self.min_geodesic} is over max_geodesic={self.max_geodesic}")
        if self.episode_order == "sequential" and self.episodes is None:
            raise ConfigError(
                "episode_order='sequential' needs a fixed set; give episodes=EpisodeSet(count=...) or a file"
            )

    @classmethod
    def from_kwargs(cls, kwargs: Mapping[str, Any], base: EnvConfig | None = None) -> EnvConfig:
        """Make a config from keyword arguments, over ``base`` where given.

        Raises:
            ConfigError: a name is no field (the message names the nearest one), or a value is not allowed.
        """
        names = [field.name for field in fields(cls)]
        for name in kwargs:
            if name not in names:
                near = difflib.get_close_matches(name, names, n=1)
                hint = f"did you mean {near[0]!r}? " if near else ""
                raise ConfigError(
                    f"unknown argument {name!r}={kwargs[name]!r}; {hint}allowed: {', '.join(names)}"
                )
        given = {} if base is None else {name: getattr(base, name) for name in names}
        return cls(**{**given, **kwargs})

    def to_dict(self) -> dict[str, Any]:
        """Fields as plain values (paths as strings), for records and checkpoints."""
        values = asdict(self)
        return {name: _plain(value) for name, value in values.items()}

    @property
    def turn_angle(self) -> float:
        """Angle of a turn action, radians."""
        return math.radians(self.turn_angle_deg)

    @property
    def goal_key(self) -> str:
        """Name of the goal sensor in the observation."""
        return "pointgoal_with_gps_compass" if self.obs_keys == "habitat" else "pointgoal"


def _plain(value: Any) -> Any:
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    return value if isinstance(value, dict | str | int | float | bool | None) else str(value)


def _fail(name: str, value: object, allowed: str) -> ConfigError:
    return ConfigError(f"{name}={_shown(value)} is not allowed; expected {allowed}")


def _shown(value: object) -> str:
    """``repr``, shortened where it is very long."""
    try:
        text = repr(value)
    except ValueError:
        # Python refuses to write integers of more than 4,300 digits.
        return "<a huge integer>"
    return text if len(text) <= 400 else f"{text[:200]}..."


def _as_int(value: Any) -> int | None:
    """The integer that ``value`` is; None for booleans, fractions, arrays and all else."""
    if isinstance(value, bool | np.bool_):
        return None
    try:
        return operator.index(value)
    except TypeError:
        return None


def _as_float(value: Any) -> float:
    """The number that ``value`` is; NaN for what is none or does not fit a float."""
    if (
        isinstance(value, bool | str | np.bool_)
        or getattr(value, "ndim", 0) != 0
        or not hasattr(value, "__float__")
    ):
        return math.nan
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return math.nan


def _integer(low: int, *, high: int = 2**63 - 1, optional: bool = False) -> Callable[[str, Any], Any]:
    def normalize(name: str, value: Any) -> int | None:
        if value is None and optional:
            return None
        number = _as_int(value)
        if number is None or number < low:
            raise _fail(name, value, f"an integer of at least {low}" + (" or None" if optional else ""))
        if number > high:
            raise _fail(name, value, f"an integer of at most {high}")
        return number

    return normalize


def _steps(name: str, value: Any) -> int | None:
    """A limit of steps; -1 means none, as in ``gym.make``."""
    if _as_int(value) == -1:
        return None
    return cast("int | None", _integer(1, optional=True)(name, value))


def _number(
    low: float = -math.inf, high: float = math.inf, *, open_low: bool = False, open_high: bool = False
) -> Callable[[str, Any], float]:
    """Finite number in [low, high], without the ends that are open."""
    interval = f"{'(' if open_low else '['}{low:g}, {high:g}{')' if open_high else ']'}"
    bounds = f"in {interval}" if low > -math.inf else ""

    def normalize(name: str, value: Any) -> float:
        number = _as_float(value)
        inside = low <= number <= high and not (open_low and number == low)
        if not math.isfinite(number) or not inside or (open_high and number == high):
            raise _fail(name, value, f"a finite number {bounds}".rstrip())
        return number

    return normalize


def _choice(*allowed: str) -> Callable[[str, Any], str]:
    def normalize(name: str, value: Any) -> str:
        if not isinstance(value, str) or value not in allowed:
            raise _fail(name, value, "one of " + ", ".join(map(repr, allowed)))
        return value

    return normalize


def _flag(name: str, value: Any) -> bool:
    if not isinstance(value, bool) and type(value).__name__ not in ("bool", "bool_"):
        raise _fail(name, value, "True or False")
    return bool(value)


def _scenes(name: str, value: Any) -> Any:
    """A name, a path, or a non-empty tuple of names, paths or scene references."""
    if isinstance(value, str | os.PathLike):
        if not os.fspath(value):
            raise _fail(name, value, "a scene name such as 'houses:train', a path, or a list of them")
        return value
    if not isinstance(value, Sequence) or not len(value):
        raise _fail(name, value, "a scene name such as 'houses:train', a path, or a non-empty list of them")
    for item in value:
        if not isinstance(item, str | os.PathLike) and not hasattr(item, "load"):
            raise _fail(name, value, "a list of scene names, paths or scene references")
    return tuple(value)


def _path(name: str, value: Any) -> Any:
    if value is not None and not isinstance(value, str | os.PathLike):
        raise _fail(name, value, "a path or None")
    return None if value is None else Path(value)


def _episodes(name: str, value: Any) -> Any:
    if isinstance(value, EpisodeSet):
        return value
    if isinstance(value, Mapping) and set(value) == {"count", "seed"}:
        return EpisodeSet(**value)
    if value is not None and not isinstance(value, str | os.PathLike):
        raise _fail(name, value, "None, the path of a .json.gz file, or EpisodeSet(count=..., seed=...)")
    return None if value is None else Path(value)


def _sensors(name: str, value: Any) -> tuple[str, ...]:
    allowed = ("depth", "rgb")
    items = (value,) if isinstance(value, str) else tuple(value) if isinstance(value, Sequence) else None
    if (
        items is None
        or any(not isinstance(item, str) or item not in allowed for item in items)
        or len(set(items)) != len(items)
    ):
        raise _fail(name, value, "a tuple of 'depth' and 'rgb', each at most once")
    return items


def _resolution(name: str, value: Any) -> tuple[int, int]:
    allowed = "(height, width) with two integers from 1 to 4096"
    if not isinstance(value, Sequence) or isinstance(value, str) or len(value) != 2:
        raise _fail(name, value, allowed)
    height, width = (_as_int(side) for side in value)
    if height is None or width is None or not (1 <= height <= 4096 and 1 <= width <= 4096):
        raise _fail(name, value, allowed)
    return height, width


def _autoreset(name: str, value: Any) -> str:
    """Gymnasium's enum, its value (``"SameStep"``) or its name (``"SAME_STEP"``) to its value."""
    text = getattr(value, "value", value)
    if isinstance(text, str):
        for mode in AUTORESET_MODES:
            if text.replace("_", "").lower() == mode.lower():
                return mode
    raise _fail(name, value, "a gymnasium.vector.AutoresetMode: SAME_STEP, NEXT_STEP or DISABLED")


def _device(name: str, value: Any) -> str | None:
    if value is None:
        return None
    text = str(value) if isinstance(value, str) or type(value).__name__ == "device" else ""
    if not _DEVICE.fullmatch(text):
        raise _fail(name, value, "None, 'cpu', 'cuda', 'cuda:<number>' or such a torch.device")
    return "cpu" if text == "cpu:0" else text


_DEVICE: Final = re.compile(r"cpu(:0)?|cuda(:(0|[1-9][0-9]{0,2}))?")
_positive = _number(0.0, open_low=True)

_NORMALIZERS: Final[dict[str, Callable[[str, Any], Any]]] = {
    "scenes": _scenes,
    "navmesh": _path,
    "episodes": _episodes,
    "episode_order": _choice("random", "sequential"),
    "sensors": _sensors,
    "resolution": _resolution,
    "hfov_deg": _number(1.0, 179.0, open_low=True, open_high=True),
    "camera_height": _number(0.0, 100.0),
    "min_depth": _number(0.0),
    "max_depth": _number(0.01, 1e6, open_low=True, open_high=True),
    "normalize_depth": _flag,
    "max_episode_steps": _steps,
    "success_distance": _positive,
    "forward_step": _number(0.0, 10.0, open_low=True),
    "turn_angle_deg": _number(0.0, 180.0, open_low=True),
    "sliding": _flag,
    "slack_reward": _number(),
    "progress_reward": _number(),
    "success_reward": _number(),
    "goal_format": _choice("polar", "polar_cos_sin", "cartesian"),
    "obs_keys": _choice("default", "habitat"),
    "min_geodesic": _number(0.0),
    "max_geodesic": _positive,
    "min_island_radius": _number(0.0),
    "max_height_difference": _number(0.0),
    "allow_stairs": _flag,
    "straight_ratio": _number(1.0),
    "num_resident_scenes": _integer(1, optional=True),
    "swap_episodes": _integer(1, optional=True),
    "scene_workers": _integer(0, optional=True),
    "autoreset_mode": _autoreset,
    "output": _choice("numpy", "torch"),
    "device": _device,
    "copy": _flag,
    "render_backend": _choice("auto", "gl", "gl-raycast", "embree"),
}
