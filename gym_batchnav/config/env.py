"""The configuration of the environments."""

from __future__ import annotations

import difflib
import math
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Final, Literal

import numpy as np

from ..errors import ConfigError
from . import checks, motion, parts
from .checks import IMAGE_SENSORS, STATE_SENSORS, Check
from .motion import ActuationNoise, DepthNoise, PoseNoise, RgbNoise, VelocityControl
from .parts import HM3D_CATEGORIES, Camera, EpisodeSet
from .presets import SINGLE_CAMERA, over_preset

Actions = Literal["discrete", "discrete_look", "velocity"]
GoalSensor = Literal["agent", "start", "none"]
EpisodeOrder = Literal["random", "sequential"]
FinalReward = Literal["success", "spl"]
GoalFormat = Literal["polar", "polar_cos_sin", "cartesian"]
ObsKeys = Literal["default", "habitat"]
Output = Literal["numpy", "torch"]
SceneUp = Literal["x", "y", "z"]
Shading = Literal["unlit", "headlight"]
SuccessAt = Literal["stop", "end"]
TimeOut = Literal["truncation", "termination"]

DEFAULT_SCENES: Final = "houses:train"
"""The scenes that an environment has unless it is told others."""
DEFAULT_SCENES_DIR: Final = "data/scene_datasets"
"""Where Habitat keeps its scene data sets, from the folder that a program is started in."""
DEFAULT_RESIDENT_SCENES: Final = 16
"""Most scenes that are held at once unless ``num_resident_scenes`` says otherwise."""

_HABITAT_VELOCITY: Final = VelocityControl()


