"""Image encoders by name."""

from __future__ import annotations

from gym_batchnav.rl.config import PolicyConfig
from gym_batchnav.rl.nets.encoder import ImageEncoder, NarrowEncoder
from gym_batchnav.rl.nets.fixup import FixupEncoder
from gym_batchnav.rl.nets.resnet import ResNetEncoder


def make_encoder(config: PolicyConfig, in_channels: int, size: tuple[int, int]) -> ImageEncoder:
    """The encoder that is configured, for images (B, H, W, in_channels) with (H, W) = ``size``."""
    if config.encoder == "narrow":
        return NarrowEncoder(config, in_channels, size)
    if config.encoder == "se-resnet9":
        return FixupEncoder(config, in_channels, size)
    return ResNetEncoder(config, in_channels, size)
