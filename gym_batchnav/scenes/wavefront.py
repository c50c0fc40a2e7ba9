"""Reader of Wavefront OBJ files with their MTL materials."""

from __future__ import annotations

import re
import warnings
from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from batchnav_renderer.types import SceneArrays

from ..errors import SceneError
from .budget import Budget
from .color import linear_from_srgb
from .files import SceneFolder
from .pieces import without_idle_cutoffs
from .polygons import triangulate
from .reads import read_file
from .scene import SceneWarning
from .texts import decode_text
from .wavefront_materials import MaterialLibrary

# A comment that ends in a backslash (of a Windows path) does not swallow the next line.
_COMMENT_LINE = re.compile(r"^[ \t]*#.*$", re.MULTILINE)
_CONTINUED = "\\\n"
_VERTEX, _TEXTURE = "vertex", "texture coordinate"
_BYTES_PER_CORNER = 128


def load_obj(path: Path) -> SceneArrays:
    """Read an OBJ file: polygons (convex or not), texture coordinates, vertex colours and materials.

    Colours are taken as display (sRGB) values, of 0 to 255 where one is above 2. Free-form surfaces, lines
    and points are left out.

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
    lines.read(_COMMENT_LINE.sub("", decode_text(content)))
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
    sizes: array[int] = field(default_factory=lambda: array("q"))
    labels: array[int] = field(default_factory=lambda: array("q"))
    num_flat: int = 0
    forward: dict[str, tuple[int, int]] = field(default_factory=dict)
    """Largest number, and its line, that was named before it was read."""
    line: int = 0
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
        for number, line in enumerate(_joined(text), 1):
            if not line:
                continue
            keyword, *values = line.split(None, 1) or ("",)
            self.line = number
            try:
                self._line(keyword, values[0].strip() if values else "")
            except (ValueError, IndexError, OverflowError) as error:
                raise SceneError(
                    f"{self.path}: line {number}: {line.strip()!r:.80} is broken ({error})"
                ) from error

    def _line(self, keyword: str, rest: str) -> None:
        if keyword == "v":
            self._vertex([float(value) for value in _words(rest)])
        elif keyword == "vt":
            u, v, *_ = [float(value) for value in _words(rest)] + [0.0]
            self.uvs.extend((u, v))
        elif keyword in ("f", "fo"):
            self._face(_words(rest))
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
            self.num_flat += 1
            return
        for word in words:
            self.corners.extend(self._corner(word))
        self.sizes.append(len(words))
        self.labels.extend((self.material, self.object_id))

    def _corner(self, word: str) -> tuple[int, int]:
        """Vertex and texture coordinates (-1 for none) of ``v``, ``v/vt``, ``v//vn`` or ``v/vt/vn``."""
        vertex, *others = word.split("/")
        number = self._resolve(int(vertex), len(self.positions) // 3, _VERTEX)
        if not others or not others[0]:
            return number, -1
        return number, self._resolve(int(others[0]), len(self.uvs) // 2, _TEXTURE)

    def _resolve(self, number: int, count: int, what: str) -> int:
        """Index from 0 of a number from 1, or from -1 backwards among those read so far."""
        if 0 < number <= count:
            return number - 1
        if number > count:  # it may come later
            if number > self.forward.get(what, (0, 0))[0]:
                self.forward[what] = number, self.line
            return number - 1
        if not number or number < -count:
            raise ValueError(f"it names {what} {number}, but {count} were read so far")
        return count + number

    def finish(self) -> SceneArrays:
        """Join what was read."""
        if not self.labels:
            self._warn_of_faces(0)
            raise SceneError(f"{self.path}: holds no triangles")
        self._check_forward(_VERTEX, len(self.positions) // 3)
        self._check_forward(_TEXTURE, len(self.uvs) // 2)
        self.budget.spend(_BYTES_PER_CORNER * len(self.corners), "its faces")
        positions, uvs = np.array(self.positions).reshape(-1, 3), np.array(self.uvs).reshape(-1, 2)
        if not (np.isfinite(positions).all() and np.isfinite(uvs).all()):
            raise SceneError(f"{self.path}: a vertex or texture coordinate is NaN or infinite")
        named = np.array(self.corners, np.int64).reshape(-1, 2)
        cut = triangulate(positions[named[:, 0]], np.array(self.sizes, np.int64))
        self._warn_of_faces(cut.num_left)
        used, objects = np.array(self.labels, np.int64).reshape(-1, 2)[cut.polygons].T
        materials, textures = self.library.finish()
        maps = self.library.uv_maps()
        # One texture coordinate that two materials read differently becomes two.
        ways = np.broadcast_to(maps.numbers[used, None], cut.triangles.shape)
        keys = np.stack([*np.moveaxis(named[cut.triangles], 2, 0), ways], axis=2).reshape(-1, 3)
        corners, triangles = _distinct(keys, len(uvs), len(maps.scales))
        vertex, uv, way = corners.T
        whole = _names_no_vertex_twice(vertex[triangles])
        moved = np.concatenate([uvs, [[0.0, 1.0]]])[uv] * maps.scales[way] + maps.offsets[way]
        with np.errstate(over="ignore"):
            return SceneArrays(
                positions=positions[vertex].astype(np.float32),
                triangles=triangles[whole].astype(np.uint32),
                material_ids=used[whole].astype(np.int32),
                object_ids=objects[whole].astype(np.int32),
                # The file's v points up, the renderer's points down.
                uvs=(moved * (1.0, -1.0) + (0.0, 1.0)).astype(np.float32) if len(uvs) else None,
                colors=self._vertex_colors(vertex),
                materials=without_idle_cutoffs(materials, textures),
                textures=textures,
            )

    def _vertex_colors(self, vertex: NDArray[np.int64]) -> NDArray[np.uint8] | None:
        if not self.colors:
            return None
        self.colors.extend([1.0] * (len(self.positions) - len(self.colors)))
        colors = np.array(self.colors).reshape(-1, 3)[vertex]
        broken = ~np.isfinite(colors).all(axis=1)
        if broken.any():
            self._warn(f"{int(broken.sum())} vertex colours are NaN or infinite and are drawn white")
        most = colors[~broken].max(initial=0.0)
        linear = linear_from_srgb(colors / 255.0 if most > 2.0 else colors)
        linear[broken] = 1.0
        rgba = np.full((len(vertex), 4), 255, np.uint8)
        rgba[:, :3] = np.rint(linear * 255.0)
        return rgba

    def _check_forward(self, what: str, count: int) -> None:
        number, line = self.forward.get(what, (0, 0))
        if number > count:
            raise SceneError(f"{self.path}: line {line}: names {what} {number}, but the file has {count}")

    def _warn_of_faces(self, num_left: int) -> None:
        if self.num_flat:
            self._warn(f"{self.num_flat} faces of fewer than 3 corners are not drawn")
        if num_left:
            self._warn(f"{num_left} faces that are not convex are too large to be cut well")

    def _warn(self, message: str) -> None:
        warnings.warn(f"{self.path}: {message}", SceneWarning, stacklevel=5)


def _joined(text: str) -> Iterator[str]:
    """Lines, with those that a backslash continues in one and empty ones in the places of the others."""
    if _CONTINUED not in text:
        yield from text.split("\n")
        return
    parts: list[str] = []
    for line in text.split("\n"):
        if line.endswith("\\"):
            parts.append(line[:-1])
            continue
        yield " ".join([*parts, line])
        yield from [""] * len(parts)
        parts.clear()
    yield " ".join(parts)


def _words(text: str) -> list[str]:
    """Words up to a comment."""
    return (text.partition("#")[0] if "#" in text else text).split()


def _distinct(
    corners: NDArray[np.int64], num_uvs: int, num_maps: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Distinct (vertex, texture coordinate, map), (V, 3), and triangles as indices into them, (F, 3)."""
    keys = (corners[:, 0] * (num_uvs + 1) + corners[:, 1] + 1) * num_maps + corners[:, 2]
    _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    return corners[first], inverse.reshape(-1, 3)


def _names_no_vertex_twice(triangles: NDArray[np.int64]) -> NDArray[np.bool_]:
    a, b, c = triangles.T
    whole: NDArray[np.bool_] = (a != b) & (b != c) & (c != a)
    return whole
