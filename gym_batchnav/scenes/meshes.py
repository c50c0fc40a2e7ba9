"""PLY, STL, OFF and COLLADA files, read by trimesh (extra ``formats``)."""

from __future__ import annotations

import importlib
import io
import re
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from batchnav_renderer.types import Material, SceneArrays, Texture

from ..errors import SceneError
from .budget import Budget
from .codecs import INSTALL_HINT
from .collada_size import check_collada_size
from .color import linear_from_srgb
from .files import SceneFolder
from .images import ImageError, decode_pillow
from .pieces import Piece, join_pieces
from .reads import read_file
from .scene import SceneWarning
from .standins import grey_image, warn_of_standin

MESH_SUFFIXES = (".dae",)
_NEEDS = {".dae": "collada"}
_CUTOFF = 0.5
_BYTES_PER_FACE = 64
_COUNTS = re.compile(rb"^element[ \t]+\S+[ \t]+(-?\d{1,18})[ \t\r]*$", re.MULTILINE)


def load_mesh_file(path: Path) -> SceneArrays:
    """Read a file by trimesh.

    Colours are taken as display (sRGB) values.

    Args:
        path: a file that ends in one of ``MESH_SUFFIXES``; textures are read from its folder.

    Returns:
        Its triangles in the file's axes and units; object ids count the parts of the file from 1.

    Raises:
        SceneError: the file is broken or holds no triangles, or trimesh is not installed.
    """
    trimesh = _imported(path)
    try:
        content = read_file(path)
    except OSError as error:
        raise SceneError(f"{path}: cannot be read ({error})") from error
    budget = Budget(str(path))
    budget.read(len(content))
    _check_counts(path, content)
    if path.suffix.lower() == ".dae":
        check_collada_size(path, content, budget)
    suffix = path.suffix.lower().removeprefix(".")
    resolver = _Resolver(SceneFolder(path, budget))
    try:
        loaded = trimesh.load_scene(io.BytesIO(content), file_type=suffix, resolver=resolver, process=False)
        builder = _Builder(path, budget)
        builder.add_all(trimesh, loaded)
    except SceneError:
        raise
    # A parser of a third party, on a broken file, may raise anything.
    except Exception as error:
        raise SceneError(f"{path}: cannot be read as {suffix} ({type(error).__name__}: {error})") from error
    return builder.finish()


def _imported(path: Path) -> Any:
    needed = ("trimesh", *([_NEEDS[path.suffix.lower()]] if path.suffix.lower() in _NEEDS else []))
    for name in needed:
        try:
            importlib.import_module(name)
        except ImportError as error:
            message = f"needs the package {name}, which is not installed: {INSTALL_HINT}"
            raise SceneError(f"{path}: {message}") from error
    return importlib.import_module("trimesh")


def _check_counts(path: Path, content: bytes) -> None:
    """Refuse PLY headers that claim more elements than the file has bytes."""
    head = content.partition(b"end_header")[0] if content[:3] == b"ply" else b""
    for match in _COUNTS.finditer(head):
        if not 0 <= int(match[1]) <= len(content):
            raise SceneError(f"{path}: its header claims {int(match[1])} elements in {len(content)} bytes")


@dataclass(frozen=True, slots=True)
class _Resolver:
    """What trimesh asks for files beside the scene."""

    folder: SceneFolder

    def get(self, name: str) -> bytes:
        try:
            return self.folder.read_foreign(name, "a reference")
        except SceneError as error:
            warnings.warn(f"{error}; what shows it is drawn in its plain colour", SceneWarning, stacklevel=2)
            raise

    def __getitem__(self, name: str) -> bytes:
        return self.get(name)


