"""Noise on tensors of an NVIDIA GPU equals that on arrays, bit for bit."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from gym_batchnav import DepthNoise, EnvConfig, RgbNoise
from gym_batchnav.envs.noise import ImageNoise

pytestmark = pytest.mark.gpu


def test_gpu_gets_the_bits_of_the_cpu(device, rng):
    config = EnvConfig(
        sensors=("depth", "rgb"), depth_noise=DepthNoise(multiplier=1.7), rgb_noise=RgbNoise(intensity=0.3)
    )
    keys = rng.integers(0, 2**63, 64, dtype=np.uint64)
    arrays = {
        "depth": (rng.random((64, 48, 64, 1)) * 11).astype(np.float32),
        "rgb": rng.integers(0, 256, (64, 48, 64, 3)).astype(np.uint8),
    }
    tensors = {name: torch.from_numpy(image.copy()).to(device) for name, image in arrays.items()}
    ImageNoise(config).apply(arrays, keys)
    ImageNoise(config).apply(tensors, keys)
    for name, image in arrays.items():
        assert np.array_equal(tensors[name].cpu().numpy(), image), name
