"""Settings of the bundled learner: the network, the PPO update, and the run as a whole."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

from gym_batchnav.errors import ConfigError

GoalFormat = Literal["raw", "polar"]
DepthTransform = Literal["none", "sqrt", "log"]
Recurrence = Literal["gru", "lstm", "none"]
StorageDtype = Literal["float32", "float16", "uint8"]
ScheduleKind = Literal["constant", "linear", "cosine"]
Switch = Literal["auto", "on", "off"]
_Config = TypeVar("_Config")


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyConfig:
    """The recurrent actor-critic.

    Observations with three axes (H, W, C) are images and go through the residual encoder; all others are
    flattened vectors. The defaults are narrow, for CPUs: the first stage sees 8 x 8 cells of 64 x 64 pixels.
    """

    space_to_depth: int = 4
    """Pixels per side that are folded into channels before the first convolution."""
    stem_planes: int = 24
    """Channels after the first convolution."""
    stem_stride: int = 2
    """Stride of the first 3x3 convolution (applied after ``space_to_depth``)."""
    planes: tuple[int, ...] = (24, 48)
    """Channels of each residual stage (one block a stage)."""
    strides: tuple[int, ...] = (1, 2)
    """Stride of each residual stage."""
    squeeze_excite: int = 0
    """Reduction ratio of the squeeze-and-excitation gates; 0 leaves them out."""
    hidden: int = 256
    """Width of the image feature and of the recurrent state."""
    recurrence: Recurrence = "gru"
    """Kind of memory."""
    layers: int = 1
    """Layers of the recurrent network."""
    skip: bool = True
    """Whether the heads also see the inputs of the memory: what needs no memory is then learnt sooner."""
    vector_embedding: int = 32
    """Width into which each vector observation (the goal among them) is embedded."""
    action_embedding: int = 32
    """Width of the embedding of the previous action; 0 leaves it out."""
    goal_key: str = "pointgoal"
    """Observation that holds the goal, if present."""
    goal_format: GoalFormat = "polar"
    """How the goal is read: "polar" is (rho metres, phi radians), see ``polar_goal_features``."""
    depth_transform: DepthTransform = "sqrt"
    """Applied to float images, whose range is [0, 1]: near things get more of the range."""
    initial_action_probabilities: tuple[float, ...] = ()
    """What an untrained policy does; empty stands for equal probabilities. A task that one action ends (to
    stop, say) is explored far better where that action begins rare."""
    channels_last: bool = True
    """Memory format of the convolutions; faster on CPUs (2 to 3 times) and on GPUs."""

    def __post_init__(self) -> None:
        _at_least(
            self, 1, "space_to_depth", "stem_planes", "stem_stride", "hidden", "layers", "vector_embedding"
        )
        _at_least(self, 0, "squeeze_excite", "action_embedding")
        if len(self.planes) != len(self.strides):
            raise ConfigError(f"planes {self.planes} and strides {self.strides} must have equal lengths")
        if any(value < 1 for value in (*self.planes, *self.strides)):
            raise ConfigError(f"planes {self.planes} and strides {self.strides} must all be at least 1")
        prior = self.initial_action_probabilities
        if prior and not (min(prior) > 0 and math.isclose(sum(prior), 1.0, abs_tol=1e-3)):
            raise ConfigError(
                f"initial_action_probabilities are {prior}; all must be above 0, and their sum 1"
            )
        _one_of(self, "recurrence", ("gru", "lstm", "none"))
        _one_of(self, "goal_format", ("raw", "polar"))
        _one_of(self, "depth_transform", ("none", "sqrt", "log"))


@dataclass(frozen=True, slots=True, kw_only=True)
class PPOConfig:
    """Proximal policy optimisation (Schulman et al. 2017) with generalised advantage estimation."""

    rollout_length: int = 64
    """Steps T of each environment per update."""
    minibatches: int = 4
    """Parts into which the environments are split; each holds whole sequences."""
    epochs: int = 2
    """Passes over each rollout."""
    gamma: float = 0.99
    """Discount."""
    gae_lambda: float = 0.95
    """Lambda of the advantage estimate."""
    clip: float = 0.2
    """Clip range of the probability ratio."""
    value_clip: float | None = None
    """Clip range of the value change, in normalised units; None leaves it out."""
    value_coefficient: float = 0.5
    """Weight of the value loss."""
    entropy_coefficient: float = 0.01
    """Weight of the entropy bonus."""
    entropy_final_factor: float = 0.1
    """The entropy weight falls linearly to this share of itself."""
    normalize_advantages: bool = True
    """Whether advantages get zero mean and unit deviation over each rollout."""
    normalize_values: bool = True
    """Whether the value head learns returns in running units (PopArt, van Hasselt et al. 2016)."""
    learning_rate: float = 1e-3
    """Peak learning rate."""
    schedule: ScheduleKind = "cosine"
    """How the rate falls with the progress of the run."""
    warmup: float = 0.01
    """Share of the run in which the rate rises from half of its peak."""
    final_factor: float = 0.02
    """Share of the peak rate at the end of the schedule."""
    weight_decay: float = 0.0
    """Decoupled weight decay (AdamW)."""
    adam_eps: float = 1e-5
    """Epsilon of Adam."""
    adam_betas: tuple[float, float] = (0.9, 0.999)
    """Decay rates of Adam's moments."""
    max_grad_norm: float = 1.0
    """Gradients are scaled down to this norm."""
    microbatch_frames: int = 2048
    """Frames whose gradients are computed at once; smaller parts fit the cache, the sum is the same."""

    def __post_init__(self) -> None:
        _at_least(self, 1, "rollout_length", "minibatches", "epochs", "microbatch_frames")
        _within(self, 0.0, 1.0, "gamma", "gae_lambda", "warmup", "final_factor", "entropy_final_factor")
        _positive(self, "clip", "learning_rate", "adam_eps", "max_grad_norm")
        _at_least(self, 0, "value_coefficient", "entropy_coefficient", "weight_decay")
        if self.value_clip is not None and not self.value_clip > 0:
            raise ConfigError(f"value_clip is {self.value_clip}; it must be above 0, or None for no clipping")
        if not all(0 <= beta < 1 for beta in self.adam_betas):
            raise ConfigError(f"adam_betas are {self.adam_betas}; both must be in [0, 1)")
        _one_of(self, "schedule", ("constant", "linear", "cosine"))


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainConfig:
    """A whole training run."""

    policy: PolicyConfig = field(default_factory=PolicyConfig)
    """The network."""
    ppo: PPOConfig = field(default_factory=PPOConfig)
    """The update."""
    total_frames: int = 2_000_000
    """The run ends after this many frames (environment steps, summed over environments) ..."""
    time_limit_s: float | None = None
    """... or after this many seconds of training, whichever comes first; resumed runs go on counting."""
    seed: int = 0
    """Seed of the weights, the actions, the minibatches and the environments."""
    device: str = "cpu"
    """Torch device of the policy."""
    threads: int | None = None
    """Threads that compute gradients side by side on a CPU; None takes one per core."""
    bf16: Switch = "auto"
    """bfloat16 in the encoder; "auto" uses it only where a short measurement finds it faster."""
    float_image_storage: StorageDtype = "float16"
    """How float images wait in the rollout; "uint8" asks for a range of [0, 1]."""
    checkpoint_every_s: float = 60.0
    """Seconds between checkpoints; 0 writes one after every update."""
    keep_checkpoints: int = 3
    """Newest checkpoints that are kept, beside the best."""
    best_metric: str = "success"
    """Running metric that decides which checkpoint is the best; "return" always exists."""
    metric_keys: tuple[str, ...] = ("success", "spl", "soft_spl", "distance_to_goal")
    """Keys of the episode-end infos that are averaged and logged, where the environment gives them."""
    metric_window: int = 500
    """Episodes over which the running means go."""
    tensorboard: bool = True
    """Whether TensorBoard files are written beside the JSON lines."""

    def __post_init__(self) -> None:
        _at_least(self, 1, "total_frames", "keep_checkpoints", "metric_window")
        _at_least(self, 0, "seed", "checkpoint_every_s")
        if self.time_limit_s is not None and not self.time_limit_s > 0:
            raise ConfigError(
                f"time_limit_s is {self.time_limit_s}; it must be above 0, or None for no limit"
            )
        if self.threads is not None:
            _at_least(self, 1, "threads")
        _one_of(self, "bf16", ("auto", "on", "off"))
        _one_of(self, "float_image_storage", ("float32", "float16", "uint8"))

    def to_dict(self) -> dict[str, Any]:
        """The config as plain nested dicts, for checkpoints and logs."""
        return dataclasses.asdict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> TrainConfig:
        """The inverse of ``to_dict``; raises ``ConfigError`` on unknown fields."""
        values = dict(data)
        values["policy"] = _build(PolicyConfig, values.get("policy", {}))
        values["ppo"] = _build(PPOConfig, values.get("ppo", {}))
        return _build(cls, values)