@dataclass(slots=True)
class _Builder:
    path: Path
    budget: Budget
    pieces: list[Piece] = field(default_factory=list)
    materials: list[Material] = field(default_factory=lambda: [Material()])
    textures: list[Texture] = field(default_factory=list)
    _numbers: dict[int, int] = field(default_factory=dict)

    def add_all(self, trimesh: Any, scene: Any) -> None:
        """Add every part of a trimesh scene that has triangles."""
        left_out = 0
        for number, node in enumerate(scene.graph.nodes_geometry, 1):
            matrix, name = scene.graph[node]
            mesh = scene.geometry[name]
            if isinstance(mesh, trimesh.Trimesh):
                self._add(mesh, np.asarray(matrix, np.float64), number)
            else:
                left_out += 1
        if left_out:
            warnings.warn(
                f"{self.path}: {left_out} parts without triangles are not drawn", SceneWarning, stacklevel=4
            )

    def finish(self) -> SceneArrays:
        """Join the parts."""
        if not any(len(piece.triangles) for piece in self.pieces):
            raise SceneError(f"{self.path}: holds no triangles")
        return join_pieces(self.pieces, tuple(self.materials), tuple(self.textures))

    def _add(self, mesh: Any, matrix: NDArray[np.float64], object_id: int) -> None:
        vertices, faces = np.asarray(mesh.vertices, np.float64), np.asarray(mesh.faces, np.int64)
        self.budget.spend(_BYTES_PER_FACE * (len(vertices) + len(faces)), f"part {object_id}")
        if len(faces) and not 0 <= int(faces.min()) <= int(faces.max()) < len(vertices):
            raise SceneError(
                f"{self.path}: part {object_id} names a vertex that is not among its {len(vertices)}"
            )
        kind, visual = getattr(mesh.visual, "kind", None), mesh.visual
        uvs, colors, material = None, None, 0
        if kind == "vertex":
            colors = _linear_colors(visual.vertex_colors)
        elif kind == "face":
            vertices, colors = (
                vertices[faces.ravel()],
                _linear_colors(np.repeat(visual.face_colors, 3, axis=0)),
            )
            faces = np.arange(len(vertices)).reshape(-1, 3)
        elif kind == "texture":
            material = self._material(visual.material)
            uvs = _texture_coordinates(visual.uv, len(vertices))
        with np.errstate(over="ignore", invalid="ignore"):
            positions = (vertices @ matrix[:3, :3].T + matrix[:3, 3]).astype(np.float32)
        if np.linalg.det(matrix[:3, :3]) < 0.0:
            faces = faces[:, ::-1]
        ids = np.full(len(faces), object_id, np.int32)
        self.pieces.append(Piece(positions, faces, uvs, colors, material, ids))

    def _material(self, material: Any) -> int:
        if id(material) not in self._numbers:
            image = getattr(material, "image", None) or getattr(material, "baseColorTexture", None)
            color = getattr(material, "diffuse", None)
            color = getattr(material, "baseColorFactor", None) if color is None else color
            r, g, b, a = (255, 255, 255, 255) if color is None else np.asarray(color).tolist()
            r, g, b = linear_from_srgb(np.array([r, g, b]) / 255.0).tolist()
            texture = -1 if image is None else self._texture(image)
            self.materials.append(
                Material(base_color=(r, g, b, a / 255.0), texture=texture, alpha_cutoff=_CUTOFF)
            )
            self._numbers[id(material)] = len(self.materials) - 1
        return self._numbers[id(material)]

    def _texture(self, image: Any) -> int:
        self.budget.spend(4 * image.width * image.height, "its textures")
        try:
            pixels = decode_pillow(image)
        except ImageError as error:
            warn_of_standin(self.path, "a texture", f"cannot be decoded ({error})")
            pixels = grey_image()
        self.textures.append(Texture(pixels=pixels))
        return len(self.textures) - 1


def _linear_colors(colors: Any) -> NDArray[np.uint8]:
    """(n, 4) linear bytes of (n, 4) sRGB bytes."""
    rgba = np.array(colors, np.uint8)
    rgba[:, :3] = np.rint(linear_from_srgb(rgba[:, :3] / 255.0) * 255.0)
    return rgba


def _texture_coordinates(uvs: Any, num_vertices: int) -> NDArray[np.float32] | None:
    """(V, 2) texture coordinates with v down; None where there are none."""
    if uvs is None or np.shape(uvs) != (num_vertices, 2):
        return None
    return (np.asarray(uvs, np.float64) * (1.0, -1.0) + (0.0, 1.0)).astype(np.float32)
