"""Counter-based random numbers against published words and the normal distribution of SciPy."""

import numpy as np
from scipy import stats

from gym_batchnav.sim.random import (
    GOLDEN,
    episode_generator,
    mix,
    noise_key,
    normal_table,
    normals,
    quantiles,
    stream_keys,
    uniforms,
)


def words(seed, count):
    return mix(np.uint64(seed) + np.arange(1, count + 1, dtype=np.uint64) * np.uint64(GOLDEN))


def test_mixing_is_splitmix64():
    # The first words of the reference implementation for the seed 1234567.
    assert words(1234567, 5).tolist() == [
        6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431,
        16408922859458223821,
    ]  # fmt: skip
    # A uniform number is the middle of the 2^-53 that the upper 53 bits name.
    expected = [(word // 2**11 + 0.5) / 2**53 for word in words(1234567, 5).tolist()]
    assert uniforms(np.array([1234567], np.uint64), 5)[0].tolist() == expected


def test_noise_keys_are_words_of_the_episode_that_it_never_draws():
    keys = {noise_key(seed, episode) for seed in range(40) for episode in range(40)}
    assert len(keys) == 1600
    assert noise_key(2**64 + 3, 1) == noise_key(3, 1)
    # Far along the same Philox stream: 4 words a counter, and the last counter word is 2^63.
    generator = episode_generator(3, 1).bit_generator
    state = generator.state
    state["state"]["counter"] = np.array([0, 0, 0, 1 << 63], np.uint64)
    generator.state = state
    assert int(generator.random_raw()) == noise_key(3, 1)


def test_streams_of_neighbours_have_nothing_in_common():
    """Rows, steps and lanes next to each other: correlations of 40,000 pairs within 5 / sqrt(40000)."""
    keys = np.array([noise_key(seed, 0) for seed in range(200)], np.uint64)
    steps = np.stack([stream_keys(keys, step) for step in range(20)])
    draws = np.stack([normals(row, 12) for row in steps])
    assert len(np.unique(draws.round(12))) > 0.99 * draws.size
    for one, other in [
        (draws[:, :-1], draws[:, 1:]),
        (draws[:-1], draws[1:]),
        (draws[..., :-1], draws[..., 1:]),
    ]:
        assert abs(np.corrcoef(one.ravel(), other.ravel())[0, 1]) < 5 / np.sqrt(one.size)
    assert np.array_equal(stream_keys(keys, np.full(200, 7)), stream_keys(keys, 7))


def test_normal_numbers_follow_the_normal_distribution():
    drawn = normals(np.arange(100, dtype=np.uint64), 1000).ravel()
    assert stats.kstest(drawn, "norm").pvalue > 0.01
    assert np.abs(drawn).max() < 4.4
    shares = np.linspace(1e-3, 1 - 1e-3, 5001)
    assert np.abs(quantiles(shares) - stats.norm.ppf(shares)).max() < 1e-5
    assert np.abs(quantiles(shares / 5) - stats.norm.ppf(shares / 5)).max() < 2e-4
    table = normal_table()
    assert table.shape == (65536,)
    assert np.allclose(table, stats.norm.ppf((np.arange(65536) + 0.5) / 65536), atol=1e-6)
    # What is cut off beyond the table's ends and within its steps is 2e-5 of the variance.
    assert abs(float(table.astype(float).var()) - 1.0) < 5e-5
