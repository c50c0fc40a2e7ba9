"""Checks of what users pass to a renderer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .config import RenderConfig
from .errors import CapacityError, RenderConfigError

Arrays = dict[str, NDArray[Any]]


def checked_ids(ids: NDArray[Any], most: int, resident: set[int]) -> NDArray[np.int64]:
    """Scene ids of the views, (n,) int64; raises ``RenderConfigError``."""
    if ids.ndim != 1 or not 1 <= len(ids) <= most or not np.issubdtype(ids.dtype, np.integer):
        raise RenderConfigError(
            f"scene_ids has shape {ids.shape} and dtype {ids.dtype}; expected (n,) integers with "
            f"1 <= n <= num_views = {most}"
        )
    if unknown := sorted(set(ids.tolist()) - resident):
        raise RenderConfigError(f"scene_ids names {unknown[:10]}; resident are {listed(sorted(resident))}")
    return ids.astype(np.int64)


def listed(ids: Sequence[int]) -> str:
    """Scene ids for a message."""
    return str(list(ids)) if len(ids) <= 20 else f"{len(ids)} scenes, ids {ids[0]} to {ids[-1]}"


def checked_poses(poses: NDArray[Any], count: int) -> NDArray[np.float64]:
    """Poses (n, 4, 4) float64; raises ``RenderConfigError`` where one is not finite or not invertible."""
    expected = (count, 4, 4)
    if poses.shape != expected or poses.dtype.kind not in "fiu":
        raise RenderConfigError(
            f"world_from_camera has shape {poses.shape} and dtype {poses.dtype}; expected {expected} floats"
        )
    poses = poses.astype(np.float64)
    finite = np.isfinite(poses).all(axis=(1, 2))
    if not finite.all():
        raise RenderConfigError(
            f"world_from_camera[{int(np.argmin(finite))}] holds NaN or infinite values; give finite poses"
        )
    wrong = (np.abs(np.linalg.det(poses[:, :3, :3])) < 1e-9) | (poses[:, 3] != (0, 0, 0, 1)).any(axis=1)
    if wrong.any():
        raise RenderConfigError(
            f"world_from_camera[{int(np.argmax(wrong))}] is no invertible affine transform with last row "
            "(0, 0, 0, 1)"
        )
    return poses


def checked_hfov(hfov_deg: ArrayLike | None, count: int, default: float) -> NDArray[np.float64]:
    """Horizontal fields of view (n,) in radians; raises ``RenderConfigError``."""
    if hfov_deg is None:
        return np.full(count, np.deg2rad(default))
    angles = np.asarray(hfov_deg)
    if angles.shape != (count,) or angles.dtype.kind not in "fiu":
        raise RenderConfigError(
            f"hfov_deg has shape {angles.shape} and dtype {angles.dtype}; expected ({count},) numbers"
        )
    inside = (angles > 1.0) & (angles < 179.0)
    if not inside.all():
        row = int(np.argmin(inside))
        raise RenderConfigError(f"hfov_deg[{row}] is {angles[row]}; allowed: more than 1 and less than 179")
    return np.deg2rad(angles.astype(np.float64))


def checked_out(out: Mapping[str, NDArray[Any]] | None, config: RenderConfig, count: int) -> Arrays:
    """The arrays to write ``count`` images into, fresh ones for None; raises ``RenderConfigError``."""
    shapes = {name: (count, *shape) for name, shape in config.shapes.items()}
    if out is None:
        return {name: _fresh(shape, config.dtypes[name]) for name, shape in shapes.items()}
    if not isinstance(out, Mapping):
        raise RenderConfigError(f"out is {out!r:.80}; expected a dict with the keys {config.outputs}")
    if set(out) != set(config.outputs):
        raise RenderConfigError(f"out has the keys {list(out)}; expected {sorted(config.outputs)}")
    for name, array in out.items():
        _check_array(name, array, shapes[name], config.dtypes[name])
    return dict(out)


def _check_array(name: str, array: object, shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
    if not isinstance(array, np.ndarray):
        raise RenderConfigError(f"out[{name!r}] is {array!r:.80}; expected a NumPy array, {shape} {dtype}")
    fits = array.shape == shape and array.dtype == dtype
    if not fits or not array.flags.c_contiguous or not array.flags.writeable:
        raise RenderConfigError(
            f"out[{name!r}] has shape {array.shape} and dtype {array.dtype}; expected a writable "
            f"C-contiguous {shape} {dtype}"
        )


def _fresh(shape: tuple[int, ...], dtype: np.dtype[Any]) -> NDArray[Any]:
    try:
        return np.empty(shape, dtype)
    except (MemoryError, ValueError) as error:
        raise CapacityError(
            f"an output of shape {shape} does not fit into memory; lower num_views or the resolution"
        ) from error
