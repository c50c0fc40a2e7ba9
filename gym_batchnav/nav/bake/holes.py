"""Joins the rims of holes to the outline of their region, by cuts that run there and back.

Source: behaviour of Recast Navigation, mergeRegionHoles.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gym_batchnav.nav.bake.contours import Contour
from gym_batchnav.nav.bake.plane import blocked, in_cone


def join_holes(contours: list[Contour]) -> list[Contour]:
    """One outline for each region that has one; a hole to which no free cut leads is left out."""
    outlines: dict[int, int] = {}
    holes: dict[int, list[NDArray[np.int64]]] = {}
    for k, contour in enumerate(contours):
        if contour.is_hole:
            holes.setdefault(contour.region, []).append(contour.points)
        else:
            outlines[contour.region] = k
    result = []
    for k, contour in enumerate(contours):
        if contour.is_hole:
            continue
        points = contour.points
        if outlines[contour.region] == k and contour.region in holes:
            points = _with_holes(points, holes[contour.region])
        result.append(Contour(points, contour.region))
    return result


def _with_holes(outline: NDArray[np.int64], holes: list[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Joins holes from the lowest x on, so that each cut to the outline passes the others' left ends."""
    waiting = sorted(holes, key=lambda ring: tuple(ring[_leftmost(ring), ::2]))
    while waiting:
        cut = _find_cut(outline, waiting)
        hole = waiting.pop(0)
        if cut is not None:
            at_outline, at_hole = cut
            around = np.roll(outline, -at_outline, axis=0)
            inside = np.roll(hole, -at_hole, axis=0)
            outline = np.concatenate([around, around[:1], inside, inside[:1]])
    return outline


def _leftmost(ring: NDArray[np.int64]) -> int:
    return int(np.lexsort((ring[:, 2], ring[:, 0]))[0])


def _find_cut(outline: NDArray[np.int64], holes: list[NDArray[np.int64]]) -> tuple[int, int] | None:
    """The shortest free cut from the left end of the first hole, else from its other vertices in turn."""
    rim, first = outline[:, ::2], holes[0][:, ::2]
    start = _leftmost(holes[0])
    for step in range(len(first)):
        at_hole = (start + step) % len(first)
        corner = first[at_hole]
        open_to = in_cone(np.roll(rim, 1, axis=0), rim, np.roll(rim, -1, axis=0), corner)
        distance = ((rim - corner) ** 2).sum(axis=1)
        for at_outline in sorted(np.flatnonzero(open_to).tolist(), key=lambda k: int(distance[k])):
            end = rim[at_outline]
            if not blocked(end, corner, rim) and not any(
                blocked(end, corner, ring[:, ::2]) for ring in holes
            ):
                return at_outline, at_hole
    return None