@dataclass(frozen=True, slots=True, kw_only=True)
class EnvConfig:
    """Everything that defines the task and how it is shown.

    The defaults are Habitat's PointNav (Habitat 2019 challenge settings).
    """

    scenes: Any = DEFAULT_SCENES
    """``"houses:train"``, ``"houses:val"``, ``"houses:test"``, a slice (``"houses:train[:32]"``), one house
    (``"houses:train/17"``), a scene file, a folder, a Habitat data set
    (``"x.scene_dataset_config.json"``, or ``"x.scene_dataset_config.json:scene"`` for one scene of it), or a
    list of these. Left at its default beside a file of ``episodes``: the scenes that those name."""
    scenes_dir: str | os.PathLike[str] | None = None
    """Folder of scene data sets (``gibson/``, ``mp3d/``, ``hm3d/``) below which the scenes that ``episodes``
    name are looked for; None for ``data/scene_datasets``, as in Habitat."""
    navmesh: str | os.PathLike[str] | None = None
    """Navigation mesh of a single scene file where it is not beside it."""
    scene_up: SceneUp | None = None
    """Axis of the scene files that points up: ``"x"``, ``"y"`` or ``"z"``; None takes what a file declares or
    what is usual for its data set, and +Y for others. Navigation meshes are +Y up whatever it is."""
    scene_scale: float = 1.0
    """Metres for each unit of the scene files."""
    scene_cache: bool = True
    """Whether what is derived from scenes (navigation meshes, the renderer's parts) is kept on disk for the
    next start: in the user's cache folder, or where the environment variable ``BATCHNAV_CACHE`` says (a
    folder, or ``off``), up to 4 GiB or ``BATCHNAV_CACHE_GIB``."""
    agent_radius: float = 0.1
    """Metres that the agent's middle keeps from walls. Ground is baked for this agent; a ``.navmesh`` beside
    a scene counts where it was baked for an agent at least as large, else the ground is baked anew
    (``navmesh=`` is refused then). Built-in houses: 0.05 to 0.3 in steps of 0.01."""
    agent_height: float = 1.5
    """Clearance over the ground that the agent needs, metres. Built-in houses: at most 1.5."""
    agent_max_climb: float = 0.2
    """Highest step that the agent takes, metres. Built-in houses: at least 0.2."""
    agent_max_slope: float = 45.0
    """Steepest ground that the agent walks on, degrees."""
    episodes: str | os.PathLike[str] | EpisodeSet | None = None
    """None samples episodes without end; a path reads a Habitat PointNav ``.json.gz`` (``val/val.json.gz``,
    with the files of its ``content/`` folder where its own list is empty; ``val`` alone means the same); an
    ``EpisodeSet`` is a fixed sampled set."""
    episode_order: EpisodeOrder = "random"
    """How a fixed set is walked through: drawn by each row's RNG, or ``"sequential"``: episode e of row i is
    number i + e * num_envs (modulo the size of the set; of all ranks with ``total_envs``)."""
    sensors: tuple[str, ...] = ("depth",)
    """What the agent senses beside its task's sensors; may be empty. Images: ``"depth"``, ``"rgb"``,
    ``"semantic"`` (the object ids of the scene, -1 where nothing is hit) and ``"normals"`` (unit vectors in
    the camera's frame: right, up, towards the camera; 0 where nothing is hit). Numbers, as Habitat's:
    ``"gps"`` (2,) where the agent is as seen from its start, metres to the front and to the right;
    ``"compass"`` (1,) its heading against that of the start, and ``"heading"`` (1,) that in the world,
    radians, positive to the left; ``"collision"`` (1,) 1 where the last action ran into something."""
    goal_sensor: GoalSensor = "agent"
    """The point goal ``"agent"``: as seen from where the agent is (Habitat's ``pointgoal_with_gps_compass``);
    ``"start"``: as seen from the start, the same throughout the episode (Habitat's ``pointgoal``); ``"none"``
    leaves it out."""
    resolution: tuple[int, int] = (64, 64)
    """Height and width of the images in pixels."""
    render_resolution: tuple[int, int] | None = None
    """Height and width in pixels of the colour frames of ``render_mode``, which are for people; None takes
    those of the observations, and with ``"human"`` larger ones. Observations stay what they are."""
    hfov_deg: float = 90.0
    """Horizontal field of view, degrees; more than 1 and less than 179."""
    camera_height: float = 1.25
    """Height of the camera over the ground, metres."""
    camera_pitch_deg: float = 0.0
    """Angle by which the camera looks up (negative: down), degrees, from -90 to 90."""
    cameras: tuple[Camera, ...] | None = None
    """Cameras in place of the single one that ``hfov_deg``, ``camera_height`` and ``camera_pitch_deg``
    describe; the images of each are named ``<camera>_<sensor>``, as in ``"front_depth"``."""
    shading: Shading = "unlit"
    """``"unlit"`` shows colours as they are; ``"headlight"`` dims surfaces that the camera sees at a slant,
    so that untextured scenes show their shape."""
    min_depth: float = 0.0
    """Depth that reads 0 after normalisation, metres."""
    max_depth: float = 10.0
    """Depth at which images are clipped, metres; a pixel that hits nothing reads this too. Over 0.01 (the
    near plane) and less than 1e6."""
    normalize_depth: bool = True
    """Whether depth is mapped from [min_depth, max_depth] to [0, 1]."""
    max_episode_steps: int | None = 500
    """Actions until an episode is truncated; None or -1 for no limit (the single env leaves it to
    ``TimeLimit``, for which ``gym.make`` takes -1 alone)."""
    time_out: TimeOut = "truncation"
    """What an episode of ``max_episode_steps`` actions ends in; the single env keeps the limit of a config or
    a preset itself where it is ``"termination"``."""
    success_distance: float = 0.2
    """Stop succeeds at a geodesic distance to the goal below this, metres."""
    object_categories: tuple[str, ...] = HM3D_CATEGORIES
    """Classes of objects that are goals of ObjectNav; ``objectgoal`` is the place of a class in it."""
    object_distance: float = 1.0
    """ObjectNav's ``success_distance``: to a place from which the nearest object of the class is at arm's
    length, metres."""
    success_at: SuccessAt = "stop"
    """``"stop"``: success has to be claimed by a stop; ``"end"``: being near enough at the end of the episode
    is success, at a time-out too (needs ``time_out="termination"``)."""
    actions: Actions = "discrete"
    """``"discrete"``: 0 stop, 1 forward, 2 turn left, 3 turn right; ``"discrete_look"``: also 4 look up, 5
    look down; ``"velocity"``: speeds, as ``velocity`` says."""
    forward_step: float = 0.25
    """Length of a forward action, metres."""
    turn_angle_deg: float = 10.0
    """Angle of a turn action, degrees."""
    tilt_angle_deg: float = 15.0
    """Angle by which look up and look down tilt the cameras, degrees, at most to straight up and down."""
    velocity: VelocityControl = _HABITAT_VELOCITY
    """What ``actions="velocity"`` does."""
    actuation_noise: ActuationNoise | None = None
    """Noise of forward actions and turns; None for none. All noise is drawn from the row's seed and the
    number of its episode, whatever the other rows do."""
    depth_noise: DepthNoise | None = None
    """Noise of depth images; None for none."""
    rgb_noise: RgbNoise | None = None
    """Noise of colour images; None for none."""
    pose_noise: PoseNoise | None = None
    """Noise of ``gps``, ``compass`` and ``heading``; None for none."""
    sliding: bool = True
    """Whether the agent slides along walls."""
    slack_reward: float = -0.01
    """Reward of every step."""
    progress_reward: float = 1.0
    """Reward per metre by which the geodesic distance to the goal shrinks."""
    success_reward: float = 2.5
    """Reward of success."""
    final_reward: FinalReward = "success"
    """What a terminal step gives besides the slack: ``"success"`` its progress and, on success, the success
    reward; ``"spl"`` the success reward times SPL alone."""
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
    index_offset: int = 0
    """Number of the first row among those of all ranks of a run: row i of ``reset(seed=s)`` has the seed
    ``s + index_offset + i``, so that no two ranks with the offsets 0, N, 2 N, ... have a row in common."""
    total_envs: int | None = None
    """Rows of all ranks together. Given with ``index_offset``, the ranks have the very rows of one
    environment of that many rows, also where a fixed set is walked through in its order, or scenes are
    swapped (each of R ranks then holds 1/R of that environment's ``num_resident_scenes``)."""
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
    """Backend of the renderer: ``"auto"``, ``"gl"``, ``"gl-raycast"`` or ``"embree"``; ``"constant"`` draws
    nothing and hands out the same images in every step, to measure all the rest."""

    def __post_init__(self) -> None:
        """Check every field and bring it to its plain type; raises ``ConfigError`` naming the field."""
        for name, check in _CHECKS.items():
            object.__setattr__(self, name, check(name, getattr(self, name)))
        self._check_cameras()
        if self.min_depth >= self.max_depth:
            raise ConfigError(f"min_depth={self.min_depth} must be below max_depth={self.max_depth}")
        if np.float32(self.min_depth) >= np.float32(self.max_depth):
            raise ConfigError(
                f"min_depth={self.min_depth} and max_depth={self.max_depth} are the same number in float32; "
                "put them further apart"
            )
        if self.success_at == "end" and self.time_out != "termination":
            raise ConfigError(
                "success_at='end' needs time_out='termination': a truncated episode has not come to its end"
            )
        if self.min_geodesic > self.max_geodesic:
            raise ConfigError(f"min_geodesic={self.min_geodesic} is over max_geodesic={self.max_geodesic}")
        if self.episode_order == "sequential" and self.episodes is None:
            raise ConfigError(
                "episode_order='sequential' needs a fixed set; give episodes=EpisodeSet(count=...) or a file"
            )
        if self.episode_order == "sequential" and self.index_offset and self.total_envs is None:
            raise ConfigError(
                f"index_offset={self.index_offset} with episode_order='sequential' needs total_envs=, the "
                "number of rows of all ranks: else they walk through the same episodes"
            )
        motion.check_together(self.actions, self.actuation_noise)

    def _check_cameras(self) -> None:
        for name, default in SINGLE_CAMERA.items():
            if self.cameras is not None and getattr(self, name) != default:
                raise ConfigError(
                    f"{name}={getattr(self, name)} describes the single camera, but cameras= is given; leave "
                    f"it at {default} and give each Camera its own"
                )

    @classmethod
    def from_kwargs(cls, kwargs: Mapping[str, Any], base: EnvConfig | None = None) -> EnvConfig:
        """Make a config from keyword arguments, over ``base`` where given.

        Args:
            kwargs: fields, and perhaps ``preset``: a name of ``PRESETS`` whose values count where the other
                arguments say nothing.
            base: where all other values come from; None for the defaults.

        Raises:
            ConfigError: a name is no field (the message names the nearest one), or a value is not allowed.
        """
        names = [field.name for field in fields(cls)]
        kwargs = over_preset(kwargs, {field.name: field.default for field in fields(cls)})
        for name in kwargs:
            if name not in names:
                near = difflib.get_close_matches(name, names, n=1)
                hint = f"did you mean {near[0]!r}? " if near else ""
                raise ConfigError(
                    f"unknown argument {name!r}={kwargs[name]!r}; {hint}allowed: {', '.join(names)}"
                )
        given = {} if base is None else {name: getattr(base, name) for name in names}
        return cls(**{**given, **kwargs})

    @classmethod
    def preset(cls, name: str, **kwargs: Any) -> EnvConfig:
        """The settings ``"habitat"`` (the defaults), ``"bps"`` or ``"realistic"``; ``kwargs`` go over them.

        Raises:
            ConfigError: there is no such preset, or an argument is unknown or has a value not allowed.
        """
        return cls.from_kwargs({**kwargs, "preset": name})

    def to_dict(self) -> dict[str, Any]:
        """Fields as plain values (paths as strings), for records and checkpoints."""
        values = asdict(self)
        return {name: _plain(value) for name, value in values.items()}

    @property
    def turn_angle(self) -> float:
        """Angle of a turn action, radians."""
        return math.radians(self.turn_angle_deg)

    @property
    def tilt_angle(self) -> float:
        """Angle by which look up and look down tilt the cameras, radians."""
        return math.radians(self.tilt_angle_deg)

    @property
    def image_sensors(self) -> tuple[str, ...]:
        """Those of ``sensors`` that are images."""
        return tuple(sensor for sensor in self.sensors if sensor in IMAGE_SENSORS)

    @property
    def state_sensors(self) -> tuple[str, ...]:
        """Those of ``sensors`` that are numbers of the agent's state."""
        return tuple(sensor for sensor in self.sensors if sensor in STATE_SENSORS)

    @property
    def all_cameras(self) -> tuple[Camera, ...]:
        """``cameras``, or the single camera, which then is named ``camera``."""
        if self.cameras is not None:
            return self.cameras
        single = {"height": self.camera_height, "pitch_deg": self.camera_pitch_deg}
        return (Camera(name="camera", hfov_deg=self.hfov_deg, **single),)

    def image_key(self, camera: Camera, sensor: str) -> str:
        """Name of a camera's image in the observation: of the single camera, the sensor's."""
        return sensor if self.cameras is None else f"{camera.name}_{sensor}"

    @property
    def goal_key(self) -> str:
        """Name of the goal sensor in the observation."""
        habitat = self.obs_keys == "habitat" and self.goal_sensor != "start"
        return "pointgoal_with_gps_compass" if habitat else "pointgoal"


