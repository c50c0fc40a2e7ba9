"""Counter-based random numbers: an episode's draws depend on two numbers alone."""

from __future__ import annotations

import numpy as np

_MASK = (1 << 64) - 1


def episode_generator(seed: int, episode: int) -> np.random.Generator:
    """Generator of episode number ``episode`` of the stream ``seed`` (Philox keyed by both, modulo 2^64)."""
    key = np.array([seed & _MASK, episode & _MASK], dtype=np.uint64)
    return np.random.Generator(np.random.Philox(key=key))
