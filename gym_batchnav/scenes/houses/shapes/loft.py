"""Shells over a rounded rectangle: tubs, basins, bowls of toilets, crates, baskets."""

from __future__ import annotations

import itertools
from functools import lru_cache

import numpy as np

from .lathe import Profile, tilts
from .shape import UNIT, Ints, Shape, join, lengths, surface
from .solids import lid, round_rect


@lru_cache(maxsize=256)
def loft(
    width: int, depth: int, radius: int, profile: Profile, steps: int = 2, *, closed: bool = True
) -> Shape:
    """A shell whose level sections are rounded rectangles.

    Args:
        width: along x, where the inset is 0.
        depth: along z.
        radius: of the upright edges; half of the smaller extent makes it round.
        profile: (inset, y) along the outside from below upwards, on over a rim down inside a tub.
        steps: quads around each upright edge.
        closed: whether a flat face closes the last ring (the lid of a block, the floor of a tub).
    """
    ends = tilts(tuple((-inset, y) for inset, y in profile))
    parts = []
    for number, (below, above) in enumerate(itertools.pairwise(profile)):
        rows = []
        for (inset, y), tilt in zip((below, above), ends[number], strict=True):
            plan, out = round_rect(width - 2 * inset, depth - 2 * inset, max(radius - inset, 4), steps)
            rows.append((np.insert(plan, 1, y, axis=1), np.insert(out * tilt[0] // UNIT, 1, tilt[1], axis=1)))
        points, normals = (np.stack(array) for array in zip(*rows, strict=True))
        parts.append(surface(points, _texture(points), normals))
    if closed:
        parts.append(lid(rows[1][0], 1))
    return join(*parts)


def _texture(points: Ints) -> Ints:
    """(2, C, 2) coordinates around and up."""
    around = np.broadcast_to(lengths(points, 1)[:1], points.shape[:2])
    return np.stack([around, -points[..., 1]], axis=2)
