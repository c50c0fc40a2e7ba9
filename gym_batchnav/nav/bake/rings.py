"""Walks around the rims of regions."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gym_batchnav.nav._jit import Whole, kernel
from gym_batchnav.nav.bake.surface import Surface


class Rings(NamedTuple):
    """Closed walks along the sides where a region ends, outer rims and rims of holes, as the spans come."""

    span: NDArray[np.int32]
    """(E,) span of each step."""
    side: NDArray[np.int32]
    """(E,) its side that is walked along."""
    beyond: NDArray[np.int32]
    """(E,) region on the other side, 0 for none."""
    starts: NDArray[np.int64]
    """(R + 1,) first step of each ring."""


def trace_rings(surface: Surface, region: NDArray[np.int32]) -> Rings:
    """Follows every side between a region and something else once."""
    beyond = np.where(surface.links >= 0, region[surface.links], 0)
    rim = (beyond != region[:, None]) & (region > 0)[:, None]
    total = int(rim.sum())
    steps = np.empty((2, total), np.int32)
    starts = np.zeros(total + 1, np.int64)
    count = _trace(surface, rim, steps[0], steps[1], starts)
    return Rings(steps[0], steps[1], beyond[steps[0], steps[1]], starts[: count + 1])


@kernel
def _trace(
    s: Surface,
    rim: NDArray[np.bool_],
    spans: NDArray[np.int32],
    sides: NDArray[np.int32],
    starts: NDArray[np.int64],
) -> Whole:
    """Keeps the rim to one hand: around a corner where it goes on, on to the next span where not."""
    count, step = 0, 0
    for first in range(len(s.floor)):
        for first_side in range(4):
            if not rim[first, first_side]:
                continue
            span, side = first, first_side
            while True:
                if rim[span, side]:
                    rim[span, side] = False
                    spans[step], sides[step] = span, side
                    step += 1
                    side = (side + 1) & 3
                else:
                    span = s.links[span, side]
                    side = (side + 3) & 3
                if span == first and side == first_side:
                    break
            count += 1
            starts[count] = step
    return count
