"""Where to look from: clear views with much to see, apart from each other."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from batchnav_renderer import SceneArrays
from batchnav_renderer.camera import world_from_camera

from ....nav.survey import Survey
from .views import FAR, Lens, draw

EYE_HEIGHT = 1.25
"""Of the cameras over the ground, metres; that of the environment."""
_EYES = np.array([0.0, EYE_HEIGHT, 0.0])
HFOV_DEG = 90.0
_SPOTS, _HEADINGS = 48, 12
_PROBE = Lens(width=40, height=30, hfov_deg=HFOV_DEG)
_CLOSE = 1.4
"""Surfaces nearer than this (metres) hide the room."""
_WIDE = 4.0
"""A median depth, metres, from which on a view is no better for being deeper."""
_APART = 0.3
"""Distance, in diagonals of the storey, within which a second view is worth less."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Viewpoint:
    """A place on the ground and where one looks."""

    ground: NDArray[np.float64]
    """(3,) metres."""
    heading: float
    """Radians; 0 looks along -z, positive turns left."""

    @property
    def pose(self) -> NDArray[np.float64]:
        """(4, 4) world_from_camera at eye level."""
        return world_from_camera(self.ground + _EYES, self.heading)


def choose_views(
    arrays: SceneArrays, ground: Survey, storey: int, count: int, generator: np.random.Generator
) -> list[Viewpoint]:
    """The best ``count`` of some hundred views from the walkable ground of a storey.

    A view is good where little is close, the middle of its depths is large, most of it shows something, and
    its colours and depths differ.

    Args:
        arrays: The scene.
        ground: Its walkable ground.
        storey: Which of the storeys.
        count: How many views are wanted.
        generator: Draws the places.
    """
    spots = _spots(ground, storey, generator)
    headings = np.arange(_HEADINGS) * (2 * np.pi / _HEADINGS)
    places, turns = np.repeat(spots, _HEADINGS, axis=0), np.tile(headings, len(spots))
    turns = turns + generator.uniform(0.0, 2 * np.pi / _HEADINGS, len(turns))
    drawn = draw(arrays, world_from_camera(places + _EYES, turns), _PROBE, smooth=False)
    worth = scores(drawn.rgb, drawn.depth)
    apart = _APART * float(np.linalg.norm(np.ptp(spots, axis=0))) + 1e-6
    chosen: list[int] = []
    for _ in range(min(count, len(worth))):
        best = int(np.argmax(worth))
        chosen.append(best)
        distance = np.linalg.norm(places - places[best], axis=1)
        turned = np.abs((turns - turns[best] + np.pi) % (2 * np.pi) - np.pi)
        worth = worth * np.clip(0.1 + distance / apart, 0.0, 1.0) * np.clip(0.4 + turned, 0.0, 1.0)
        worth[best] = -1.0
    return [Viewpoint(ground=places[index], heading=float(turns[index])) for index in chosen]


def scores(rgb: NDArray[np.uint8], depth: NDArray[np.float32]) -> NDArray[np.float64]:
    """How much there is to see in each of n views.

    Args:
        rgb: (n, h, w, 3).
        depth: (n, h, w) metres.

    Returns:
        (n,) 0 for a view of nothing or of a wall before the nose, up to 1.
    """
    flat = depth.reshape(len(depth), -1).astype(np.float64)
    seen = flat < FAR
    # Sky is nothing bad; a floor that is missing is.
    below = (depth[:, depth.shape[1] // 3 :] < FAR).mean(axis=(1, 2)) ** 3
    clear = (flat > _CLOSE).mean(axis=1) ** 2
    order, known = np.sort(np.where(seen, flat, np.inf), axis=1), seen.sum(axis=1)
    middle = np.where(known > 0, order[np.arange(len(flat)), np.maximum(known - 1, 0) // 2], 0.0)
    wide = np.clip(middle / _WIDE, 0.0, 1.0)
    colors = rgb.astype(np.float64)
    colorful = np.clip(colors.std(axis=(1, 2)).mean(axis=1) / 50.0, 0.0, 1.0)
    edges = np.abs(np.diff(colors, axis=2)).mean(axis=(1, 2, 3))
    logs = np.where(seen, np.log(np.clip(flat, 0.1, FAR)), np.log(np.maximum(middle, 0.1))[:, None])
    deep = np.clip(logs.std(axis=1) / 0.7, 0.0, 1.0)
    variety = 0.1 + 0.25 * colorful + 0.3 * deep + 0.35 * np.clip(edges / 12.0, 0.0, 1.0)
    worth: NDArray[np.float64] = np.asarray(below * clear * wide * variety)
    return worth


def _spots(ground: Survey, storey: int, generator: np.random.Generator) -> NDArray[np.float64]:
    """(n, 3) places on the storey's ground, on its largest islands where those are most of it."""
    here = ground.triangle_storey == storey
    weights = np.where(here, ground.areas, 0.0)
    by_island = np.bincount(ground.triangle_island, weights, len(ground.islands))
    # Table tops are ground too; nobody wants to look from there.
    large = (by_island >= 0.15 * by_island.max())[ground.triangle_island]
    weights = np.where(large, weights, 0.0)
    chosen = generator.choice(len(weights), _SPOTS, p=weights / weights.sum())
    a, b, c = np.moveaxis(ground.triangles[chosen].astype(np.float64), 1, 0)
    # Uniform in a triangle: Osada et al. 2002, Shape Distributions, equation 1.
    root, share = np.sqrt(generator.random((_SPOTS, 1))), generator.random((_SPOTS, 1))
    places: NDArray[np.float64] = (1 - root) * a + root * (1 - share) * b + root * share * c
    return places
