"""Observations as they come from an environment, turned into inputs for the network."""

from __future__ import annotations

import functools
import math
from dataclasses import replace

import torch
from torch import Tensor
from torch.nn import functional

from gym_batchnav.errors import ConfigError
from gym_batchnav.rl.config import DepthTransform, PolicyConfig
from gym_batchnav.rl.spec import EnvSpec, FieldSpec

_LOG_SCALE = 100.0
_BUMP_CENTERS = (0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8)
_HARMONICS = (1, 2, 4)
_NEAREST = 0.02
POLAR_FEATURES = 2 + len(_BUMP_CENTERS) + 2 * len(_HARMONICS)
"""Number of features of ``polar_goal_features``."""
TRIGONOMETRIC_FEATURES = 3
"""Number of features of ``trigonometric_goal_features``."""


def polar_goal_features(goal: Tensor) -> Tensor:
    """Spreads a goal over features that one linear layer can read.

    Args:
        goal: (B, 2) of rho in metres and phi in radians.

    Returns:
        (B, 16): rho / 10; log(1 + rho); eight bumps exp(-(2 log2(rho / c))^2) around c = 0.1, 0.2, ...
        12.8 m; cos and sin of phi, 2 phi and 4 phi. The bumps make the decision to stop, at 0.2 m, quick to
        learn.
    """
    rho, phi = goal[:, :1], goal[:, 1:]
    centers = _constant(_BUMP_CENTERS, goal.device).log2()
    octaves = rho.clamp_min(_NEAREST).log2() - centers
    angles = phi * _constant(_HARMONICS, goal.device)
    near = torch.exp(-(2 * octaves).square())
    return torch.cat((rho / 10, torch.log1p(rho), near, torch.cos(angles), torch.sin(angles)), dim=1)


@functools.cache
def _constant(numbers: tuple[float, ...], device: torch.device) -> Tensor:
    """Numbers on a device; to bring them there, the host waits for the device, so it does that once."""
    return torch.tensor(numbers, device=device)


def trigonometric_goal_features(goal: Tensor) -> Tensor:
    """A goal (B, 2) of rho in metres and phi in radians as (B, 3): rho, cos phi, sin phi.

    As BPS (Shacklett et al. 2021) and DD-PPO (Wijmans et al. 2019) read it: no jump behind the back.
    """
    rho, phi = goal[:, :1], goal[:, 1:]
    return torch.cat((rho, torch.cos(phi), torch.sin(phi)), dim=1)


def one_hot_bins(values: Tensor, bins: int) -> Tensor:
    """Tells for each value in which of equal bins of [0, 1] it lies.

    The hard bins of discretised depth in visual odometry (Zhao et al. 2021, "The Surprising Effectiveness of
    Visual Odometry Techniques for Embodied PointGoal Navigation") and in the released BPS: a network sees at
    once where a surface leaves one range and enters the next. A bin holds its lower limit; the last one also
    holds 1, and what lies outside [0, 1] counts to the nearest bin.

    Args:
        values: (..., C) float.
        bins: K.

    Returns:
        (..., C * K) of zeros and ones, the K bins of the first channel first.
    """
    index = (values * bins).floor().clamp(0, bins - 1)
    hot = index[..., None] == torch.arange(bins, device=values.device)
    return hot.flatten(-2).to(values.dtype)


def transform_depth(depth: Tensor, kind: DepthTransform) -> Tensor:
    """Maps depth in [0, 1] onto [0, 1] with more of the range for near things."""
    if kind == "sqrt":
        return depth.clamp_min(0).sqrt()
    if kind == "log":
        return torch.log1p(depth.clamp_min(0) * _LOG_SCALE) / math.log1p(_LOG_SCALE)
    return depth


