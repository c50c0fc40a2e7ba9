"""Maps of walkable ground from above with agents, goals and ways on them: for pictures, films and reports."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from ..nav import NavMesh
from .watching.overhead import MapFrame

Backdrop = Callable[[MapFrame], Image.Image]
"""Draws what lies below the lines of a map, of the frame's size."""
FLOOR, BLOCKED = (255, 255, 255), (203, 211, 220)
WAY, SHORTEST, GOAL, START, FAILED = "#1f6fb5", "#2f9e77", "#2f9e77", "#1f2933", "#c2493d"
BACKGROUND = "#ffffff"
MARGIN_M = 0.6
METERS_PER_PIXEL = 0.05
STOREY_M = 1.5
"""Grounds that differ more in height are drawn storey by storey."""
OVERSAMPLING = 2
SMALLEST_SIDE = 192
"""Side, pixels, below which lines and marks do not shrink with the map any more."""
REFERENCE_SIDE = 256
"""Side of a map, pixels, at which lines are three pixels wide; other sides scale them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SceneMap:
    """Walkable ground of a scene, seen from above."""

    mask: NDArray[np.bool_]
    """(h, w); rows run along +Z, columns along +X."""
    origin_xz: NDArray[np.floating]
    """(2,) x and z of the outer corner of pixel (0, 0), metres."""
    meters_per_pixel: float

    @classmethod
    def of(
        cls, navmesh: NavMesh, height: float | None = None, meters_per_pixel: float = METERS_PER_PIXEL
    ) -> Self:
        """The map of a navigation mesh: of all storeys, or of what is walkable within 0.5 m of ``height``."""
        mask, origin = navmesh.top_down(meters_per_pixel, height)
        return cls(mask=mask, origin_xz=origin, meters_per_pixel=meters_per_pixel)


def cropped(scene_map: SceneMap, points: NDArray[np.floating]) -> tuple[SceneMap, tuple[float, ...]]:
    """Cut a map to its walkable ground, some points (P, 3) and a margin.

    Returns:
        The smaller map and its bounds (x low, z low, x high, z high) in metres.
    """
    size, origin = scene_map.meters_per_pixel, np.asarray(scene_map.origin_xz, dtype=np.float64)
    rows, columns = np.nonzero(scene_map.mask)
    cells = np.stack([columns, rows], axis=1) * size + origin
    ground = np.concatenate([cells, cells + size, np.asarray(points, dtype=np.float64)[:, [0, 2]]])
    low = np.floor((ground.min(axis=0) - MARGIN_M - origin) / size).astype(int)
    high = np.ceil((ground.max(axis=0) + MARGIN_M - origin) / size).astype(int)
    mask = np.zeros((high[1] - low[1], high[0] - low[0]), dtype=bool)
    mask[rows - low[1], columns - low[0]] = True
    corner = origin + low * size
    far = origin + high * size
    small = SceneMap(mask=mask, origin_xz=corner, meters_per_pixel=size)
    return small, (float(corner[0]), float(corner[1]), float(far[0]), float(far[1]))


def mask_image(mask: NDArray[np.bool_]) -> Image.Image:
    """The walkable ground (h, w) as an RGB picture of the same size."""
    colors = np.array([BLOCKED, FLOOR], dtype=np.uint8)
    return Image.fromarray(colors[mask.astype(np.uint8)])


@dataclass(frozen=True, slots=True)
class Board:
    """A square picture of a map to draw on; ``picture`` brings it to its size.

    +X is to the right, +Z down, so that an agent of heading 0, which looks along -Z, looks up.
    """

    image: Image.Image
    """Larger than asked for by ``OVERSAMPLING``, so that lines get smooth rims."""
    side: int
    """Pixels of the finished picture."""
    origin: NDArray[np.float64]
    scale: float
    offset: NDArray[np.float64]

    @classmethod
    def of(
        cls,
        scene_map: SceneMap,
        points: NDArray[np.floating],
        side: int = REFERENCE_SIDE,
        backdrop: Backdrop | None = None,
    ) -> Self:
        """The map alone, cut to its ground and to ``points`` (P, 3) that are to be seen.

        With ``backdrop`` it shows that picture instead of the ground.
        """
        small, (x0, z0, x1, z1) = cropped(scene_map, points)
        whole = side * OVERSAMPLING
        scale = whole / max(x1 - x0, z1 - z0)
        size = (max(1, round((x1 - x0) * scale)), max(1, round((z1 - z0) * scale)))
        offset = np.array([(whole - size[0]) // 2, (whole - size[1]) // 2], dtype=np.float64)
        if backdrop is not None:
            low = np.array([x0, z0]) - offset / scale
            image = backdrop(MapFrame(low=low, pixels_per_meter=scale, width=whole, height=whole)).copy()
            return cls(image, side, np.array([x0, z0]), scale, offset)
        image = Image.new("RGB", (whole, whole), BACKGROUND)
        picture = mask_image(small.mask).resize(size, Image.Resampling.BILINEAR)
        image.paste(picture, (int(offset[0]), int(offset[1])))
        return cls(image, side, np.array([x0, z0]), scale, offset)

    def copied(self) -> Self:
        """The same board to draw something else on."""
        return type(self)(self.image.copy(), self.side, self.origin, self.scale, self.offset)

    def picture(self) -> Image.Image:
        """What was drawn, (side, side)."""
        return self.image.reduce(OVERSAMPLING)

    def shows(self, points: NDArray[np.floating]) -> bool:
        """Whether points (P, 3) all lie on the picture."""
        places = np.array(self.pixels(points))
        return bool((places >= 0).all() and (places < self.image.width).all())

    def pixels(self, points: NDArray[np.floating]) -> list[tuple[float, float]]:
        """(P, 3) metres to pixel pairs of ``image``."""
        flat = (np.asarray(points, dtype=np.float64)[:, [0, 2]] - self.origin) * self.scale + self.offset
        return [(float(x), float(y)) for x, y in flat]

    def line(self, points: NDArray[np.floating], color: str, width: float = 3.0) -> None:
        """A line through (P, 3) metres; widths are pixels of a picture of ``REFERENCE_SIDE``."""
        if len(points) > 1:
            width = max(2, round(width * self._unit))
            self._draw().line(self.pixels(points), fill=color, width=width, joint="curve")

    def disc(
        self, point: NDArray[np.floating], color: str, radius: float = 4.0, radius_m: float = 0.0
    ) -> None:
        """A disc around a point (3,), as large as the larger radius."""
        ((x, y),) = self.pixels(np.asarray(point)[None])
        size = max(radius * self._unit, radius_m * self.scale)
        self._draw().ellipse((x - size, y - size, x + size, y + size), fill=color)

    def agent(self, point: NDArray[np.floating], heading: float) -> None:
        """An arrow at a point (3,) that looks along a heading, radians, positive to the left."""
        ((x, y),) = self.pixels(np.asarray(point)[None])
        ahead = np.array([-math.sin(heading), -math.cos(heading)])
        aside = np.array([-ahead[1], ahead[0]])
        tip, back = 9.0 * self._unit, 6.0 * self._unit
        corners = [
            ahead * tip,
            aside * back - ahead * back,
            -ahead * back * 0.4,
            -ahead * back - aside * back,
        ]
        places = [(x + float(corner[0]), y + float(corner[1])) for corner in corners]
        self._draw().polygon(places, fill=WAY, outline="#ffffff", width=2)

    @property
    def _unit(self) -> float:
        """Pixels of ``image`` for one of a picture of ``REFERENCE_SIDE``."""
        return OVERSAMPLING * max(self.side, SMALLEST_SIDE) / REFERENCE_SIDE

    def _draw(self) -> ImageDraw.ImageDraw:
        return ImageDraw.Draw(self.image)
