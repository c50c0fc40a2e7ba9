"""Rims of regions as outlines with few vertices.

Where two regions meet, both sides get the same vertices: ends of the common stretch stay, and a stretch is
simplified in an order that depends on its ends alone.
Source: behaviour of Recast Navigation, rcBuildContours; Douglas and Peucker 1973.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gym_batchnav.nav.agent import AgentSettings
from gym_batchnav.nav.bake.plane import doubled_area
from gym_batchnav.nav.bake.rings import Rings, trace_rings
from gym_batchnav.nav.bake.surface import Surface

_Split = Callable[[int, int], int | None]

_HOLE_AREA = -2
"""Rings with less than this doubled area, in cells, run the other way round: they are holes."""


class Contour(NamedTuple):
    """A closed outline of one region."""

    points: NDArray[np.int64]
    """(n, 3) x and z in cells, y in voxels."""
    region: int
    """From 1."""

    @property
    def is_hole(self) -> bool:
        """Whether it surrounds a hole."""
        return doubled_area(self.points[:, ::2]) < _HOLE_AREA


def make_contours(surface: Surface, region: NDArray[np.int32], settings: AgentSettings) -> list[Contour]:
    """The simplified rims of all regions, holes included, in the order of their first spans."""
    rings = trace_rings(surface, region)
    corners = _corners(surface, rings)
    contours = []
    for start, end in zip(rings.starts[:-1].tolist(), rings.starts[1:].tolist(), strict=True):
        if end - start == 4 and (rings.span[start:end] == rings.span[start]).all():
            continue
        chosen = _simplify(corners[start:end], rings.beyond[start:end], settings)
        points = _without_repeats(corners[start:end][chosen])
        if len(points) >= 3:
            contours.append(Contour(points, int(region[rings.span[start]])))
    return contours


def _corners(surface: Surface, rings: Rings) -> NDArray[np.int64]:
    """(E, 3) the corner at the end of each step, as high as the highest of the up to four spans around it."""
    span, side = rings.span, rings.side
    turned = (side + 1) & 3
    height = surface.floor[span]
    for one, two in ((side, turned), (turned, side)):
        near = surface.links[span, one]
        far = np.where(near >= 0, surface.links[near, two], -1)
        for other in (near, far):
            height = np.maximum(height, np.where(other >= 0, surface.floor[other], 0))
    x = surface.cell[span, 0] + ((side == 1) | (side == 2))
    z = surface.cell[span, 1] + ((side == 0) | (side == 1))
    return np.stack([x, height, z], axis=1).astype(np.int64)


def _simplify(points: NDArray[np.int64], beyond: NDArray[np.int32], settings: AgentSettings) -> list[int]:
    """Indices of the points that are kept, in order."""
    count = len(points)
    xz = points[:, ::2]
    fixed = np.flatnonzero(beyond != np.roll(beyond, -1)).tolist()
    if not fixed:
        order = np.lexsort((xz[:, 1], xz[:, 0]))
        lowest, highest = order[0], order[(xz[order] == xz[order[-1]]).all(axis=1).argmax()]
        fixed = [int(lowest), int(highest)]
    limit, longest = float(np.float32(settings.edge_max_error) ** 2), settings.edge_cells**2
    result: list[int] = []
    for a, b in zip(fixed, fixed[1:] + fixed[:1], strict=True):
        stretch = [a, b]
        if beyond[(a + 1) % count] == 0:
            stretch = _refine(stretch, lambda p, q: _farthest(xz, p, q, limit))
            if longest > 0:
                stretch = _refine(stretch, lambda p, q: _middle(xz, p, q, longest))
        result += stretch[:-1]
    return result


def _refine(stretch: list[int], split: _Split) -> list[int]:
    """Puts points between those of a stretch for as long as `split` names one."""
    waiting = stretch[::-1]
    done = [waiting.pop()]
    while waiting:
        between = split(done[-1], waiting[-1])
        if between is None:
            done.append(waiting.pop())
        else:
            waiting.append(between)
    return done


def _forward(xz: NDArray[np.int64], a: int, b: int) -> bool:
    return bool(tuple(xz[b]) > tuple(xz[a]))


def _farthest(xz: NDArray[np.int64], a: int, b: int, limit: float) -> int | None:
    """The point from a to b that strays farthest from the segment ab, if by more than the root of `limit`."""
    count = len(xz)
    index = np.arange(a + 1, b if b > a else b + count) % count
    if len(index) == 0:
        return None
    if not _forward(xz, a, b):
        a, b, index = b, a, index[::-1]
    start = xz[a].astype(np.float32)
    along = (xz[b] - xz[a]).astype(np.float32)
    offset = (xz[index] - xz[a]).astype(np.float32)
    share = offset[:, 0] * along[0] + offset[:, 1] * along[1]
    length = along[0] * along[0] + along[1] * along[1]
    share = np.clip(share / length if length > 0 else share, np.float32(0), np.float32(1))
    gap = start + share[:, None] * along - xz[index].astype(np.float32)
    distance = gap[:, 0] * gap[:, 0] + gap[:, 1] * gap[:, 1]
    worst = int(distance.argmax())
    return int(index[worst]) if distance[worst] > limit else None


def _middle(xz: NDArray[np.int64], a: int, b: int, longest: int) -> int | None:
    """The point half way from a to b along the rim, if the squared length of ab is over `longest`."""
    count = len(xz)
    steps = (b - a) % count
    if steps <= 1 or ((xz[b] - xz[a]) ** 2).sum() <= longest:
        return None
    return (a + (steps if _forward(xz, a, b) else steps + 1) // 2) % count


def _without_repeats(points: NDArray[np.int64]) -> NDArray[np.int64]:
    """Drops points over which the next one lies."""
    same = (points[:, ::2] == np.roll(points, -1, axis=0)[:, ::2]).all(axis=1)
    kept: NDArray[np.int64] = points[~same]
    return kept
