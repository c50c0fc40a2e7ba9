"""COLLADA files, read by pycollada (extra ``formats``)."""

from __future__ import annotations

import io
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from batchnav_renderer.types import SceneArrays

from ..errors import SceneError
from .budget import Budget
from .codecs import COLLADA, CodecError, load_codec
from .collada_materials import ColladaMaterials
from .collada_size import check_collada_size
from .color import linear_from_srgb
from .files import SceneFolder
from .pieces import Piece, join_pieces
from .polygon_mesh import color_bytes
from .polygons import triangulate
from .reads import read_file
from .scene import SceneWarning

_BYTES_PER_CORNER = 256


def load_collada(path: Path) -> SceneArrays:
    """Read a COLLADA file; skins stand as they were bound, and morphs are left out.

    Colours are taken as display (sRGB) values.

    Args:
        path: the ``.dae`` file; textures are read from its folder.

    Returns:
        Its triangles in the file's axes and units; object ids count the instances of its geometries from 1.

    Raises:
        SceneError: the file is broken or holds no triangles, or pycollada is not installed.
    """
    try:
        collada = load_codec(COLLADA)
        content = read_file(path)
    except CodecError as error:
        raise SceneError(f"{path}: {error}") from error
    except OSError as error:
        raise SceneError(f"{path}: cannot be read ({error})") from error
    budget = Budget(str(path))
    budget.read(len(content))
    prepared = check_collada_size(path, content, budget)
    try:
        document = collada.Collada(io.BytesIO(prepared), ignore=[collada.common.DaeError])
        builder = _Builder(path, budget, document)
        builder.add_all()
    except SceneError:
        raise
    # A parser of a third party, on a broken file, may raise anything.
    except Exception as error:
        raise SceneError(f"{path}: cannot be read as dae ({type(error).__name__}: {error})") from error
    return builder.finish()


@dataclass(slots=True)
class _Builder:
    path: Path
    budget: Budget
    document: Any
    materials: ColladaMaterials = field(init=False)
    pieces: list[Piece] = field(default_factory=list)
    num_objects: int = 0
    num_left_out: int = 0
    num_not_convex: int = 0

    def __post_init__(self) -> None:
        self.materials = ColladaMaterials(SceneFolder(self.path, self.budget))

    def add_all(self) -> None:
        """Add every instance of a geometry that has polygons."""
        scene = self.document.scene or next(iter(self.document.scenes), None)
        if scene is None:
            raise SceneError(f"{self.path}: holds no visual scene")
        for geometry in scene.objects("geometry"):
            self._add_instance(geometry)
        for controller in scene.objects("controller"):
            self._add_instance(getattr(controller, "geometry", None))

    def finish(self) -> SceneArrays:
        """Join the pieces."""
        errors = [str(error) for error in self.document.errors]
        if errors:
            self._warn(f"{len(errors)} broken parts are left out; the first: {errors[0]:.200}")
        if self.num_left_out:
            self._warn(f"{self.num_left_out} parts without polygons are not drawn")
        if self.num_not_convex:
            self._warn(f"{self.num_not_convex} faces that are not convex are too large to be cut well")
        if not any(len(piece.triangles) for piece in self.pieces):
            reason = f"; its first broken part: {errors[0]:.200}" if errors else ""
            raise SceneError(f"{self.path}: holds no triangles{reason}")
        return join_pieces(self.pieces, *self.materials.finish())

    def _add_instance(self, geometry: Any) -> None:
        self.num_objects += 1
        before = len(self.pieces)
        for primitive in () if geometry is None else geometry.primitives():
            named = getattr(primitive, "vertex_index", None)
            sizes = None if named is None or primitive.vertex is None else _sizes(primitive)
            if sizes is not None:
                mirrored = np.linalg.det(np.asarray(geometry.matrix, np.float64)[:3, :3]) < 0.0
                self._add(primitive, np.asarray(named, np.int64).reshape(-1), sizes, mirrored=bool(mirrored))
        self.num_left_out += len(self.pieces) == before

    def _add(
        self, primitive: Any, named: NDArray[np.int64], sizes: NDArray[np.int64], *, mirrored: bool
    ) -> None:
        self.budget.spend(_BYTES_PER_CORNER * len(named), f"instance {self.num_objects}")
        points = np.asarray(primitive.vertex, np.float64)
        if len(named) and not 0 <= int(named.min()) <= int(named.max()) < len(points):
            raise SceneError(f"{self.path}: instance {self.num_objects} names a vertex beyond {len(points)}")
        corners = points[named]
        cut = triangulate(corners, sizes)
        self.num_not_convex += cut.num_left
        with np.errstate(over="ignore", invalid="ignore"):
            positions = corners.astype(np.float32)
        self.pieces.append(
            Piece(
                positions=positions,
                triangles=cut.triangles[:, ::-1] if mirrored else cut.triangles,
                uvs=_uvs(primitive, self.materials.uv_set(primitive), len(named)),
                colors=_colors(primitive, len(named)),
                material=self.materials.number(primitive.material),
                object_ids=np.full(len(cut.triangles), self.num_objects, np.int32),
            )
        )

    def _warn(self, message: str) -> None:
        warnings.warn(f"{self.path}: {message}", SceneWarning, stacklevel=5)


def _sizes(primitive: Any) -> NDArray[np.int64] | None:
    """Corners of each polygon; None where the primitive has none, as lines."""
    polygons = getattr(primitive, "polyindex", None)
    if polygons is not None:
        ends = np.asarray(polygons, np.int64).reshape(-1, 2)
        return ends[:, 1] - ends[:, 0]
    shape = np.shape(primitive.vertex_index)
    return np.full(shape[0], 3) if len(shape) == 2 and shape[1] == 3 else None


def _uvs(primitive: Any, uv_set: int, num_corners: int) -> NDArray[np.float32] | None:
    """(C, 2) texture coordinates with v down; None where there are none."""
    if not primitive.texcoordset:
        return None
    number = uv_set if uv_set < len(primitive.texcoordset) else 0
    values = np.asarray(primitive.texcoordset[number], np.float64)
    named = np.asarray(primitive.texcoord_indexset[number], np.int64).reshape(-1)
    if len(named) != num_corners or not len(values):
        return None
    with np.errstate(over="ignore", invalid="ignore"):
        return (values[named, :2] * (1.0, -1.0) + (0.0, 1.0)).astype(np.float32)


def _colors(primitive: Any, num_corners: int) -> NDArray[np.uint8] | None:
    """(C, 4) linear colours; None where there are none."""
    sources = primitive.original.sources.get("COLOR") or []
    if not sources:
        return None
    values = np.asarray(sources[0][4].data, np.float64)
    indices = np.asarray(primitive.original.index).reshape(num_corners, -1)
    named = indices[:, sources[0][0]]
    if values.ndim != 2 or values.shape[1] not in (3, 4) or not 0 <= named.min() <= named.max() < len(values):
        return None
    rgba = color_bytes(list(values[named].T))
    rgba[:, :3] = np.rint(linear_from_srgb(rgba[:, :3] / 255.0) * 255.0)
    return rgba
