"""One mesh of polygons, as PLY, STL and OFF files hold, to the renderer's arrays."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from batchnav_renderer.types import Material, SceneArrays, Texture

from ..errors import SceneError
from .budget import Budget
from .color import linear_from_srgb
from .pieces import without_idle_cutoffs
from .polygons import triangulate
from .scene import SceneWarning

_CUTOFF = 0.5
_BYTES_PER_CORNER = 128


@dataclass(frozen=True, slots=True, kw_only=True)
class PolygonMesh:
    """Polygons that share vertices."""

    points: NDArray[np.float64]
    """(V, 3)."""
    corners: NDArray[np.int64]
    """(C,) vertex of each corner of all polygons, one polygon after the other."""
    sizes: NDArray[np.int64]
    """(P,) corners of each polygon."""
    vertex_colors: NDArray[np.uint8] | None = None
    """(V, 4) sRGB colours and linear alpha."""
    face_colors: NDArray[np.uint8] | None = None
    """(P, 4), in place of vertex colours."""
    vertex_uvs: NDArray[np.float64] | None = None
    """(V, 2) texture coordinates with v up."""
    corner_uvs: NDArray[np.float64] | None = None
    """(C, 2), in place of those of vertices."""
    face_textures: NDArray[np.int64] | None = None
    """(P,) texture of each polygon, -1 for none; None for the first, if there is one."""

    def arrays(self, path: Path, budget: Budget, textures: tuple[Texture, ...] = ()) -> SceneArrays:
        """Triangles in the file's axes and units, all of object 1.

        Raises:
            SceneError: there is no triangle, or a polygon names a vertex or a texture that is not there.
        """
        self._check(path, len(textures))
        budget.spend(_BYTES_PER_CORNER * (len(self.corners) + len(self.points)), "its faces")
        cut = triangulate(self.points[self.corners], self.sizes)
        if not len(cut.triangles):
            raise SceneError(f"{path}: holds no triangles")
        if cut.num_left:
            message = f"{path}: {cut.num_left} faces that are not convex are too large to be cut well"
            warnings.warn(message, SceneWarning, stacklevel=4)
        mesh, triangles = self._whole(), cut.triangles
        if mesh is self:
            triangles = self.corners[cut.triangles]
        a, b, c = triangles.T
        whole = (a != b) & (b != c) & (c != a)
        materials = (Material(), *(Material(texture=n, alpha_cutoff=_CUTOFF) for n in range(len(textures))))
        if mesh.vertex_colors is not None:
            materials = tuple(replace(material, alpha_cutoff=0.0) for material in materials)
        with np.errstate(over="ignore", invalid="ignore"):
            positions = mesh.points.astype(np.float32)
        return SceneArrays(
            positions=positions,
            triangles=triangles[whole].astype(np.uint32),
            material_ids=self._materials(len(textures))[cut.polygons[whole]],
            object_ids=np.ones(int(whole.sum()), np.int32),
            uvs=None if mesh.vertex_uvs is None else _turned(mesh.vertex_uvs),
            colors=None if mesh.vertex_colors is None else _linear(mesh.vertex_colors),
            materials=without_idle_cutoffs(materials, textures),
            textures=textures,
        )

    def _whole(self) -> PolygonMesh:
        """The mesh with a vertex for each corner, where corners of one vertex differ; itself otherwise."""
        if self.face_colors is None and self.corner_uvs is None:
            return self
        colors, uvs = self.vertex_colors, self.vertex_uvs
        return replace(
            self,
            points=self.points[self.corners],
            corners=np.arange(len(self.corners)),
            vertex_colors=np.repeat(self.face_colors, self.sizes, axis=0)
            if self.face_colors is not None
            else None
            if colors is None
            else colors[self.corners],
            vertex_uvs=self.corner_uvs
            if self.corner_uvs is not None
            else None
            if uvs is None
            else uvs[self.corners],
        )

    def _materials(self, num_textures: int) -> NDArray[np.int32]:
        """(P,) material of each polygon: 0 is plain, 1 + n shows texture n."""
        if self.face_textures is not None:
            return (self.face_textures + 1).astype(np.int32)
        return np.full(len(self.sizes), 1 if num_textures else 0, np.int32)

    def _check(self, path: Path, num_textures: int) -> None:
        outside = (self.corners < 0) | (self.corners >= len(self.points))
        if outside.any():
            corner = int(np.argmax(outside))
            face = int(np.searchsorted(np.cumsum(self.sizes), corner, "right"))
            raise SceneError(
                f"{path}: face {face} names vertex {self.corners[corner]}, but there are {len(self.points)}"
            )
        if (
            self.face_textures is not None
            and ((self.face_textures < -1) | (self.face_textures >= num_textures)).any()
        ):
            raise SceneError(
                f"{path}: a face names texture {self.face_textures.max()}, but there are {num_textures}"
            )


def color_bytes(channels: list[NDArray[np.generic]]) -> NDArray[np.uint8]:
    """(n, 4) uint8 of 3 or 4 channels: whole numbers of 0 to 255, or fractions of 0 to 1."""
    rgba = np.full((len(channels[0]), 4), 255, np.uint8)
    for number, channel in enumerate(channels):
        values = channel.astype(np.float64)
        scale = 255.0 if channel.dtype.kind == "f" else 1.0
        rgba[:, number] = np.rint(np.clip(np.nan_to_num(values * scale), 0.0, 255.0))
    return rgba


def _turned(uvs: NDArray[np.float64]) -> NDArray[np.float32]:
    with np.errstate(over="ignore", invalid="ignore"):
        return (uvs * (1.0, -1.0) + (0.0, 1.0)).astype(np.float32)


def _linear(colors: NDArray[np.uint8]) -> NDArray[np.uint8]:
    rgba = colors.copy()
    rgba[:, :3] = np.rint(linear_from_srgb(rgba[:, :3] / 255.0) * 255.0)
    return rgba
