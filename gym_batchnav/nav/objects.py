"""Where one can stand at the objects of a scene."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gym_batchnav.errors import SceneError
from gym_batchnav.nav._blocked import blocked
from gym_batchnav.nav.navmesh import NavMesh
from gym_batchnav.scenes import Scene

ARM = 0.6
"""How far a view point may be from its object's box, seen from above, metres."""
OPAQUE_CLASSES = ("wall", "floor", "ceiling", "door", "window")
"""What no arm reaches through."""
_GRID = 0.3
_APART = 0.45
_EYE = 1.0
_LOWEST = 2.0
"""How far the ground may lie below an object, metres."""

Points = NDArray[np.float64]


class _Boxes(NamedTuple):
    """Bounds of objects."""

    ids: NDArray[np.int64]
    low: Points
    high: Points


def view_points(scene: Scene, ground: NavMesh, classes: Collection[str]) -> dict[str, NDArray[np.float32]]:
    """Places on the ground that are within an arm's length of an object, no wall between, by its class.

    Places are tried on a grid of 0.3 m within 0.6 m of the object's box, seen from above; the ground may lie
    up to 2 m below the object. Of each object the nearest places are kept that are 0.45 m apart. Objects that
    nobody can stand at are left out.

    Args:
        scene: with object ids and their classes.
        ground: its navigation mesh.
        classes: names of the classes to look for.

    Returns:
        (V, 3) float32 points of the mesh, in metres, for each class that has any, as ``classes`` orders them.

    Raises:
        SceneError: the scene does not say what its objects are, or nobody can stand at any of these classes.
    """
    names, ids = scene.object_classes, scene.arrays.object_ids
    if names is None or ids is None:
        raise SceneError(
            f"{scene.scene_id}: does not say of what class its objects are, so none can be a goal; "
            "use built-in houses, or give the Scene object_classes and object ids"
        )
    corners = scene.positions[scene.triangles].astype(np.float64)
    opaque = np.isin(ids, [number for number, name in enumerate(names) if name in OPAQUE_CLASSES])
    found: dict[str, list[NDArray[np.float32]]] = {name: [] for name in classes}
    wanted = [number for number, name in enumerate(names) if name in found]
    for number, points in _points_of(_boxes(corners, ids, wanted), ground, corners[opaque]):
        found[names[number]].append(points)
    kept = {name: np.concatenate(parts) for name, parts in found.items() if parts}
    if not kept:
        raise SceneError(
            f"{scene.scene_id}: nobody can stand at an object of the classes {', '.join(classes)}; "
            "name others as object_categories"
        )
    return kept


def _boxes(corners: Points, ids: NDArray[np.int32], wanted: list[int]) -> _Boxes:
    """Boxes around the triangles of the wanted objects that have any."""
    chosen = np.flatnonzero(np.isin(ids, wanted))
    order = chosen[np.argsort(ids[chosen], kind="stable")]
    if not len(order):
        return _Boxes(np.empty(0, np.int64), np.empty((0, 3)), np.empty((0, 3)))
    numbers, first = np.unique(ids[order], return_index=True)
    low = np.minimum.reduceat(corners[order].min(axis=1), first)
    high = np.maximum.reduceat(corners[order].max(axis=1), first)
    return _Boxes(numbers.astype(np.int64), low, high)


def _points_of(boxes: _Boxes, ground: NavMesh, opaque: Points) -> list[tuple[int, NDArray[np.float32]]]:
    """View points of each object that has any."""
    if not len(boxes.ids):
        return []
    places = [_grid(low, high) for low, high in zip(boxes.low, boxes.high, strict=True)]
    owner = np.repeat(np.arange(len(places)), [len(place) for place in places])
    wanted = np.concatenate(places)
    points = ground.snap(wanted.astype(np.float32)).astype(np.float64)
    low, high = boxes.low[owner], boxes.high[owner]
    aside = np.abs(points - wanted)[:, [0, 2]].max(axis=1)
    below = low[:, 1] - points[:, 1]
    fits = (aside < 0.01) & (below > -0.2) & (below < _LOWEST)
    points, owner, low, high = points[fits], owner[fits], low[fits], high[fits]
    eyes = points + np.array([0.0, _EYE, 0.0])
    near = np.clip(eyes, low, high)
    # Short of the object by 3 cm, so that the wall behind a picture is not in front of it.
    away = np.linalg.norm(near - eyes, axis=1, keepdims=True)
    ends = eyes + (near - eyes) * np.maximum(1.0 - 0.03 / np.maximum(away, 1e-9), 0.0)
    hidden = np.empty(len(eyes), np.bool_)
    blocked(eyes, ends, np.ascontiguousarray(opaque), hidden)
    distance = np.linalg.norm((np.clip(points, low, high) - points)[:, [0, 2]], axis=1)
    result = []
    for row, number in enumerate(boxes.ids):
        own = np.flatnonzero((owner == row) & ~hidden & (distance <= ARM))
        own = own[np.argsort(distance[own], kind="stable")]
        if len(own):
            result.append((int(number), _thinned(points[own]).astype(np.float32)))
    return result


def _grid(low: Points, high: Points) -> Points:
    """Places in and around a box at its foot, and 1.2 m below where it may stand or hang above the ground."""
    x, z = (np.arange(low[axis] - ARM, high[axis] + ARM + _GRID, _GRID) for axis in (0, 2))
    y = np.array([low[1], low[1] - 1.2])
    return np.stack(np.meshgrid(x, y, z, indexing="ij"), axis=-1).reshape(-1, 3)


def _thinned(points: Points) -> Points:
    """The first of the points, and of the others those that are far enough from all before."""
    kept: list[Points] = []
    for point in points:
        if all(np.linalg.norm(point - other) >= _APART for other in kept):
            kept.append(point)
    return np.array(kept)