def prepared_field(field: FieldSpec, block: int) -> FieldSpec:
    """Shape and type of an observation after ``ActorCritic.prepare``; blocks of pixels become channels."""
    if not field.is_image:
        return field
    height, width, channels = field.shape
    shape = (-(-height // block), -(-width // block), channels * block**2)
    return replace(field, shape=shape)


def prepare_image(image: Tensor, field: FieldSpec, kind: DepthTransform, block: int) -> Tensor:
    """What is done once to an image, however often the network reads it.

    Args:
        image: (B, H, W, C), as the environment gives it.
        field: its spec.
        kind: of the transform, where it is depth.
        block: pixels per side that are folded.

    Returns:
        (B, H / block, W / block, C * block^2): depth transformed, blocks of pixels folded into channels.
    """
    if is_depth(field):
        image = transform_depth(image, kind)
    return space_to_depth(image, block)


def is_depth(field: FieldSpec) -> bool:
    """Whether an image is one of floats in [0, 1]."""
    return field.unit_range and field.dtype != "uint8"


def image_channels(field: FieldSpec, bins: int) -> int:
    """Channels that ``image_floats`` gives for a prepared image of this spec."""
    return field.shape[2] * (1 + bins if is_depth(field) else 1)


def image_floats(image: Tensor, field: FieldSpec, bins: int = 0) -> Tensor:
    """One prepared image (B, h, w, c), uint8 or float, as new float32 of order 1.

    A uint8 tensor is read as 255ths whether the space says uint8 or the rollout stored a float image so.
    Depth is followed by its ``one_hot_bins``, (B, h, w, c + c * bins).
    """
    floats = image.to(torch.float32, copy=True)
    scale = 1 / 255 if image.dtype == torch.uint8 else 1.0
    if not (field.unit_range or field.dtype == "uint8"):
        return floats
    hot = one_hot_bins(floats * scale, bins) if bins and is_depth(field) else None
    # [0, 1] to [-1, 1] in one pass over memory.
    minus_one = torch.full((), -1.0, device=image.device)
    scaled = torch.add(minus_one, floats, alpha=2 * scale, out=floats)
    return scaled if hot is None else torch.cat((scaled, hot), dim=-1)


def space_to_depth(images: Tensor, block: int) -> Tensor:
    """Folds blocks of pixels into channels.

    Args:
        images: (B, H, W, C); H and W are padded with zeros up to multiples of ``block``.
        block: pixels per side of a block.

    Returns:
        (B, H / block, W / block, C * block^2).
    """
    batch, height, width, channels = images.shape
    pad_h, pad_w = -height % block, -width % block
    if pad_h or pad_w:
        images = functional.pad(images, (0, 0, 0, pad_w, 0, pad_h))
    rows, cols = (height + pad_h) // block, (width + pad_w) // block
    blocks = images.reshape(batch, rows, block, cols, block, channels).permute(0, 1, 3, 2, 4, 5)
    return blocks.reshape(batch, rows, cols, block * block * channels)


def image_keys(spec: EnvSpec) -> list[str]:
    """Keys of the images; raises ``ConfigError`` unless all have one height and width."""
    keys = [key for key, field in spec.fields.items() if field.is_image]
    if len({spec.fields[key].shape[:2] for key in keys}) > 1:
        sizes = ", ".join(f"{key} {spec.fields[key].shape[:2]}" for key in keys)
        raise ConfigError(f"image observations differ in size ({sizes}); give all the same height and width")
    return keys


def vector_width(key: str, field: FieldSpec, config: PolicyConfig) -> int:
    """Number of features that ``vector_features`` gives for an observation."""
    if field.categories:
        return sum(field.categories)
    if not is_goal(key, field, config) or config.goal_format == "raw":
        return field.size
    return POLAR_FEATURES if config.goal_format == "polar" else TRIGONOMETRIC_FEATURES


def is_goal(key: str, field: FieldSpec, config: PolicyConfig) -> bool:
    """Whether an observation is the goal as (rho, phi)."""
    return key == config.goal_key and field.shape == (2,)


def vector_features(key: str, value: Tensor, field: FieldSpec, config: PolicyConfig) -> Tensor:
    """One vector observation (B, ...) as float features (B, width): classes as one-hot, bytes as 255ths."""
    flat = value.reshape(len(value), -1)
    if field.categories:
        # Compared, not indexed: a class that is out of range cannot bring down a GPU.
        classes = (torch.arange(n, device=value.device) for n in field.categories)
        return torch.cat([flat[:, i, None] == known for i, known in enumerate(classes)], dim=1).float()
    flat = flat.float()
    if field.dtype == "uint8" and not field.unit_range:
        flat = flat / 255
    if not is_goal(key, field, config) or config.goal_format == "raw":
        return flat
    return polar_goal_features(flat) if config.goal_format == "polar" else trigonometric_goal_features(flat)
