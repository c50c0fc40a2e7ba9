"""Reader of Wavefront OBJ files with their MTL materials."""

from __future__ import annotations

import re
from array import array
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from batchnav_renderer.types import SceneArrays

from ..errors import SceneError
from .budget import Budget
from .color import linear_from_srgb
from .files import SceneFolder
from .pieces import without_idle_cutoffs
from .reads import read_file
from .wavefront_materials import MaterialLibrary

_CONTINUED = re.compile(r"\\\r?\n")
_BYTES_PER_CORNER = 128


def load_obj(path: Path) -> SceneArrays:
    """Read an OBJ file: polygons (as fans), texture coordinates, vertex colours and materials.

    Colours are taken as display (sRGB) values. Free-form surfaces, lines and points are left out.

    Args:
        path: the ``.obj`` file; materials and textures are read from its folder.

    Returns:
        Its triangles; object ids count the names after ``o`` from 1, or after ``g`` where there is no ``o``.

    Raises:
        SceneError: the file is missing or broken, or holds no triangles; the message names file and line.
    """
    try:
        content = read_file(path)
    except OSError as error:
        raise SceneError(f"{path}: cannot be read ({error})") from error
    budget = Budget(str(path))
    budget.read(len(content))
    lines = _Lines(path, budget)
    lines.read(_CONTINUED.sub(" ", content.decode("utf-8", "replace")))
    return lines.finish()


@dataclass(slots=True)
class _Lines:
    """What has been read so far; a corner is a vertex with its texture coordinates."""

    path: Path
    budget: Budget
    library: MaterialLibrary = field(init=False)
    positions: array[float] = field(default_factory=lambda: array("d"))
    colors: array[float] = field(default_factory=lambda: array("d"))
    uvs: array[float] = field(default_factory=lambda: array("d"))
    corners: array[int] = field(default_factory=lambda: array("q"))
    labels: array[int] = field(default_factory=lambda: array("q"))
    objects: dict[str, int] = field(default_factory=dict)
    object_keyword: str = "g"
    material: int = 0
    object_id: int = 1

    def __post_init__(self) -> None:
        self.library = MaterialLibrary(SceneFolder(self.path, self.budget))

    def read(self, text: str) -> None:
        """Read all lines."""
        if re.search(r"^[ \t]*o[ \t]", text, re.MULTILINE):
            self.object_keyword = "o"
        for number, line in enumerate(text.split("\n"), 1):
            keyword, *values = line.split(None, 1) or ("",)
            try:
                self._line(keyword, values[0].strip() if values else "")
            except (ValueError, IndexError, OverflowError) as error:
                raise SceneError(
                    f"{self.path}: line {number}: {line.strip()!r:.80} is broken ({error})"
                ) from error

    def _line(self, keyword: str, rest: str) -> None:
        if keyword == "v":
            self._vertex([float(value) for value in rest.split()])
        elif keyword == "vt":
            u, v, *_ = [float(value) for value in rest.split()] + [0.0]
            self.uvs.extend((u, v))
        elif keyword == "f":
            self._face(rest.split())
        elif keyword == "usemtl":
            self.material = self.library.number(rest)
        elif keyword == "mtllib":
            self.library.read(rest)
        elif keyword == self.object_keyword:
            self.object_id = self.objects.setdefault(rest, len(self.objects) + 1)

    def _vertex(self, values: list[float]) -> None:
        if len(values) < 3:
            raise ValueError(f"{len(values)} numbers; expected at least 3")
        self.positions.extend(values[:3])
        # Six or seven numbers carry a colour; four carry a weight that polygons do not use.
        if len(values) >= 6:
            missing = len(self.positions) - 3 - len(self.colors)
            self.colors.extend([1.0] * missing)
            self.colors.extend(values[3:6])

    def _face(self, words: list[str]) -> None:
        if len(words) < 3:
            raise ValueError(f"{len(words)} corners; expected at least 3")
        found = [self._corner(word) for word in words]
        for second, third in pairwise(found[1:]):
            self.corners.extend((*found[0], *second, *third))
            self.labels.extend((self.material, self.object_id))

    def _corner(self, word: str) -> tuple[int, int]:
        """Vertex and texture coordinates (-1 for none) of ``v``, ``v/vt``, ``v//vn`` or ``v/vt/vn``."""
        vertex, *others = word.split("/")
        number = _resolve(int(vertex), len(self.positions) // 3, "vertex")
        if not others or not others[0]:
            return number, -1
        return number, _resolve(int(others[0]), len(self.uvs) // 2, "texture coordinate")

    def finish(self) -> SceneArrays:
        """Join what was read."""
        if not self.labels:
            raise SceneError(f"{self.path}: holds no triangles")
        self.budget.spend(_BYTES_PER_CORNER * 3 * len(self.labels) // 2, "its faces")
        positions, uvs = np.array(self.positions).reshape(-1, 3), np.array(self.uvs).reshape(-1, 2)
        if not (np.isfinite(positions).all() and np.isfinite(uvs).all()):
            raise SceneError(f"{self.path}: a vertex or texture coordinate is NaN or infinite")
        labels = np.array(self.labels, np.int64).reshape(-1, 2)
        corners, triangles = _distinct(np.array(self.corners, np.int64).reshape(-1, 2), len(uvs))
        vertex, uv = corners.T
        whole = _names_no_vertex_twice(vertex[triangles])
        # The file's v points up, the renderer's points down.
        turned = np.concatenate([uvs, [[0.0, 1.0]]])[uv] * (1.0, -1.0) + (0.0, 1.0)
        materials, textures = self.library.finish()
        with np.errstate(over="ignore"):
            return SceneArrays(
                positions=positions[vertex].astype(np.float32),
                triangles=triangles[whole].astype(np.uint32),
                material_ids=labels[whole, 0].astype(np.int32),
                object_ids=labels[whole, 1].astype(np.int32),
                uvs=turned.astype(np.float32) if len(uvs) else None,
                colors=self._vertex_colors(vertex),
                materials=without_idle_cutoffs(materials, textures),
                textures=textures,
            )

    def _vertex_colors(self, vertex: NDArray[np.int64]) -> NDArray[np.uint8] | None:
        if not self.colors:
            return None
        self.colors.extend([1.0] * (len(self.positions) - len(self.colors)))
        linear = linear_from_srgb(np.array(self.colors).reshape(-1, 3)[vertex])
        rgba = np.full((len(vertex), 4), 255, np.uint8)
        rgba[:, :3] = np.rint(linear * 255.0)
        return rgba


def _resolve(number: int, count: int, what: str) -> int:
    """Index from 0 of a number from 1, or from -1 backwards among those read so far."""
    index = number - 1 if number > 0 else count + number
    if not number or not 0 <= index < count:
        raise ValueError(f"it names {what} {number}, but {count} were read so far")
    return index


def _distinct(corners: NDArray[np.int64], num_uvs: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Distinct (vertex, texture coordinate) pairs, (V, 2), and the triangles as indices into them, (F, 3)."""
    keys = corners[:, 0] * (num_uvs + 1) + corners[:, 1] + 1
    _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    return corners[first], inverse.reshape(-1, 3)


def _names_no_vertex_twice(triangles: NDArray[np.int64]) -> NDArray[np.bool_]:
    a, b, c = triangles.T
    whole: NDArray[np.bool_] = (a != b) & (b != c) & (c != a)
    return whole
