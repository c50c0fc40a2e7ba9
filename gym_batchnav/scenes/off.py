"""Reader of OFF files."""

from __future__ import annotations

import re
from itertools import chain
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from batchnav_renderer.types import SceneArrays

from ..errors import SceneError
from .budget import Budget
from .polygon_mesh import PolygonMesh, color_bytes
from .reads import read_file
from .texts import decode_text

_HEADER = re.compile(r"\s*(ST)?(C)?(N)?(4)?(n)?OFF\b(?:[ \t]+(BINARY)\b)?|\s*(ST)?(C)?(N)?OFF(?=\d)")
_COMMENT = re.compile(r"#[^\n]*")
_BYTES_PER_BYTE = 64


def load_off(path: Path) -> SceneArrays:
    """Read an OFF file (also COFF, NOFF and STOFF) with the colours of its vertices or faces.

    Colours are taken as display (sRGB) values; normals and texture coordinates are left out.

    Args:
        path: the ``.off`` file, a text.

    Returns:
        Its triangles in the file's axes and units, all of object 1.

    Raises:
        SceneError: the file is cut short or broken, binary, in other than 3 dimensions, or has no triangles.
    """
    try:
        content = read_file(path)
    except OSError as error:
        raise SceneError(f"{path}: cannot be read ({error})") from error
    budget = Budget(str(path))
    budget.read(len(content))
    budget.spend(_BYTES_PER_BYTE * len(content), "its lines")
    text = _COMMENT.sub("", decode_text(content))
    header = _HEADER.match(text)
    if header is None or any(header.group(4, 5, 6)):
        raise SceneError(f"{path}: is no text of OFF in 3 dimensions; it begins with {text[:20]!r}")
    lines = [line for line in text[header.end() :].split("\n") if line and not line.isspace()]
    try:
        return _mesh(lines, has_normals=bool(header[3] or header[9])).arrays(path, budget)
    except (ValueError, OverflowError) as error:
        raise SceneError(f"{path}: cannot be read as off ({error})") from error


def _mesh(lines: list[str], *, has_normals: bool) -> PolygonMesh:
    words = lines[0].split() if lines else []
    if len(words) < 2:
        raise ValueError("its counts of vertices and faces are missing")
    num_vertices, num_faces = int(words[0]), int(words[1])
    if not (num_vertices >= 0 <= num_faces and 1 + num_vertices + num_faces <= len(lines)):
        raise ValueError(f"it claims {num_vertices} vertices and {num_faces} faces in {len(lines)} lines")
    rows = [line.split() for line in lines[1 : 1 + num_vertices]]
    widths = {len(row) for row in rows}
    if len(widths) > 1 or min(widths, default=3) < 3:
        raise ValueError(f"its vertices have {sorted(widths)[:4]} numbers; expected as many for each")
    vertices = np.fromiter(map(float, chain.from_iterable(rows)), np.float64).reshape(num_vertices, -1)
    faces = [line.split() for line in lines[1 + num_vertices : 1 + num_vertices + num_faces]]
    sizes = np.array([int(row[0]) for row in faces], np.int64)
    if any(not 0 <= size < len(row) for size, row in zip(sizes.tolist(), faces, strict=True)):
        raise ValueError("a face has fewer corners than it says")
    corners = chain.from_iterable(row[1 : 1 + int(row[0])] for row in faces)
    colored = vertices[:, 6 if has_normals else 3 :]
    return PolygonMesh(
        points=vertices[:, :3],
        corners=np.fromiter(map(int, corners), np.int64),
        sizes=sizes,
        vertex_colors=_colors(colored) if colored.shape[1] in (3, 4) else None,
        face_colors=_face_colors([row[1 + int(row[0]) :] for row in faces]),
    )


def _face_colors(rows: list[list[str]]) -> NDArray[np.uint8] | None:
    """(P, 4) colours where all faces have some as three or four numbers."""
    if not rows or len(rows[0]) not in (3, 4) or any(len(row) != len(rows[0]) for row in rows):
        return None
    values = np.fromiter(map(float, chain.from_iterable(rows)), np.float64)
    return _colors(values.reshape(len(rows), -1))


def _colors(values: NDArray[np.float64]) -> NDArray[np.uint8]:
    """Colours of 0 to 255 where one is above 1, and of 0 to 1 otherwise."""
    scale = 255.0 if values.max(initial=0.0) > 1.0 else 1.0
    return color_bytes(list((values / scale).T))
