from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from gym_batchnav.rl import intervals
from gym_batchnav.rl.intervals import (
    Interval,
    bootstrap_interval,
    group_labels,
    mean_interval,
    paired_interval,
    wilson_interval,
)


def clustered(seed: int, houses: int = 40, episodes: int = 5) -> tuple[np.ndarray, np.ndarray]:
    """Values with a part that is common to all episodes of a house; their true mean is 0."""
    rng = np.random.default_rng(seed)
    values = rng.normal(0, 1, (houses, 1)) + rng.normal(0, 1, (houses, episodes))
    return values.ravel(), np.repeat(np.arange(houses), episodes)


def test_wilson_by_hand():
    # n = 10, p = .8, z = 1.959964: centre (.8 + .192073) / 1.384146 = .716740; half = 1.959964 / 1.384146
    # * sqrt(.016 + .0096036) = .226577
    interval = wilson_interval(8, 10)
    assert interval == pytest.approx((0.8, 0.490163, 0.943318), abs=1e-5)
    assert wilson_interval(0, 20).low == 0.0
    assert 0.1 < wilson_interval(0, 20).high < 0.2


def test_bootstrap_agrees_with_the_normal_interval_and_is_seeded():
    values = np.random.default_rng(0).normal(5.0, 2.0, 400)
    interval = bootstrap_interval(values)
    half = 1.96 * values.std() / 20  # sqrt(400)
    assert interval.low == pytest.approx(values.mean() - half, abs=0.03)
    assert interval.high == pytest.approx(values.mean() + half, abs=0.03)
    assert bootstrap_interval(values) == interval
    assert bootstrap_interval(values, seed=1) != interval
    assert mean_interval([1.0, 0.0, 1.0]) == wilson_interval(2, 3)


def test_levels_by_hand():
    # Without bias and lean: the plain percentiles.
    symmetric = np.array([-1.0, 0.0, 1.0])
    assert intervals._levels(symmetric, 0.0, symmetric, 0.95) == pytest.approx([0.025, 0.975])
    # 84.13447% of the means below the sample's: bias 1; levels Phi(1 + 1 - 1.959964) = Phi(.040036) and
    # Phi(1 + 1 + 1.959964) = Phi(3.959964)
    means = np.repeat([-1.0, 1.0], [8413447, 1586553])
    assert intervals._levels(means, 0.0, symmetric, 0.95) == pytest.approx([0.515968, 0.9999625], abs=1e-6)
    # Without one group each: 0 0 3, mean 1; lean 1 1 -2; acceleration (1 + 1 - 8) / (6 * 6^1.5) = -.0680414
    # low: -1.959964 / (1 - .0680414 * 1.959964) = -2.261564; high: 1.959964 / 1.133358 = 1.729342
    levels = intervals._levels(symmetric, 0.0, np.array([0.0, 0.0, 3.0]), 0.95)
    assert levels == pytest.approx([stats.norm.cdf(-2.261564), stats.norm.cdf(1.729342)], abs=1e-6)


def test_episodes_that_repeat_their_group_say_no_more_than_it():
    values = np.random.default_rng(0).exponential(1.0, 30)
    groups = np.repeat(np.arange(30), 7)
    assert bootstrap_interval(np.repeat(values, 7), groups=groups) == pytest.approx(
        bootstrap_interval(values), abs=1e-12
    )
    # Names of groups do not matter, and single episodes as groups are no groups.
    assert bootstrap_interval(np.repeat(values, 7), groups=5 * groups + 3) == bootstrap_interval(
        np.repeat(values, 7), groups=groups
    )
    assert bootstrap_interval(values, groups=np.arange(30)) == bootstrap_interval(values)


