"""Settings of the network."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from gym_batchnav.errors import ConfigError
from gym_batchnav.rl.config.checks import at_least, one_of

GoalFormat = Literal["raw", "polar"]
DepthTransform = Literal["none", "sqrt", "log"]
Recurrence = Literal["gru", "lstm", "none"]


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
        at_least(
            self, 1, "space_to_depth", "stem_planes", "stem_stride", "hidden", "layers", "vector_embedding"
        )
        at_least(self, 0, "squeeze_excite", "action_embedding")
        if len(self.planes) != len(self.strides):
            raise ConfigError(f"planes {self.planes} and strides {self.strides} must have equal lengths")
        if any(value < 1 for value in (*self.planes, *self.strides)):
            raise ConfigError(f"planes {self.planes} and strides {self.strides} must all be at least 1")
        prior = self.initial_action_probabilities
        if prior and not (min(prior) > 0 and math.isclose(sum(prior), 1.0, abs_tol=1e-3)):
            raise ConfigError(
                f"initial_action_probabilities are {prior}; all must be above 0, and their sum 1"
            )
        one_of(self, "recurrence", ("gru", "lstm", "none"))
        one_of(self, "goal_format", ("raw", "polar"))
        one_of(self, "depth_transform", ("none", "sqrt", "log"))
