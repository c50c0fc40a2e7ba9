"""Cuts the open surface into regions, as water that rises from the spots farthest from the rim would.

The level sinks by two half cells at a time. At each level the basins so far first grow into what the level
has uncovered; spans that none of them reaches start basins of their own.
Source: Vincent and Soille 1991, Watersheds in digital spaces; behaviour of Recast Navigation, rcBuildRegions.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gym_batchnav.nav._jit import Flag, Real, Whole, kernel
from gym_batchnav.nav.bake.surface import Surface, rim_distance, smooth_distance

_ROUNDS = 8
"""Cells by which a basin grows at each level."""
_SORTED = 8
"""Levels for which spans are sorted at a time."""
_FAR = 0x7FFFFFFF


def basins(surface: Surface) -> tuple[NDArray[np.int32], int]:
    """(N,) basin of each open span, from 1 (0: none), and the number of basins plus 1."""
    rough = rim_distance(surface)
    distance = smooth_distance(surface, rough)
    count = len(surface.floor)
    region = np.zeros(count, np.int32)
    scratch = np.empty((5, count), np.int32)
    level = (int(rough.max(initial=-1)) + 1) & ~1
    return region, int(_watershed(surface, distance, level, region, scratch, np.zeros(_SORTED + 1, np.int64)))


@kernel
def _watershed(
    s: Surface,
    distance: NDArray[np.int32],
    level: Whole,
    region: NDArray[np.int32],
    scratch: NDArray[np.int32],
    starts: NDArray[np.int64],
) -> Whole:
    count = len(s.floor)
    age, order, waiting, spare, other = scratch[0], scratch[1], scratch[2], scratch[3], scratch[4]
    number, left, bucket = 1, 0, 0
    while level > 0:
        level -= 2
        if bucket == 0:
            _sort(s, distance, region, level, order, starts)
            left = 0
        fresh = starts[bucket + 1] - starts[bucket]
        # What the level has uncovered comes first, then what is left from the levels above.
        rest = _unclaimed(waiting, left, region, spare)
        for k in range(fresh):
            waiting[k] = order[starts[bucket] + k]
        for k in range(rest):
            waiting[fresh + k] = spare[k]
        left = _unclaimed(waiting, fresh + rest, region, waiting)
        left = _grow(s, region, age, waiting, left, _ROUNDS if level > 0 else _FAR, spare, other)
        for k in range(left):
            seed = waiting[k]
            if region[seed] == 0 and _flood(s, distance, region, age, seed, level, number, spare):
                number += 1
        bucket = (bucket + 1) % _SORTED
    left = 0
    for span in range(count):
        if s.open[span] and region[span] == 0:
            waiting[left] = span
            left += 1
    _grow(s, region, age, waiting, left, _FAR, spare, other)
    return number


@kernel
def _sort(
    s: Surface,
    distance: NDArray[np.int32],
    region: NDArray[np.int32],
    level: Whole,
    order: NDArray[np.int32],
    starts: NDArray[np.int64],
) -> None:
    """Sorts unclaimed spans into the buckets of the next levels; the first one takes all that lie higher."""
    for k in range(_SORTED + 1):
        starts[k] = 0
    for fill in range(2):
        if fill == 1:
            # From sizes to places: entry k + 1 holds where bucket k begins, and is moved to its end.
            for k in range(_SORTED):
                starts[k + 1] += starts[k]
            for k in range(_SORTED, 0, -1):
                starts[k] = starts[k - 1]
        for span in range(len(region)):
            if not s.open[span] or region[span] != 0:
                continue
            bucket = max((level >> 1) - (distance[span] >> 1), 0)
            if bucket < _SORTED:
                if fill == 1:
                    order[starts[bucket + 1]] = span
                starts[bucket + 1] += 1


@kernel
def _unclaimed(
    spans: NDArray[np.int32], count: Whole, region: NDArray[np.int32], kept: NDArray[np.int32]
) -> Whole:
    """Copies the spans without a region, in order; returns how many."""
    n = 0
    for k in range(count):
        if region[spans[k]] == 0:
            kept[n] = spans[k]
            n += 1
    return n


@kernel
def _grow(
    s: Surface, region: Real, age: Real, waiting: Real, count: Whole, rounds: Whole, claim: Real, when: Real
) -> Whole:
    """Lets regions claim waiting spans beside them, all at once in each round; returns how many are left."""
    while count > 0 and rounds > 0:
        rounds -= 1
        for k in range(count):
            span = waiting[k]
            claim[k], when[k] = 0, _FAR
            for side in range(4):
                other = s.links[span, side]
                if other >= 0 and region[other] > 0 and s.open[other] and age[other] + 2 < when[k]:
                    claim[k], when[k] = region[other], age[other] + 2
        kept = 0
        for k in range(count):
            if claim[k] > 0:
                region[waiting[k]], age[waiting[k]] = claim[k], when[k]
            else:
                waiting[kept] = waiting[k]
                kept += 1
        if kept == count:
            break
        count = kept
    return count


@kernel
def _flood(
    s: Surface, distance: Real, region: Real, age: Real, seed: Whole, level: Whole, number: Whole, stack: Real
) -> Flag:
    """Starts region `number` at a span; it keeps off spans that touch another region. Whether it has any."""
    lowest = level - 2 if level >= 2 else 0
    region[seed], age[seed], stack[0] = number, 0, seed
    top, size = 1, 0
    while top > 0:
        top -= 1
        span = stack[top]
        if _touches_other(s, region, span, number):
            region[span] = 0
            continue
        size += 1
        for side in range(4):
            other = s.links[span, side]
            if other >= 0 and s.open[other] and distance[other] >= lowest and region[other] == 0:
                region[other], age[other] = number, 0
                stack[top] = other
                top += 1
    return size > 0


@kernel
def _touches_other(s: Surface, region: Real, span: Whole, number: Whole) -> Flag:
    for side in range(4):
        other = s.links[span, side]
        if other < 0 or not s.open[other]:
            continue
        if region[other] != 0 and region[other] != number:
            return True
        corner = s.links[other, (side + 1) & 3]
        if corner >= 0 and s.open[corner] and region[corner] != 0 and region[corner] != number:
            return True
    return False
