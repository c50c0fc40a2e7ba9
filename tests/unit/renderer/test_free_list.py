"""The range allocator against a slow oracle."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from batchnav_renderer import CapacityError
from batchnav_renderer.gl.allocator import FreeList


def test_ranges_by_hand():
    where = FreeList(0, 100, "things")
    assert [where.allocate(size) for size in (10, 20, 5)] == [0, 10, 30]
    where.release(10, 20)
    assert where.allocate(8) == 10
    assert where.allocate(12) == 18
    assert where.used == 35
    with pytest.raises(CapacityError, match="things: 101 are needed and 100 can be held"):
        where.allocate(66)
    assert where.allocate(65) == 35
    assert where.allocate(0) == 0


def test_growth_doubles():
    where = FreeList(0, 1000, "things")
    where.allocate(10)
    assert where.capacity == 10
    where.allocate(1)
    assert where.capacity == 20
    where.allocate(100)
    assert where.capacity == 111


@given(st.lists(st.tuples(st.booleans(), st.integers(1, 9)), max_size=60))
def test_ranges_never_overlap_and_all_come_back(steps):
    where = FreeList(4, 10_000, "things")
    held: list[tuple[int, int]] = []
    for release, size in steps:
        if release and held:
            where.release(*held.pop(size % len(held)))
        else:
            offset = where.allocate(size)
            assert offset + size <= where.capacity
            assert all(offset + size <= other or other + length <= offset for other, length in held)
            held.append((offset, size))
        assert where.used == sum(length for _, length in held)
    for offset, size in held:
        where.release(offset, size)
    assert where._free == [(0, where.capacity)]


def test_equal_swaps_do_not_grow():
    where = FreeList(0, 10_000, "things")
    sizes = [7, 30, 11, 64, 5]
    held = [(where.allocate(size), size) for size in sizes]
    where.allocate(3)
    capacity = where.capacity
    for turn in range(500):
        where.release(*held.pop(turn % len(held)))
        size = sizes[len(held)] if turn % 2 else 5
        held.append((where.allocate(size), size))
    assert where.capacity <= 2 * capacity
