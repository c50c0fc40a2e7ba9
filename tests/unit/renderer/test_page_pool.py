"""Pages are handed out once, come back, and never fragment."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from batchnav_renderer import CapacityError
from batchnav_renderer.gl.pages import PagePool


def test_pages_by_hand():
    pool = PagePool(100, "things")
    first, second = pool.allocate(3), pool.allocate(2)
    assert (first.tolist(), second.tolist()) == ([0, 1, 2], [3, 4])
    assert (pool.capacity, pool.used) == (5, 5)
    pool.release(first)
    assert pool.used == 2
    assert pool.allocate(2).tolist() == [0, 1]
    # Page 2 is free and 4 are needed: 4 in use and 4 more make 8, above a quarter more than 5.
    assert pool.allocate(4).tolist() == [2, 5, 6, 7]
    assert pool.capacity == 8
    with pytest.raises(CapacityError, match="things: 101 are needed and 100 can be held"):
        pool.allocate(93)
    assert pool.used == 8
    assert len(pool.allocate(92)) == 92
    assert pool.allocate(0).tolist() == []


def test_growth_is_a_quarter_at_least_and_stays_below_the_limit():
    pool = PagePool(130, "things")
    pool.allocate(100)
    pool.allocate(1)
    assert pool.capacity == 125
    pool.allocate(25)
    assert pool.capacity == 130


@given(st.lists(st.tuples(st.booleans(), st.integers(1, 9)), max_size=60))
def test_pages_are_never_shared_and_the_capacity_follows_the_most_held(steps):
    pool, held, most = PagePool(10_000, "things"), [], 0
    for release, size in steps:
        if release and held:
            pool.release(held.pop(size % len(held)))
        else:
            held.append(pool.allocate(size))
        pages = np.concatenate([np.zeros(0, np.int64), *held])
        assert len(np.unique(pages)) == len(pages) == pool.used
        most = max(most, len(pages))
        assert pool.capacity <= most + most // 4
        assert not len(pages) or pages.max() < pool.capacity
