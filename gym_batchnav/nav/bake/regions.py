"""Basins to regions: patches that are too small go, small regions join their smallest neighbour.

Source: behaviour of Recast Navigation, mergeAndFilterRegions.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from gym_batchnav.nav.agent import AgentSettings
from gym_batchnav.nav.bake.rings import trace_rings
from gym_batchnav.nav.bake.surface import Surface
from gym_batchnav.nav.bake.watershed import basins

_MANY = 0x0FFFFFFF


@dataclass(slots=True)
class _Region:
    size: int
    """Spans; 0 once it is gone or has joined another."""
    around: list[int]
    """Regions met on a walk around its rim, 0 for none; no two alike in a row."""
    stacked: set[int] = field(default_factory=set)
    """Regions over or under it."""
    overlaps: bool = False
    """Lies over itself."""


def make_regions(surface: Surface, settings: AgentSettings) -> NDArray[np.int32]:
    """(N,) region of each open span, from 1 without gaps; 0 where there is none."""
    basin, number = basins(surface)
    regions = _describe(surface, basin, number)
    _drop_small(regions, int(settings.region_min_size**2))
    target = _merge_small(regions, int(settings.region_merge_size**2))
    # Numbered in the order in which their first basins come, as Recast does.
    numbers: dict[int, int] = {}
    final = [numbers.setdefault(t, len(numbers) + 1) if regions[t].size > 0 else 0 for t in target.tolist()]
    return np.array(final, np.int32)[basin]


def _describe(surface: Surface, basin: NDArray[np.int32], number: int) -> list[_Region]:
    rings = trace_rings(surface, basin)
    sizes = np.bincount(basin, minlength=number)
    sizes[0] = 0
    regions = [_Region(int(size), []) for size in sizes]
    owners = basin[rings.span[rings.starts[:-1]]]
    for owner, ring in zip(*np.unique(owners, return_index=True), strict=True):
        beyond = rings.beyond[rings.starts[ring] : rings.starts[ring + 1]]
        # Walks begin in the middle of a neighbour as a rule: the first may come again at the end.
        regions[owner].around = _without_repeats(beyond[np.append(True, beyond[1:] != beyond[:-1])].tolist())
    for low, high in _stacks(surface, basin):
        if low == high:
            regions[low].overlaps = True
        else:
            regions[low].stacked.add(high)
            regions[high].stacked.add(low)
    return regions


def _stacks(surface: Surface, basin: NDArray[np.int32]) -> list[tuple[int, int]]:
    """Pairs of regions that share a column."""
    counts = np.diff(surface.columns)
    pairs: set[tuple[int, int]] = set()
    for apart in range(1, int(counts.max(initial=0))):
        column = np.flatnonzero(counts > apart)
        for offset in range(int(counts[column].max()) - apart):
            first = surface.columns[column[counts[column] > apart + offset]] + offset
            both = np.stack([basin[first], basin[first + apart]], axis=1)
            both = np.sort(both[(both > 0).all(axis=1)], axis=1)
            pairs.update(map(tuple, np.unique(both, axis=0).tolist()))
    return sorted(pairs)


def _without_repeats(around: list[int]) -> list[int]:
    """Drops equal neighbours of a closed list; one entry is left at least."""
    k = 0
    while k < len(around) and len(around) > 1:
        if around[k] == around[(k + 1) % len(around)]:
            del around[k]
        else:
            k += 1
    return around


def _drop_small(regions: list[_Region], least: int) -> None:
    """Regions that hang together go if they have fewer spans than `least` in all."""
    seen = [region.size == 0 for region in regions]
    for first in range(1, len(regions)):
        if seen[first]:
            continue
        seen[first] = True
        patch = [first]
        for member in patch:
            for other in regions[member].around:
                if not seen[other]:
                    seen[other] = True
                    patch.append(other)
        if sum(regions[member].size for member in patch) < least:
            for member in patch:
                regions[member].size = 0


def _merge_small(regions: list[_Region], largest: int) -> NDArray[np.int64]:
    """Joins regions up to `largest` spans, and such as touch no rim, to a neighbour; where each one went."""
    target = np.arange(len(regions))
    merged = True
    while merged:
        merged = False
        for number, region in enumerate(regions):
            if region.size == 0 or region.overlaps or (region.size > largest and 0 in region.around):
                continue
            other = _smallest_neighbour(regions, number)
            if other is not None and _join(regions, other, number):
                target[target == number] = other
                merged = True
    return target


def _smallest_neighbour(regions: list[_Region], number: int) -> int | None:
    best, least = None, _MANY
    for other in regions[number].around:
        candidate = regions[other]
        if other == 0 or candidate.size == 0 or candidate.overlaps or candidate.size >= least:
            continue
        if _may_join(regions[number], other) and _may_join(candidate, number):
            best, least = other, candidate.size
    return best


def _may_join(region: _Region, other: int) -> bool:
    """They share one stretch of rim and nowhere lie over each other."""
    return region.around.count(other) <= 1 and other not in region.stacked


def _join(regions: list[_Region], kept: int, gone: int) -> bool:
    a, b = regions[kept], regions[gone]
    if gone not in a.around or kept not in b.around:
        return False
    at_a, at_b = a.around.index(gone), b.around.index(kept)
    a.around = _without_repeats(
        a.around[at_a + 1 :] + a.around[:at_a] + b.around[at_b + 1 :] + b.around[:at_b]
    )
    a.stacked |= b.stacked
    a.size += b.size
    regions[gone] = _Region(0, [])
    for region in regions:
        if region.size == 0:
            continue
        if gone in region.around:
            region.around = _without_repeats([kept if other == gone else other for other in region.around])
        if gone in region.stacked:
            region.stacked = region.stacked - {gone} | {kept}
    return True
