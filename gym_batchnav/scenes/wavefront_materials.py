"""Reader of MTL material libraries."""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from batchnav_renderer.types import Material, Texture

from ..errors import SceneError
from .color import linear_from_srgb
from .files import SceneFolder
from .scene import SceneWarning
from .texts import decode_text
from .wavefront_textures import LibraryTextures, TextureLine, UvMap, read_texture_line

_CUTOFF = 0.5
"""Transparent surfaces are drawn as cut-outs, as in glTF files."""
_MAX_LIBRARIES = 1000
_BYTES_PER_CHARACTER = 64
_MTL_END = re.compile(r"(?<=\.mtl)\s+", re.IGNORECASE)
_IDENTITY: UvMap = (1.0, 1.0, 0.0, 0.0)


@dataclass(slots=True)
class _Entry:
    diffuse: tuple[float, ...] = (1.0, 1.0, 1.0)
    emission: tuple[float, ...] = (0.0, 0.0, 0.0)
    opacity: float | None = None
    transparency: float = 0.0
    image: TextureLine | None = None
    mask: TextureLine | None = None

    @property
    def alpha(self) -> float:
        """Opacity; where ``d`` and ``Tr`` are both given they often disagree, and ``d`` is right."""
        return 1.0 - self.transparency if self.opacity is None else self.opacity


@dataclass(frozen=True, slots=True)
class UvMaps:
    """How materials read texture coordinates: v up, times a scale, plus an offset."""

    numbers: NDArray[np.int64]
    """(M,) int64, the map of each material."""
    scales: NDArray[np.float64]
    """(n, 2) float64."""
    offsets: NDArray[np.float64]
    """(n, 2) float64."""


