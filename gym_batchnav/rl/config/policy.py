"""Settings of the network."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import Literal

from gym_batchnav.errors import ConfigError
from gym_batchnav.rl.config.checks import at_least, bring_to_types
from gym_batchnav.rl.config.encoders import PUBLISHED, Encoder, EncoderSizes

GoalFormat = Literal["raw", "polar", "cos-sin"]
DepthTransform = Literal["none", "sqrt", "log"]
Recurrence = Literal["gru", "lstm", "none"]
_STAGES = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyConfig:
    """The recurrent actor-critic.

    Observations with three axes (H, W, C) are images and go through the encoder; all others are flattened
    vectors. Sizes that are None are those of the encoder as published, see ``sizes``.
    """

    encoder: Encoder = "narrow"
    """How images are read. "narrow": a small residual net for CPUs, whose first stage sees 8 x 8 cells of
    64 x 64 pixels. "se-resnet9": the net of BPS (Shacklett et al. 2021). "resnet18" and "resnet50": those of
    DD-PPO (Wijmans et al. 2019), with half of the usual planes and group normalisation."""
    base_planes: int | None = None
    """Channels of the stem and of the first stage, doubled by each further one: 24, 64, 32 and 32 if None."""
    space_to_depth: int | None = None
    """Pixels per side that are folded into channels before the first convolution: 4 if None. The ResNets
    halve the image instead."""
    stem_planes: int | None = None
    """Channels after the first convolution; ``base_planes`` if None."""
    stem_stride: int | None = None
    """Stride of the first convolution, after ``space_to_depth``: 2, in "se-resnet9" 1, if None."""
    planes: tuple[int, ...] | None = None
    """Channels of each stage; multiples of ``base_planes`` if None. A stage has one block (the ResNets have
    four stages of several blocks)."""
    strides: tuple[int, ...] | None = None
    """Stride of each stage: (1, 2), or (1, 2, 2, 2) where there are four stages, if None."""
    squeeze_excite: int | None = None
    """Reduction ratio of the squeeze-and-excitation gates; 0 leaves them out. 16 in "se-resnet9", else 0, if
    None."""
    compression: int | None = None
    """Values to which a 3x3 convolution brings the last map before it is flattened, about (the channels are
    whole); 0 leaves it out. 0, 1024, 2048 and 2048 if None."""
    hidden: int | None = None
    """Width of the image feature and of the recurrent state: 256, with the wider encoders 512, if None."""
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
    """How the goal (rho metres, phi radians) is read: "polar" spreads it over ``polar_goal_features``,
    "cos-sin" gives (rho, cos phi, sin phi) as BPS and DD-PPO do, "raw" takes the numbers as they are."""
    depth_transform: DepthTransform = "none"
    """Applied to float images, whose range is [0, 1]: "sqrt" and "log" give near things more of the range."""
    depth_bins: int | None = None
    """One-hot channels beside each depth channel, see ``one_hot_bins``; 0 leaves them out. 10 in
    "se-resnet9", else 0, if None."""
    normalize_rgb: bool = False
    """Whether uint8 images are shifted and scaled by the running mean and variance of each channel, see
    ``ImageMoments``, instead of a fixed range."""
    initial_action_probabilities: tuple[float, ...] = ()
    """What an untrained policy does; empty stands for equal probabilities. A task that one action ends (to
    stop, say) is explored far better where that action begins rare."""
    channels_last: bool = True
    """Memory format of the convolutions; faster on CPUs (2 to 3 times) and on GPUs."""

    def __post_init__(self) -> None:
        bring_to_types(self)
        at_least(self, 1, "base_planes", "space_to_depth", "stem_planes", "stem_stride", "hidden")
        at_least(self, 1, "planes", "strides", "layers", "vector_embedding")
        at_least(self, 0, "squeeze_excite", "compression", "depth_bins", "action_embedding")
        self._check_stages()
        prior = self.initial_action_probabilities
        if prior and not (min(prior) > 0 and math.isclose(sum(prior), 1.0, abs_tol=1e-3)):
            raise ConfigError(
                f"initial_action_probabilities are {prior}; all must be above 0, and their sum 1"
            )

    def _check_stages(self) -> None:
        sizes = self.sizes
        if len(sizes.planes) != len(sizes.strides) or not sizes.planes:
            raise ConfigError(
                f"planes {sizes.planes} and strides {sizes.strides} must have equal lengths, at least 1; "
                f"leave both None (none in --set) for {self.encoder}'s own sizes"
            )
        if self.encoder not in ("resnet18", "resnet50"):
            return
        if len(sizes.planes) != _STAGES:
            raise ConfigError(
                f"planes {sizes.planes} give {len(sizes.planes)} stages; {self.encoder} has {_STAGES}"
            )
        for name in ("space_to_depth", "stem_stride"):
            published = getattr(PUBLISHED[self.encoder], name)
            if getattr(self, name) not in (None, published):
                raise ConfigError(
                    f"{name} is {getattr(self, name)}, but {self.encoder} has {published}; leave it None"
                )

    @property
    def sizes(self) -> EncoderSizes:
        """All sizes of the network: those that are set, and the encoder's published ones for the rest."""
        published = PUBLISHED[self.encoder]
        base = self.base_planes or published.base_planes
        strides = self.strides or published.strides
        derived = {
            "stem_planes": base,
            "planes": tuple(base * 2**stage for stage in range(len(strides))),
            "base_planes": base,
        }
        names = [field.name for field in dataclasses.fields(EncoderSizes)]
        given = {name: getattr(self, name) for name in names if getattr(self, name) is not None}
        return dataclasses.replace(published, **{**derived, **given})

    def filled(self) -> PolicyConfig:
        """The same network with every size written out, to be shown and compared."""
        names = [field.name for field in dataclasses.fields(EncoderSizes)]
        return dataclasses.replace(self, **{name: getattr(self.sizes, name) for name in names})
