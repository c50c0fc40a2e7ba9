"""Axes and units of scene files, and how scenes are brought to +Y up and metres."""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, get_args

import numpy as np

from batchnav_renderer.types import SceneArrays

from ..errors import ConfigError
from .layout import is_z_up
from .scene import SceneWarning
from .texts import decode_text

Up = Literal["x", "y", "z"]
# The file's axes that become x, y and z, and their signs; proper rotations all.
_TURNS: dict[Up, tuple[list[int], list[float]]] = {
    "x": ([1, 0, 2], [-1.0, 1.0, 1.0]),
    "y": ([0, 1, 2], [1.0, 1.0, 1.0]),
    "z": ([0, 2, 1], [1.0, 1.0, -1.0]),
}
_UP_AXIS = re.compile(rb"<up_axis>\s{0,20}([XYZ])_UP")
_UNIT = re.compile(
    rb"<unit\b[^>]{0,200}?\bmeter\s{0,20}=\s{0,20}[\"']\s{0,20}([0-9.eE+-]{1,32})\s{0,20}[\"']"
)
_HEAD_BYTES = 1 << 20

_SMALLEST_WIDTH = 0.5
# A storey is about 3 m: 100 m are a tower, or 1 m in centimetres.
_HIGHEST_STOREY = 5.0
_CENTIMETRES, _MILLIMETRES = 100.0, 1000.0


@dataclass(frozen=True, slots=True)
class Frame:
    """Axes and unit of a file."""

    up: Up = "y"
    metres: float = 1.0
    """Length of the file's unit, metres."""


def declared_frame(path: Path) -> Frame:
    """Frame that a COLLADA file declares or that is usual for its data set; else +Y up and metres."""
    if path.suffix.lower() != ".dae":
        return Frame("z" if is_z_up(path) else "y")
    with path.open("rb") as file:
        head = decode_text(file.read(_HEAD_BYTES)).encode()
    axis, unit = _UP_AXIS.search(head), _UNIT.search(head)
    up: Up = {b"X": "x", b"Z": "z"}.get(axis[1], "y") if axis else "y"  # type: ignore[assignment]
    try:
        metres = float(unit[1]) if unit else 1.0
    except ValueError:
        metres = 1.0
    return Frame(up, metres if 0.0 < metres < 1e6 else 1.0)


def check_frame(up: object, scale: object) -> None:
    """Raise ``ConfigError`` where ``up`` or ``scale`` is not allowed."""
    if up is not None and up not in get_args(Up):
        raise ConfigError(f"up={up!r:.80}; allowed: 'y', 'z', 'x', or None for what the file says")
    if isinstance(scale, bool) or not isinstance(scale, int | float) or not 0.0 < scale < 1e9:
        raise ConfigError(f"scale={scale!r:.80}; allowed: a number over 0, metres for each unit of the file")


def to_world(arrays: SceneArrays, frame: Frame) -> SceneArrays:
    """Bring a scene from the frame of its file to +Y up and metres."""
    if frame == Frame():
        return arrays
    axes, signs = _TURNS[frame.up]
    with np.errstate(over="ignore"):
        positions = arrays.positions[:, axes].astype(np.float64) * (np.array(signs) * frame.metres)
        return replace(arrays, positions=np.ascontiguousarray(positions.astype(np.float32)))


def warn_of_frame(path: Path, arrays: SceneArrays) -> None:
    """Warn where a scene looks as if it were in other units or had another axis up."""
    used = np.zeros(len(arrays.positions), np.bool_)
    used[arrays.triangles] = True
    x, height, z = (float(value) for value in np.ptp(arrays.positions[used], axis=0))
    width = max(x, z)
    size = f"{path}: is {x:.3g} x {height:.3g} x {z:.3g} m large (y is up)"
    if height >= _MILLIMETRES or width >= 5 * _MILLIMETRES:
        _warn(f"{size}, as if it were in millimetres; if so, pass scale=0.001")
    elif height >= _CENTIMETRES:
        _warn(f"{size}, as if it were in centimetres; if so, pass scale=0.01")
    elif width < _SMALLEST_WIDTH:
        _warn(f"{size}, too small to walk in; pass scale= with the metres of the file's unit")
    elif 2.0 <= z <= _HIGHEST_STOREY < height and z < 0.6 * min(x, height):
        _warn(f"{size}, as if z were up; if so, pass up='z'")


def _warn(message: str) -> None:
    warnings.warn(message, SceneWarning, stacklevel=4)
