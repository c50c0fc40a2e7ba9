"""Compiling the part of the network in which most of the time goes."""

from __future__ import annotations

import torch
from torch._dynamo.exc import TorchDynamoException

from gym_batchnav.errors import ConfigError
from gym_batchnav.rl.nets.policy import ActorCritic

_FRAMES = 8


def compile_policy(policy: ActorCritic) -> None:
    """Compiles the image encoder by ``torch.compile``, for any number of frames, and tries it at once.

    Packed sequences, whose lengths change from batch to batch, stay as they are. The names of the weights do
    not change. Called when the precision of the policy is settled.

    Raises:
        ConfigError: there are no images, or no compiler that works.
    """
    encoder = policy.encoder
    if encoder is None:
        raise ConfigError("compile is True, but the network reads no images; leave it False")
    encoder.compile()
    shape = (_FRAMES, *encoder.image_size, encoder.in_channels)
    images = torch.zeros(shape, device=policy.device)
    torch._dynamo.mark_dynamic(images, 0)
    try:
        with policy.lower_precision(everywhere=True):
            output = encoder(images)
            torch.autograd.grad(output.float().sum(), list(encoder.parameters()))
            with torch.no_grad():
                encoder(images)
    except (TorchDynamoException, RuntimeError, OSError) as error:
        cause = str(error).strip().splitlines()[0]
        raise ConfigError(
            f"compile is True, but compiling for {policy.device.type} fails ({cause}); install "
            f"{_needed(policy.device)}, or leave it False"
        ) from error


def _needed(device: torch.device) -> str:
    compiler = "a C++ compiler (g++, clang++ or cl), or name it in CXX"
    return f"Triton and {compiler}" if device.type == "cuda" else compiler
