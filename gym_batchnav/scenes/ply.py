"""Reader of PLY files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from batchnav_renderer.types import SceneArrays, Texture

from ..errors import SceneError
from .budget import Budget
from .files import SceneFolder
from .images import image_or_standin
from .ply_elements import PlyElement, PlyFile, read_ply
from .polygon_mesh import PolygonMesh, color_bytes
from .reads import read_file

_COLORS = (("red", "green", "blue"), ("diffuse_red", "diffuse_green", "diffuse_blue"), ("r", "g", "b"))
_UVS = (("s", "t"), ("u", "v"), ("texture_u", "texture_v"), ("texture_s", "texture_t"))
_CORNERS = ("vertex_indices", "vertex_index")
_BYTES_PER_BYTE = 24


def load_ply(path: Path) -> SceneArrays:
    """Read a PLY file: polygons and triangle strips, colours of vertices or faces, and textures.

    Colours are taken as display (sRGB) values. Textures are the files that comments ``TextureFile`` name.

    Args:
        path: the ``.ply`` file; textures are read from its folder.

    Returns:
        Its triangles in the file's axes and units, all of object 1.

    Raises:
        SceneError: the file is cut short or broken, or holds no triangles, as clouds of points do.
    """
    try:
        content = read_file(path)
    except OSError as error:
        raise SceneError(f"{path}: cannot be read ({error})") from error
    budget = Budget(str(path))
    budget.read(len(content))
    budget.spend(_BYTES_PER_BYTE * len(content), "its elements")
    file = read_ply(path, content)
    vertices = _element(path, file, "vertex")
    points = np.stack([_finite(path, vertices, axis) for axis in "xyz"], axis=1)
    corners, sizes = _polygons(path, file)
    faces = file.elements.get("face", PlyElement("face", 0))
    folder = SceneFolder(path, budget)
    names = [comment[11:].strip() for comment in file.comments if comment.lower().startswith("texturefile")]
    uvs = _pair(path, vertices)
    corner_uvs = _corner_uvs(path, faces, sizes)
    textures: tuple[Texture, ...] = ()
    if uvs is not None or corner_uvs is not None:
        textures = tuple(
            Texture(pixels=image_or_standin(folder, name, "TextureFile")) for name in dict.fromkeys(names)
        )
    of_faces = len(sizes) == faces.count
    mesh = PolygonMesh(
        points=points,
        corners=corners,
        sizes=sizes,
        vertex_colors=_colors(vertices),
        face_colors=_colors(faces) if of_faces else None,
        vertex_uvs=uvs,
        corner_uvs=corner_uvs,
        face_textures=_face_textures(faces) if of_faces and textures else None,
    )
    return mesh.arrays(path, budget, textures)


def _element(path: Path, file: PlyFile, name: str) -> PlyElement:
    if name not in file.elements:
        raise SceneError(f"{path}: has no element {name!r}, only {sorted(file.elements)}")
    return file.elements[name]


def _finite(path: Path, element: PlyElement, name: str) -> NDArray[np.float64]:
    """Numbers of a property that must be there."""
    if name not in element.values or name in element.lengths:
        raise SceneError(f"{path}: its {element.name} elements have no property {name!r}")
    values = element.values[name].astype(np.float64)
    if not np.isfinite(values).all():
        row = int(np.argmin(np.isfinite(values)))
        raise SceneError(f"{path}: property {name!r} of {element.name} {row} is NaN or infinite")
    return values


def _polygons(path: Path, file: PlyFile) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Corners and sizes of the faces, and of the triangles of strips."""
    for element, cut in (("face", None), ("tristrips", _strip_triangles)):
        rows = file.elements.get(element)
        name = next((name for name in _CORNERS if rows is not None and name in rows.lengths), None)
        if rows is not None and name is not None and rows.count:
            corners, sizes = rows.values[name].astype(np.int64), rows.lengths[name]
            return (corners, sizes) if cut is None else cut(corners, sizes)
    raise SceneError(f"{path}: holds no triangles, only {', '.join(file.elements)}")


def _strip_triangles(
    corners: NDArray[np.int64], sizes: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Triangles of strips, which -1 and the ends of lists interrupt; every second one is turned over."""
    ends = np.cumsum(sizes)
    strip = np.repeat(np.arange(len(sizes)), sizes) + np.cumsum(corners < 0)
    first = np.arange(max(int(ends[-1]) - 2, 0))
    whole = (strip[first] == strip[first + 2]) & (corners[first] >= 0)
    first = first[whole]
    begins = np.maximum.accumulate(np.where(np.diff(strip, prepend=-1) != 0, np.arange(len(strip)), 0))
    begins = np.where(corners[begins] < 0, begins + 1, begins)
    odd = (first - begins[first]) % 2
    triangles = np.stack([corners[first], corners[first + 1 + odd], corners[first + 2 - odd]], axis=1)
    return triangles.reshape(-1), np.full(len(triangles), 3)


def _colors(element: PlyElement) -> NDArray[np.uint8] | None:
    for names in _COLORS:
        if all(name in element.values and name not in element.lengths for name in names):
            opacity = ["alpha"] if names[0] == "red" and "alpha" in element.values else []
            return color_bytes([element.values[name] for name in (*names, *opacity)])
    return None


def _pair(path: Path, vertices: PlyElement) -> NDArray[np.float64] | None:
    """(V, 2) texture coordinates of the vertices."""
    for names in _UVS:
        if all(name in vertices.values for name in names):
            return np.stack([_finite(path, vertices, name) for name in names], axis=1)
    return None


def _corner_uvs(path: Path, faces: PlyElement, sizes: NDArray[np.int64]) -> NDArray[np.float64] | None:
    """(C, 2) texture coordinates of the faces' corners; faces without them get zeros."""
    lengths = faces.lengths.get("texcoord")
    if lengths is None or len(lengths) != len(sizes) or not lengths.any():
        return None
    if not ((lengths == 2 * sizes) | (lengths == 0)).all():
        face = int(np.argmax((lengths != 2 * sizes) & (lengths != 0)))
        raise SceneError(f"{path}: face {face} has {sizes[face]} corners and {lengths[face]} texture numbers")
    values: NDArray[Any] = faces.values["texcoord"].astype(np.float64)
    if not np.isfinite(values).all():
        raise SceneError(f"{path}: a texture coordinate of a face is NaN or infinite")
    uvs = np.zeros((int(sizes.sum()), 2))
    uvs[np.repeat(lengths > 0, sizes)] = values.reshape(-1, 2)
    return uvs


def _face_textures(faces: PlyElement) -> NDArray[np.int64] | None:
    numbers = faces.values.get("texnumber")
    return None if numbers is None or "texnumber" in faces.lengths else numbers.astype(np.int64)
