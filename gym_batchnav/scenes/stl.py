"""Reader of STL files."""

from __future__ import annotations

import re
import struct
from pathlib import Path

import numpy as np

from batchnav_renderer.types import SceneArrays

from ..errors import SceneError
from .budget import Budget
from .polygon_mesh import PolygonMesh
from .reads import read_file

_HEADER, _FACET = 84, np.dtype([("normal", "<f4", 3), ("corners", "<f4", 9), ("attribute", "<u2")])
_BYTES_PER_BYTE = 16
_LOOP_PART = re.compile(rb"\b(?:vertex[ \t]+(\S+)[ \t]+(\S+)[ \t]+(\S+)|endloop)\b", re.IGNORECASE)


def load_stl(path: Path) -> SceneArrays:
    """Read an STL file, binary or text; normals and attributes are left out.

    Args:
        path: the ``.stl`` file.

    Returns:
        Its triangles in the file's axes and units, all of object 1.

    Raises:
        SceneError: the file is cut short or broken, or holds no triangles.
    """
    try:
        content = read_file(path)
    except OSError as error:
        raise SceneError(f"{path}: cannot be read ({error})") from error
    budget = Budget(str(path))
    budget.read(len(content))
    budget.spend(_BYTES_PER_BYTE * len(content), "its facets")
    mesh = _read_text(path, content) if _is_text(content) else _read_binary(path, content)
    return mesh.arrays(path, budget)


def _is_text(content: bytes) -> bool:
    """Whether a file is text: many binary ones begin with the word ``solid`` too."""
    if not content[:80].lstrip().lower().startswith(b"solid"):
        return False
    fits = len(content) >= _HEADER and len(content) == _HEADER + _FACET.itemsize * _count(content)
    return not fits and b"\0" not in content[:1024]


def _count(content: bytes) -> int:
    return int(struct.unpack_from("<I", content, 80)[0])


def _read_binary(path: Path, content: bytes) -> PolygonMesh:
    if len(content) < _HEADER:
        raise SceneError(f"{path}: is cut short: {len(content)} bytes, the header of an STL file takes 84")
    count = _count(content)
    if _HEADER + _FACET.itemsize * count > len(content):
        raise SceneError(
            f"{path}: is cut short: its header claims {count} facets, which take "
            f"{_HEADER + _FACET.itemsize * count} bytes, but it has {len(content)}"
        )
    facets = np.frombuffer(content, _FACET, count, _HEADER)
    points = facets["corners"].reshape(-1, 3).astype(np.float64)
    return PolygonMesh(points=points, corners=np.arange(3 * count), sizes=np.full(count, 3))


def _read_text(path: Path, content: bytes) -> PolygonMesh:
    numbers: list[float] = []
    loop_ends = []
    try:
        for match in _LOOP_PART.finditer(content):
            if match[1] is not None:
                numbers.extend(map(float, match.groups()))
            else:
                loop_ends.append(len(numbers) // 3)
    except ValueError as error:
        raise SceneError(f"{path}: has a vertex that is not three numbers ({error})") from error
    points, ends = np.array(numbers).reshape(-1, 3), np.array(loop_ends, np.int64)
    if len(points) != (int(ends[-1]) if len(ends) else 0):
        raise SceneError(f"{path}: is cut short: its last loop does not end")
    return PolygonMesh(points=points, corners=np.arange(len(points)), sizes=np.diff(ends, prepend=0))