def _build(cls: type[_Config], data: Mapping[str, Any]) -> _Config:
    known = {f.name for f in dataclasses.fields(cls)}  # type: ignore[arg-type]
    unknown = sorted(set(data) - known)
    if unknown:
        raise ConfigError(f"{cls.__name__} has no field {unknown[0]!r}; known are {', '.join(sorted(known))}")
    return cls(**{key: tuple(value) if isinstance(value, list) else value for key, value in data.items()})


def _at_least(config: object, low: float, *names: str) -> None:
    for name in names:
        value = getattr(config, name)
        if not (value >= low and math.isfinite(value)):
            raise ConfigError(f"{name} is {value}; it must be at least {low}")


def _within(config: object, low: float, high: float, *names: str) -> None:
    for name in names:
        if not low <= getattr(config, name) <= high:
            raise ConfigError(f"{name} is {getattr(config, name)}; it must be in [{low}, {high}]")


def _positive(config: object, *names: str) -> None:
    for name in names:
        value = getattr(config, name)
        if not (value > 0 and math.isfinite(value)):
            raise ConfigError(f"{name} is {value}; it must be above 0")


def _one_of(config: object, name: str, allowed: tuple[str, ...]) -> None:
    if getattr(config, name) not in allowed:
        raise ConfigError(f"{name} is {getattr(config, name)!r}; allowed are {', '.join(allowed)}")