@dataclass(slots=True)
class MaterialLibrary:
    """Materials by name, numbered in the order of their use; number 0 is white."""

    folder: SceneFolder
    _entries: dict[str, _Entry] = field(default_factory=dict)
    _numbers: dict[str, int] = field(default_factory=dict)
    _read: set[str] = field(default_factory=set)

    def number(self, name: str) -> int:
        """Number of the material ``name``, whose definition may come later."""
        return self._numbers.setdefault(name, len(self._numbers) + 1)

    def read(self, names: str) -> None:
        """Read the libraries of one ``mtllib`` line; a missing one gives a ``SceneWarning``.

        Raises:
            SceneError: a library is broken; the message names file and line.
        """
        if names in self._read:
            return
        self._count(names)
        for name, content in self._contents(names):
            self.folder.budget.spend(_BYTES_PER_CHARACTER * len(content), f"mtllib {name!r:.80}")
            self._read_lines(name, decode_text(content))

    def _contents(self, names: str) -> list[tuple[str, bytes]]:
        """Names and contents of the files of one line: one name with spaces, or several names."""
        lists = [[names.strip('"')], _MTL_END.split(names), names.split()]
        lists = [list(dict.fromkeys(one)) for one in lists]
        for name in lists[2][1:]:
            self._count(name)
        first = ""
        for read in (self.folder.read, self.folder.read_foreign):
            for candidates in lists:
                try:
                    return [(name, read(name, "mtllib")) for name in candidates]
                except SceneError as error:
                    first = first or str(error)
        self._warn(f"mtllib {names!r:.80} cannot be read ({first}); its materials are drawn white")
        return [(name, self.folder.read(name, "mtllib")) for name in lists[1] if self.folder.has(name)]

    def finish(self) -> tuple[tuple[Material, ...], tuple[Texture, ...]]:
        """The materials by number, and their textures; broken images give a warning and a stand-in."""
        unknown = [name for name in self._numbers if name not in self._entries]
        if unknown and self._entries:
            self._warn(f"usemtl names {unknown[0]!r:.80}, which no library defines; it is drawn white")
        textures = LibraryTextures(self.folder)
        materials = (Material(), *(_material(entry, textures) for entry in self._used()))
        return materials, textures.decode()

    def uv_maps(self) -> UvMaps:
        """How the materials, by number, read texture coordinates."""
        maps = [_IDENTITY]
        maps += [
            (entry.image or entry.mask or TextureLine("", "repeat", _IDENTITY)).uv_map
            for entry in self._used()
        ]
        rows, numbers = np.unique(np.array(maps), axis=0, return_inverse=True)
        return UvMaps(numbers.reshape(-1), rows[:, :2], rows[:, 2:])

    def _used(self) -> list[_Entry]:
        return [self._entries.get(name, _Entry()) for name in self._numbers]

    def _count(self, names: str) -> None:
        self._read.add(names)
        if len(self._read) > _MAX_LIBRARIES:
            raise SceneError(f"{self.folder.scene}: names more than {_MAX_LIBRARIES} material libraries")

    def _read_lines(self, name: str, text: str) -> None:
        entry = _Entry()
        for number, line in enumerate(text.split("\n"), 1):
            keyword, *values = line.split(None, 1) or ("",)
            rest = values[0].strip() if values else ""
            try:
                if keyword == "newmtl":
                    entry = self._entries[rest] = _Entry()
                else:
                    self._setting(entry, keyword.lower(), rest, name)
            except (ValueError, IndexError) as error:
                raise SceneError(
                    f"{self.folder.scene}: {name}, line {number}: {line.strip()!r:.80} is broken ({error})"
                ) from error

    def _setting(self, entry: _Entry, keyword: str, rest: str, library: str) -> None:
        if keyword == "kd" and not rest.startswith(("spectral", "xyz")):
            entry.diffuse = _color(rest)
        elif keyword == "ke" and not rest.startswith(("spectral", "xyz")):
            entry.emission = _color(rest)
        elif keyword == "d":
            entry.opacity = _share(rest.removeprefix("-halo"))
        elif keyword == "tr":
            entry.transparency = _share(rest)
        elif keyword == "map_kd":
            entry.image = self._texture("map_Kd", rest, library)
        elif keyword == "map_d":
            entry.mask = self._texture("map_d", rest, library)

    def _texture(self, keyword: str, rest: str, library: str) -> TextureLine | None:
        line = read_texture_line(rest)
        if line is None:
            self._warn(f"a line {keyword} names no file and is left out")
            return None
        # Names count from the library's folder; many exporters mean the scene's.
        place = library.replace("\\", "/").rpartition("/")[0]
        beside = f"{place}/{line.name}"
        return replace(line, name=beside) if place and self.folder.has(beside) else line

    def _warn(self, message: str) -> None:
        warnings.warn(f"{self.folder.scene}: {message}", SceneWarning, stacklevel=4)


def _material(entry: _Entry, textures: LibraryTextures) -> Material:
    r, g, b = linear_from_srgb(np.array(entry.diffuse)).tolist()
    line, texture = entry.image or entry.mask, -1
    if line is not None:
        color, mask = (one.name if one else "" for one in (entry.image, entry.mask))
        texture = textures.number(color, mask, line.wrap)
    if entry.image is not None:
        if max(r, g, b) <= 0.0:  # many exporters leave the factor of textured surfaces at 0
            r = g = b = 1.0
    else:
        r, g, b = (min(value + more, 1.0) for value, more in zip((r, g, b), entry.emission, strict=True))
    return Material(base_color=(r, g, b, entry.alpha), texture=texture, alpha_cutoff=_CUTOFF)


def _color(text: str) -> tuple[float, ...]:
    values = [_share(word) for word in text.split()[:3]]
    return (values[0],) * 3 if len(values) < 3 else tuple(values)


def _share(text: str) -> float:
    """A number clipped to [0, 1]; raises ``ValueError`` for others than numbers, NaN among them."""
    value = float(text.split()[0])
    if value != value:
        raise ValueError("it is no number")
    return min(max(value, 0.0), 1.0)
