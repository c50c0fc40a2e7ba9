"""What the walkable ground consists of: islands and storeys."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gym_batchnav.nav.navmesh import NavMesh

STOREY_GAP = 2.0
"""Least height between two storeys, metres."""
STOREY_AREA = 4.0
"""Ground that a storey has at least within `STOREY_BAND`, m2: more than stairs have on the way up."""
STOREY_SHARE = 0.05
"""Part of all ground that a storey has at least: more than ramps and hillsides have on the way up."""
STOREY_BAND = 0.5
"""Metres over and under a storey's height within which its ground is counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Island:
    """Ground that hangs together."""

    area_m2: float
    radius: float
    """As `NavMesh.island_radius`, metres."""
    height: float
    """Mean height of its ground, metres."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Storey:
    """A level on which much ground lies."""

    height: float
    """Of its floor, metres: the median height of the ground within `STOREY_BAND` of the level."""
    area_m2: float
    """All ground from this floor up to the next one, stairs and table tops included."""
    largest_island_share: float
    """Part of that ground that belongs to the largest island of the whole mesh."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Survey:
    """The walkable ground of a mesh, triangle by triangle."""

    triangles: NDArray[np.float32]
    """(T, 3, 3) corners of the walkable triangles, metres."""
    areas: NDArray[np.float64]
    """(T,) m2, in 3-D."""
    triangle_island: NDArray[np.int32]
    """(T,) index into `islands`."""
    triangle_storey: NDArray[np.int32]
    """(T,) index into `storeys`."""
    rims: NDArray[np.float32]
    """(E, 2, 3) ends of the edges at which the ground ends, metres."""
    rim_island: NDArray[np.int32]
    """(E,) index into `islands`."""
    rim_storey: NDArray[np.int32]
    """(E,) index into `storeys`."""
    islands: tuple[Island, ...]
    """From the largest on."""
    storeys: tuple[Storey, ...]
    """From the lowest on; one at least."""

    @property
    def area_m2(self) -> float:
        """Walkable area, m2."""
        return float(self.areas.sum())


def survey(mesh: NavMesh) -> Survey:
    """Looks at all walkable ground of a mesh.

    A storey is a height with at least 4 m2 and 5% of the ground within half a metre; the one with the most
    ground is taken first, and others must be 2 m away from those taken. Where there is so little ground
    everywhere, the height with the most ground is the only storey. Ground belongs to the highest storey
    whose floor is not more than half a metre over it.
    """
    triangles, owner = _walkable_triangles(mesh)
    corners = triangles.astype(np.float64)
    areas = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1) / 2
    heights = corners[:, :, 1].mean(axis=1)
    order = np.argsort(-np.bincount(owner, areas, mesh.num_islands), kind="stable")
    rank = np.argsort(order)
    island = rank[owner].astype(np.int32)
    floors = storey_heights(heights, areas)
    storey = _storey_of(heights, floors)
    rims, rim_owner = _rims(mesh)
    return Survey(
        triangles=triangles,
        areas=areas,
        triangle_island=island,
        triangle_storey=storey,
        rims=rims,
        rim_island=rank[rim_owner].astype(np.int32),
        rim_storey=_storey_of(rims[:, :, 1].mean(axis=1), floors),
        islands=tuple(_island(mesh, corners, areas, island == number) for number in range(len(order))),
        storeys=tuple(
            _storey(float(floor), areas[storey == number], island[storey == number])
            for number, floor in enumerate(floors)
        ),
    )


def storey_heights(heights: NDArray[np.float64], areas: NDArray[np.float64]) -> NDArray[np.float64]:
    """Heights of storeys, rising, of ground given as pieces.

    Args:
        heights: (T,) metres.
        areas: (T,) m2.
    """
    order = np.argsort(heights, kind="stable")
    level, sums = heights[order], np.concatenate([[0.0], np.cumsum(areas[order])])
    low = np.searchsorted(level, level - STOREY_BAND, side="left")
    high = np.searchsorted(level, level + STOREY_BAND, side="right")
    near = sums[high] - sums[low]
    free = np.ones(len(level), np.bool_)
    floors: list[float] = []
    while free.any():
        best = int(np.argmax(np.where(free, near, -1.0)))
        if floors and near[best] < max(STOREY_AREA, STOREY_SHARE * sums[-1]):
            break
        within = slice(low[best], high[best])
        half = np.searchsorted(sums[within.start + 1 : within.stop + 1], sums[low[best]] + near[best] / 2)
        floors.append(float(level[within][min(int(half), within.stop - within.start - 1)]))
        free &= (np.abs(level - level[best]) >= STOREY_GAP) & (np.abs(level - floors[-1]) >= STOREY_GAP)
    return np.array(sorted(floors))


def _walkable_triangles(mesh: NavMesh) -> tuple[NDArray[np.float32], NDArray[np.int32]]:
    """(T, 3, 3) corners and (T,) islands as the mesh counts them."""
    ground = mesh._ground
    owner = np.repeat(ground.poly_island, np.diff(ground.detail_start))
    chosen = owner >= 0
    return ground.detail_tri[chosen], owner[chosen]


def _rims(mesh: NavMesh) -> tuple[NDArray[np.float32], NDArray[np.int32]]:
    """(E, 2, 3) edges of walkable polygons without a neighbour, and (E,) islands as the mesh counts them."""
    ground = mesh._ground
    places = np.arange(ground.poly_verts.shape[1])
    is_edge = places < ground.poly_count[:, None]
    polygon, edge = np.nonzero(is_edge & (ground.poly_next < 0) & (ground.poly_island >= 0)[:, None])
    after = (edge + 1) % ground.poly_count[polygon]
    ends = np.stack([ground.poly_verts[polygon, edge], ground.poly_verts[polygon, after]], axis=1)
    return ground.verts[ends], ground.poly_island[polygon]


def _storey_of(heights: NDArray[np.floating], floors: NDArray[np.float64]) -> NDArray[np.int32]:
    """(n,) the highest floor that is not more than `STOREY_BAND` over each height, else the lowest one."""
    return np.maximum(np.searchsorted(floors - STOREY_BAND, heights, side="right") - 1, 0).astype(np.int32)


def _island(
    mesh: NavMesh, corners: NDArray[np.float64], areas: NDArray[np.float64], chosen: NDArray[np.bool_]
) -> Island:
    middles = corners[chosen].mean(axis=1)
    weights, largest = areas[chosen], int(np.argmax(areas[chosen]))
    return Island(
        area_m2=float(weights.sum()),
        radius=float(mesh.island_radius(middles[largest : largest + 1])[0]),
        height=float(np.average(middles[:, 1], weights=weights)),
    )


def _storey(floor: float, areas: NDArray[np.float64], island: NDArray[np.int32]) -> Storey:
    total = float(areas.sum())
    share = float(areas[island == 0].sum()) / total if total else 0.0
    return Storey(height=floor, area_m2=total, largest_island_share=share)
