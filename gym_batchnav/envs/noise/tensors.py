"""Noise on tensors of any device: bit for bit what ``kernels`` make of arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from ...sim.random import GOLDEN, MIX, Words, normal_table
from .kernels import BASELINE, DISPARITY_ERROR, DISPARITY_STEPS, FARTHEST, LOOK_ASIDE, WHITE

Tensor = Any


def depth_noise(depth: Tensor, keys: Words, multiplier: np.float32) -> None:
    """Overwrite depths (V, H, W) in metres with what the camera reads."""
    views, height, width = depth.shape
    normals = _normals(keys, height, width, depth.device)
    look, error = float(LOOK_ASIDE * multiplier), float(DISPARITY_ERROR * multiplier)
    rows = _aside(torch.arange(height, device=depth.device)[None, :, None], normals[0] * look)
    columns = _aside(torch.arange(width, device=depth.device)[None, None, :], normals[1] * look)
    seen = depth[torch.arange(views, device=depth.device)[:, None, None], rows, columns]
    base, scale = float(BASELINE), float(DISPARITY_STEPS)
    # Tensors on the left: a Python number over a tensor would be rounded otherwise.
    disparity = torch.full_like(seen, base) / seen + normals[2] * error
    steps = torch.round(disparity * scale)
    steps[~(seen < float(FARTHEST))] = 0.0
    answers = torch.full_like(seen, float(BASELINE * DISPARITY_STEPS)) / steps
    depth.copy_(torch.where(steps > 0.0, answers, torch.zeros_like(answers)))


def rgb_noise(images: Tensor, keys: Words, intensity: np.float32) -> None:
    """Add noise to images (V, H, W, 3) uint8."""
    _, height, width, colors = images.shape
    normals = _normals(keys, height, width, images.device)
    deviation = float(intensity * WHITE)
    for color in range(colors):
        values = images[..., color].to(torch.float32) + normals[color] * deviation
        images[..., color] = torch.round(values).clamp_(0.0, float(WHITE)).to(torch.uint8)


def _normals(keys: Words, height: int, width: int, device: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Three standard normal numbers (V, H, W) a pixel."""
    table = torch.from_numpy(normal_table()).to(device)
    words = torch.arange(1, height * width + 1, device=device).view(1, height, width) * _signed(GOLDEN)
    words = words + torch.from_numpy(keys.view(np.int64).copy()).to(device)[:, None, None]
    words = (words ^ _shifted(words, 30)) * _signed(MIX[0])
    words = (words ^ _shifted(words, 27)) * _signed(MIX[1])
    words = words ^ _shifted(words, 31)
    first, second, third = (table[(words >> (16 * part)) & 0xFFFF] for part in range(3))
    return first, second, third


def _signed(word: int) -> int:
    return word - (1 << 64) if word >= 1 << 63 else word


def _shifted(words: Tensor, bits: int) -> Tensor:
    """Words shifted to the right with zeros coming in."""
    return (words >> bits) & ((1 << (64 - bits)) - 1)


def _aside(places: Tensor, errors: Tensor) -> Tensor:
    last = float(places.max())
    near = ((places.to(torch.float32) + errors).clamp(0.0, last) + 0.5).to(torch.int64)
    return near - near % 2
