"""Which precision pays on this machine."""

from __future__ import annotations

import time
from typing import cast

import torch

from gym_batchnav.rl.config import Precision, PrecisionChoice
from gym_batchnav.rl.nets.encoder import ImageEncoder
from gym_batchnav.rl.nets.policy import ActorCritic

_FRAMES = 128
_REPEATS = 3
_WORTH = 1.1


def choose_precision(policy: ActorCritic, wanted: PrecisionChoice) -> Precision:
    """Decides by ``wanted``; "auto" times the encoder, forward and backward, in float32 and in 16 bits.

    Returns:
        What is asked for. For "auto" 16 bits where they are at least 1.1 times as fast: bfloat16, or float16
        on GPUs without it. On CPUs float32 where there are no images, since nothing else would be faster.
    """
    if policy.encoder is None and (wanted == "auto" or policy.device.type == "cpu"):
        return "float32"
    if wanted != "auto":
        return wanted
    assert policy.encoder is not None
    shape = (*policy.encoder.image_size, policy.encoder.in_channels)
    images = torch.zeros(_FRAMES, *shape, device=policy.device)
    low = _short_type(policy.device)
    plain = _seconds(policy.encoder, images, "float32")
    return low if _seconds(policy.encoder, images, low) * _WORTH < plain else "float32"


def _short_type(device: torch.device) -> Precision:
    """bfloat16 needs no loss scale; GPUs before Ampere only emulate it."""
    if device.type == "cuda" and torch.cuda.get_device_capability(device) < (8, 0):
        return "float16"
    return "bfloat16"


def _seconds(encoder: ImageEncoder, images: torch.Tensor, precision: Precision) -> float:
    """Best time of a forward and backward pass; leaves no gradients behind."""
    best = float("inf")
    dtype = cast(torch.dtype, getattr(torch, precision))
    for _ in range(_REPEATS):
        _synchronize(images.device)
        begin = time.perf_counter()
        with torch.autocast(images.device.type, dtype, enabled=precision != "float32"):
            output = encoder(images)
        torch.autograd.grad(output.float().sum(), list(encoder.parameters()))
        _synchronize(images.device)
        best = min(best, time.perf_counter() - begin)
    return best


def _synchronize(device: torch.device) -> None:
    if device.type == "cuda":
        torch.cuda.synchronize(device)
