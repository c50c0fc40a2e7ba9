"""Settings of a whole training run."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

from gym_batchnav.errors import ConfigError
from gym_batchnav.rl.config.checks import at_least, bring_to_types, positive
from gym_batchnav.rl.config.distributed import DistributedConfig
from gym_batchnav.rl.config.policy import PolicyConfig
from gym_batchnav.rl.config.ppo import PPOConfig

Overlap = Literal["auto", "on", "off"]
StorageDtype = Literal["float32", "float16", "uint8"]
Precision = Literal["float32", "bfloat16", "float16"]
PrecisionChoice = Literal["auto", "float32", "bfloat16", "float16"]
_Config = TypeVar("_Config")
_BF16: dict[str, PrecisionChoice] = {"auto": "auto", "on": "bfloat16", "off": "float32"}


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainConfig:
    """A whole training run."""

    policy: PolicyConfig = field(default_factory=PolicyConfig)
    """The network."""
    ppo: PPOConfig = field(default_factory=PPOConfig)
    """The update."""
    distributed: DistributedConfig = field(default_factory=DistributedConfig)
    """How several processes work together."""
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
    act_threads: int = 1
    """Threads, at most ``threads``, that share the rows to act on where the environments do not overlap; each
    takes at least 32. More than one helps only where that many cores have nothing else to do."""
    overlap: Overlap = "auto"
    """Whether the environments are made in two halves, of which one is stepped while the policy acts on the
    other; "auto" does so on a GPU."""
    precision: PrecisionChoice = "auto"
    """Of the network's arithmetic; weights, losses and heads stay in float32. On CPUs it is that of the image
    encoder alone. "auto" goes below float32 only where a short measurement finds that faster."""
    compile: bool = False
    """Whether ``torch.compile`` compiles the image encoder: up to minutes at the start, for steps that may be
    faster on a GPU. Narrow networks on CPUs gain nothing."""
    float_image_storage: StorageDtype = "float16"
    """How float images wait in the rollout; "uint8" asks for a range of [0, 1]."""
    checkpoint_every_s: float = 60.0
    """Seconds between checkpoints; 0 writes one after every update."""
    checkpoint_every_frames: int | None = None
    """Frames between checkpoints, beside those by seconds; None leaves it to the seconds."""
    keep_checkpoints: int = 3
    """Newest checkpoints that are kept, beside the best."""
    keep_every_frames: int | None = None
    """Every so many frames a checkpoint is written that is kept for good, ``frames-<frames>.pt``."""
    validate_every_frames: int | None = None
    """Frames between validations; None does without. They decide which checkpoint is the best."""
    best_metric: str = "return"
    """Metric of the validations, else of the training episodes, that decides which checkpoint is the best;
    "return" always exists."""
    metric_keys: tuple[str, ...] = ()
    """Keys of the episode-end infos that are averaged and logged, where the environment gives them; return
    and length always are."""
    metric_window: int = 500
    """Episodes over which the running means go."""
    tensorboard: bool = True
    """Whether TensorBoard files are written beside the JSON lines."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "device", str(self.device))  # a torch.device too
        bring_to_types(self)
        at_least(self, 1, "threads", "act_threads", "total_frames", "keep_checkpoints", "metric_window")
        at_least(self, 1, "checkpoint_every_frames", "keep_every_frames", "validate_every_frames")
        at_least(self, 0, "seed", "checkpoint_every_s")
        positive(self, "time_limit_s")

    @property
    def env_parts(self) -> int:
        """How many functions ``train`` should be given to make environments: 2 where they overlap."""
        on = self.overlap == "on" or (self.overlap == "auto" and self.device.startswith("cuda"))
        return 2 if on else 1

    def to_dict(self) -> dict[str, Any]:
        """The config as plain nested dicts, for checkpoints and logs."""
        return dataclasses.asdict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> TrainConfig:
        """The inverse of ``to_dict``; raises ``ConfigError`` on unknown fields."""
        values = dict(data)
        if "bf16" in values:  # what ``precision`` was called in earlier runs
            values.setdefault("precision", _BF16[values.pop("bf16")])
        values["policy"] = _build(PolicyConfig, values.get("policy", {}))
        values["ppo"] = _build(PPOConfig, values.get("ppo", {}))
        values["distributed"] = _build(DistributedConfig, values.get("distributed", {}))
        return _build(cls, values)


def _build(cls: type[_Config], data: Mapping[str, Any]) -> _Config:
    known = {f.name for f in dataclasses.fields(cls)}  # type: ignore[arg-type]
    unknown = sorted(set(data) - known)
    if unknown:
        raise ConfigError(f"{cls.__name__} has no field {unknown[0]!r}; known are {', '.join(sorted(known))}")
    return cls(**data)
