"""Light that is baked into vertex colours: windows, lamps, what surfaces pass on, and darker corners.

The kernels are compiled for the first house of a machine, which takes some seconds, and kept beside the
sources or, where those are not writable, in the user's folder of Numba.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .grid import Ints, make_grid
from .points import distinct, make_points, unit_normals
from .rays import AMBIENT, direct_light, gathered_light, passed_on
from .sources import Floats, make_sources

__all__ = ["Floats", "Ints", "bake_light"]

_MEAN = 1.05
"""Where exposure brings the mean light, on the scale of ``_curve``."""
_LEAST = 0.17
"""Darkest vertex colour."""
_SPOT = 24
"""Millimetres within which light is the same, so that small things take little time."""
_WAY = 64
"""The same for directions, of 1024."""
_LAMP_AREA = 700_000
"""Square millimetres of a lamp's parts that do not glow, at most."""
_THIN = 24
"""Millimetres of width below which surfaces cast no shadows."""
_CONTRAST = 0.5
_SATURATION = 0.6
"""Share of the colour of light that is kept: eyes get used to it."""


def bake_light(
    corners: Ints, normals: Ints, colors: Floats, emission: Floats, owners: Ints
) -> NDArray[np.uint8]:
    """Light that reaches the corners of quads.

    Equal positions with equal normals get equal bytes, and the order of the quads does not count.

    Args:
        corners: (Q, 4, 3) millimetres.
        normals: (Q, 4, 3) directions of any length.
        colors: (Q, 3) linear RGB of the surfaces.
        emission: (Q, 3) linear RGB that surfaces give by themselves; they cast no shadows and stay white.
        owners: (Q,) objects; the glowing quads of an object make up one source of light.

    Returns:
        (Q, 4, 3) linear RGB.
    """
    glowing = np.any(emission > 0.0, axis=1)
    areas = _areas(corners)
    solid = ~glowing & ~_is_thin(corners) & ~_is_lamp(areas, glowing, owners)
    unit = unit_normals(normals)
    facing = unit_normals(unit.sum(axis=1))
    grid = make_grid(corners, facing, solid)
    spots, ways = _snap(corners, _SPOT).reshape(-1, 3), _snap(unit, _WAY).reshape(-1, 3)
    first, pair = distinct(spots, ways)
    points = make_points(spots[first], unit_normals(ways[first]), grid)
    sources = make_sources(corners[glowing], emission[glowing], owners[glowing], grid.origin)
    direct = direct_light(points, sources, grid)
    of_corner = pair.reshape(-1, 4)
    on_quad = (
        (direct[of_corner[:, 0]] + direct[of_corner[:, 1]])
        + (direct[of_corner[:, 2]] + direct[of_corner[:, 3]])
    ) / 4.0
    radiance = passed_on(corners, facing, solid, colors, on_quad, grid)
    light = direct + gathered_light(points, radiance, grid)
    shown = np.take(
        _develop(light, _mean_grey(light, of_corner, np.where(solid, areas, 0))), of_corner, axis=0
    )
    shown[glowing] = 255
    return shown


def _areas(corners: Ints) -> Ints:
    """(Q,) square millimetres."""
    x, y, z = np.cross(corners[:, 2] - corners[:, 0], corners[:, 3] - corners[:, 1]).astype(np.float64).T
    return np.asarray(np.rint(np.sqrt(x * x + y * y + z * z)).astype(np.int64) // 2, np.int64)


def _is_thin(corners: Ints) -> NDArray[np.bool_]:
    """(Q,) narrow strips: rods, handles and edges, too small for voxels."""
    across = np.maximum(np.abs(corners[:, 1] - corners[:, 0]), np.abs(corners[:, 2] - corners[:, 3]))
    down = np.maximum(np.abs(corners[:, 3] - corners[:, 0]), np.abs(corners[:, 2] - corners[:, 1]))
    return np.asarray(np.minimum(across.max(axis=1), down.max(axis=1)) < _THIN, np.bool_)


def _is_lamp(areas: Ints, glowing: NDArray[np.bool_], owners: Ints) -> NDArray[np.bool_]:
    """(Q,) quads of small glowing objects: the rods and feet of lamps, which are to cast no shadows."""
    total, glows = np.zeros(owners.max() + 1, np.int64), np.zeros(owners.max() + 1, np.bool_)
    np.add.at(total, owners, np.where(glowing, 0, areas))
    glows[owners[glowing]] = True
    return np.asarray((glows & (total < _LAMP_AREA))[owners], np.bool_)


def _snap(values: Ints, step: int) -> Ints:
    """The nearest multiples of ``step``."""
    return np.asarray((values + step // 2) // step * step, np.int64)


def _grey(light: Floats) -> Floats:
    return 0.25 * light[:, 0] + 0.6 * light[:, 1] + 0.15 * light[:, 2]


def _mean_grey(light: Floats, of_corner: NDArray[np.int32], areas: Ints) -> float:
    """Mean of light over the surfaces, in whole numbers, so that their order does not count."""
    levels = np.rint(np.minimum(_grey(light), 8.0) * 4096.0).astype(np.int64)
    total = int((levels[of_corner].sum(axis=1) * areas).sum())
    return max(total / max(int(areas.sum()), 1) / (4 * 4096.0), AMBIENT / 4)


def _develop(light: Floats, mean: float) -> NDArray[np.uint8]:
    """Linear colours in bytes of (P, 3) light: exposed for the mean, with a soft shoulder."""
    grey = _grey(light)
    soft = grey[:, None] + _SATURATION * (light - grey[:, None])
    exposed = np.maximum(soft, 0.0) * (_MEAN / mean)
    shown = np.minimum(exposed * (1.0 + exposed / 80.0) / (1.0 + exposed), 1.0)
    shown = shown + _CONTRAST * shown * (1.0 - shown) * (2.0 * shown - 1.0)
    linear: Floats = np.rint((_LEAST + (1.0 - _LEAST) * shown) * 255.0)
    return linear.astype(np.uint8)