def _plain(value: Any) -> Any:
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    return value if isinstance(value, dict | str | int | float | bool | None) else str(value)


_CHECKS: Final[dict[str, Check]] = {
    "scenes": checks.scenes,
    "navmesh": checks.paths,
    "scenes_dir": checks.paths,
    "scene_up": checks.choices("x", "y", "z", optional=True),
    "scene_scale": checks.numbers(0.0, 1e9, open_low=True, open_high=True),
    "scene_cache": checks.flag,
    "agent_radius": checks.numbers(0.0, 10.0),
    "agent_height": checks.numbers(0.01, 100.0),
    "agent_max_climb": checks.numbers(0.0, 10.0),
    "agent_max_slope": checks.numbers(0.0, 89.9),
    "episodes": parts.episodes,
    "episode_order": checks.choices("random", "sequential"),
    "sensors": checks.sensors,
    "resolution": checks.resolution,
    "render_resolution": checks.optional_resolution,
    "hfov_deg": parts.hfov,
    "camera_height": parts.height,
    "camera_pitch_deg": parts.pitch,
    "cameras": parts.cameras,
    "shading": checks.choices("unlit", "headlight"),
    "min_depth": checks.numbers(0.0),
    "max_depth": checks.numbers(0.01, 1e6, open_low=True, open_high=True),
    "normalize_depth": checks.flag,
    "max_episode_steps": checks.steps,
    "time_out": checks.choices("truncation", "termination"),
    "success_distance": checks.positive,
    "object_categories": parts.categories,
    "object_distance": checks.positive,
    "success_at": checks.choices("stop", "end"),
    "goal_sensor": checks.choices("agent", "start", "none"),
    "actions": checks.choices("discrete", "discrete_look", "velocity"),
    "forward_step": checks.numbers(0.0, 10.0, open_low=True),
    "turn_angle_deg": checks.numbers(0.0, 180.0, open_low=True),
    "tilt_angle_deg": checks.numbers(0.0, 180.0, open_low=True),
    "velocity": motion.described(VelocityControl, optional=False),
    "actuation_noise": motion.described(ActuationNoise),
    "depth_noise": motion.described(DepthNoise),
    "rgb_noise": motion.described(RgbNoise),
    "pose_noise": motion.described(PoseNoise),
    "sliding": checks.flag,
    "slack_reward": checks.numbers(),
    "progress_reward": checks.numbers(),
    "success_reward": checks.numbers(),
    "final_reward": checks.choices("success", "spl"),
    "goal_format": checks.choices("polar", "polar_cos_sin", "cartesian"),
    "obs_keys": checks.choices("default", "habitat"),
    "min_geodesic": checks.numbers(0.0),
    "max_geodesic": checks.positive,
    "min_island_radius": checks.numbers(0.0),
    "max_height_difference": checks.numbers(0.0),
    "allow_stairs": checks.flag,
    "straight_ratio": checks.numbers(1.0),
    "index_offset": checks.integers(0, high=2**62),
    "total_envs": checks.integers(1, high=2**62, optional=True),
    "num_resident_scenes": checks.integers(1, optional=True),
    "swap_episodes": checks.integers(1, optional=True),
    "scene_workers": checks.integers(0, optional=True),
    "autoreset_mode": checks.autoreset,
    "output": checks.choices("numpy", "torch"),
    "device": checks.device,
    "copy": checks.flag,
    "render_backend": checks.choices("auto", "gl", "gl-raycast", "embree", "constant"),
}
