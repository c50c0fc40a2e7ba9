"""Counter-based random numbers: every draw depends on its row's seed, its episode, step and place alone."""

from __future__ import annotations

import functools
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.uint64]

_MASK = (1 << 64) - 1
GOLDEN = 0x9E3779B97F4A7C15
"""Distance of two words of a stream before they are mixed (SplitMix64: Steele, Lea and Flood 2014)."""
MIX = (0xBF58476D1CE4E5B9, 0x94D049BB133111EB)
"""Factors of SplitMix64's last steps."""
TABLE_BITS = 16
"""Bits of a word that choose a normal number out of ``normal_table``."""


def episode_generator(seed: int, episode: int) -> np.random.Generator:
    """Generator of episode number ``episode`` of the stream ``seed`` (Philox keyed by both, modulo 2^64)."""
    key = np.array([seed & _MASK, episode & _MASK], dtype=np.uint64)
    return np.random.Generator(np.random.Philox(key=key))


def noise_key(seed: int, episode: int) -> int:
    """Key of the noise within an episode: a word of ``episode_generator`` that no draw from it gets to."""
    key = np.array([seed & _MASK, episode & _MASK], dtype=np.uint64)
    counter = np.array([0, 0, 0, 1 << 63], dtype=np.uint64)
    return int(np.random.Philox(key=key, counter=counter).random_raw())


def mix(words: Words) -> Words:
    """SplitMix64's mixing of words of any shape: a bijection in which every bit counts for every other."""
    words = (words ^ (words >> np.uint64(30))) * np.uint64(MIX[0])
    words = (words ^ (words >> np.uint64(27))) * np.uint64(MIX[1])
    return words ^ (words >> np.uint64(31))


def stream_keys(keys: Words, counters: NDArray[np.integer] | int) -> Words:
    """Keys (N,) of the streams number ``counters`` (N,) below the streams ``keys`` (N,)."""
    counts = np.broadcast_to(counters, keys.shape).astype(np.uint64)
    return mix(keys ^ mix((counts + np.uint64(1)) * np.uint64(GOLDEN)))


def uniforms(keys: Words, count: int) -> NDArray[np.float64]:
    """The first ``count`` numbers (N, count) of the streams ``keys`` (N,), in (0, 1)."""
    places = np.arange(1, count + 1, dtype=np.uint64) * np.uint64(GOLDEN)
    words = mix(keys[:, None] + places)
    return ((words >> np.uint64(11)).astype(np.float64) + 0.5) * 2.0**-53


def normals(keys: Words, count: int) -> NDArray[np.float64]:
    """The first ``count`` standard normal numbers (N, count) of the streams ``keys`` (N,)."""
    return quantiles(uniforms(keys, count))


def quantiles(shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """Standard normal numbers below which ``shares`` of them lie; exact to 1e-5 between -3 and 3.

    Cut off at 4.3 standard deviations. It has no logarithm, so that all machines agree on its bits.
    """
    return np.interp(shares, *_grid())


@functools.cache
def normal_table() -> NDArray[np.float32]:
    """Standard normal numbers (2^16,) that are equally likely, from the least to the greatest."""
    return _grid()[1].astype(np.float32)


@functools.cache
def _grid() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Shares (2^16,) in the middle of as many equal parts, and their quantiles."""
    count = 1 << TABLE_BITS
    shares = (np.arange(count) + 0.5) / count
    lower = np.array([NormalDist().inv_cdf(share) for share in shares[: count // 2]])
    return shares, np.concatenate([lower, -lower[::-1]])
