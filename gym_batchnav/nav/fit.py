"""Whether a navigation mesh file lies in the scene that it is said to be of."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gym_batchnav.nav.navmesh import NavMesh
from gym_batchnav.scenes import SceneWarning

_Box = NDArray[np.float64]
# A mesh may stick out by a cell or two, and scans have holes at their rims; storeys differ by more.
_MARGIN_M = 1.0


def warn_of_misfit(mesh: NavMesh, positions: Any, scene_id: str, path: object) -> None:
    """Give a ``SceneWarning`` where the mesh reaches out of the scene, and say which frame would hold it.

    Args:
        mesh: the mesh, +Y up and metres.
        positions: (V, 3) the scene's vertices as they were loaded, metres.
        scene_id: the scene's name.
        path: the mesh's file.
    """
    ground = mesh.tables[0]
    walked = ground.poly_verts[ground.poly_island >= 0]
    inner = _box(ground.verts[np.unique(walked[walked >= 0])])
    outer = _box(np.asarray(positions))
    if _holds(outer, inner):
        return
    advice = "check that both are of one scene"
    if _holds(_to_y_up(outer), inner):
        advice = "it would if z were up in the scene file; if so, pass scene_up='z'"
    elif _holds(_to_z_up(outer), inner):
        advice = "it would if y were up in the scene file; if so, pass scene_up='y'"
    warnings.warn(
        f"{scene_id}: spans {_said(outer)}, but its navigation mesh {path} spans {_said(inner)} and does not "
        f"lie in it; {advice}",
        SceneWarning,
        stacklevel=3,
    )


def _box(points: NDArray[np.floating]) -> _Box:
    """(2, 3) lowest and highest coordinates."""
    return np.stack([points.min(axis=0), points.max(axis=0)]).astype(np.float64)


def _holds(outer: _Box, inner: _Box) -> bool:
    return bool((inner[0] >= outer[0] - _MARGIN_M).all() and (inner[1] <= outer[1] + _MARGIN_M).all())


def _to_y_up(box: _Box) -> _Box:
    """The box of (x, z, -y)."""
    return np.sort(box[:, [0, 2, 1]] * [1.0, 1.0, -1.0], axis=0)


def _to_z_up(box: _Box) -> _Box:
    """The box of (x, -z, y)."""
    return np.sort(box[:, [0, 2, 1]] * [1.0, -1.0, 1.0], axis=0)


def _said(box: _Box) -> str:
    return " x ".join(f"{low:.1f}..{high:.1f}" for low, high in box.T) + " m"
