"""Sizes of the image encoders, as published, and what a configuration changes of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Encoder = Literal["narrow", "se-resnet9", "resnet18", "resnet50"]


@dataclass(frozen=True, slots=True, kw_only=True)
class EncoderSizes:
    """Every size of an image encoder and of the network around it."""

    base_planes: int
    """Channels of the stem and of the first stage; each stage doubles them."""
    space_to_depth: int
    """Pixels per side that are folded into channels before the first convolution."""
    stem_planes: int
    """Channels after the first convolution."""
    stem_stride: int
    """Stride of the first convolution."""
    planes: tuple[int, ...]
    """Channels of each stage."""
    strides: tuple[int, ...]
    """Stride of each stage."""
    squeeze_excite: int
    """Reduction ratio of the squeeze-and-excitation gates; 0 stands for none."""
    compression: int
    """Values to which a 3x3 convolution brings the last map, about; 0 stands for none."""
    hidden: int
    """Width of the image feature and of the recurrent state."""
    depth_bins: int
    """One-hot channels per depth channel."""

    @property
    def groups(self) -> int:
        """Normalisation groups; compressed channels are a multiple of it where the encoder says so."""
        return max(self.stem_planes // 2, 1)


PUBLISHED: dict[str, EncoderSizes] = {
    "narrow": EncoderSizes(
        base_planes=24,
        space_to_depth=4,
        stem_planes=24,
        stem_stride=2,
        planes=(24, 48),
        strides=(1, 2),
        squeeze_excite=0,
        compression=0,
        hidden=256,
        depth_bins=0,
    ),
    "se-resnet9": EncoderSizes(
        base_planes=64,
        space_to_depth=4,
        stem_planes=64,
        stem_stride=1,
        planes=(64, 128, 256, 512),
        strides=(1, 2, 2, 2),
        squeeze_excite=16,
        compression=1024,
        hidden=512,
        depth_bins=10,
    ),
    "resnet18": EncoderSizes(
        base_planes=32,
        space_to_depth=1,
        stem_planes=32,
        stem_stride=2,
        planes=(32, 64, 128, 256),
        strides=(1, 2, 2, 2),
        squeeze_excite=0,
        compression=2048,
        hidden=512,
        depth_bins=0,
    ),
}
"""Sizes by encoder: the narrow one's own, Shacklett et al. 2021 (BPS), Wijmans et al. 2019 (DD-PPO)."""
PUBLISHED["resnet50"] = PUBLISHED["resnet18"]