@pytest.mark.parametrize("sizes", [np.full(60, 8), np.random.default_rng(3).integers(1, 20, 60)])
def test_groups_agree_with_scipy(sizes):
    rng = np.random.default_rng(1)
    groups = np.repeat(np.arange(60), sizes)
    values = (rng.random(groups.size) < np.repeat(rng.beta(6, 1, 60), sizes)).astype(float)
    ours = bootstrap_interval(values, groups=groups)
    sums = np.bincount(groups, weights=values)
    theirs = stats.bootstrap(
        (sums, sizes), lambda s, n, axis: s.sum(axis) / n.sum(axis), paired=True, n_resamples=10_000,
        method="BCa", rng=np.random.default_rng(0),
    ).confidence_interval  # fmt: skip
    assert ours.mean == values.mean()
    # Ends of two sets of 10,000 resamples differ by some 2% of the width.
    assert (ours.low, ours.high) == pytest.approx(theirs, abs=0.05 * (ours.high - ours.low))


def test_intervals_over_houses_cover_the_truth_and_those_over_episodes_do_not():
    covered, alone = 0, 0
    for seed in range(300):
        values, groups = clustered(seed)
        over_groups = bootstrap_interval(values, groups=groups, resamples=1000)
        over_episodes = bootstrap_interval(values, resamples=1000)
        covered += over_groups.low <= 0 <= over_groups.high
        alone += over_episodes.low <= 0 <= over_episodes.high
    # 95% of 300 is 285, its deviation sqrt(300 * .95 * .05) = 3.8; variance of a mean of 5 with half of it in
    # common: (1 + 1/5) / (2/5) = 3 times too small, so Phi(1.96 / sqrt 3) - ... = 74% of 300 = 223
    assert 270 <= covered <= 297
    assert 195 <= alone <= 250


def test_values_that_do_not_differ_have_no_width():
    assert bootstrap_interval(np.full(50, 0.1)) == pytest.approx((0.1, 0.1, 0.1))
    assert bootstrap_interval([3.0]) == (3.0, 3.0, 3.0)
    assert bootstrap_interval([1.0, 2.0], groups=np.zeros(2, int)) == (1.5, 1.5, 1.5)


def test_all_successes_are_as_sure_as_the_number_of_houses():
    groups = np.repeat(np.arange(20), 10)
    assert mean_interval(np.ones(200), groups=groups) == wilson_interval(20, 20)
    assert mean_interval(np.zeros(200), groups=groups) == wilson_interval(0, 20)
    values = np.ones(200)
    values[:3] = 0
    assert mean_interval(values, groups=groups) == bootstrap_interval(values, groups=groups)


def test_paired_differences_are_narrower_than_what_they_are_made_of():
    hard, groups = clustered(0)
    better = hard + np.random.default_rng(9).normal(0.1, 0.05, hard.size)
    difference = paired_interval(better, hard, groups=groups)
    assert difference == bootstrap_interval(better - hard, groups=groups)
    assert 0.08 < difference.low < difference.mean < difference.high < 0.12
    assert bootstrap_interval(better, groups=groups).low < bootstrap_interval(hard, groups=groups).high
    # (1 - 0 + 0 - 1 + 1 - 0) / 3
    assert paired_interval([1, 0, 1], [0, 1, 0]).mean == pytest.approx(1 / 3)


def test_groups_need_ten_names():
    names = [f"house/{number}" for number in (3, 3, 1, 4)]
    assert group_labels(names) is None
    ten = [f"house/{number}" for number in range(10)]
    labels = group_labels([*ten, *reversed(ten)])
    assert labels is not None
    assert labels.tolist() == [*range(10), *reversed(range(10))]


def test_resamples_are_whole_in_blocks_too(monkeypatch):
    monkeypatch.setattr(intervals, "_BLOCK", 70)
    blocks = list(intervals._draws(10, 25, seed=0))
    assert [len(block) for block in blocks] == [7, 7, 7, 4]
    assert (np.concatenate(blocks).sum(axis=1) == 10).all()
    assert not np.array_equal(blocks[0], blocks[1])


def test_interval_is_a_plain_tuple():
    assert Interval(1.0, 0.5, 2.0)._asdict() == {"mean": 1.0, "low": 0.5, "high": 2.0}
