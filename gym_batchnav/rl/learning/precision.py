"""Whether bfloat16 pays on this machine."""

from __future__ import annotations

import time

import torch

from gym_batchnav.rl.config import Switch
from gym_batchnav.rl.nets.encoder import ImageEncoder
from gym_batchnav.rl.nets.policy import ActorCritic

_FRAMES = 128
_REPEATS = 3
_WORTH = 1.1


def choose_bf16(policy: ActorCritic, switch: Switch) -> bool:
    """Decides by ``switch``; "auto" times the encoder, forward and backward, in both types.

    Returns:
        True where bfloat16 is asked for, or is at least 1.1 times as fast. False where there are no images.
    """
    if policy.encoder is None or switch == "off":
        return False
    if switch == "on":
        return True
    fields = policy.prepared
    height, width = fields[policy.image_keys[0]].shape[:2]
    channels = sum(fields[key].shape[2] for key in policy.image_keys)
    images = torch.zeros(_FRAMES, height, width, channels, device=policy.device)
    plain = _seconds(policy.encoder, images, bf16=False)
    return _seconds(policy.encoder, images, bf16=True) * _WORTH < plain


def _seconds(encoder: ImageEncoder, images: torch.Tensor, *, bf16: bool) -> float:
    """Best time of a forward and backward pass; leaves no gradients behind."""
    best = float("inf")
    for _ in range(_REPEATS):
        _synchronize(images.device)
        begin = time.perf_counter()
        with torch.autocast(images.device.type, torch.bfloat16, enabled=bf16):
            output = encoder(images)
        torch.autograd.grad(output.float().sum(), list(encoder.parameters()))
        _synchronize(images.device)
        best = min(best, time.perf_counter() - begin)
    return best


def _synchronize(device: torch.device) -> None:
    if device.type == "cuda":
        torch.cuda.synchronize(device)
